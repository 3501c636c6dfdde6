"""Deadlock detection for queues: which thread waits, and can any other thread still act?

A thread inside a queue op, or inside `Coordinator.join`, can do nothing until another thread acts.
If every thread that is alive is in such a place, nobody is left to act: the wait is hopeless, and
raising is better than hanging for ever. Threads that do something else may yet enqueue, so as
long as there is one, waiting goes on.
"""
from __future__ import annotations

import threading
import time
import warnings
from contextlib import contextmanager

from tinyflow.graph.support.errors import TinyflowWarning

# Threads of notebooks, debuggers and test runners: alive all the time, and never enqueue.
_BYSTANDERS = frozenset((
    'IPython', '_pydev_bundle', '_pydevd_bundle', 'debugpy', 'execnet', 'ipykernel', 'pydevd',
    'pytest_timeout', 'tornado', 'tqdm', 'xdist', 'zmq'))

_LOOK = 0.1             # seconds between two looks at the other threads
_PATIENCE = 10.0        # seconds until a wait that may be hopeless is warned of

_waiting: dict[int, Waiter] = {}                # thread id -> what it waits for


class Waiter:
    """One wait of one thread; `done` is set by whoever ends it."""

    __slots__ = ('done', 'background')

    def __init__(self):
        self.done = False
        self.background = False                 # a queue runner's thread, or a join


@contextmanager
def registered(waiter):
    """Tells the other threads that this one waits."""
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


@contextmanager
def idle():
    """The block waits for other threads, as `Coordinator.join` does."""
    waiter = Waiter()
    waiter.background = True
    with registered(waiter):
        yield


class Watch:
    """Looks around while a thread waits. `explain()` gives the error for a hopeless wait."""

    def __init__(self, waiter, explain, suspicion):
        self.waiter = waiter
        self.explain = explain
        self.suspicion = suspicion              # () -> text of a warning, or None
        self.began = time.monotonic()
        self.hopeless_before = False
        self.warned = False

    def seconds(self):
        """How long to wait until the next look."""
        return _LOOK

    def look(self):
        """Raises if nobody can end this wait; two looks in a row must agree."""
        hopeless = _nobody_is_left(self.waiter)
        if hopeless and self.hopeless_before:
            raise self.explain()
        self.hopeless_before = hopeless
        if not self.warned and time.monotonic() - self.began > _PATIENCE:
            self.warned = True
            text = self.suspicion()
            if text:
                warnings.warn(TinyflowWarning(text), stacklevel=2)


def _nobody_is_left(waiter):
    """True if every thread but the bystanders waits for another one.

    A thread in the background leaves it to one of the user's own to say so, if one waits, too.
    """
    me = threading.get_ident()
    for thread in threading.enumerate():
        if thread.ident == me or not thread.is_alive() or _is_bystander(thread):
            continue
        other = _waiting.get(thread.ident)
        if other is None or other.done or waiter.background and not other.background:
            return False
    return True


def _is_bystander(thread):
    target = getattr(thread, '_target', None)
    modules = (type(thread).__module__, getattr(target, '__module__', None) or '')
    return thread.name.startswith('tinyflow-tiles') or \
        any(module.partition('.')[0] in _BYSTANDERS for module in modules)
