"""Checkpoints of both versions, and the file `checkpoint` that names the newest one."""
from __future__ import annotations

import pathlib

import numpy as np

import tinyflow as tf
from tests.faults.damage import damaged_text
from tests.faults.format import Wrong, file_format
from tests.faults.messages import damage_of
from tests.golden import checkpoint_contents as contents
from tinyflow.formats.protos.tensor_bundle_pb2 import BundleEntryProto, BundleHeaderProto
from tinyflow.formats.wire.table import read_table, write_table

FOLDER = pathlib.Path(__file__).parents[2] / 'golden' / 'files' / 'ckpt'
WANTED = {'tensors': contents.TENSORS, 'parts': {'parts': contents.WHOLE}, 'many': contents.MANY}


def _files(pattern):
    return {p.name: p.read_bytes() for p in FOLDER.glob(pattern)
            if p.name.partition('.')[0] in WANTED}


def _compare(prefix, wanted):
    """Reads every tensor; `Wrong` if there are other values. The first error is raised last."""
    failed = None
    names = dict(tf.train.list_variables(prefix))
    if set(names) != set(wanted):
        raise Wrong(f'the names {sorted(set(names) ^ set(wanted))[:3]}')
    for name, value in wanted.items():
        try:
            got = tf.train.load_variable(prefix, name)
        except Exception as error:
            failed = failed or error
            continue
        if np.shape(got) != value.shape or not np.array_equal(got, value):
            raise Wrong(f'other values of {name}')
    if failed is not None:
        raise failed


def _read(place, name, data):
    stem = name.partition('.')[0]
    for path in FOLDER.glob(f'{stem}.*'):
        pathlib.Path(place, path.name).write_bytes(data if path.name == name else path.read_bytes())
    _compare(f'{place}/{stem}', WANTED[stem])


file_format('checkpoint index', lambda: _files('*.index'))(_read)
file_format('checkpoint data', lambda: _files('*.data-*'))(_read)


_of_entry, _of_header = damage_of(BundleEntryProto), damage_of(BundleHeaderProto)


def _damaged_entry(data, chance, marks):
    """A table with valid checksums, in which an entry holds other bytes."""
    entries = read_table(data)
    key = chance.choice(sorted(entries))
    entries[key] = (_of_entry if key else _of_header)(entries[key], chance, marks)
    return write_table(entries.items())


@file_format('checkpoint entries', lambda: _files('*.index'), _damaged_entry)
def _entries(place, name, data):
    """What checksums protect is nonsense: other values are possible, but no crash."""
    try:
        _read(place, name, data)
    except Wrong:
        pass


@file_format('checkpoint v1', lambda: {'old': (FOLDER / 'old').read_bytes()})
def _v1(place, name, data):
    pathlib.Path(place, name).write_bytes(data)
    _compare(f'{place}/{name}', {n: v for n, v in contents.TENSORS.items() if n[0] in 'acd'})


@file_format('checkpoint objects', lambda: {p.name: p.read_bytes()
                                            for p in FOLDER.glob('objects-1.*')})
def _objects(place, name, data):
    for path in FOLDER.glob('objects-1.*'):
        pathlib.Path(place, path.name).write_bytes(data if path.name == name else path.read_bytes())
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([9.0, 9.0], use_resource=True)
        status = tf.train.Checkpoint(v=v).restore(f'{place}/objects-1')
        status.initialize_or_restore(session)
        if not any(np.allclose(session.run(v), value) for value in ([9, 9], [0.9, 1.9])):
            raise Wrong(f'{session.run(v)}')


STATE = b'''model_checkpoint_path: "m-2"
all_model_checkpoint_paths: "m-1"
all_model_checkpoint_paths: "m-2"
all_model_checkpoint_timestamps: 1570000000.5
all_model_checkpoint_timestamps: 1570000001.5
last_preserved_timestamp: 1569999999.0
'''


@file_format('checkpoint state', lambda: {'checkpoint': STATE}, damaged_text)
def _state(place, name, data):
    """Training goes on from a whole checkpoint, or stops: it never begins again at 0."""
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.train.get_or_create_global_step()
        saver = tf.train.Saver()
        for value in (1, 2):
            session.run(step.assign(value))
            saver.save(session, f'{place}/m', value, write_meta_graph=False, write_state=False)
        pathlib.Path(place, name).write_bytes(data)
        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=place, save_checkpoint_secs=None, save_summaries_steps=None,
                save_summaries_secs=None, log_step_count_steps=None) as monitored:
            if monitored.run(step) not in (1, 2):
                raise Wrong('training begins again')
