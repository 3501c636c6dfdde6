"""Recordings in files: the same values, origins and pages after reading; damage is refused."""
from __future__ import annotations

import json

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.formats.wire.records import RecordReader, frame
from tinyflow.inspect.viz import load_recording


@pytest.fixture
def recorded(session):
    """Steps with a loop, a NaN, strings, float16, a Variable, a failed run and a large value."""
    x = tf.placeholder(tf.float32, [None], name='x')
    w = tf.get_variable('w', [100], initializer=tf.ones_initializer())
    y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.log(a)), [0, x], name='loop')[1]
    text = tf.as_string(x, name='text')
    half = tf.cast(x, tf.float16, name='half')
    large = tf.fill([40_000], x[0], name='large')
    update = w.assign_add(tf.ones([100]), name='update')
    session.run(w.initializer)
    with tf.record(session, limit='1 MB') as r:
        for start in (2.0, 100.0):
            session.run([y, text, half, large, update.op], {x: [start, start * 1000]})
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(tf.check_numerics(y, 'no'), {x: [0.0]})
    return r


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and \
        (a.tolist() == b.tolist() or np.array_equal(a, b, equal_nan=True))


def test_what_is_read_is_what_was_recorded(recorded, session, tmp_path):
    path = recorded.save(tmp_path / 'run.record')
    assert [p.name for p in tmp_path.iterdir()] == ['run.record']
    read = load_recording(path, session.graph)
    assert len(read) == len(recorded) == 3 and read.runs == recorded.runs
    for a, b in zip(recorded, read):
        assert (a.number, a.nth, a.fetches, a.feeds, a.error, a.names, a.origin, a.seconds) == (
            b.number, b.nth, b.fetches, b.feeds, b.error, b.names, b.origin, b.seconds)
        for one, other in zip(a.entries, b.entries):
            assert one.operation is other.operation and one.iteration == other.iteration
            for kept, again in zip(one.kept, other.kept):
                assert (kept is None) == (again is None)
                if kept is not None and kept.array is not None:
                    assert same(kept.array, again.array)
                elif kept is not None:
                    assert again.array is None and again.statistics == kept.statistics
    assert 'loop' in str(read[-1].origin) and read[0].kept('large')[0].array is None
    pages = [tf.viz.explore(session.graph, recordings={'r': r}).document for r in (recorded, read)]
    assert json.dumps(pages[0]) == json.dumps(pages[1])


def test_without_its_graph_the_values_are_there(recorded, tmp_path):
    path = recorded.save(str(tmp_path / 'run.record'))
    with tf.Graph().as_default():
        read = load_recording(path)
    assert read[1]['half'].tolist() == recorded[1]['half'].tolist()
    assert read[0].entries[0].operation is None and read.origin is not None


def test_what_is_no_recording_is_refused(recorded, tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        load_recording(tmp_path / 'none')
    path = tmp_path / 'run.record'
    recorded.save(path)
    header, *values = RecordReader(str(path))
    bad = json.loads(header)
    bad['steps'][0]['entries'][0][2] = [10**9]
    deep = b'{"format":' + b'[' * 10**5
    for records in ([], [b'{}'], [header], [header, *values[:-1]], [deep],
                    [json.dumps(bad).encode(), *values], [header, values[0] + b'x', *values[1:]]):
        path.write_bytes(b''.join(map(frame, records)))
        with pytest.raises(tf.errors.DataLossError, match='run.record'):
            load_recording(path)
