"""A disk that is full after so many bytes of a file (RLIMIT_FSIZE): what is saved is whole, or old.

The number of bytes is the damage here: the "file" has as many bytes as may be written.
"""
from __future__ import annotations

import os
import pathlib
import signal
import sys

import numpy as np

import tinyflow as tf
from tests.faults.format import Wrong, file_format

try:
    import resource
except ImportError:                 # Windows, where nothing is tried
    resource = None


class full_after:                                               # noqa: N801 (used as a function)
    """No file may become longer than `size` bytes: then writing it fails."""

    def __init__(self, size):
        self._size = size

    def __enter__(self):
        sys.dont_write_bytecode = True      # Python leaves half of such a file
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        self._old = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._size, self._old[1]))

    def __exit__(self, *exc):
        resource.setrlimit(resource.RLIMIT_FSIZE, self._old)


def _size(most):
    """Instead of damage: a length, as decimal digits."""
    return lambda data, chance, marks: str(chance.choice(
        (chance.randrange(64), chance.randrange(most)))).encode()


def _no_leftovers(folder, before):
    """Nothing that would be taken for a file of the program."""
    new = _files(folder) - before
    if new:
        raise Wrong(f'left behind: {sorted(new)[:4]}')


def _files(folder):
    return {str(p.relative_to(folder)) for p in pathlib.Path(folder).rglob('*') if p.is_file()}


@file_format('full disk: save', lambda: {'size': b'5000'}, _size(9000))
def _save(place, name, data):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(np.zeros(800, np.float32), name='v')
        words = tf.Variable(['x' * 50] * 8, name='words')
        advance = v.assign_add(np.ones(800, np.float32))
        saver = tf.train.Saver(max_to_keep=2)
        session.run([v.initializer, words.initializer])
        saver.save(session, f'{place}/m', 0)
        session.run(advance)
        failed = None
        try:
            with full_after(int(data)):
                saver.save(session, f'{place}/m', 1)
        except (OSError, tf.errors.OpError) as error:
            failed = error
        latest = tf.train.latest_checkpoint(place)
        value = tf.train.load_variable(latest, 'v')
        if (value != value[0]).any() or not latest.endswith(f'm-{int(value[0])}'):
            raise Wrong(f'{latest} holds {value[:3]}')
        if failed is None and value[0] != 1:
            raise Wrong('no error, but nothing is saved')
        saver.save(session, f'{place}/m', 2)
        if failed is not None:
            raise failed


@file_format('full disk: export', lambda: {'size': b'5000'}, _size(6000))
def _export(place, name, data):
    target = f'{place}/export'
    with tf.Graph().as_default(), tf.Session() as session:
        words = pathlib.Path(place, 'words')
        words.write_text('word\n' * 300)
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, tf.constant(str(words)))
        x, w = tf.placeholder(tf.float32, [None, 2], 'x'), tf.Variable(tf.ones([2, 400]))
        session.run(w.initializer)
        y, failed = tf.matmul(x, w), None
        try:
            with full_after(int(data)):
                tf.saved_model.simple_save(session, target, {'x': x}, {'y': y})
        except (OSError, tf.errors.OpError) as error:
            failed = error
            if os.path.exists(target):
                _no_leftovers(target, set())
            tf.saved_model.simple_save(session, target, {'x': x}, {'y': y})
        with tf.saved_model.load(target) as model:
            if model.signatures['serving_default'](x=[[1, 2]])['y'][0, 0] != 3:
                raise Wrong('another model')
        if failed is not None:
            raise failed


@file_format('full disk: summaries', lambda: {'size': b'900'}, _size(2500))
def _summaries(place, name, data):
    failed = None
    try:
        with full_after(int(data)), tf.Graph().as_default():
            writer = tf.summary.FileWriter(place)
            for step in range(40):
                writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='a', simple_value=step)]),
                                   step)
                writer.flush()
            writer.close()
    except (OSError, tf.errors.OpError) as error:
        failed = error
    seen = []
    for path in pathlib.Path(place).glob('*tfevents*'):
        try:
            for event in tf.train.summary_iterator(str(path)):
                seen += [value.simple_value for value in event.summary.value]
        except tf.errors.DataLossError:
            pass
    if seen != list(range(len(seen))) or (failed is None and len(seen) != 40):
        raise Wrong(f'{len(seen)} of 40 summaries, no error')
    if failed is not None:
        raise failed


@file_format('full disk: TFRecord', lambda: {'size': b'900'}, _size(4000))
def _records(place, name, data):
    failed, path = None, f'{place}/r'
    for kind in ('', 'GZIP', 'ZLIB'):
        failed_now, rng = None, np.random.default_rng(0)
        written = [rng.bytes(80) for _ in range(40)]
        try:
            with full_after(int(data)):
                with tf.python_io.TFRecordWriter(path, kind or None) as writer:
                    for record in written:
                        writer.write(record)
        except (OSError, tf.errors.OpError) as error:
            failed = failed_now = error
        found = []
        try:
            with tf.Graph().as_default(), tf.Session() as session:
                element = tf.data.TFRecordDataset(path, kind).make_one_shot_iterator().get_next()
                while True:
                    found.append(session.run(element))
        except (tf.errors.OutOfRangeError, tf.errors.DataLossError, tf.errors.NotFoundError):
            pass
        if found != written[:len(found)] or (failed_now is None and len(found) != len(written)):
            raise Wrong(f'{kind}: {len(found)} of {len(written)} records, no error')
    if failed is not None:
        raise failed


def _model():
    keras = tf.keras
    return keras.Sequential([keras.layers.Dense(30, input_shape=(20,), name='d')])


@file_format('full disk: Keras', lambda: {'size': b'900'}, _size(20000))
def _keras(place, name, data):
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        model, failed = _model(), None
        old = model.get_weights()
        for path, save, load in ((f'{place}/m.h5', model.save, tf.keras.models.load_model),
                                 (f'{place}/w.h5', model.save_weights, None),
                                 (f'{place}/w', model.save_weights, None)):
            model.set_weights(old)
            save(path)
            model.set_weights([w + 1 for w in old])
            before = _files(place)
            failed_now = None
            try:
                with full_after(int(data)):
                    save(path)
            except (OSError, tf.errors.OpError) as error:
                failed = failed_now = error
                _no_leftovers(place, before)
            other = load(path) if load else model
            if not load:
                other.set_weights([w * 0 for w in old])
                other.load_weights(path)
            for got, was in zip(other.get_weights(), old):
                if not np.array_equal(got, was if failed_now is not None else was + 1):
                    raise Wrong(f'{path}: other weights')
    if failed is not None:
        raise failed
