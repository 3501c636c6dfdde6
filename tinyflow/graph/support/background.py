"""Work in the background, for later runs, that hardly disturbs those that run now.

The interpreter runs Python code of one thread at a time, and a thread keeps that right for 5 ms
when another wants it. Kernels give it away each time they work on a large array, so next to a
thread that prepares something a training step would wait for 5 ms dozens of times. So such a thread
works between the runs, for a third of what one takes. While they run it does what needs no
interpreter, such as compiling by LLVM, and, if no turn comes for long, a millisecond's work at a
time: it may hold a lock that they wait for. It pauses where a function begins or ends, so a turn
may last longer by one call.

Its locks do not outlive it: where the process ends or is forked, the work goes on to a function
that is marked `may_end_here`, and ends or waits there.
"""
from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import CodeType
from typing import Any, TypeVar

from tinyflow.graph.support.gc_pause import collector_paused
from tinyflow.graph.support.processors import in_background, limited_to, present

__all__ = ['TURN', 'Preparation', 'Preparations', 'end_all', 'held_in_forks', 'may_end_here',
           'without_interpreter']

TURN = 1 / 3                        # of a run's time; the last call in a turn makes it longer
_PATIENCE, _UNASKED = 0.02, 0.001   # seconds without a turn, after which it works for a moment
_SHORTEST = 0.0003                  # a turn; for less the threads' change would take longer
_PRIORITY = 10                      # of the thread; 0 is usual, 19 the lowest

_END_SECONDS = 10                   # that the exit of the process, or a fork, waits for its threads
_HOLDS_LOCK = 'llvmlite.binding'    # its functions take and return a lock of all threads

_Function = TypeVar('_Function', bound=Callable)
_may_end: set[CodeType] = set()

_own = threading.local()
_all: weakref.WeakSet[Preparation] = weakref.WeakSet()
_fork_lock = threading.Lock()
_no_fork = threading.Event()        # not set while a process is forked
_no_fork.set()
_held_in_forks: list[threading.Lock] = []
_held: list[threading.Lock] = []            # by the fork that is under way


class Preparation:
    """Work that a thread does in turns.

    It may hold locks meanwhile, so it never waits for long. An error is printed, as of any thread.
    """

    def __init__(self, work: Callable[[], Any]) -> None:
        self.needs_interpreter = True
        self._work = work
        self._hurried = False                       # whether it goes on without turns
        self._until = 0.0                           # when the turn ends
        self._turn, self._done = threading.Event(), threading.Event()
        self._holds_nothing = threading.Event()     # while it waits for a fork, and afterwards
        self._ended = False
        self._thread = threading.Thread(target=self._run, name='tinyflow-preparation', daemon=True)
        _all.add(self)
        self._thread.start()

    def give_turn(self, seconds: float) -> None:
        """Lets the thread work for so long; the caller waits, unless it needs no interpreter and
        there is another processor.

        The garbage collector rests meanwhile.
        """
        if (self.needs_interpreter or present() == 1) and self._thread.is_alive():
            with collector_paused():        # what is made lasts
                self._until = max(self._until, time.perf_counter() + seconds)
                self._turn.set()
                self._done.wait(seconds)

    def finish(self) -> None:
        """Waits for the end of the work; a forked child, which lacks the thread, does it itself."""
        self._hurried = True
        self._turn.set()
        self._thread.join()
        if not self._done.is_set():
            self._work()

    def end(self) -> None:
        """Has the work end at the next call of a function that is marked `may_end_here`.

        A finalizer may call it, at any time: it takes no lock, and does not wait.
        """
        self._ended = self._hurried = True

    def _run(self) -> None:
        _own.preparation = self
        _lower_priority()
        sys.setprofile(self._pause)
        try:
            with limited_to(1), suppress(SystemExit):       # threads that this one makes would
                self._work()                                # have its priority for good
        finally:
            sys.setprofile(None)
            self._done.set()
            self._holds_nothing.set()

    def _pause(self, frame: Any, event: str, argument: Any) -> None:
        """The interpreter calls it when a function of this thread begins or ends."""
        if not self.needs_interpreter:
            return
        if event == 'call' and frame.f_code in _may_end:
            if self._ended:
                raise SystemExit
            while not _no_fork.is_set():            # of several forks one may follow at once
                self._holds_nothing.set()
                _no_fork.wait()
                self._holds_nothing.clear()
        if time.perf_counter() > self._until and not self._may_go_on() \
                and not _module(frame).startswith(_HOLDS_LOCK):
            if not self._turn.wait(_PATIENCE):
                self._until = time.perf_counter() + _UNASKED
            self._turn.clear()

    def _may_go_on(self) -> bool:
        """Whether some other thread waits for this one."""
        return self._hurried or not _no_fork.is_set()


class Preparations:
    """Those of one owner, with whom they end."""

    def __init__(self) -> None:
        self._all: weakref.WeakSet[Preparation] = weakref.WeakSet()
        self._ended = False
        self._owed = 0.0                # seconds

    def begin(self, work: Callable[[], Any]) -> Preparation:
        """One more, which ends soon if the owner has."""
        preparation = Preparation(work)
        self._all.add(preparation)
        if self._ended:
            preparation.end()
        return preparation

    def owe_turn(self, preparation: Preparation, seconds: float) -> None:
        """Gives a preparation a turn, when those that are owed to all are long enough for one."""
        self._owed += seconds
        if self._owed >= _SHORTEST:
            seconds, self._owed = self._owed, 0.0
            preparation.give_turn(seconds)

    def end_with(self, owner: Any) -> None:
        """Has them end when `owner` is collected, which the work must not refer to."""
        weakref.finalize(owner, self.end).atexit = False

    def end(self) -> None:
        """Has them end soon."""
        self._ended = True
        for preparation in _members(self._all):
            preparation.end()


def may_end_here(function: _Function) -> _Function:
    """Marks a function with whose call a Preparation may end, or the process be forked: its callers
    hold no lock.

    Elsewhere a lock might never be returned, such as llvmlite's or that of a module that is being
    imported, or a finalizer be interrupted.
    """
    _may_end.add(function.__code__)
    return function


@contextmanager
def without_interpreter() -> Iterator[None]:
    """Says that a thread's work is done by another language's code inside the block.

    If it is a Preparation's, runs need not make way for it.
    """
    preparation = getattr(_own, 'preparation', None)
    if preparation is None:
        yield
        return
    preparation.needs_interpreter = False
    try:
        with in_background():
            yield
    finally:
        preparation.needs_interpreter = True


def end_all() -> None:
    """Ends all preparations, and waits for that, but not for longer than ten seconds."""
    preparations = [p for p in _members(_all) if p._thread.is_alive()]
    for preparation in preparations:
        preparation.end()
        preparation._turn.set()
    until = time.monotonic() + _END_SECONDS
    for preparation in preparations:
        preparation._thread.join(max(0, until - time.monotonic()))


def _at_exit() -> None:
    """LLVM must not work while the process takes its library down.

    A process that an interrupt has ended reports the signal, so that a shell's loop ends, too. But
    the interpreter forgets that there was an interrupt when any thread executes a text, as
    namedtuple does. Raising it in such a text reminds it.
    """
    if _all:
        end_all()
        if getattr(sys, 'last_type', None) is KeyboardInterrupt and not hasattr(sys, 'ps1'):
            with suppress(KeyboardInterrupt):
                exec('raise KeyboardInterrupt')


atexit.register(_at_exit)


def held_in_forks(lock: threading.Lock) -> threading.Lock:
    """Has forks wait for a lock, which no thread of a child could return."""
    _held_in_forks.append(lock)
    return lock


def _before_fork() -> None:
    """Waits until preparations hold no lock, of a half-imported module for example."""
    _fork_lock.acquire()
    _no_fork.clear()
    own = getattr(_own, 'preparation', None)
    others = [p for p in _members(_all) if p._thread.is_alive() and p is not own]
    for preparation in others:
        preparation._turn.set()
    until = time.monotonic() + _END_SECONDS
    for preparation in others:
        preparation._holds_nothing.wait(max(0, until - time.monotonic()))
    for lock in _held_in_forks:
        lock.acquire()
        _held.append(lock)


def _after_fork() -> None:
    _no_fork.set()              # first: an interrupt may have ended what is before a fork
    while _held:
        _held.pop().release()
    _fork_lock.release()


def _after_fork_in_child() -> None:
    global _no_fork
    _no_fork = threading.Event()        # a thread that waits for the other may have its lock
    _after_fork()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork,
                        after_in_child=_after_fork_in_child)


def _members(preparations: weakref.WeakSet[Preparation]) -> list[Preparation]:
    """Those that are there, while other threads may add some."""
    while True:
        with suppress(RuntimeError):
            return list(preparations)


def _module(frame: Any) -> str:
    return str(frame.f_globals.get('__name__'))


def _lower_priority() -> None:
    """Lets the threads of kernels, which wait for the slowest of them, go before this one."""
    if sys.platform == 'linux':             # elsewhere it would be the priority of the process
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _PRIORITY)
