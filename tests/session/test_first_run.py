"""The first run of a long program goes node by node, and returns what a compiled run does."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.session import tiers
from tinyflow.session.first_run import FirstRun


@pytest.fixture(autouse=True)
def short_programs_too(monkeypatch):
    monkeypatch.setattr(tiers, 'LONG', 2)


def executables(session):
    return [executable for call in session._calls.values()
            for executable in call.entry.executables.values()]


def test_is_compiled_when_it_runs_again(session):
    x = tf.placeholder(tf.float32, [3])
    y = tf.exp(tf.sin(x) + 1.0)
    fed = np.float32([0.1, 0.2, 0.3])
    first = session.run(y, {x: fed})
    executable, = executables(session)
    assert type(executable) is FirstRun and executable._made is None
    second = session.run(y, {x: fed})
    assert second.tobytes() == first.tobytes()
    executable, = executables(session)
    assert type(executable) is not FirstRun and executable.runs == 2


def test_long_programs_only(session, monkeypatch):
    monkeypatch.setattr(tiers, 'LONG', 1000)
    session.run(tf.exp(tf.random.uniform([3])) + 1.0)
    assert [type(e) is FirstRun for e in executables(session)] == [False]


def test_training_steps_and_loops_are_compiled_at_once(session):
    v = tf.Variable([1.0, 2.0])
    session.run(v.initializer)
    step = tf.assign_add(v, tf.exp(tf.sin(v)))
    loop = tf.while_loop(lambda i: i < tf.random.uniform([], 3, 4), lambda i: i + 1.0, [0.0])
    session.run(step)
    session.run(loop + 1.0)
    assert not any(type(e) is FirstRun and e._made is None for e in executables(session)[1:])


def test_initializers_go_by_steps(session):
    v = tf.Variable(tf.exp(tf.random.uniform([4], seed=1)))
    init = tf.global_variables_initializer()
    session.run(init)
    assert [type(e) for e in executables(session)] == [FirstRun]
    by_steps = session.run(v)
    with tf.Session() as other, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiers, 'LONG', 1000)
        other.run(init)
        np.testing.assert_array_equal(other.run(v), by_steps)


def test_random_numbers_go_on_in_the_second_run(session):
    drawn = tf.random.normal([5], seed=3) * 2.0 + 1.0
    runs = [session.run(drawn) for _ in range(3)]
    with tf.Session() as other, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiers, 'LONG', 1000)
        np.testing.assert_array_equal(runs, [other.run(drawn) for _ in range(3)])


def test_the_caller_owns_the_results(session):
    v = tf.Variable(np.arange(6.0))
    session.run(v.initializer)
    x = tf.placeholder(tf.float64, [2, 3])
    view = tf.transpose(tf.reshape(v, [2, 3]))
    fetches = [view, tf.reshape(x, [6]), tf.constant([1.0, 2.0]), x + 1.0, x + 1.0,
               tf.reduce_sum(x)]
    fed = np.ones((2, 3))
    results = session.run(fetches, {x: fed})
    assert type(executables(session)[-1]) is FirstRun
    for result in results[:-1]:
        result[...] = -1
    assert isinstance(results[-1], np.float64) and fed.min() == 1
    np.testing.assert_array_equal(session.run(v), np.arange(6.0))
    again = session.run(fetches, {x: fed})
    np.testing.assert_array_equal(again[2], [1, 2])


def test_errors_name_the_node(session):
    x = tf.placeholder(tf.float32, [None, None])
    y = tf.exp(tf.matmul(tf.exp(x), tf.ones([3, 2]), name='product'))
    messages = []
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match='product') as raised:
            session.run(y, {x: np.ones((2, 2))})
        messages.append(str(raised.value))
    assert messages[0] == messages[1]


def test_uninitialized_variables_are_all_named_before_anything_runs(session):
    v, w = tf.Variable(1.0, name='v'), tf.Variable(2.0, name='w')
    calls = []
    seen = tf.py_func(lambda: calls.append(1) or np.float32(1), [], tf.float32)
    with pytest.raises(tf.errors.FailedPreconditionError, match="'v', 'w'"):
        session.run(tf.exp(v) + tf.exp(w))
    with pytest.raises(tf.errors.FailedPreconditionError, match='uninitialized value w'):
        session.run([tf.exp(seen), tf.exp(w)])
    assert not calls


def test_memory_of_dead_values_is_free_during_the_run(session):
    import tracemalloc
    x = tf.placeholder(tf.float32, [1 << 16])
    y = x
    for _ in range(40):
        y = tf.sin(y)
    fed = np.ones(1 << 16, np.float32)
    tracemalloc.start()
    try:
        session.run(y, {x: fed})
        assert tracemalloc.get_traced_memory()[1] < 8 * fed.nbytes
    finally:
        tracemalloc.stop()
    assert [type(e) for e in executables(session)] == [FirstRun]


def test_a_first_run_can_be_traced_and_profiled(session):
    x = tf.placeholder(tf.float32, [3])
    y, z = tf.exp(tf.sin(x)), tf.sin(tf.exp(x))
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    session.run(y, {x: [1, 2, 3]}, options=options, run_metadata=metadata)
    assert metadata.step_stats.dev_stats
    assert 'test_first_run.py' in str(session.profile(z, {x: [1, 2, 3]}, runs=2))
    timed = tf.cos(tf.exp(x))
    value = session.run(timed, {x: [1, 2, 3]}, options=tf.RunOptions(timeout_in_ms=60_000))
    np.testing.assert_allclose(value, np.cos(np.exp([1, 2, 3])), rtol=1e-5)


def test_a_first_run_can_be_recorded(session):
    x = tf.placeholder(tf.float32, [3])
    y = tf.exp(tf.sin(x))
    traced = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.record(session) as recording:
        session.run(y, {x: [1, 2, 3]}, options=traced, run_metadata=tf.RunMetadata())
        session.run(y, {x: [1, 2, 3]})
    np.testing.assert_allclose(recording[-1][y], np.exp(np.sin([1, 2, 3])), rtol=1e-5)
