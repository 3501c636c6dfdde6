"""Queues between threads: order, waiting, closing, and waits that can never end."""
from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.graph.support.errors import TinyflowWarning
from tinyflow.ops.queues import waiting as queues_waiting

pytestmark = pytest.mark.usefixtures('graph')

KINDS = {
    'FIFOQueue': lambda capacity, shapes=((),): tf.FIFOQueue(
        capacity, [tf.int32], shapes and [list(s) for s in shapes]),
    'RandomShuffleQueue': lambda capacity, shapes=((),): tf.RandomShuffleQueue(
        capacity, 0, [tf.int32], shapes and [list(s) for s in shapes], seed=1),
    'PaddingFIFOQueue': lambda capacity, shapes=((),): tf.PaddingFIFOQueue(
        capacity, [tf.int32], [list(s) for s in shapes]),
}
every_kind = pytest.mark.parametrize('kind', KINDS)


class Background:
    """A function in a separate thread; `result()` is its result or exception."""

    def __init__(self, function, *arguments):
        self._outcome = None
        self._thread = threading.Thread(target=self._run, args=(function, arguments))
        self._thread.start()

    def _run(self, function, arguments):
        try:
            self._outcome = function(*arguments)
        except Exception as error:              # noqa: BLE001 - it is what the test looks at
            self._outcome = error

    def result(self):
        self._thread.join(10)
        assert not self._thread.is_alive(), 'the thread still waits'
        return self._outcome

    def waits(self):
        """True once the thread waits in a queue op."""
        end = time.monotonic() + 5
        while time.monotonic() < end:
            if self._thread.ident in queues_waiting._waiting:
                return True
            time.sleep(0.002)
        return False


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except tf.errors.OpError as error:
        return error


# ---- one thread --------------------------------------------------------------------------------

def test_fifo_keeps_the_order():
    queue = tf.FIFOQueue(10, [tf.int32, tf.string], [[], []])
    with tf.Session() as sess:
        sess.run(queue.enqueue_many([[1, 2, 3], ['a', 'b', 'c']]))
        sess.run(queue.enqueue([4, 'd']))
        assert sess.run(queue.size()) == 4
        assert sess.run(queue.dequeue()) == [1, b'a']
        numbers, texts = sess.run(queue.dequeue_many(3))
    np.testing.assert_array_equal(numbers, [2, 3, 4])
    assert texts.tolist() == [b'b', b'c', b'd']


def test_random_order_is_that_of_tf_for_a_seed():
    """Recorded from TF 1.15.5: min_after_dequeue=1, seed=1, the numbers 0 ... 9."""
    queue = tf.RandomShuffleQueue(20, 1, [tf.int32], [[]], seed=1)
    fill, three = queue.enqueue_many([np.arange(10, dtype=np.int32)]), queue.dequeue_many(3)
    with tf.Session() as sess:
        sess.run(fill)
        got = [sess.run(three).tolist() for _ in range(3)]
        sess.run(fill)
        got.append(sess.run(three).tolist())
    assert got == [[7, 8, 1], [3, 9, 4], [2, 6, 5], [9, 1, 7]]


def test_random_order_without_a_seed_is_a_permutation():
    queue = tf.RandomShuffleQueue(200, 0, [tf.int32], [[]])
    with tf.Session() as sess:
        sess.run(queue.enqueue_many([np.arange(100, dtype=np.int32)]))
        got = sess.run(queue.dequeue_many(100))
    assert sorted(got) == list(range(100)) and got.tolist() != list(range(100))


def test_priorities():
    queue = tf.PriorityQueue(10, [tf.string], [[]])
    with tf.Session() as sess:
        sess.run(queue.enqueue_many([np.array([3, 1, 2, 1]), ['c', 'a', 'b', 'a2']]))
        assert sess.run(queue.dequeue()) == [1, b'a']
        numbers, texts = sess.run(queue.dequeue_many(3))
    assert numbers.tolist() == [1, 2, 3] and texts.tolist() == [b'a2', b'b', b'c']


def test_padding_fills_up_to_the_largest_of_a_batch():
    queue = tf.PaddingFIFOQueue(10, [tf.int32, tf.string], [[None, 2], [None]])
    x, words = tf.placeholder(tf.int32), tf.placeholder(tf.string)
    enqueue, two = queue.enqueue([x, words]), queue.dequeue_many(2)
    assert [t.shape.as_list() for t in two] == [[2, None, 2], [2, None]]
    with tf.Session() as sess:
        sess.run(enqueue, {x: [[1, 2]], words: ['a', 'b']})
        sess.run(enqueue, {x: [[3, 4], [5, 6]], words: ['c']})
        numbers, texts = sess.run(two)
        assert numbers.tolist() == [[[1, 2], [0, 0]], [[3, 4], [5, 6]]]
        assert texts.tolist() == [[b'a', b'b'], [b'c', b'']]
        with pytest.raises(tf.errors.InvalidArgumentError,
                           match=r'Shape mismatch in tuple component 0. Expected \[\?,2\], got'):
            sess.run(enqueue, {x: [[1, 2, 3]], words: ['a']})


def test_elements_are_copies():
    """What waits in a queue does not change when the program's memory is used again."""
    x = tf.placeholder(tf.float32, [4])
    queue = tf.FIFOQueue(10, [tf.float32], [[4]])
    enqueue = queue.enqueue(tf.sqrt(x * 2.) + 1.)
    with tf.Session() as sess:
        for value in (0., 2., 8.):
            sess.run(enqueue, {x: [value] * 4})
        np.testing.assert_array_equal(sess.run(queue.dequeue_many(3))[:, 0], [1, 3, 5])


@every_kind
def test_strings_one_by_one_and_many_at_once(kind):
    """One string is an array of no dimensions, which must not end up inside of another."""
    texts = {'FIFOQueue': lambda: tf.FIFOQueue(5, [tf.string], [[]]),
             'RandomShuffleQueue': lambda: tf.RandomShuffleQueue(5, 0, [tf.string], [[]]),
             'PaddingFIFOQueue': lambda: tf.PaddingFIFOQueue(5, [tf.string], [[]])}
    queue = texts[kind]()
    one, two, take = queue.enqueue('a'), queue.enqueue_many([['b', 'c']]), queue.dequeue_many(3)
    with tf.Session() as sess:
        sess.run(one)
        sess.run(two)
        got = sess.run(take)
        assert sorted(got.tolist()) == [b'a', b'b', b'c'] and got.dtype == object
        sess.run(one)
        assert sess.run(queue.dequeue()) == b'a'


def test_names_make_dicts():
    queue = tf.FIFOQueue(5, [tf.int32, tf.string], names=['i', 's'])
    with tf.Session() as sess:
        sess.run(queue.enqueue({'s': 'a', 'i': 1}))
        assert sess.run(queue.dequeue()) == {'i': 1, 's': b'a'}
    with pytest.raises(ValueError, match='must enqueue a dictionary'):
        queue.enqueue([1, 'a'])
    with pytest.raises(ValueError, match='do not match names'):
        queue.enqueue({'i': 1})


def test_from_list_chooses_a_queue():
    queues = [tf.FIFOQueue(5, [tf.int32], [[]]) for _ in range(2)]
    which = tf.placeholder(tf.int32, [])
    chosen = tf.QueueBase.from_list(which, queues)
    enqueue, dequeue = chosen.enqueue(7), chosen.dequeue()
    assert dequeue.shape.as_list() == []
    with tf.Session() as sess:
        sess.run(enqueue, {which: 1})
        assert sess.run([q.size() for q in queues]) == [0, 1]
        assert sess.run(dequeue, {which: 1}) == 7


def test_each_session_has_its_own_queue():
    queue = tf.FIFOQueue(5, [tf.int32], [[]])
    enqueue, size = queue.enqueue(1), queue.size()
    with tf.Session() as one, tf.Session() as two:
        one.run(enqueue)
        assert one.run(size) == 1 and two.run(size) == 0


def test_one_shared_name_is_one_queue():
    first = tf.FIFOQueue(5, [tf.int32], [[]], shared_name='jobs', name='first')
    second = tf.FIFOQueue(5, [tf.int32], [[]], shared_name='jobs', name='second')
    other = tf.FIFOQueue(6, [tf.int32], [[]], shared_name='jobs')
    random = tf.RandomShuffleQueue(5, 0, [tf.int32], [[]], shared_name='jobs')
    with tf.Session() as sess:
        sess.run(first.enqueue(3))
        assert sess.run(second.dequeue()) == 3
        with pytest.raises(tf.errors.InvalidArgumentError,
                           match="Shared queue 'jobs' has capacity 5 but requested capacity was 6"):
            sess.run(other.size())
        with pytest.raises(tf.errors.InvalidArgumentError, match='Expected FIFOQueue, found'):
            sess.run(random.size())
        sess.run(first.close())
        with pytest.raises(tf.errors.OutOfRangeError, match="FIFOQueue 'jobs' is closed"):
            sess.run(second.dequeue())


# ---- closing -----------------------------------------------------------------------------------

@every_kind
def test_remaining_elements_of_a_closed_queue(kind):
    queue = KINDS[kind](10)
    with tf.Session() as sess:
        sess.run(queue.enqueue_many([[5, 6, 7]]))
        sess.run(queue.close())
        assert sess.run(queue.is_closed())
        text = (rf"{kind} '_\d+_\w+' is closed and has insufficient elements \(requested 4, "
                r'current size 3\)')
        with pytest.raises(tf.errors.OutOfRangeError, match=text):
            sess.run(queue.dequeue_many(4))
        assert sorted(sess.run(queue.dequeue_up_to(4))) == [5, 6, 7]
        with pytest.raises(tf.errors.OutOfRangeError, match='requested 1, current size 0'):
            sess.run(queue.dequeue())
        with pytest.raises(tf.errors.CancelledError, match=rf"{kind} '_\d+_\w+' is closed\."):
            sess.run(queue.enqueue(1))
        with pytest.raises(tf.errors.CancelledError, match='is already closed'):
            sess.run(queue.close())


def test_many_needs_shapes():
    queue = tf.FIFOQueue(10, [tf.int32])
    with tf.Session() as sess, pytest.raises(
            tf.errors.InvalidArgumentError, match="FIFOQueue's DequeueMany and DequeueUpTo"):
        sess.run(queue.dequeue_many(2))


def test_none_of_many_is_none():
    queue = tf.FIFOQueue(10, [tf.int32], [[2]])
    n = tf.placeholder(tf.int32, [])
    taken = queue.dequeue_many(n)
    with tf.Session() as sess:
        assert sess.run(taken, {n: 0}).shape == (0, 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Input 'n' must be >= 0"):
            sess.run(taken, {n: -1})


# ---- several threads ---------------------------------------------------------------------------

def test_a_dequeue_waits_for_an_enqueue():
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    take, put = queue.dequeue_many(3), queue.enqueue(9)
    with tf.Session() as sess:
        consumer = Background(sess.run, take)
        assert consumer.waits()
        for _ in range(3):
            sess.run(put)
        assert consumer.result().tolist() == [9, 9, 9]


def test_an_enqueue_waits_for_space():
    queue = tf.FIFOQueue(2, [tf.int32], [[]])
    put, take, size = queue.enqueue_many([[1, 2, 3, 4]]), queue.dequeue(), queue.size()
    with tf.Session() as sess:
        putter = Background(sess.run, put)
        assert putter.waits()
        assert sess.run(size) == 2
        assert [sess.run(take) for _ in range(2)] == [1, 2]
        assert putter.result() is None
        assert [sess.run(take) for _ in range(2)] == [3, 4]


def test_close_waits_for_pending_enqueues_by_default():
    for cancel in (False, True):
        queue = tf.FIFOQueue(1, [tf.int32], [[]])
        put, take, size = queue.enqueue_many([[1, 2]]), queue.dequeue(), queue.size()
        close = queue.close(cancel_pending_enqueues=cancel)
        with tf.Session() as sess:
            putter = Background(sess.run, put)
            assert putter.waits()
            closer = Background(sess.run, close)
            if cancel:
                assert closer.result() is None
                assert isinstance(putter.result(), tf.errors.CancelledError)
                assert 'Enqueue operation was cancelled' in str(putter.result())
                continue
            assert closer.waits()
            assert sess.run(take) == 1
            assert putter.result() is None and closer.result() is None
            assert sess.run(size) == 1


@every_kind
def test_a_half_served_dequeue_gives_back_what_it_took(kind):
    queue = KINDS[kind](10)
    take, put = queue.dequeue_many(4), queue.enqueue_many([[1, 2, 3]])
    close, size, rest = queue.close(), queue.size(), queue.dequeue_many(3)
    with tf.Session() as sess:
        consumer = Background(sess.run, take)
        assert consumer.waits()
        sess.run(put)
        sess.run(close)
        assert isinstance(consumer.result(), tf.errors.OutOfRangeError)
        assert sess.run(size) == 3
        assert sorted(sess.run(rest)) == [1, 2, 3]


@every_kind
def test_the_rest_for_a_waiting_dequeue_up_to(kind):
    queue = KINDS[kind](10)
    take, put, close = queue.dequeue_up_to(4), queue.enqueue_many([[1, 2, 3]]), queue.close()
    with tf.Session() as sess:
        consumer = Background(sess.run, take)
        assert consumer.waits()
        sess.run(put)
        sess.run(close)
        assert sorted(consumer.result()) == [1, 2, 3]


def test_closing_the_session_ends_all_waits():
    full, empty = tf.FIFOQueue(1, [tf.int32], [[]]), tf.FIFOQueue(1, [tf.int32], [[]])
    put, take = full.enqueue_many([[1, 2]]), empty.dequeue()
    sess = tf.Session()
    waiting = [Background(sess.run, put), Background(sess.run, take)]
    assert all(w.waits() for w in waiting)
    sess.close()
    for one, text in zip(waiting, ('Enqueue', 'Dequeue')):
        assert isinstance(one.result(), tf.errors.CancelledError)
        assert f'{text} operation was cancelled' in str(one.result())


def test_many_producers_and_consumers_lose_nothing():
    queue = tf.FIFOQueue(7, [tf.int32], [[]])
    x = tf.placeholder(tf.int32, [None])
    put, three, one = queue.enqueue_many([x]), queue.dequeue_many(3), queue.dequeue()
    with tf.Session() as sess:
        producers = [Background(sess.run, put, {x: np.arange(i, i + 30)}) for i in (0, 30, 60)]

        def consume(op, times):
            return [np.ravel(sess.run(op)) for _ in range(times)]
        consumers = [Background(consume, three, 10), Background(consume, three, 10),
                     Background(consume, one, 30)]
        got = np.concatenate([part for c in consumers for part in c.result()])
        assert all(p.result() is None for p in producers)
    assert sorted(got) == list(range(90))


def test_interrupting_a_wait_leaves_the_queue_as_it_was(monkeypatch):
    """Ctrl-C in the middle of a dequeue_many: what it had taken is there again."""
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    take, size, put = queue.dequeue_many(3), queue.size(), queue.enqueue_many([[1, 2]])
    with tf.Session() as sess:
        sess.run(put)
        monkeypatch.setattr(queues_waiting.Watch, 'look', _interrupted)
        with pytest.raises(KeyboardInterrupt):
            sess.run(take)
        assert sess.run(size) == 2
        assert not queues_waiting._waiting


def _interrupted(watch):
    raise KeyboardInterrupt


# ---- waits that can never end -------------------------------------------------------------

def hopeless(sess, fetch, *words):
    began = time.monotonic()
    with pytest.raises(tf.errors.FailedPreconditionError) as caught:
        sess.run(fetch)
    assert time.monotonic() - began < 5
    for word in words:
        assert word in str(caught.value)


def test_dequeue_without_start_queue_runners():
    x = tf.train.slice_input_producer([np.arange(6.)], shuffle=False)[0]
    batch = tf.train.batch([x], 3)
    with tf.Session() as sess:
        hopeless(sess, batch, "the queue 'batch/fifo_queue' has 0 elements, 3 more are needed",
                 'Hint: tf.train.start_queue_runners(sess)', 'test_queues.py:')


@pytest.mark.slow
def test_dequeue_of_a_queue_that_is_never_filled():
    queue = tf.FIFOQueue(5, [tf.int32], [[]])
    with tf.Session() as sess:
        hopeless(sess, queue.dequeue(), 'run the enqueue op first')
        sess.run(queue.enqueue(1))
        hopeless(sess, queue.dequeue_many(2), 'has 1 elements, 1 more are needed')
        assert sess.run(queue.size()) == 1


def test_enqueue_into_a_full_queue():
    queue = tf.FIFOQueue(1, [tf.int32], [[]])
    with tf.Session() as sess:
        hopeless(sess, queue.enqueue_many([[1, 2]]), 'is full (1 elements)')


def test_runners_started_before_the_last_queue_was_made():
    """The other runners' threads wait as well, so no thread is left."""
    x = tf.train.slice_input_producer([np.arange(100.)], shuffle=False)[0]
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        batch = tf.train.batch([x], 3)
        hopeless(sess, batch, "the queue 'batch/fifo_queue'", 'after the whole graph is built')
        coord.request_stop()
        coord.join(threads)


@pytest.mark.slow
def test_no_error_while_a_thread_enqueues():
    """A thread that sleeps, reads a socket ... may yet enqueue."""
    queue = tf.FIFOQueue(5, [tf.int32], [[]])
    put, take = queue.enqueue(4), queue.dequeue()
    with tf.Session() as sess:
        def later():
            time.sleep(0.6)
            sess.run(put)
        thread = Background(later)
        assert sess.run(take) == 4
        thread.result()


def test_a_warning_where_another_thread_might_still_enqueue(monkeypatch):
    monkeypatch.setattr(queues_waiting, '_PATIENCE', 0.05)
    queue = tf.FIFOQueue(5, [tf.int32], [[]])
    take, enough = queue.dequeue(), threading.Event()
    thread = Background(enough.wait)
    with tf.Session() as sess:
        try:
            with pytest.raises(TinyflowWarning, match=r'\[queue-deadlock\] the queue .* is empty'):
                sess.run(take)
        finally:
            enough.set()
            thread.result()
