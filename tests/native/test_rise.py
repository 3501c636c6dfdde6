"""Programs move up to the native tier at a fixed run, and say so."""

import gc
import os
import re
import threading

import numpy as np
import pytest

import tinyflow as tf
from tests.forks import needs_fork, statuses_of_children
from tests.threads import check_in_threads
from tinyflow.graph.support import processors
from tinyflow.graph.support.background import may_end_here
from tinyflow.native import rise
from tinyflow.native.onednn.library import find_library
from tinyflow.native.rise import NativeExecutable
from tinyflow.session import followed, loop_executable

pytestmark = [pytest.mark.engine,
              pytest.mark.skipif(find_library() is None, reason='needs the extra "fast"')]


@pytest.fixture(autouse=True)
def no_loops_to_wait_for(monkeypatch):
    monkeypatch.setattr(rise, 'runs_to_prepare', lambda program, exact=False: 0)


def training(seed=0):
    """A step that trains a convolution, and the Variable."""
    x = tf.random_normal([4, 12, 12, 8], seed=seed)
    filter = tf.get_variable('filter', initializer=tf.random_normal([3, 3, 8, 8], seed=seed))
    loss = tf.reduce_mean(tf.nn.conv2d(x, filter, [1, 1, 1, 1], 'SAME') ** 2)
    return tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss), filter


def trained(runs, mode, monkeypatch, seen=()):
    """The Variable after each of `runs` steps."""
    monkeypatch.setenv('TINYFLOW_NATIVE', mode)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        step, filter = training()
        session.run(tf.global_variables_initializer())
        values = []
        for _ in range(runs):
            session.run(step)
            values.append(session.run(filter))
        executables = [e for entry in list(session._programs.entries.values())
                       for e in entry.executables.values()]
        return values, [type(e) for e in executables]


def test_the_variable_that_decides_is_read_with_care(monkeypatch):
    assert trained(1, ' ALWAYS', monkeypatch)[1].count(NativeExecutable)
    assert not trained(1, 'Off', monkeypatch)[1].count(NativeExecutable)
    with pytest.raises(ValueError, match="'yes', not 'off', 'auto' or 'always'"):
        trained(1, 'yes', monkeypatch)


def test_a_program_moves_up_at_its_fifth_run(monkeypatch):
    for runs, native in ((4, False), (5, True), (8, True)):
        assert (NativeExecutable in trained(runs, 'auto', monkeypatch)[1]) is native


def test_runs_leave_a_processor_while_native_code_is_made(monkeypatch):
    """By their numbers alone, so that results do not depend on time."""
    left, call = [], processors.leaving_one
    monkeypatch.setattr(followed, 'leaving_one',
                        lambda run, *arguments: left.append(run) or call(run, *arguments))
    for runs, expected in ((2, 0), (3, 1), (4, 2), (5, 2), (8, 2)):
        left.clear()
        trained(runs, 'auto', monkeypatch)
        assert len(left) == expected
    trained(8, 'off', monkeypatch)
    assert len(left) == 2


def test_runs_are_repeated_to_the_bit(monkeypatch):
    first, second = [trained(8, 'auto', monkeypatch)[0] for _ in range(2)]
    assert all((a == b).all() for a, b in zip(first, second))


@pytest.mark.parametrize('mode', ['auto', 'always'])
def test_training_agrees_with_numpy(mode, monkeypatch):
    expected, native = [trained(8, m, monkeypatch)[0][-1] for m in ('off', mode)]
    np.testing.assert_allclose(expected, native, rtol=1e-4, atol=1e-6)


def test_it_can_be_turned_off(monkeypatch):
    assert NativeExecutable not in trained(8, 'off', monkeypatch)[1]


def test_several_threads_share_a_session(monkeypatch):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'auto')
    rng = np.random.RandomState(0)
    images = rng.normal(size=(4, 2, 12, 12, 8)).astype('f')
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2, 12, 12, 8])
        y = tf.nn.conv2d(x, tf.constant(rng.normal(size=(3, 3, 8, 8)).astype('f')), [1, 1, 1, 1],
                         'SAME')
        check_in_threads(session, y, x, images, atol=1e-4)


def test_explain_names_what_moved(monkeypatch, session):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'auto')
    step, _ = training()
    session.run(tf.global_variables_initializer())
    for _ in range(5):
        session.run(step)
    text = str(tf.explain(step, None, session, runs=2))
    assert 'by oneDNN: Conv2D, Conv2DBackpropFilter' in text
    assert re.search(r'fastest run with NumPy alone, before .*; [\d.]+ \w+ now', text)


@pytest.mark.slow
def test_a_program_with_a_loop_of_unknown_length_moves_up(monkeypatch):
    """After the runs that a loop has to be unrolled; the loop keeps its compiled functions."""
    def trained(mode, runs):
        monkeypatch.setenv('TINYFLOW_NATIVE', mode)
        with tf.Graph().as_default(), tf.Session() as session:
            times = tf.placeholder(tf.int32, [])
            v = tf.Variable(np.linspace(0.1, 1, 4096, dtype=np.float32).reshape(64, 64))
            _, y = tf.while_loop(lambda i, y: i < times, lambda i, y: (i + 1, tf.sin(y) @ v),
                                 [0, tf.ones([1, 64])])
            step = tf.train.AdamOptimizer(0.01).minimize(tf.reduce_sum(y ** 2))
            session.run(tf.global_variables_initializer())
            for run in range(runs):
                session.run(step, {times: 1 + run % 3})
            return session.run(v), [type(e) for entry in list(session._programs.entries.values())
                                    for e in entry.executables.values()]

    value, kinds = trained('auto', 37)
    assert NativeExecutable in kinds and NativeExecutable not in trained('auto', 36)[1]
    np.testing.assert_allclose(value, trained('off', 37)[0], rtol=1e-4, atol=1e-6)


def test_an_unrolled_loop_moves_up(monkeypatch):
    monkeypatch.setattr(loop_executable, '_UNROLL_ONE', 0)
    monkeypatch.setenv('TINYFLOW_NATIVE', 'auto')
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(tf.ones([64, 64]) * 0.1)
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.exp(tf.tanh(y @ v) * 0.5)),
                             [0, tf.ones([128, 64])])
        session.run(v.initializer)
        for _ in range(37):
            session.run(y)
        assert NativeExecutable in [type(e) for entry in list(session._programs.entries.values())
                                    for e in entry.executables.values()]


@pytest.mark.parametrize('end', [tf.Session.close, lambda session: None], ids=['closed', 'dropped'])
def test_nothing_is_prepared_for_a_session_that_is_gone(end, monkeypatch):
    """A search through settings makes many Sessions."""
    begun, threads = threading.Event(), []

    def endless(program):
        threads.append(threading.current_thread())
        begun.set()
        while True:
            safe()

    @may_end_here
    def safe():
        pass

    monkeypatch.setattr(rise, 'raised', endless)
    monkeypatch.setenv('TINYFLOW_NATIVE', 'auto')
    with tf.Graph().as_default():
        session = tf.Session()
        step, _ = training()
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step)
    assert begun.wait(60)
    end(session)
    del session
    gc.collect()
    threads[0].join(60)
    assert not threads[0].is_alive()


@needs_fork
@pytest.mark.parametrize('threads', [1, 2])
def test_a_forked_child_computes_with_threads_of_its_own(threads, monkeypatch):
    """OpenMP's threads of the parent are not there; both compute the same bits."""
    monkeypatch.setenv('TINYFLOW_NATIVE', 'always')
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = tf.ones([8, 32, 32, 16])
        y = tf.nn.conv2d(x, tf.random_normal([3, 3, 16, 32], seed=1), [1, 1, 1, 1], 'SAME')
        total = tf.reduce_sum(tf.sin(y) * 3.3)
        expected = session.run(total)
        again = tf.Session(graph=total.graph, config=config)
        assert statuses_of_children(lambda: 0 if again.run(total) == expected else 1) == [0]


@needs_fork
def test_a_child_that_is_forked_before_the_move_moves_up_at_the_same_run(monkeypatch):
    monkeypatch.setenv('TINYFLOW_NATIVE', 'auto')
    with tf.Graph().as_default(), tf.Session() as session:
        step, filter = training()
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(step)

        def trained_on():
            for _ in range(4):
                session.run(step)
            return session.run(filter)

        reader, writer = os.pipe()
        assert statuses_of_children(lambda: 0 * os.write(writer, trained_on().tobytes())) == [0]
        assert os.read(reader, 1 << 20) == trained_on().tobytes()
