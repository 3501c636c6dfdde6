"""Recordings of runs: damaged files, and damaged headers under valid checksums."""
from __future__ import annotations

import functools
import pathlib
import tempfile

import numpy as np

import tinyflow as tf
from tests.faults.damage import damaged_text
from tests.faults.format import Wrong, file_format
from tinyflow.formats.wire.records import RecordReader, frame


@functools.cache
def _whole():
    with tf.Graph().as_default(), tf.Session() as session, \
            tempfile.TemporaryDirectory() as folder:
        x = tf.placeholder(tf.float32, [None], name='x')
        y = tf.log(x, name='y')
        tf.as_string(y, name='text')
        with tf.record(session, limit='30 KB') as r:
            session.run(['y:0', 'text:0'], {x: [1.0, 0.0]})
            session.run('y:0', {x: np.ones(1200)})           # too big to be kept
        path = r.save(pathlib.Path(folder, 'run.record'))
        return pathlib.Path(path).read_bytes()


def _read(place, name, data, checked=True):
    path = pathlib.Path(place, name)
    path.write_bytes(data)
    with tf.Graph().as_default():
        tf.placeholder(tf.float32, [None], name='x')
        read = tf.viz.load_recording(path)
        tf.viz.explore(tf.get_default_graph(), recordings=[read]).html()
    if checked and read[0]['x'].tolist() != [1.0, 0.0]:
        raise Wrong('other values')


file_format('recording', lambda: {'run.record': _whole()})(_read)


def _damaged_header(data, chance, marks):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'run')
        path.write_bytes(data)
        header, *values = RecordReader(str(path))
    return b''.join(map(frame, [damaged_text(header, chance, marks), *values]))


@file_format("a recording's header", lambda: {'run.record': _whole()}, _damaged_header)
def _read_header(place, name, data):
    _read(place, name, data, checked=False)
