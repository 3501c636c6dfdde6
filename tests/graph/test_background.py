"""Preparations work between runs, never wait for good, and leave no traces in their process."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from tests.forks import needs_fork, statuses_of_children
from tinyflow.graph.support import background, processors
from tinyflow.graph.support.background import Preparation, may_end_here, without_interpreter


def without_turns(work):
    """A Preparation that never pauses, as when its end is waited for."""
    preparation = Preparation(work)
    preparation._hurried = True
    preparation._turn.set()
    return preparation


def that_compiles():
    """A Preparation that needs no interpreter until the event is set, and the event."""
    begun, go_on = threading.Event(), threading.Event()

    def compile_something():
        with without_interpreter():
            begun.set()
            go_on.wait()

    preparation = Preparation(compile_something)
    assert begun.wait(60)
    return preparation, go_on


def count_calls(counted, stop):
    """Calls a function again and again until `stop` is set."""
    while not stop.is_set():
        counted.append(None)
        pass_by()


@pytest.fixture
def counting(monkeypatch):
    """A Preparation that only works when it is its turn, and the list that grows meanwhile."""
    monkeypatch.setattr(background, '_PATIENCE', 60)
    counted, stop = [], threading.Event()
    preparation = Preparation(lambda: count_calls(counted, stop))
    yield preparation, counted
    stop.set()
    preparation.finish()


@pytest.mark.slow
def test_it_works_in_turns_alone(counting):
    preparation, counted = counting
    for _ in range(3):
        before, end = len(counted), time.monotonic() + 60
        while len(counted) == before and time.monotonic() < end:    # it may wait for a processor
            preparation.give_turn(0.02)
        assert len(counted) > before
        settled = _settled(counted)
        time.sleep(0.02)
        assert len(counted) == settled


def _settled(counted):
    """The length of the list once the end of the turn has been noticed."""
    length = -1
    while length != len(counted):
        length = len(counted)
        time.sleep(0.2)         # the thread may wait for a processor, too
    return length


def test_without_turns_it_goes_on_slowly():
    """It may hold a lock that the runs wait for."""
    done = threading.Event()
    Preparation(lambda: [len('') for _ in range(1000)] and done.set())
    assert done.wait(60)


def test_finishing_takes_no_turns(monkeypatch):
    monkeypatch.setattr(background, '_PATIENCE', 60)
    done = []
    Preparation(lambda: done.extend(map(len, ['a'] * 1000))).finish()
    assert len(done) == 1000


def test_an_error_is_printed_and_ends_the_work(monkeypatch):
    seen = []
    monkeypatch.setattr(threading, 'excepthook', lambda error: seen.append(error.exc_type))
    preparation = Preparation(lambda: 1 / 0)
    preparation.finish()
    for thread in threading.enumerate():
        if thread.name == 'tinyflow-preparation':
            thread.join(60)
    assert seen == [ZeroDivisionError]


def test_no_run_waits_while_the_thread_needs_no_interpreter(monkeypatch):
    monkeypatch.setattr(background, 'present', lambda: 2)
    preparation, go_on = that_compiles()
    assert not preparation.needs_interpreter
    preparation.give_turn(1e6)
    go_on.set()
    preparation.finish()
    assert preparation.needs_interpreter


def test_tiles_leave_it_a_processor_while_it_needs_no_interpreter(monkeypatch):
    background.end_all()        # those of other tests might compile
    monkeypatch.setattr(processors, 'present', lambda: 3)
    monkeypatch.setattr(processors, '_limit', 0)
    preparation, go_on = that_compiles()
    assert processors.threads_for_tiles() == 2
    with processors.limited_to(1):
        assert processors.threads_for_tiles() == 1
    go_on.set()
    preparation.finish()
    assert processors.threads_for_tiles() == processors.most_threads() == 3


@needs_fork
def test_a_forked_child_does_not_wait_for_a_thread_that_it_lacks(counting):
    preparation, _ = counting
    assert statuses_of_children(lambda: preparation.give_turn(1e6) or 0) == [0]


@needs_fork
def test_a_forked_child_does_unfinished_work_itself(monkeypatch):
    monkeypatch.setattr(background, '_PATIENCE', 60)
    done = []
    preparation = Preparation(lambda: pass_by() or done.append(os.getpid()))

    def finished():
        preparation.finish()
        return 0 if done == [os.getpid()] else 1

    assert statuses_of_children(finished) == [0]
    preparation.finish()
    assert done == [os.getpid()]


def test_other_threads_keep_their_settings():
    priority = os.getpriority(os.PRIO_PROCESS, 0)
    seen = []
    Preparation(lambda: seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))) \
        .finish()
    assert gc.isenabled() and sys.getprofile() is None
    assert os.getpriority(os.PRIO_PROCESS, 0) == priority
    if sys.platform == 'linux':
        assert seen[0] > priority or seen[0] == 19


@pytest.mark.parametrize('begin', [Preparation, without_turns])
def test_work_is_ended_with_the_process(begin):
    preparation = begin(endless_work)
    background.end_all()
    assert not preparation._thread.is_alive()


def test_work_is_ended_without_waiting_for_it():
    preparation = Preparation(endless_work)
    preparation.end()
    preparation._thread.join(60)
    assert not preparation._thread.is_alive()


def test_a_lock_of_another_package_is_returned_when_work_ends():
    """Others may wait for it, and the exit of the process for them."""
    held, inside, go_on = threading.RLock(), threading.Event(), threading.Event()

    def with_lock():
        held.acquire()
        inside.set()
        go_on.wait()            # no `with`: llvmlite takes its lock in a function in Python, too
        len('')
        held.release()

    preparation = without_turns(lambda: endless_work(with_lock))
    assert inside.wait(60)
    threading.Timer(0.2, go_on.set).start()
    background.end_all()
    assert not preparation._thread.is_alive() and held.acquire(timeout=5)


@may_end_here
def pass_by():
    pass


def endless_work(step=lambda: None):
    """Calls other packages' functions and, at times, one with which work may end."""
    while True:
        step()
        pass_by()


@needs_fork
@pytest.mark.parametrize('begin', [Preparation, without_turns])
def test_a_forked_child_finds_no_lock_that_work_holds(begin):
    lock, taken = threading.Lock(), threading.Event()

    def with_lock():
        with lock:
            taken.set()
            for _ in range(20):
                len('')

    preparation = begin(lambda: endless_work(with_lock))
    assert taken.wait(60)
    statuses = statuses_of_children(lambda: 0 if lock.acquire(timeout=30) else 1, 10)
    preparation.end()
    preparation._thread.join(60)
    assert statuses == [0] * 10 and not preparation._thread.is_alive()


@pytest.mark.slow
@pytest.mark.skipif(os.name == 'nt', reason='needs signals')
def test_an_interrupted_program_ends_by_the_signal():
    """Whatever text a thread executes meanwhile: a shell's loop ends, too."""
    program = ('import threading, time\n'
               'from tinyflow.graph.support.background import Preparation\n'
               'def work():\n'
               '    threading.main_thread().join()\n'
               '    time.sleep(0.2)\n'
               '    exec("1")\n'
               'kept = Preparation(work)\n'
               'kept._hurried = True\n'
               'raise KeyboardInterrupt\n')
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == -signal.SIGINT, done.stderr


def test_it_makes_no_threads_of_low_priority():
    seen = []
    Preparation(lambda: seen.append(processors.most_threads())).finish()
    assert seen == [1]
