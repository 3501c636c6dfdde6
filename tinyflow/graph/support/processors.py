"""How many processors arithmetic may use now: those that other programs leave free.

Work that is split among more threads than there are free processors waits for the slowest of them.
While large operations run, the time that other programs have used the processors is looked at five
times a second. Several programs that do so share a machine: two that find each other on four
processors use two each.

A thread that has been given a number (`ConfigProto(intra_op_parallelism_threads=2)`) uses that
many, whatever the load. Where the system does not tell its load (only Linux does), all are used.
"""
from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ['crowded', 'in_background', 'leaving_one', 'limit', 'limited_to', 'most_threads',
           'next_number', 'present', 'processors', 'set_limit', 'threads_for_tiles']

_PERIOD = 0.2           # seconds between two looks; the system counts in steps of 0.01
_PAUSE = 0.1            # seconds between two large operations


def processors() -> int:
    """The number of processors that this thread's arithmetic may use now."""
    number = _own.limit or _limit
    if number:
        return min(number, present())
    return max(1, _watch.number() - _own.left)


def crowded(free: int) -> bool:
    """Whether other programs keep half of the processors busy, or more, and there is no limit.

    `free` is what `processors()` has said.
    """
    return 2 * free <= present() and not (_own.limit or _limit)


def most_threads() -> int:
    """The same for threads that do not wait for each other: all, or a fixed number."""
    return min(_own.limit or _limit or present(), present())


def threads_for_tiles() -> int:
    """`most_threads()`, but leaving a processor to each thread in the background.

    Next to one of those, whatever its priority, a thread may wait for milliseconds to begin, which
    is longer than most tiles take.
    """
    return max(1, min(most_threads(), present() - len(_background)))


def next_number(number: int, present: int, others: float) -> int:
    """The number of processors to use after `number`, if other programs keep `others` busy.

    A processor is worth using if more than half of it is free. One that was given up is taken back
    when three quarters are, so that the number does not change to and fro.
    """
    fewer, more = (math.floor(present - others + part) for part in (0.45, 0.25))
    return max(1, min(present, fewer if fewer < number else max(number, more)))


# ---- limits ------------------------------------------------------------------------------------

class _Own(threading.local):
    limit = 0
    left = 0                # processors for something else


_own = _Own()
_limit = 0
_background: set[int] = set()       # identifiers of threads


@contextmanager
def limited_to(number: int) -> Iterator[None]:
    """Arithmetic of this thread uses `number` processors inside the block."""
    outer, _own.limit = _own.limit, number
    try:
        yield
    finally:
        _own.limit = outer


def leaving_one(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function, whose arithmetic leaves a processor to a thread in the background.

    For as long as that thread is expected to work, so that results do not depend on time.
    """
    outer, _own.left = _own.left, 1
    try:
        return function(*arguments)
    finally:
        _own.left = outer


@contextmanager
def in_background() -> Iterator[None]:
    """This thread works in the background inside the block, and occupies a processor."""
    _background.add(threading.get_ident())
    try:
        yield
    finally:
        _background.discard(threading.get_ident())


def limit() -> int:
    """The number given to `set_limit`."""
    return _limit


def set_limit(number: int) -> None:
    """All threads without a limit of their own use `number` processors; 0: those that are free."""
    global _limit
    _limit = max(0, number)


# ---- the machine -------------------------------------------------------------------------------

_present = 0


def present() -> int:
    """The number of processors that this process may use: by its affinity and by its quota."""
    global _present
    if not _present:
        number = len(_allowed() or ()) or os.cpu_count() or 1
        _present = max(1, min(number, math.ceil(_quota() or number)))
    return _present


def _allowed() -> set[int] | None:
    """The processors that this process may run on; None where the system does not tell."""
    return os.sched_getaffinity(0) if hasattr(os, 'sched_getaffinity') else None


def _text(path: str) -> str:
    """What the system says in a file."""
    with open(path, encoding='ascii') as file:
        return file.read()


def _quota() -> float | None:
    """How many processors' time the container may use; None without a quota."""
    try:
        quota, period = _text('/sys/fs/cgroup/cpu.max').split()
        return int(quota) / int(period)
    except (OSError, ValueError):               # none, or 'max'
        return None


def seconds_busy() -> float | None:
    """For how long the processors that this process may use have worked, for any program.

    None where the system does not tell. Time that a virtual machine did not get counts as busy.
    """
    allowed = _allowed()
    try:
        lines = _text('/proc/stat').splitlines()
    except OSError:
        return None
    ticks = found = 0
    for line in lines:
        name, *counts = line.split()
        if name[:3] == 'cpu' and name[3:].isdigit() and (not allowed or int(name[3:]) in allowed):
            user, nice, system, idle, waiting, *more = map(int, counts)
            ticks += user + nice + system + sum(more[:3])       # interrupts, and stolen time
            found += 1
    return ticks / os.sysconf('SC_CLK_TCK') if found else None


class _Watch:
    """Compares the time that all programs have worked with that of this one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._number = present()                # of free processors
        self._called = 0.0, 0.0                 # time, and time that this program has worked
        self._looked: tuple[float, float, float] | None = None      # the same, and that of all

    def number(self) -> int:
        """The number of processors that are free, as far as known."""
        now, own = time.perf_counter(), time.process_time()
        then, own_then = self._called
        self._called = now, own
        if now - then > _PAUSE and own - own_then < (now - then) / 10:
            self._looked = None         # what others did while this program slept is not load
        if (self._looked is None or now - self._looked[0] >= _PERIOD) and present() > 1 \
                and self._lock.acquire(blocking=False):
            try:
                self._look(now, own)
            finally:
                self._lock.release()
        return self._number

    def _look(self, now: float, own: float) -> None:
        looked, busy = self._looked, seconds_busy()
        if busy is None:
            self._looked = math.inf, own, 0.0               # not until a pause
            return
        if looked is not None:
            others = max(0.0, (busy - looked[2]) - (own - looked[1])) / (now - looked[0])
            self._number = next_number(self._number, present(), others)
        self._looked = now, own, busy


_watch = _Watch()


def _start_again() -> None:
    """In a forked child: its processor time begins at 0, the lock may be held, there is no other
    thread.
    """
    global _watch
    _watch = _Watch()
    _background.clear()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_start_again)
