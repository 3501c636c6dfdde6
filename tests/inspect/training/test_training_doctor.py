"""The training doctor: faults are found and named, healthy networks and unwatched runs are left
alone.
"""
from __future__ import annotations

import json

import numpy as np
import pytest

import tinyflow as tf
from tests.inspect.training import networks
from tests.inspect.training.networks import FAULTS, HEALTHY, MORE_FAULTS, adam, diagnose, sgd
from tinyflow.inspect.doctor.training.probes import find_probes


@pytest.mark.slow
@pytest.mark.parametrize('fault', [*FAULTS, *MORE_FAULTS])
def test_a_fault_is_found_and_nothing_else(fault):
    report = diagnose({**FAULTS, **MORE_FAULTS}[fault], 0)
    assert {finding.id for finding in report} == {fault}
    for finding in report:
        assert finding.operation is not None and finding.hint
        assert 'networks.py' in str(finding)


@pytest.mark.slow
@pytest.mark.parametrize('network', HEALTHY, ids=lambda network: network.__name__)
def test_healthy_networks_are_left_alone(network):
    report = diagnose(network, 0)
    assert report.ok, report
    assert report.observed[0].steps >= 100 and len(report.observed[0].sampled) > 10


@pytest.mark.thorough
@pytest.mark.parametrize('seed', range(1, 6))
def test_all_networks_with_other_seeds(seed):
    found = {network: {f.id for f in diagnose(network, seed)}
             for network in [*FAULTS.values(), *HEALTHY]}
    wrong = [(network.__name__, ids) for network, ids in found.items()
             if ids != {name for name, faulty in FAULTS.items() if faulty is network}]
    assert not wrong


def test_where_a_nan_comes_from():
    finding, = diagnose(networks.nan, 0)
    assert finding.operation.name == 'log_of_size'
    assert 'Log' in finding.problem and finding.figure >= 0


# ---- the watched Session -----------------------------------------------------------------------

pytestmark = pytest.mark.usefixtures('graph')


def small():
    tf.set_random_seed(3)
    x, y = tf.placeholder(tf.float32, [None, 4], 'x'), tf.placeholder(tf.float32, [None, 1], 'y')
    h = tf.layers.dropout(tf.layers.dense(x, 8, tf.nn.relu, name='h'), 0.2, training=True)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1, name='o') - y))
    return x, y, loss, adam(1e-2).minimize(loss)


def steps_of(watched, number=60):
    """The losses of a training, watched or not."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, y, loss, step = small()
        rng = np.random.RandomState(0)
        session.run(tf.global_variables_initializer())
        doctor = tf.doctor(session, every=7) if watched else session.as_default()
        with doctor:
            return [session.run([loss, step], {x: rng.rand(16, 4), 'y:0': rng.rand(16, 1)})[0]
                    for _ in range(number)]


def test_watching_changes_no_value():
    assert steps_of(True) == steps_of(False)


def test_results_keep_their_structure(session):
    x, y, loss, step = small()
    session.run(tf.global_variables_initializer())
    feeds = {x: np.ones((2, 4)), y: np.ones((2, 1))}
    with tf.doctor(session) as doctor:
        call = session.make_callable([loss, step], [x, y])
        for _ in range(3):
            assert session.run(step, feeds) is None
            assert set(session.run({'l': loss, 's': (step,)}, feeds)) == {'l', 's'}
            assert len(call(*feeds.values())) == 2
        session.run(loss, feeds)                        # no training step
    assert doctor.report().observed[0].steps == 9
    assert len(call(*feeds.values())) == 2              # goes on unwatched
    session.run(step, feeds)
    assert doctor.report().observed[0].steps == 9
    assert 'run' not in vars(session) and '9 training steps' in str(doctor.report())


def test_errors_are_those_of_the_run(session):
    x, _, _, step = small()
    session.run(tf.global_variables_initializer())
    with tf.doctor(session):
        with pytest.raises(tf.errors.InvalidArgumentError, match='You must feed'):
            session.run(step, {x: np.ones((2, 4))})
        with pytest.raises(RuntimeError, match='watched already'), tf.doctor(session):
            pass


def test_arguments(session):
    with pytest.raises(TypeError, match='a Session is watched'):
        tf.doctor(session, tf.constant(1.))
    for every in (0, 1.5, True):
        with pytest.raises(ValueError, match='positive number of steps'):
            tf.doctor(session, every=every)
        with pytest.raises(ValueError, match='Hint'):
            tf.train.DoctorHook(every=every)


def test_a_hook_in_a_monitored_session():
    x = tf.placeholder(tf.float32, [None, 3])
    step = sgd(0.1).minimize(tf.reduce_mean(tf.square(tf.layers.dense(255. * x, 1))))
    hook = tf.train.DoctorHook(every=5)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(4):
            session.run(step, {x: np.ones((8, 3))})
    assert [finding.id for finding in hook.report()] == ['input-scale']


def test_updates_of_ones_own():
    """A step without an optimizer."""
    w = tf.Variable([[1.], [2.]])
    loss = tf.reduce_sum(tf.square(tf.matmul(tf.ones([3, 2]), w)), name='own')
    step = tf.assign_sub(w, 0.1 * tf.gradients(loss, w)[0])
    probes = find_probes([step.op], [])
    assert probes.loss is loss and [u.name for u in probes.updates] == ['Variable']
    assert find_probes([w.initializer], []) is None


# ---- the report as data ------------------------------------------------------------------------

@pytest.mark.slow
def test_the_report_as_a_document():
    report = diagnose(networks.vanishing_gradient, 0)
    document = json.loads(json.dumps(report.as_document(), allow_nan=False))
    finding, = document['findings']
    assert set(finding) == {'id', 'node', 'figure', 'text', 'hint', 'site'}
    assert finding['id'] == 'vanishing-gradient' and finding['node'].endswith('kernel')
    assert finding['site'][0].endswith('networks.py') and finding['site'][2] == 'classifier'
    curves = document['curves']
    assert len(curves['loss']) > 100 and len(curves['loss'][0]) == 2
    assert {'update/weight dense/kernel', 'gradient/weight dense/kernel',
            'saturated values dense/Sigmoid'} <= set(curves)
    bars = document['histograms']['weights dense/kernel']
    assert sum(bars['counts']) == 8 * 16 and bars['from'] < bars['to']


def test_a_report_of_nothing(session):
    with tf.doctor(session) as doctor:
        pass
    assert str(doctor.report()) == 'no training step was run: no problems found'
    assert doctor.report().as_document() == {'findings': [], 'curves': {}, 'histograms': {}}
