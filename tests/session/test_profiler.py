"""Session.profile: times by line, memory, traces."""
from __future__ import annotations

import json

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def test_profiles_over_many_runs(tmp_path):
    x = tf.placeholder(tf.float32, [None, 50])
    y = tf.reduce_sum(tf.tanh(tf.matmul(x, tf.ones([50, 50]))))
    with tf.Session() as sess:
        profile = sess.profile(y, {x: np.ones((20, 50))}, runs=7)
    assert profile.runs == 7
    lines = profile.by_line()
    assert all('test_profiler.py' in name for name, _, _ in lines) and lines[0][2] > 0
    assert 'test_profiler.py' in profile.table()
    assert max(size for _, size in profile.memory_curve()) >= 20 * 50 * 4
    events = json.loads(profile.chrome_trace(str(tmp_path / 'trace.json')) and
                        (tmp_path / 'trace.json').read_text())['traceEvents']
    assert any(event.get('ph') == 'X' for event in events)


def test_metadata_have_the_graph_of_the_run_if_wanted():
    x = tf.placeholder(tf.float32, [], name='x')
    y = tf.add(x, 1., name='y')
    tf.square(y)
    wanted, metadata = tf.RunOptions(output_partition_graphs=True), tf.RunMetadata()
    with tf.Session() as sess:
        assert sess.run(y, {x: 1.}, options=wanted, run_metadata=metadata) == 2.
        graph, = metadata.partition_graphs
        assert {node.name for node in graph.node} == {'x', 'y/y', 'y'}
        sess.run(y, {x: 1.}, run_metadata=metadata)
        assert not metadata.partition_graphs
        assert sess.run(x, {x: 3.}, options=wanted, run_metadata=metadata) == 3.
        assert not metadata.partition_graphs
