"""Data sets in .npz files and pickles, and what a backup of Keras holds."""
from __future__ import annotations

import functools
import importlib
import io
import json
import os
import pathlib
import pickle
import tarfile
import tempfile
import zipfile

import numpy as np

import tinyflow as tf
from keras_layer.datasets import cifar, text_numbers
from tests.faults.damage import damaged, damaged_text
from tests.faults.format import file_format


def _npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


@functools.cache
def _archives():
    rng = np.random.default_rng(0)
    pictures, labels = rng.integers(0, 255, (6, 4, 4)).astype(np.uint8), np.arange(6) % 3
    lists = np.array([list(range(1, 5 + i)) for i in range(6)] + [None], object)[:6]
    return {
        'mnist.npz': _npz(x_train=pictures, y_train=labels, x_test=pictures, y_test=labels),
        'boston_housing.npz': _npz(x=rng.normal(size=(6, 13)), y=rng.normal(size=6)),
        'imdb.npz': _npz(x_train=lists, y_train=labels, x_test=lists, y_test=labels),
        'reuters.npz': _npz(x=lists, y=labels)}


def _damaged_member(data, chance, marks):
    """An archive in order, of which one member is damaged; or any damage."""
    if chance.random() < 0.3:
        return damaged(data, chance)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(members))
    header = members[name].index(b'\n') + 1
    if chance.random() < 0.5:
        members[name] = damaged(members[name][:header], chance) + members[name][header:]
    elif chance.random() < 0.5:
        members[name] = damaged_text(members[name][:header], chance) + members[name][header:]
    else:
        members[name] = damaged(members[name], chance)
    file = io.BytesIO()
    with zipfile.ZipFile(file, 'w') as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return file.getvalue()


@file_format('npz data sets', _archives, _damaged_member)
def _data_set(place, name, data):
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    module = importlib.import_module(f'keras_layer.datasets.{path.stem}')
    module.get_file = lambda path, *args, **kwargs: path        # which would compare a hash
    module.load_data(str(path))


@functools.cache
def _batches():
    rows = np.arange(2 * 3072, dtype=np.uint8).reshape(2, 3072)
    return {f'protocol{p}': pickle.dumps({b'data': rows, b'labels': [1, 2]}, p) for p in (0, 2, 4)}


@file_format('pickled pictures', _batches)
def _batch(place, name, data):
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    cifar.load_batch(str(path))


@file_format('word index', lambda: {'i.json': json.dumps({'a': 1, 'b': 2, 'c': 3}).encode()},
             damaged_text)
def _word_index(place, name, data):
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    text_numbers.get_file = lambda path, *args, **kwargs: path
    tf.keras.datasets.imdb.get_word_index(str(path))


def _model():
    keras = tf.keras
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,))])
    model.compile('adam', 'mse')
    return model


@functools.cache
def _backups():
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        model, callback = _model(), tf.keras.callbacks.BackupAndRestore(folder)
        model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
        callback.set_model(model)
        callback.on_epoch_end(0)
        return {'backup.npz': pathlib.Path(folder, 'backup.npz').read_bytes()}


@file_format('Keras backup', _backups, _damaged_member)
def _backup(place, name, data):
    pathlib.Path(place, name).write_bytes(data)
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        model, callback = _model(), tf.keras.callbacks.BackupAndRestore(place)
        callback.set_model(model)
        callback.first_epoch(0)


@functools.cache
def _archive():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode='w:gz') as archive:
        info = tarfile.TarInfo('folder/a.txt')
        info.size = 300
        archive.addfile(info, io.BytesIO(b'abc' * 100))
    other = io.BytesIO()
    with zipfile.ZipFile(other, 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('folder/a.txt', b'abc' * 100)
    return {'a.tar.gz': file.getvalue(), 'a.zip': other.getvalue()}


@file_format('archives', _archive)
def _extracted(place, name, data):
    """get_file(extract=True) of an archive that was damaged on its way."""
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    tf.keras.utils.get_file(name, path.as_uri(), cache_dir=os.path.join(place, 'cache'),
                            extract=True)
