"""The state of an iterator node in a Session: the current pass, or None."""
from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from tinyflow.data.runtime.base import Cursor, Source, load, opened, owned, save
from tinyflow.data.runtime.state_bytes import decode, encode
from tinyflow.graph.support import errors
from tinyflow.graph.support.waits import deadlines, seconds_left

_numbers = itertools.count()
_making = threading.Lock()
_by_handle: weakref.WeakValueDictionary[bytes, IteratorState] = weakref.WeakValueDictionary()


class IteratorState:
    """The pass that an iterator is in. One thread at a time takes an element."""

    def __init__(self, name: str, make: Callable[[], Source] | None = None) -> None:
        self.name = name
        self.make = make                    # a one-shot iterator's dataset
        self.source: Source | None = None
        self.cursor: Cursor | None = None
        self.of_elements: tuple = ((), ())      # dtypes and shapes of the components
        self.lock = threading.RLock()
        self._timed: Any = None             # a TimedTake, after a run with a timeout
        self._resumed: Any = None      # position to restore when the pass starts
        self.handle = f'{name};{next(_numbers)}'.encode()
        _by_handle[self.handle] = self

    def start(self, source: Source) -> None:
        """Starts a pass over a dataset, replacing the current one."""
        with self.lock:
            self._timed = None
            self._open(source)

    def _open(self, source: Source) -> None:
        self.cancel()
        self.source, self.cursor = source, opened(source)

    def take(self) -> list[np.ndarray]:
        """The next element, in arrays that nothing else uses.

        OutOfRangeError at the end; FailedPreconditionError if there is no pass yet.
        """
        if self._timed is not None or deadlines and seconds_left() is not None:
            return self._take_in_time()
        with self.lock:
            return self._next()

    def _next(self) -> list[np.ndarray]:
        for element in self._started():
            return [owned(component) for component in element]
        raise errors.op_error(errors.OutOfRangeError,
                              'End of sequence',
                              'this is how a dataset ends: catch tf.errors.OutOfRangeError around '
                              'the loop; dataset.repeat() continues forever, '
                              'sess.run(iterator.initializer) starts again (if there is one).')

    def _take_in_time(self) -> list[np.ndarray]:
        from tinyflow.data.runtime.timed_take import TimedTake  # start-up time
        with _making:               # not self.lock: a thread that takes an element holds it
            timed = self._timed
            if timed is None:
                timed = self._timed = TimedTake(self._next_of)
        return timed.take()

    def _next_of(self, timed: Any) -> list[np.ndarray]:
        """The next element, unless another pass was started since `timed` asked for it."""
        with self.lock:
            return self._next() if self._timed is timed else []

    def _position(self) -> Any:
        if self._timed is not None and self._timed.holds_element():
            raise errors.op_error(
                errors.FailedPreconditionError,
                f"the iterator '{self.name}' has an element for a run that was timed out",
                'run get_next() again first.')
        return save(self._started())

    def _started(self) -> Cursor:
        if self.cursor is None:
            if self.make is None:
                raise errors.op_error(errors.FailedPreconditionError,
                                      'GetNext() failed because the iterator has not been '
                                      'initialized.',
                                      'run its initializer in this Session first: '
                                      'sess.run(iterator.initializer), or '
                                      'sess.run(iterator.make_initializer(dataset)) for one made '
                                      'from_structure.')
            self._open(self.make())
        if self._resumed is not None:
            state, self._resumed = self._resumed, None
            load(self.cursor, state)                # type: ignore[arg-type]
        return self.cursor                          # type: ignore[return-value]

    def get_state(self) -> Any:
        """The position of the pass, as plain data; None before its start."""
        with self.lock:
            if self.cursor is None and (self.make is None or self._resumed is not None):
                return self._resumed
            return self._position()

    def set_state(self, state: Any) -> None:
        """Restores the position, immediately or when the pass starts."""
        with self.lock:
            self._resumed = state
            if self.cursor is not None:
                self._started()

    def to_bytes(self) -> bytes:
        """The position of the pass."""
        with self.lock:
            return encode(self._position())

    def from_bytes(self, data: bytes) -> None:
        """Restores the position; the iterator must be initialised with its dataset."""
        state = decode(data)
        with self.lock:
            self._started()
            if self.source is not None:
                self.start(self.source)
                load(self._started(), state)

    def cancel(self) -> None:
        """Ends the pass and its threads; called when a Session ends."""
        cursor, self.cursor = self.cursor, None
        if cursor is not None:
            cursor.close()


def by_handle(handle: bytes) -> IteratorState:
    """The iterator that a string handle names."""
    found = _by_handle.get(handle)
    if found is None:
        raise errors.op_error(errors.NotFoundError,
                              f'no iterator has the handle {handle!r}',
                              'feed the result of sess.run(iterator.string_handle()) in this '
                              'Session.')
    return found
