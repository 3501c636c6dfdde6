"""A graph cut over several tasks gives what it gives in one process, bit for bit."""
from __future__ import annotations

import os
import random

import numpy as np
import pytest

import tinyflow as tf
from tests.cluster.cuts import NOT_CUT, TASKS, InProcess, bits, scatter, session_of, values
from tests.golden.programs import PROGRAMS
from tinyflow.compiler.compile import Options

# Others in each run of the tests, and the same in all of its processes.
RANDOM = random.Random(os.environ.get('PYTEST_XDIST_TESTRUNUID'))
CHOSEN = RANDOM.sample([name for name in PROGRAMS if name not in NOT_CUT], 30)
SEED = RANDOM.randrange(10**6)

pytestmark = pytest.mark.filterwarnings('ignore')


@pytest.mark.slow
@pytest.mark.parametrize('name', sorted(CHOSEN))
def test_a_golden_program_cut_at_random(name, capfd):
    """`python -m tests.cluster.cuts 500` tries many."""
    assert bits(values(name, seed=SEED)[0]) == bits(values(name)[0]), f'seed {SEED}'


@pytest.mark.slow
def test_optimised_programs_round_alike():
    for name in ('rnn_lstm', 'digits_multilayer_perceptron'):
        for one, other in zip(values(name, Options())[0], values(name, Options(), seed=1)[0]):
            for a, b in zip(tf.nest.flatten(one), tf.nest.flatten(other)):
                if a is not None:
                    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def on(task):
    return tf.device(str(TASKS[task]))


@pytest.fixture
def cluster():
    return InProcess()


def stages(session, fetches, feeds=()):
    run = session._new_call(fetches, dict.fromkeys(feeds)).entry.run
    return [[str(part.stage.task) for part in level] for level in run.levels]


def test_a_training_step_is_three_stages(graph, cluster):
    """The ps reads, the worker computes, the ps applies."""
    with on(2):
        w = tf.Variable(tf.ones([3, 1]))
    x = tf.placeholder(tf.float32, [None, 3])
    with on(0):
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.))
        with tf.control_dependencies(None):
            train = tf.gradients(loss, w)[0]
    with on(2):
        train = w.assign_sub(.1 * train)
    with session_of(graph, cluster) as session:
        session.run(w.initializer)
        assert stages(session, [train, loss], [x]) == [
            ['/job:ps/task:0', '/job:worker/task:0'], ['/job:worker/task:0'], ['/job:ps/task:0']]


def test_a_swap_of_variables_on_two_tasks(graph, cluster):
    with on(1):
        a = tf.Variable(1.)
    with on(2):
        b = tf.Variable(2.)
    swap = tf.group(a.assign(b), b.assign(a))
    with session_of(graph, cluster) as session:
        session.run(tf.global_variables_initializer())
        session.run(swap)
        assert session.run([a, b]) == [2., 1.]


def test_a_use_sees_the_writes_it_depends_on(graph, cluster):
    with on(2):
        v = tf.Variable(1.)
    with on(1):
        before = v + 0.
    with tf.control_dependencies([before]), on(2):
        write = v.assign(5.)
    with tf.control_dependencies([write]), on(1):
        after = v + 0.
    with session_of(graph, cluster) as session:
        session.run(v.initializer)
        assert session.run([before, after, v]) == [1., 5., 5.]


def test_loops_read_remote_variables_and_may_not_write_them(graph, cluster):
    with on(2):
        v = tf.Variable(3.)
    with on(1):
        result = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * v), [0, 1.])[1]
    with session_of(graph, cluster) as session:
        session.run(v.initializer)
        assert session.run(result) == 27.


def test_random_streams_and_iterators_run_once(graph, cluster):
    scattered = tf.data.Dataset.range(100).make_one_shot_iterator().get_next()
    tf.set_random_seed(1)
    drawn = tf.random_uniform([2])
    twice = [drawn + 0., drawn * 1., scattered, scattered + 0]
    scatter(graph, random.Random(3))
    with session_of(graph, cluster) as session:
        for i in range(3):
            a, b, first, second = session.run(twice)
            assert (a == b).all() and first == second == i


def test_a_py_func_stays_where_it_was_made(graph, cluster, monkeypatch):
    with on(1):
        called = tf.py_func(lambda x: x + 1, [tf.constant(1.)], tf.float32)
    with session_of(graph, cluster) as session:
        assert session.run(called) == 2.                    # the same process
    monkeypatch.setattr('tinyflow.cluster.peers.LocalPeer.in_process', False)
    with session_of(graph, cluster) as session, \
            pytest.raises(tf.errors.InvalidArgumentError, match='/job:worker/task:1, which is'):
        session.run(called)


def test_errors_name_the_operation_and_the_line(graph, cluster):
    with on(2):
        x = tf.placeholder(tf.float32)
        wrong = tf.matmul(x, x, name='wrong')
    with session_of(graph, cluster) as session, \
            pytest.raises(tf.errors.InvalidArgumentError) as info:
        session.run(wrong, {x: np.ones([2, 3])})
    assert info.value.op is wrong.op
    text = str(info.value)
    assert 'ran on: /job:ps/task:0' in text and "wrong = tf.matmul(x, x, name='wrong')" in text


def test_an_unknown_task(graph, cluster):
    with tf.device('/job:ps/task:3'):
        c = tf.constant(1.) + 1.
    with session_of(graph, cluster) as session, pytest.raises(
            tf.errors.InvalidArgumentError, match='Cannot assign a device for operation'):
        session.run(c)


def test_variables_that_differ_between_workers(cluster):
    for shape in ([2], [3]):
        graph = tf.Graph()
        with graph.as_default(), on(2):
            v = tf.Variable(tf.zeros(shape), name='v')
        session = session_of(graph, cluster)
        if shape == [2]:
            session.run(v.initializer)
        else:
            with pytest.raises(tf.errors.InvalidArgumentError, match='float32 .3. in this graph'):
                session.run(v.initializer)


def test_a_cluster_of_1000_tasks_costs_no_more(graph, cluster):
    """The work of a step depends on the tasks that it uses, not on those there are."""
    with on(2):
        v = tf.Variable(1.)
    read = v + 1.
    counts = []
    for extra in (0, 1000):
        cluster.tasks = [*TASKS, *[type(TASKS[0])('more', i) for i in range(extra)]]
        with session_of(graph, cluster) as session:
            session.run(v.initializer)
            session.run(read)
            counts.append(_calls(lambda: session.run(read)))    # noqa: B023 - called here
    assert counts[0] == counts[1]


def _calls(function):
    import sys
    counted = 0

    def count(*_):
        nonlocal counted
        counted += 1
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return counted
