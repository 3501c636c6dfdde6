"""The training doctor inside of while loops, scans, recurrent networks and conds."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.inspect.training.networks import adam, sgd

pytestmark = pytest.mark.usefixtures('graph')
HERE = __file__.rpartition('/')[2]


def trained(loss, feeds, optimizer=None, steps=20, every=10):
    """The report about a training; every finding names a line of this file."""
    step = (optimizer or sgd(0.01)).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with tf.doctor(session, every=every) as doctor:
            for _ in range(steps):
                session.run(step, feeds)
    for finding in doctor.report():
        assert HERE in str(finding)
    return doctor.report()


def nodes(report):
    return [(found['id'], found['node']) for found in report.as_document()['findings']]


def recurrent(cell, scale=1.0, std=None):
    tf.set_random_seed(1)
    rng = np.random.RandomState(0)
    rows = rng.randn(32, 12, 4)
    x, y = tf.placeholder(tf.float32, [None, 12, 4]), tf.placeholder(tf.int64, [None])
    init = None if std is None else tf.random_normal_initializer(stddev=std)
    with tf.variable_scope('net', initializer=init):
        outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(outputs[:, -1], 2))
    return loss, {x: rows * scale, y: rows[:, :, 0].sum(1) > 0}


def test_saturated_units_of_a_recurrent_network():
    report = trained(*recurrent(tf.nn.rnn_cell.BasicRNNCell(8), std=20.))
    name = 'net/rnn/while/body/basic_rnn_cell/Tanh'
    assert nodes(report) == [('saturated-units', name)]
    assert f"of Tanh '{name}' are within" in str(report)
    document = report.as_document()
    steps = [step for step, _ in document['curves'][f'saturated values {name}']]
    assert steps[:6] == [0, 1, 2, 4, 8, 10]
    assert sum(document['histograms'][f'activations {name}']['counts']) == 12 * 32 * 8


@pytest.mark.slow
def test_inputs_of_a_recurrent_network():
    report = trained(*recurrent(tf.nn.rnn_cell.BasicRNNCell(8), scale=120.))
    assert [name for name, _ in nodes(report)] == ['input-scale'] and 'while/body' in str(report)


@pytest.mark.slow
@pytest.mark.parametrize('cell', [tf.nn.rnn_cell.LSTMCell, tf.nn.rnn_cell.GRUCell])
def test_healthy_recurrent_networks(cell):
    report = trained(*recurrent(cell(8)), adam(0.02), steps=120)
    assert report.ok, report
    assert report.observed[0].probes.inside.activations


def test_dead_units_of_a_scan():
    rng = np.random.RandomState(0)
    x = tf.placeholder(tf.float32, [6, 32, 4])
    kernel = tf.get_variable('kernel', [12, 8])
    bias = tf.get_variable('bias', [8], initializer=tf.constant_initializer(-10.))

    def unit(state, row):
        return tf.nn.relu(tf.matmul(tf.concat([state, row], 1), kernel) + bias)
    last = tf.scan(unit, x, tf.zeros([32, 8]))[-1]
    loss = tf.reduce_mean(tf.square(tf.layers.dense(last, 1) - 1))
    assert nodes(trained(loss, {x: rng.randn(6, 32, 4)})) == [('dead-relu', 'scan/while/body/Relu')]


@pytest.mark.parametrize('flag', [True, False])
def test_dead_units_of_a_branch(flag):
    """A branch that does not run is not spoken of."""
    x, chosen = tf.placeholder(tf.float32, [32, 4]), tf.placeholder(tf.bool, [])
    kernel = tf.get_variable('kernel', [4, 8])
    loss = tf.reduce_mean(tf.square(tf.layers.dense(tf.cond(
        chosen, lambda: tf.nn.relu(tf.matmul(x, kernel) - 10.), lambda: tf.matmul(x, kernel)), 1)))
    found = nodes(trained(loss, {x: np.random.RandomState(0).randn(32, 4), chosen: flag}))
    assert found == [('dead-relu', 'cond/if true/Relu')] * flag


def test_a_nan_in_a_scan():
    """The loss is infinite in the same step as its gradient: the loss's own origin is said."""
    x = tf.placeholder(tf.float32, [4, 3])
    w = tf.get_variable('w', [3], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.scan(lambda a, row: a + tf.log(row * w), x, tf.zeros([3])))
    report = trained(loss, {x: [[1, 2, 3]] * 2 + [[0, 1, 2]] + [[1, 2, 3]]})
    assert nodes(report) == [('nan', 'scan/while/body/Log')]
    assert "first produced by Log 'scan/while/Log' in iteration 2 of its loop" in str(report)


def test_the_session_is_as_before():
    loss, feeds = recurrent(tf.nn.rnn_cell.GRUCell(8))
    step = adam(0.01).minimize(loss)
    with tf.Session() as session:
        kind = type(session._programs)
        session.run(tf.global_variables_initializer())
        with tf.doctor(session):
            session.run(step, feeds)
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(step)
            assert type(session._programs) is not kind
        assert type(session._programs) is kind
    with tf.Session(nan_check=True) as session:             # it looks at all values itself
        session.run(tf.global_variables_initializer())
        with tf.doctor(session) as doctor:
            session.run(step, feeds)
    assert doctor.report().ok
