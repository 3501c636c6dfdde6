"""RunOptions(timeout_in_ms) and ConfigProto(operation_timeout_in_ms)."""
from __future__ import annotations

import sys
import threading
import time

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.data.runtime import timed_take
from tinyflow.data.runtime.iterators import IteratorState
from tinyflow.data.runtime.sources import Range
from tinyflow.graph.support.waits import deadline, deadlines, seconds_left

SHORT = tf.RunOptions(timeout_in_ms=20)
pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture(autouse=True)
def no_deadline_is_left():
    yield
    assert not deadlines


def until_late():
    """For py_func: returns when the run's time is over."""
    while seconds_left():
        time.sleep(0.001)
    return np.float32(1)


def exceeds(call, *words):
    """`call` raises DeadlineExceededError; returns how many seconds that took."""
    begin = time.monotonic()
    with pytest.raises(tf.errors.DeadlineExceededError) as caught:
        call()
    assert 'Timed out waiting for notification' in caught.value.message
    for word in words:
        assert word in caught.value.message
    return time.monotonic() - begin


def test_a_dequeue_that_waits(session):
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    take, take_3, size = queue.dequeue(), queue.dequeue_many(3), queue.size()
    assert exceeds(lambda: session.run(take, options=SHORT), '20 ms') < 10
    session.run(queue.enqueue_many([[1, 2]]))
    exceeds(lambda: session.run(take_3, options=SHORT))
    assert session.run(size, options=tf.RunOptions(timeout_in_ms=100_000)) == 2
    assert session.run([take, queue.dequeue()]) == [1, 2]


def test_an_enqueue_that_waits(session):
    queue = tf.FIFOQueue(1, [tf.int32], [[]])
    put, size = queue.enqueue(1), queue.size()
    session.run(put)
    exceeds(lambda: session.run(put, options=SHORT))
    assert session.run(size) == 1


def test_an_accumulator_that_waits(session):
    accumulator = tf.ConditionalAccumulator(tf.float32, [])
    exceeds(lambda: session.run(accumulator.take_grad(1), options=SHORT))


@pytest.mark.parametrize('batch', [1, 2])
def test_an_iterator_that_waits_loses_no_element(session, batch):
    event = threading.Event()

    def elements():
        for i in range(8):
            if i == 3:
                event.wait()
            yield i
    data = tf.data.Dataset.from_generator(elements, tf.int32, []).batch(batch)
    following = data.make_one_shot_iterator().get_next()
    long = tf.RunOptions(timeout_in_ms=100_000)
    got = [session.run(following, options=long) for _ in range(3 // batch)]
    for _ in range(3):
        exceeds(lambda: session.run(following, options=SHORT))
    event.set()
    got += [session.run(following, options=options) for options in (None, long, None)]
    assert np.concatenate(got).tolist() == list(range(batch * len(got)))


def test_runs_without_a_timeout_start_no_threads_after_one_with_it(session):
    following = tf.data.Dataset.range(10).make_one_shot_iterator().get_next()
    long = tf.RunOptions(timeout_in_ms=100_000)
    got = [session.run(following, options=options) for options in (long, None, long, None, None)]
    state = next(s for s in session._store._states.values() if hasattr(s, 'take'))
    assert got == list(range(5)) and state._timed is None


def test_a_run_without_a_timeout_waits_for_a_limited_time(session, monkeypatch):
    """A wait without a limit is one that Ctrl-C does not end, on Windows."""
    limits, wait = [], threading.Condition.wait

    def noted(self, timeout=None):
        if sys._getframe(1).f_globals['__name__'] == timed_take.__name__:
            limits.append(timeout)
            event.set()
        return wait(self, timeout)
    monkeypatch.setattr(threading.Condition, 'wait', noted)
    event = threading.Event()
    late = timed_take.TimedTake(lambda timed: event.wait() and [np.zeros(1)])
    assert late.take()[0] == 0
    assert limits and None not in limits


def test_a_run_that_waits_gets_an_element_of_the_pass_that_was_started_meanwhile(session):
    state = IteratorState('it')
    first, second = Range(0, 5, 1), Range(100, 105, 1)
    state.start(first)
    with deadline(100_000):
        assert state.take() == [0]
        old = state._timed
        begun = old._take
        old._take = lambda timed: state.start(second) or begun(timed)
        assert state.take() == [100]


def test_an_iterator_that_is_started_again_has_all_elements(session):
    event = threading.Event()

    def elements():
        event.wait()
        yield from range(3)
    iterator = tf.data.Dataset.from_generator(elements, tf.int32, []).make_initializable_iterator()
    following = iterator.get_next()
    session.run(iterator.initializer)
    exceeds(lambda: session.run(following, options=SHORT))
    event.set()
    session.run(iterator.initializer)
    assert [session.run(following) for _ in range(3)] == [0, 1, 2]


def test_the_position_of_an_iterator_with_a_late_element_is_not_saved(session):
    event = threading.Event()

    def elements():
        event.wait()
        yield from range(3)
    following = tf.data.Dataset.from_generator(elements, tf.int32, []).make_one_shot_iterator() \
        .get_next()
    state = None
    while state is None or state._timed is None:        # the first runs may end before the node
        exceeds(lambda: session.run(following, options=SHORT))
        state = next((s for s in session._store._states.values() if hasattr(s, 'take')), None)
    event.set()
    while not state._timed.holds_element():
        time.sleep(0.001)
    _, lost = session.positions()
    assert any('timed out' in why for why in lost.values())
    assert session.run(following) == 0


@pytest.mark.parametrize('warm', [0, 20])
def test_a_loop(session, warm):
    limit = tf.placeholder(tf.int32, [])
    loop = tf.while_loop(lambda i: i < limit, lambda i: i + 1, [0])
    for _ in range(warm):
        assert session.run(loop, {limit: 3}) == 3
    assert exceeds(lambda: session.run(loop, {limit: 10 ** 9}, options=SHORT)) < 10
    assert session.run(loop, {limit: 5}) == 5


def test_a_run_is_stopped_before_its_writes(session):
    """TensorFlow stops between nodes, too; here either no Variable is written or all are."""
    v = tf.Variable(0.)
    step = v.assign_add(tf.exp(tf.sin(tf.py_func(until_late, [], tf.float32))))
    session.run(v.initializer)
    exceeds(lambda: session.run(step, options=SHORT), 'stopped')
    assert session.run(v) == 0
    assert session.run(step) > 0


def completes_both(session, step, a, b):
    done = 0
    while not done:                     # a busy machine may be late before the first write
        exceeds(lambda: session.run(step, options=SHORT))
        done, other = session.run([a, b])
        assert done == other


def test_writes_that_have_begun_are_completed(session):
    a, b = tf.Variable(0.), tf.Variable(0.)
    with tf.control_dependencies([a.assign_add(1.)]):
        step = b.assign_add(tf.exp(tf.py_func(until_late, [], tf.float32)) * 0. + 1.)
    session.run([a.initializer, b.initializer])
    completes_both(session, step, a, b)


def test_the_timeout_of_a_session():
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    take, x = queue.dequeue(), tf.placeholder(tf.float32, [2])
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=20)) as session:
        exceeds(lambda: session.run(take), '20 ms')
        exceeds(session.make_callable(take), '20 ms')
        exceeds(lambda: session.run(take, options=tf.RunOptions(timeout_in_ms=30)), '30 ms')
        exceeds(lambda: session.run(take, options=tf.RunOptions(timeout_in_ms=-5)), '20 ms')
        caught = []
        thread = threading.Thread(
            target=lambda: caught.append(exceeds(lambda: session.run(take))))
        thread.start()
        thread.join()
        assert caught
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=100_000)) as session:
        metadata = tf.RunMetadata()
        for options in (None, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)):
            assert session.run(x * 2, {x: [1, 2]}, options, metadata).tolist() == [2, 4]
        assert metadata.step_stats.dev_stats


def test_a_monitored_session():
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    take = queue.dequeue()
    config = tf.ConfigProto(operation_timeout_in_ms=50)
    with tf.train.SingularMonitoredSession(config=config) as session:
        exceeds(lambda: session.run(take), '50 ms')


def test_the_program_with_checks_computes_the_same(session):
    x = tf.placeholder(tf.float32, [None, 300])
    w = tf.Variable(tf.random_normal([300, 300], seed=1))
    y = tf.nn.softmax(tf.matmul(tf.exp(-tf.square(x)), w) + 1.)
    step = tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_mean(y[:, 0]))
    rows = np.random.RandomState(0).rand(700, 300)
    found = []
    for options in (None, tf.RunOptions(timeout_in_ms=100_000)):
        session.run(w.initializer)
        session.run(tf.assign(w, tf.ones([300, 300])))
        for _ in range(2):
            session.run(step, {x: rows}, options)
        found.append(session.run([w, y], {x: rows}, options))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_a_nan_check_in_time():
    loop = tf.while_loop(lambda i: i < 10 ** 9, lambda i: i + 1, [0])
    with tf.Session(nan_check=True) as session:
        exceeds(lambda: session.run(loop, options=SHORT))


@pytest.mark.parametrize('nan_check', [False, True], ids=['plain', 'nan_check'])
@pytest.mark.parametrize('trace_level', [tf.RunOptions.NO_TRACE, tf.RunOptions.FULL_TRACE])
def test_nodes_after_the_end_are_not_run(nan_check, trace_level):
    called = []

    def late(x):
        called.append(x)
        return until_late()
    v, x = tf.Variable(0.), tf.constant(0.)
    for _ in range(4):
        x = tf.py_func(late, [x], tf.float32)
    step = v.assign_add(x)
    options = tf.RunOptions(timeout_in_ms=20, trace_level=trace_level)
    with tf.Session(nan_check=nan_check) as session:
        session.run(v.initializer)
        exceeds(lambda: session.run(step, options=options, run_metadata=tf.RunMetadata()))
        assert len(called) < 2 and session.run(v) == 0


def test_a_nan_check_completes_writes_that_have_begun():
    a, b = tf.Variable(0.), tf.Variable(0.)
    with tf.control_dependencies([a.assign_add(1.)]):
        late = tf.py_func(until_late, [], tf.float32)
        step = b.assign_add(tf.exp(late) * 0. + 1.)
    with tf.Session(nan_check=True) as session:
        session.run([a.initializer, b.initializer])
        completes_both(session, step, a, b)


def test_a_run_inside_a_run_ends_with_the_outer_timeout(session):
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    take = queue.dequeue()

    def inner():
        return session.run(take, options=tf.RunOptions(timeout_in_ms=100_000))
    outer = tf.py_func(inner, [], tf.int32)
    assert exceeds(lambda: session.run(outer, options=SHORT), '20 ms') < 10


@pytest.mark.parametrize('make', [lambda: tf.RunOptions(timeout_in_ms=1.5),
                                  lambda: tf.ConfigProto(operation_timeout_in_ms='3')])
def test_a_timeout_is_a_whole_number(make):
    with pytest.raises(TypeError, match='whole number of milliseconds'):
        make()


@pytest.mark.parametrize('value, taken', [
    (True, 1), (np.int64(5), 5), (np.bool_(True), 1), (None, 0), (-1, -1), (2**63 - 1, 2**63 - 1)])
def test_values_are_taken_as_by_protocol_buffers(value, taken):
    """TensorFlow 1.15's RunOptions."""
    made = tf.RunOptions(timeout_in_ms=value).timeout_in_ms
    assert made == taken and type(made) is int


@pytest.mark.parametrize('value, error', [
    (2**63, ValueError), (-2**63 - 1, ValueError), (1., TypeError), (np.float32(5), TypeError),
    (np.array(3), TypeError)])
def test_values_that_protocol_buffers_refuse(value, error):
    for made, name in ((tf.RunOptions(), 'timeout_in_ms'),
                       (tf.ConfigProto(), 'operation_timeout_in_ms')):
        with pytest.raises(error, match=name):
            setattr(made, name, value)
    with pytest.raises(TypeError, match='not None'):
        tf.RunOptions().timeout_in_ms = None
