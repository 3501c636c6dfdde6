"""Work in the background, for later runs, that hardly disturbs those that run now.

The interpreter runs Python code of one thread at a time, and a thread keeps that right for 5 ms
when another wants it. Kernels give it away each time they work on a large array, so next to a
thread that prepares something a training step would wait for 5 ms dozens of times. So such a thread
works between the runs, for half as long as one takes. While they run it does what needs no
interpreter, such as compiling by LLVM, and, if no turn comes for long, a millisecond's work at a
time: it may hold a lock that they wait for. It pauses where a function begins or ends, so a turn
may last longer by one call.
"""
from __future__ import annotations

import atexit
import math
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import CodeType
from typing import Any, TypeVar

from tinyflow.graph.support.gc_pause import collector_paused
from tinyflow.graph.support.processors import limited_to, present

__all__ = ['Preparation', 'end_all', 'may_end_here', 'without_interpreter']

_PATIENCE, _UNASKED = 0.02, 0.001   # seconds without a turn, after which it works for a moment
_PRIORITY = 10                      # of the thread; 0 is usual, 19 the lowest

_END_SECONDS = 10                   # that the exit of the process waits for its threads
_HOLDS_LOCK = 'llvmlite.binding'    # its functions take and return a lock of all threads

_Function = TypeVar('_Function', bound=Callable)
_may_end: set[CodeType] = set()

_own = threading.local()
_all: weakref.WeakSet[Preparation] = weakref.WeakSet()


class Preparation:
    """Work that a thread does, in turns or without a pause.

    It may hold locks meanwhile, so it never waits for long. An error is printed, as of any thread.
    """

    def __init__(self, work: Callable[[], Any], in_turns: bool = True) -> None:
        self.needs_interpreter = True
        self._work = work
        self._until = 0.0 if in_turns else math.inf         # when the turn ends
        self._turn, self._done = threading.Event(), threading.Event()
        self._ended = False
        _all.add(self)
        self._thread = threading.Thread(target=self._run, name='tinyflow-preparation', daemon=True)
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
        """Waits for the end of the work; a forked child, which lacks the thread, does not."""
        self._until = math.inf
        self._turn.set()
        self._thread.join()

    def end(self) -> None:
        """Ends the work at the next call of a function that is marked `may_end_here`.

        The caller waits for it, but not for longer than ten seconds.
        """
        _end([self])

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

    def _pause(self, frame: Any, event: str, argument: Any) -> None:
        """The interpreter calls it when a function of this thread begins or ends."""
        if not self.needs_interpreter:
            return
        if self._ended:
            if event == 'call' and frame.f_code in _may_end:
                raise SystemExit
        elif time.perf_counter() > self._until and not _module(frame).startswith(_HOLDS_LOCK):
            if not self._turn.wait(_PATIENCE):
                self._until = time.perf_counter() + _UNASKED
            self._turn.clear()


def may_end_here(function: _Function) -> _Function:
    """Marks a function with whose call a Preparation may end, when the process does.

    Elsewhere a lock might never be returned, such as llvmlite's, or a finalizer be interrupted.
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
        yield
    finally:
        preparation.needs_interpreter = True


def end_all() -> None:
    """Ends all preparations."""
    _end(tuple(_all))


def _end(preparations: Sequence[Preparation]) -> None:
    for preparation in preparations:
        preparation._ended = True
        preparation._turn.set()
    until = time.monotonic() + _END_SECONDS
    for preparation in preparations:
        preparation._thread.join(max(0, until - time.monotonic()))


atexit.register(end_all)        # LLVM must not work while the process takes its library down


def _module(frame: Any) -> str:
    return str(frame.f_globals.get('__name__'))


def _lower_priority() -> None:
    """Lets the threads of kernels, which wait for the slowest of them, go before this one."""
    if sys.platform == 'linux':             # elsewhere it would be the priority of the process
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _PRIORITY)
