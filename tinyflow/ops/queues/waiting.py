"""Deadlock detection for queues: which thread waits, and can any other thread still act?

A thread inside a queue op, or inside `Coordinator.join`, can do nothing until another thread acts.
If every thread that is alive waits like this, it is a deadlock, and
raising is better than hanging forever. Threads that do something else may still enqueue, so as
long as there is one, the wait continues.
"""
from __future__ import annotations

import threading
import time
import warnings
from contextlib import contextmanager

from tinyflow.graph.support.errors import TinyflowWarning
from tinyflow.graph.support.waits import check_deadline, deadlines, seconds_left

# Threads of notebooks, debuggers and test runners: alive all the time, and never enqueue.
_BYSTANDERS = frozenset((
    'IPython', '_pydev_bundle', '_pydevd_bundle', 'debugpy', 'execnet', 'ipykernel', 'pydevd',
    'pytest_timeout', 'tornado', 'tqdm', 'xdist', 'zmq'))

_LOOK = 0.1             # seconds between two checks of the other threads
_PATIENCE = 10.0        # seconds until the warning about a possible deadlock

_waiting: dict[int, Waiter] = {}                # thread id -> what it waits for


class Waiter:
    """One wait of one thread; `done` is set by the thread that ends it."""

    __slots__ = ('done', 'background', 'what')

    def __init__(self, what=None):
        self.done = False
        self.what = what                        # () -> text: what is waited for
        self.background = False                 # a queue runner's thread, or a join


@contextmanager
def registered(waiter):
    """Registers this thread as waiting."""
    me = threading.get_ident()
    waiter.background = waiter.background or getattr(threading.current_thread(),
                                                     'is_queue_runner', False)
    outer = _waiting.get(me)
    _waiting[me] = waiter
    try:
        yield
    finally:
        if outer is None:
            _waiting.pop(me, None)
        else:
            _waiting[me] = outer


def waits_for(thread):
    """What a thread waits for, as text; '' if it does not."""
    waiter = _waiting.get(thread)
    return waiter.what() if waiter is not None and waiter.what is not None else ''


@contextmanager
def idle():
    """Registers the block as waiting for other threads, as `Coordinator.join` does."""
    waiter = Waiter()
    waiter.background = True
    with registered(waiter):
        yield


class Watch:
    """Checks for a deadlock while a thread waits. `explain()` returns the error for one."""

    def __init__(self, waiter, explain, suspicion):
        self.waiter = waiter
        self.explain = explain
        self.suspicion = suspicion              # () -> text of a warning, or None
        self.began = time.monotonic()
        self.deadlocked_before = False
        self.warned = False

    def seconds(self):
        """How long to wait until the next check."""
        left = seconds_left() if deadlines else None
        return _LOOK if left is None else min(left + 0.001, _LOOK)

    def look(self):
        """Raises if no thread can end this wait, found by two checks in a row.

        In a run with a timeout no wait is without end: DeadlineExceededError when it has passed.
        """
        if seconds_left() is not None:
            check_deadline()
            return
        deadlocked = _all_threads_wait(self.waiter)
        if deadlocked and self.deadlocked_before:
            raise self.explain()
        self.deadlocked_before = deadlocked
        if not self.warned and time.monotonic() - self.began > _PATIENCE:
            self.warned = True
            text = self.suspicion()
            if text:
                warnings.warn(TinyflowWarning(text), stacklevel=2)


def _all_threads_wait(waiter):
    """True if every thread but the bystanders waits for another one.

    If a thread of the user waits, too, background threads leave the error to it.
    """
    me = threading.get_ident()
    for thread in threading.enumerate():
        if thread.ident == me or not thread.is_alive() or _is_helper_thread(thread):
            continue
        other = _waiting.get(thread.ident)
        if other is None or other.done or waiter.background and not other.background:
            return False
    return True


def _is_helper_thread(thread):
    target = getattr(thread, '_target', None)
    modules = (type(thread).__module__, getattr(target, '__module__', None) or '')
    return thread.name.startswith('tinyflow-tiles') or \
        any(module.partition('.')[0] in _BYSTANDERS for module in modules)
