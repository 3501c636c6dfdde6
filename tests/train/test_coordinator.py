"""Coordinator, LooperThread and QueueRunner: threads that begin, stop and fail together."""
from __future__ import annotations

import sys
import threading
import time

import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def started(*targets):
    threads = [threading.Thread(target=t) for t in targets]
    for thread in threads:
        thread.start()
    return threads


def ended(threads):
    for thread in threads:
        thread.join(10)
    return not any(thread.is_alive() for thread in threads)


# ---- Coordinator -------------------------------------------------------------------------------

def test_request_stop_is_seen_by_all():
    coord, seen = tf.train.Coordinator(), []

    def work():
        while not coord.should_stop():
            coord.wait_for_stop(0.01)
        seen.append(coord.wait_for_stop())
    threads = started(work, work)
    assert not coord.should_stop() and coord.wait_for_stop(0) is False
    coord.request_stop()
    coord.join(threads)
    assert seen == [True, True] and coord.joined


def test_join_raises_the_first_error_of_a_thread():
    coord = tf.train.Coordinator()

    def fail():
        with coord.stop_on_exception():
            raise KeyError('first')

    def fail_later():
        coord.wait_for_stop()
        coord.request_stop(ValueError('second'))
    threads = started(fail, fail_later)
    with pytest.raises(KeyError, match='first'):
        coord.join(threads)
    with pytest.raises(KeyError):
        coord.raise_requested_exception()


def test_the_end_of_the_input_is_no_error():
    coord = tf.train.Coordinator()
    coord.request_stop(tf.errors.OutOfRangeError(None, None, 'done'))
    coord.join([])
    coord.raise_requested_exception()
    picky = tf.train.Coordinator(clean_stop_exception_types=[KeyError])
    picky.request_stop(tf.errors.OutOfRangeError(None, None, 'done'))
    with pytest.raises(tf.errors.OutOfRangeError):
        picky.join()


def test_exc_info_is_taken_as_it_is():
    coord = tf.train.Coordinator()
    try:
        raise IndexError('reported')
    except IndexError:
        coord.request_stop(sys.exc_info())
    with pytest.raises(IndexError, match='reported'):
        coord.join()
    with pytest.raises(IndexError, match='late'):
        coord.request_stop(IndexError('late'))      # no thread would join again
    coord.clear_stop()
    assert not coord.should_stop() and not coord.joined
    coord.request_stop((None, None, None))
    with pytest.raises(ValueError, match='sys.exc_info must return the current exception'):
        coord.join()


def test_join_names_threads_that_do_not_stop():
    coord, enough = tf.train.Coordinator(), threading.Event()
    thread = threading.Thread(target=enough.wait, name='deaf')
    thread.start()
    coord.register_thread(thread)
    coord.request_stop()
    try:
        with pytest.raises(RuntimeError, match='threads still running: deaf'):
            coord.join(stop_grace_period_secs=0.05)
        coord.join([thread], stop_grace_period_secs=0.05, ignore_live_threads=True)
    finally:
        enough.set()
        assert ended([thread])


def test_looper_thread():
    coord, calls = tf.train.Coordinator(), []
    looper = tf.train.LooperThread.loop(coord, 0.001, lambda x: calls.append(x), args=(3,))
    while len(calls) < 3:
        time.sleep(0.001)
    coord.request_stop()
    coord.join()
    assert set(calls) == {3} and not looper.is_alive()
    with pytest.raises(ValueError, match='must be a Coordinator'):
        tf.train.LooperThread(None, 1)
    with pytest.raises(ValueError, match='require that you also pass'):
        tf.train.LooperThread(coord, 1, args=(1,))


def test_looper_subclass_without_a_pause():
    class Counting(tf.train.LooperThread):
        def start_loop(self):
            self.steps = []

        def run_loop(self):
            self.steps.append('run')
            if len(self.steps) == 4:
                raise ZeroDivisionError

        def stop_loop(self):
            raise AssertionError('not after an error')
    coord = tf.train.Coordinator()
    looper = Counting(coord, None)
    looper.start()
    with pytest.raises(ZeroDivisionError):
        coord.join()
    assert looper.steps == ['run'] * 4


# ---- QueueRunner -------------------------------------------------------------------------------

def counting(limit=None):
    """A Variable that grows in every run, up to a limit."""
    counter = tf.Variable(0, name='counter')
    return counter, counter.count_up_to(limit if limit is not None else 10**9)


def test_a_runner_fills_and_closes_its_queue():
    _, number = counting(5)
    queue = tf.FIFOQueue(10, [tf.int32], [[]], name='numbers')
    runner = tf.train.QueueRunner(queue, [queue.enqueue(number)])
    assert runner.name == 'numbers'
    take = queue.dequeue()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        threads = runner.create_threads(sess, start=True)
        assert [t.name for t in threads] == ['QueueRunnerThread-numbers-numbers_enqueue']
        assert [sess.run(take) for _ in range(5)] == list(range(5))
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(take)
        assert ended(threads) and not runner.exceptions_raised


def test_two_threads_of_a_runner_close_the_queue_once():
    _, number = counting(40)
    queue = tf.FIFOQueue(100, [tf.int32], [[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(number)] * 2)
    everything = queue.dequeue_up_to(100)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        threads = runner.create_threads(sess, start=True)
        assert sorted(sess.run(everything)) == list(range(40))
        assert ended(threads)


def test_stopping_ends_a_thread_that_waits_for_space():
    _, number = counting()
    queue = tf.FIFOQueue(2, [tf.int32], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        assert len(threads) == 2 and all(t.daemon for t in threads)
        assert tf.train.start_queue_runners(sess, coord) == []      # they run already
        assert sess.run(queue.dequeue()) == 0
        coord.request_stop()
        coord.join(threads)
        assert not any(t.is_alive() for t in threads)


def test_an_error_in_a_runner_is_raised_by_join_and_by_the_consumer():
    counter, number = counting(5)                   # never initialised
    queue = tf.FIFOQueue(10, [tf.int32], [[]], name='numbers')
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.OutOfRangeError,
                           match='fills this queue stopped with FailedPreconditionError: '
                                 'Attempting to use uninitialized value counter'):
            sess.run(queue.dequeue())
        with pytest.raises(tf.errors.FailedPreconditionError, match='uninitialized value counter'):
            coord.join(threads)


def test_an_error_without_a_coordinator_is_kept(caplog):
    _, number = counting(5)
    queue = tf.FIFOQueue(10, [tf.int32], [[]], name='numbers')
    runner = tf.train.QueueRunner(queue, [queue.enqueue(number)])
    with tf.Session() as sess:
        assert ended(runner.create_threads(sess, start=True))
        error, = runner.exceptions_raised
        assert isinstance(error, tf.errors.FailedPreconditionError)
        with pytest.raises(tf.errors.FailedPreconditionError,
                           match=r'\[queue-deadlock\] the queue'):
            tf.train.add_queue_runner(runner)
            sess.run(queue.dequeue())


def test_closing_the_session_ends_its_runners_quietly(caplog):
    _, number = counting()
    queue = tf.FIFOQueue(2, [tf.int32], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        threads = tf.train.start_queue_runners()            # the default Session, no Coordinator
        sess.run(queue.dequeue())
    assert ended(threads)
    assert not caplog.records


def test_arguments_of_runners():
    queue = tf.FIFOQueue(2, [tf.int32], [[]])
    with pytest.raises(ValueError, match='Must provide queue and enqueue_ops'):
        tf.train.QueueRunner(queue)
    with pytest.raises(TypeError, match='must be a tuple of tf.error types'):
        tf.train.QueueRunner(queue, [queue.enqueue(1)], queue_closed_exception_types=[KeyError])
    with pytest.raises(ValueError, match='No default session is registered'):
        tf.train.start_queue_runners()
    with pytest.raises(TypeError, match='sess must be a `tf.Session`'):
        tf.train.start_queue_runners(3)


def test_proto_and_back():
    with tf.name_scope('outer'):
        queue = tf.FIFOQueue(2, [tf.int32], [[]], name='q')
        runner = tf.train.QueueRunner(queue, [queue.enqueue(1), queue.enqueue(2)],
                                      queue_closed_exception_types=(tf.errors.OutOfRangeError,
                                                                    tf.errors.CancelledError))
    proto = runner.to_proto('outer')
    assert proto.queue_name == 'q' and list(proto.enqueue_op_name) == ['q_enqueue', 'q_enqueue_1']
    assert runner.to_proto('elsewhere') is None
    twin = tf.train.QueueRunner.from_proto(proto, import_scope='outer')
    assert twin.enqueue_ops == runner.enqueue_ops and twin.cancel_op is runner.cancel_op
    assert twin.queue_closed_exception_types == runner.queue_closed_exception_types
    take = queue.dequeue()
    with tf.Session() as sess:
        threads = twin.create_threads(sess, start=True)
        assert {int(sess.run(take)) for _ in range(20)} <= {1, 2}
        sess.run(twin.cancel_op)
        assert ended(threads)
