"""Ctrl-C: a step is finished or not begun, waits end at once, and no interrupt is lost."""
from __future__ import annotations

import gc
import signal
import sys
import threading
import time

import numpy as np
import pytest

import tinyflow as tf
from tests.session.interrupt_runs import PROGRAMS, attack, pythons_handler
from tinyflow.graph.support import notebook
from tinyflow.session import interrupts

MAIN = threading.main_thread().ident
pytestmark = pytest.mark.skipif(not hasattr(signal, 'pthread_kill'), reason='needs POSIX signals')


@pytest.fixture(autouse=True)
def ctrl_c():
    with pythons_handler():
        yield
    assert not interrupts.pending


@pytest.fixture
def session(graph, ctrl_c):
    with tf.Session(graph=graph) as session:
        yield session


def send():
    signal.pthread_kill(MAIN, signal.SIGINT)


class Sender(threading.Thread):
    """Sends SIGINT once the main thread is in functions of these names, `presses` times."""

    def __init__(self, *names, presses=1, between=None, when=lambda: True):
        super().__init__(daemon=True)
        self.names, self.presses, self.between, self.when = names, presses, between, when
        self.start()

    def run(self):
        for press in range(self.presses):
            if press:
                self.between()
            while not self.when() or not self._is_there():
                time.sleep(0.001)
            seen = len(interrupts.pending)
            send()
            # Python does not notice a signal that comes just before a blocking call.
            last = time.monotonic() + 0.5
            while len(interrupts.pending) == seen and self._is_there():
                time.sleep(0.001)
                if time.monotonic() > last:
                    send()
                    last = time.monotonic() + 0.5

    def _is_there(self):
        frame = sys._current_frames()[MAIN]
        found = set()
        while frame is not None:
            found.add(frame.f_code.co_name)
            frame = frame.f_back
        return found.issuperset(self.names)


# An interrupt between open() and `with` leaves the file to the garbage collector.
@pytest.mark.slow
@pytest.mark.filterwarnings('ignore::pytest.PytestUnraisableExceptionWarning')
@pytest.mark.parametrize('name', PROGRAMS)
def test_no_half_steps(name):
    assert attack(name, 2 if name == 'estimator' else 6, seed=1) == (0, 0)


# ---- runs that wait ------------------------------------------------------------------------------

def ends_at_once(session, blocked):
    sender = Sender('_wait')
    with pytest.raises(KeyboardInterrupt):
        session.run(blocked)
    sender.join()


def test_a_blocked_dequeue_ends_at_once_and_loses_nothing(session):
    queue = tf.FIFOQueue(10, [tf.int32], [[]])
    take, size, put = queue.dequeue_many(3), queue.size(), queue.enqueue_many([[1, 2]])
    session.run(put)
    ends_at_once(session, take)
    assert session.run(size) == 2


def test_a_blocked_enqueue_ends_at_once(session):
    queue = tf.FIFOQueue(1, [tf.int32], [[]])
    put, size = queue.enqueue(1), queue.size()
    session.run(put)
    ends_at_once(session, put)
    assert session.run(size) == 1


def test_a_wait_after_a_write_is_finished(session):
    queue = tf.FIFOQueue(1, [tf.float32], [[]])
    v = tf.Variable(0.)
    with tf.control_dependencies([v.assign_add(1.)]):
        step = v.assign_add(tf.identity(queue.dequeue()))
    put = queue.enqueue(1.)
    session.run(v.initializer)
    sender = Sender('_wait')

    def feed():
        sender.join()
        session.run(put)
    feeder = threading.Thread(target=feed)
    feeder.start()
    with pytest.raises(KeyboardInterrupt):
        session.run(step)
    feeder.join()
    assert session.run(v) == 2


@pytest.mark.slow
@pytest.mark.parametrize('ahead', ['prefetch', 'map', 'zip'])
def test_a_blocked_iterator_ends_at_once_and_loses_nothing(session, ahead):
    event = threading.Event()

    def slow(i):
        time.sleep(0.001)               # enough for threads to pay off
        if i == 15:
            event.wait()
        return i
    data = tf.data.Dataset.range(100)
    if ahead == 'map':
        data = data.map(lambda i: tf.py_func(slow, [i], tf.int64), num_parallel_calls=2)
    else:
        slow_data = tf.data.Dataset.from_generator(lambda: map(slow, range(100)), tf.int64, [])
        data = tf.data.Dataset.zip((data, slow_data.prefetch(1))).map(lambda i, j: 100 * i + j) \
            if ahead == 'zip' else slow_data.prefetch(1)
    following = data.make_one_shot_iterator().get_next()
    got = []
    sender = Sender('_next', '_from_pool' if ahead == 'map' else 'take', 'wait',
                    when=lambda: len(got) == 15)
    with pytest.raises(KeyboardInterrupt):
        while len(got) < 20:
            got.append(int(session.run(following)))
    sender.join()
    event.set()
    while len(got) < 20:
        got.append(int(session.run(following)))
    assert got == [i * 101 if ahead == 'zip' else i for i in range(20)]


@pytest.mark.parametrize('kind', ['prefetch', 'map', 'timed', 'queue'])
def test_an_interrupt_after_a_wait_does_not_lose_what_came(session, kind):
    """The interrupt comes as the function that takes the element returns: it is too late then."""
    file, name = {'prefetch': ('prefetch.py', 'take'), 'map': ('prefetch.py', '_from_pool'),
                  'timed': ('timed_take.py', 'take'), 'queue': ('state.py', '_wait')}[kind]
    got, interrupted = [], 0

    def trace(frame, event, _):
        code = frame.f_code
        if code.co_name != name or not code.co_filename.endswith(file):
            return None
        if event == 'return' and not interrupts.pending:
            interrupts.pending.append(time.monotonic() - 0.5)
            interrupts._sent_by_watcher = True
            interrupts.handle_ctrl_c(signal.SIGINT, frame)
        return trace

    def slow(i):
        time.sleep(0.001)               # enough for threads to pay off
        return i
    data = tf.data.Dataset.range(100)
    if kind == 'queue':
        queue = tf.FIFOQueue(10, [tf.int64], [[]])
        following, x = queue.dequeue(), tf.placeholder(tf.int64, [])
        put, close = queue.enqueue(x), queue.close(cancel_pending_enqueues=True)
        session.run(put, {x: 0})
        state = session._store.state(queue.queue_ref.op).handle.item()

        def feed():
            for i in range(1, 15):
                while not state._dequeuing:
                    time.sleep(0.001)
                session.run(put, {x: i})
        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
    else:
        slow_data = data.map(lambda i: tf.py_func(slow, [i], tf.int64),
                             num_parallel_calls=2 if kind == 'map' else None)
        following = (slow_data.prefetch(1) if kind == 'prefetch' else slow_data) \
            .make_one_shot_iterator().get_next()
    step = tf.py_func(lambda i: got.append(int(i)) or i, [following], tf.int64)
    options = tf.RunOptions(timeout_in_ms=100_000) if kind == 'timed' else None
    before = sys.gettrace()
    try:
        while len(got) < 15 and got == list(range(len(got))):
            sys.settrace(trace)
            try:
                session.run(step, options=options)
            except KeyboardInterrupt:
                interrupted += 1
    finally:
        sys.settrace(before)
        if kind == 'queue':
            session.run(close)
    assert got == list(range(15)) and interrupted


def test_the_users_function_is_stopped_if_it_does_not_return(session, monkeypatch):
    monkeypatch.setattr(interrupts, '_PATIENCE', 0.01)
    event = threading.Event()

    def users_function():
        event.wait()
        return np.float32(1)
    v = tf.Variable(0.)
    step = v.assign_add(tf.py_func(users_function, [], tf.float32))
    session.run(v.initializer)
    sender = Sender('users_function')
    with pytest.raises(KeyboardInterrupt):
        session.run(step)
    sender.join()
    event.set()
    assert session.run(v) == 0
    session.run(step)
    assert session.run(v) == 1


# ---- long runs ----------------------------------------------------------------------------------

def test_a_message_is_printed_and_a_second_ctrl_c_stops(session, monkeypatch, capsys):
    monkeypatch.setattr(interrupts, '_PATIENCE', 0.2)
    v = tf.Variable(0.)
    with tf.control_dependencies([v.assign_add(1.)]):
        loop = tf.while_loop(lambda i: i < 10 ** 9, lambda i: i + 1, [0])
    session.run(v.initializer)
    printed = []

    def until_printed():
        while not printed:
            printed.extend(capsys.readouterr().err.splitlines())
            time.sleep(0.001)
    sender = Sender('loop', presses=2, between=until_printed)
    with pytest.raises(KeyboardInterrupt, match='some Variables may have their new values'):
        session.run(loop)
    sender.join()
    assert len(printed) == 1 and 'Ctrl-C again stops at once' in printed[0]
    assert session.run(v) == 1


def test_two_quick_presses_do_not_stop_a_short_run(session):
    a, b = tf.Variable(0.), tf.Variable(0.)

    def press_twice():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        return np.float32(1)
    with tf.control_dependencies([a.assign_add(1.)]):
        step = b.assign_add(tf.py_func(press_twice, [], tf.float32))
    session.run([a.initializer, b.initializer])
    with pytest.raises(KeyboardInterrupt):
        session.run(step)
    assert session.run([a, b]) == [1, 1]


def test_ctrl_c_leaves_no_checkpoint_that_the_state_file_does_not_list(session, tmp_path,
                                                                       monkeypatch):
    v = tf.Variable(1., name='v')
    session.run(v.initializer)
    saver, export = tf.train.Saver(max_to_keep=2), tf.train.Saver.export_meta_graph

    def interrupted(*arguments, **keywords):
        signal.raise_signal(signal.SIGINT)
        return export(*arguments, **keywords)
    monkeypatch.setattr(tf.train.Saver, 'export_meta_graph', interrupted)
    for step in range(3):
        with pytest.raises(KeyboardInterrupt):
            saver.save(session, str(tmp_path / 'm'), step)
    there = sorted(str(p)[:-6] for p in tmp_path.glob('*.index'))
    listed = tf.train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths
    assert there == list(listed) == [str(tmp_path / f'm-{step}') for step in (1, 2)]


def test_an_error_of_the_run_does_not_hide_the_interrupt(session):
    def fail():
        signal.raise_signal(signal.SIGINT)
        raise ZeroDivisionError
    with pytest.raises(KeyboardInterrupt) as caught:
        session.run(tf.py_func(fail, [], tf.float32))
    assert isinstance(caught.value.__context__, tf.errors.UnknownError)


def test_an_interrupt_in_a_run_of_another_thread_is_raised_in_the_main_thread(session):
    started, release = threading.Event(), threading.Event()

    def users_function():
        started.set()
        release.wait()
        return np.float32(1)
    got = []
    fetch = tf.py_func(users_function, [], tf.float32)
    thread = threading.Thread(target=lambda: got.append(session.run(fetch)))
    thread.start()
    started.wait()
    with pytest.raises(KeyboardInterrupt):
        send()
        time.sleep(20)
    release.set()
    thread.join()
    assert got == [1]


@pytest.mark.slow
def test_an_interrupt_in_a_callback_of_the_garbage_collector_is_not_lost(session):
    came = []

    def callback(phase, info):          # Python drops its errors
        if not came:
            came.append(phase)
            signal.raise_signal(signal.SIGINT)
    gc.callbacks.append(callback)
    try:
        with pytest.raises(KeyboardInterrupt):
            gc.collect()
            time.sleep(20)
    finally:
        gc.callbacks.remove(callback)
    assert came


# ---- whose handler it is ------------------------------------------------------------------------

def test_the_programs_own_handler_stays(graph):
    def own(*_):
        pass
    signal.signal(signal.SIGINT, own)
    tf.Session().close()
    assert signal.getsignal(signal.SIGINT) is own


def test_a_session_in_another_thread_takes_nothing_over(graph):
    thread = threading.Thread(target=lambda: tf.Session(graph=graph).close())
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    tf.Session().close()
    assert signal.getsignal(signal.SIGINT) is interrupts.handle_ctrl_c


def test_a_notebook_takes_it_over_before_each_cell(graph, monkeypatch):
    class Shell:
        def __init__(self):
            self.before, self.events = [], self

        def register(self, event, function):
            assert event == 'pre_run_cell'
            self.before.append(function)

        def run_cell(self):
            signal.signal(signal.SIGINT, signal.default_int_handler)    # as ipykernel does
            for function in self.before:
                function(None)
    shell = Shell()
    monkeypatch.setattr(notebook, '_shell', lambda: shell)
    tf.Session().close()
    tf.Session().close()
    assert len(shell.before) == 1
    shell.run_cell()
    assert signal.getsignal(signal.SIGINT) is interrupts.handle_ctrl_c


# ---- threads of queues --------------------------------------------------------------------------

def test_threads_end_after_an_interrupt(session):
    """Queue runners that wait at full queues, a training loop that waits at an empty one."""
    full, empty = tf.FIFOQueue(2, [tf.float32], [[]]), tf.FIFOQueue(2, [tf.float32], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(full, [full.enqueue(1.)] * 2))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coord)
    sender = Sender('_wait')
    stopped = False
    try:
        session.run(empty.dequeue())
    except KeyboardInterrupt:
        stopped = True
        coord.request_stop()
    sender.join()
    coord.join(threads, stop_grace_period_secs=20)
    assert stopped and not any(t.is_alive() for t in threads)
