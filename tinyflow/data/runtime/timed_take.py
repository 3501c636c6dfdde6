"""Elements of an iterator for runs with a timeout: taken in another thread, so that none is lost.

A run whose time is over stops waiting; the element goes to the next run that asks for one.
"""
from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

import numpy as np

from tinyflow.graph.support.waits import check_deadline, may_wait, seconds_left

__all__ = ['TimedTake']

_Element = list[np.ndarray]
_LOOK = 0.5             # seconds; a signal does not end a wait that has no limit, on Windows


class TimedTake:
    """Calls `take` in a thread, for one element at a time."""

    def __init__(self, take: Callable[[TimedTake], _Element | None]) -> None:
        self._take = take
        self._changed = threading.Condition()
        self._is_taking = False
        self._taken: deque[tuple[_Element | None, BaseException | None]] = deque()

    def take(self) -> _Element | None:
        """What `take` of the constructor returns; DeadlineExceededError if that takes too long."""
        with self._changed:
            while not self._taken:
                if not self._is_taking:
                    threading.Thread(target=self._run, name='tinyflow timed take',
                                     daemon=True).start()
                    self._is_taking = True
                self._wait()
            element, error = self._taken.popleft()
        if error is not None:
            raise error
        return element

    @may_wait
    def _wait(self) -> None:
        left = seconds_left()
        if not self._changed.wait(_LOOK if left is None else min(left, _LOOK)):
            check_deadline()

    def _run(self) -> None:
        error: BaseException | None = None
        element: _Element | None = None
        try:
            with np.errstate(all='ignore'):
                element = self._take(self)
        except BaseException as caught:         # noqa: BLE001 - raised in the waiting thread
            error = caught
        with self._changed:
            self._taken.append((element, error))
            self._is_taking = False
            self._changed.notify_all()

    def holds_element(self) -> bool:
        """Whether an element was taken that no run has got yet."""
        with self._changed:
            return bool(self._taken)

    def is_idle(self) -> bool:
        """Whether no element was taken for a run that was timed out, nor is being taken."""
        with self._changed:
            return not self._taken and not self._is_taking
