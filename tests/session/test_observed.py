"""Observed runs: what an observer sees, and that the results are those of a plain run."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.session.cache_entry import CacheEntry
from tinyflow.session.loop_executable import LoopExecutable
from tinyflow.session.observed import Observer, attach, detach, observing, session_of
from tinyflow.session.program_cache import ProgramCache

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


@pytest.mark.parametrize('checked', [False, True])
def test_results_have_the_types_of_a_plain_run(graph, checked):
    fetches = [tf.constant(2.) * 2, tf.constant('a'), tf.constant([1]), tf.no_op()]
    types = [np.float32, bytes, np.ndarray, type(None)]
    with tf.Session(nan_check=checked) as sess:
        assert [type(value) for value in sess.run(fetches)] == types
        with observing(sess, Observer()):
            assert [type(value) for value in sess.run(fetches)] == types


class Log(Observer):
    """Keeps copies of all that it sees."""

    def __init__(self, stop_before=None):
        self.begun, self.values, self.ended, self.stop_before = [], [], [], stop_before

    def begin(self, fetches, feeds):
        self.begun.append(([f.name for f in fetches], {t.name: a.copy() for t, a in feeds.items()}))

    def before(self, operation, frames):
        if operation.name == self.stop_before:
            raise LookupError('stop here')

    def value(self, operation, arrays, frames):
        self.values.append((operation.name, [None if a is None else a.copy() for a in arrays],
                            [(f.operation.name, f.function.name, f.iteration) for f in frames]))

    def end(self, error):
        self.ended.append(error)

    def of(self, name):
        return [arrays[0] for found, arrays, _ in self.values if found == name]


def _train_step():
    tf.set_random_seed(3)
    x = tf.placeholder(tf.float32, [None, 3], 'x')
    hidden = tf.layers.dense(x, 4, tf.nn.relu, name='hidden')
    loss = tf.reduce_mean(tf.square(tf.layers.dense(hidden, 1, name='out')), name='loss')
    return x, loss, tf.train.AdamOptimizer(0.1).minimize(loss)


def test_numbers_are_those_of_a_plain_run(graph):
    x, loss, train = _train_step()
    results = []
    for observed in (False, True):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            if observed:
                attach(sess, Log())
            losses = [sess.run([loss, train], {x: X})[0] for _ in range(4)]
            results.append(np.array([*losses, *[v.sum() for v in
                                                sess.run(tf.global_variables())]]))
    np.testing.assert_array_equal(*results)


def test_each_operation_is_reported_once_in_order_with_its_value(session):
    x, loss, train = _train_step()
    session.run(tf.global_variables_initializer())
    before = session.run('hidden/kernel:0')
    log = Log()
    with observing(session, log):
        fetched = session.run([train, loss], {x: X})[1]
    names = [name for name, _, _ in log.values]
    assert names[0] == 'x' and len(set(names)) == len(names)
    assert names.index('hidden/MatMul') < names.index('hidden/BiasAdd') < names.index('loss')
    assert any(name.startswith('gradients/') for name in names)
    np.testing.assert_array_equal(log.of('x')[0], X)
    np.testing.assert_array_equal(log.of('hidden/kernel')[0], before)
    np.testing.assert_array_equal(log.of('Adam/update_hidden/kernel/ApplyAdam')[0],
                                  session.run('hidden/kernel:0'))
    assert log.of('loss')[0] == fetched
    assert log.begun[0][0] == ['Adam', 'loss:0'] and log.ended == [None]


def test_nothing_is_merged_or_folded(session):
    a = tf.constant(2., name='a')
    y = tf.add(tf.multiply(a, 3., name='m1'), tf.multiply(a, 3., name='m2'), name='y')
    log = Log()
    with observing(session, log):
        assert session.run(y) == 12
    assert log.of('m1') == log.of('m2') == [6] and log.of('a') == [2] and log.of('y') == [12]


def test_loops_and_conds_tell_of_their_nodes_with_the_iteration(session):
    count, total = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, tf.multiply(t, 2.)),
                                 [0, 1.], name='loop')
    y = tf.cond(total > 1, lambda: tf.negative(total, name='minus'), lambda: total, name='choose')
    log = Log()
    with observing(session, log):
        assert session.run([count, y]) == [3, -8]
    doubled = [(float(arrays[0]), frames[0][2]) for _, arrays, frames in log.values
               if frames and frames[0][1] == 'loop_body' and len(arrays) == 1
               and arrays[0].dtype == np.float32 and _ == 'loop/Mul']
    assert doubled == [(2, 0), (4, 1), (8, 2)]
    assert [frames for name, _, frames in log.values if name.endswith('minus')] == \
        [[('choose', 'choose_true', 0)]]


def test_callables_made_before_are_observed_and_all_is_restored(session):
    x = tf.placeholder(tf.float32, [], 'x')
    double = session.make_callable(x * 2, [x])
    double(1)
    programs = session._programs
    executables = [e for entry in programs.entries.values() for e in entry.executables.values()]
    log = Log()
    with observing(session, log):
        assert double(3) == 6 and session.run(x + 1, {x: 1}) == 2
    assert len(log.begun) == 2
    assert double(4) == 8 and len(log.begun) == 2
    assert type(programs) is ProgramCache
    assert {type(entry) for entry in programs.entries.values()} == {CacheEntry}
    assert executables == [e for entry in list(programs.entries.values())[:1]
                           for e in entry.executables.values()]


def test_an_observer_may_stop_a_run_also_inside_of_a_loop(session):
    y = tf.while_loop(lambda t: t < 3, lambda t: tf.add(t, 1, name='step'), [0])
    with observing(session, Log('while/step')) as log, \
            pytest.raises(LookupError, match='stop here'):
        session.run(y)
    assert [type(e) for e in log.ended] == [LookupError]
    assert session.run(y) == 3


def test_an_operation_that_fails_names_itself_as_without_observer(session):
    x = tf.placeholder(tf.float32, [None, 3], 'x')
    y = tf.check_numerics(x, 'bad', name='check')
    with observing(session, Log()) as log, \
            pytest.raises(tf.errors.InvalidArgumentError, match='check'):
        session.run(y, {x: X * np.inf})
    assert isinstance(log.ended[0], tf.errors.InvalidArgumentError)
    w = tf.Variable(1., name='w')
    with observing(session, Log()), pytest.raises(tf.errors.FailedPreconditionError, match='w'):
        session.run(w)


def test_two_observers_and_a_monitored_session(graph):
    step = tf.train.create_global_step()
    train = tf.assign_add(step, 1)
    first, second = Log(), Log()
    with tf.train.MonitoredTrainingSession() as sess:
        attach(sess, first)
        with observing(sess, second):
            sess.run(train)
        assert sess.run(train) == 2
        assert isinstance(session_of(sess), tf.Session)
        detach(sess, first)
        detach(sess, first)
        sess.run(train)
    assert len(first.begun) == 2 and len(second.begun) == 1


def test_what_cannot_be_observed_is_refused():
    with pytest.raises(TypeError, match='not of 3'):
        attach(3, Log())


def test_a_program_that_is_replaced_unobserved_is_observed_later(session):
    """As one with a loop is after some runs."""
    x = tf.placeholder(tf.float32, [2])
    total = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + x), [0, x])[1]
    log = Log()
    log.wants = lambda fetches: not looks_away
    with observing(session, log):
        looks_away = True
        for _ in range(40):
            session.run(total, {x: [1, 2]})
        looks_away = False
        session.run(total, {x: [1, 2]})
    assert len(log.begun) == 1
    executable, = next(iter(session._calls.values())).entry.executables.values()
    assert not isinstance(executable, LoopExecutable)
