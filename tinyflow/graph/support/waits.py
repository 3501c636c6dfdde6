"""Waits inside a run: those that Ctrl-C ends at once, and how long a run's timeout lets them last.

A function that waits for other threads is marked by `may_wait`. `deadlines` has an entry for each
thread that is in a run with a timeout, so that other runs pay for the test of an empty dict only.
"""
from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, TypeVar

from tinyflow.graph.support import errors

__all__ = ['Deadline', 'check_deadline', 'deadline', 'deadlines', 'indivisible',
           'indivisible_codes', 'may_wait', 'seconds_left', 'served', 'waiting_codes']

_Function = TypeVar('_Function', bound=Callable)

waiting_codes: set[CodeType] = set()
indivisible_codes: set[CodeType] = set()


def may_wait(function: _Function) -> _Function:
    """Marks a function that waits for other threads, and may be interrupted meanwhile.

    It changes nothing: an interrupt that comes as it returns must not lose what came.
    """
    waiting_codes.add(function.__code__)
    return function


def indivisible(function: _Function) -> _Function:
    """Marks a short function that not even a second Ctrl-C stops: others rely on what it does."""
    indivisible_codes.add(function.__code__)
    return function


class Deadline:
    """When the run of a thread must have ended."""

    __slots__ = ('end', 'milliseconds')

    def __init__(self, milliseconds: int) -> None:
        self.milliseconds = milliseconds
        self.end = time.monotonic() + milliseconds / 1000


deadlines: dict[int, Deadline] = {}             # thread id -> the deadline of its run
served: dict[int, Any] = {}     # thread id -> its ServedRun, for a session of another process


@contextmanager
def deadline(milliseconds: int) -> Iterator[None]:
    """Gives the block, in this thread, a time limit; an outer one that ends earlier stays."""
    me = threading.get_ident()
    outer, own = deadlines.get(me), Deadline(milliseconds)
    try:
        deadlines[me] = own if outer is None or own.end < outer.end else outer
        yield
    finally:
        if outer is None:
            deadlines.pop(me, None)
        else:
            deadlines[me] = outer


def seconds_left() -> float | None:
    """The seconds until this thread's deadline, at least 0; None if there is none."""
    found = deadlines.get(threading.get_ident())
    return None if found is None else max(found.end - time.monotonic(), 0.)


def check_deadline(completed: bool = False) -> None:
    """DeadlineExceededError if this thread's deadline has passed."""
    if seconds_left() == 0.:
        milliseconds = deadlines[threading.get_ident()].milliseconds
        raise errors.op_error(
            errors.DeadlineExceededError,
            'Timed out waiting for notification: the run '
            + ('was complete, but took longer than' if completed else 'was stopped after')
            + f' its timeout of {milliseconds} ms',
            'a larger timeout_in_ms (tf.RunOptions) or operation_timeout_in_ms (tf.ConfigProto); '
            '0 is no limit.')
