"""The state of an iterator node in a Session: the current pass, or None."""
from __future__ import annotations

import itertools
import os
import threading
import weakref
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np

from tinyflow.data.runtime.base import (
    Cursor,
    Source,
    draws_randomly,
    load,
    opened,
    owned,
    random_inside,
    save,
)
from tinyflow.data.runtime.state_bytes import decode, encode
from tinyflow.graph.support import errors, logging
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
                              'sess.run(iterator.initializer) starts again (if there is one).'
                              + errors.why('end-of-sequence'))

    def _take_in_time(self) -> list[np.ndarray]:
        from tinyflow.data.runtime.timed_take import TimedTake  # start-up time
        while True:
            with _making:           # not self.lock: a thread that takes an element holds it
                if seconds_left() is None and (self._timed is None or self._timed.is_idle()):
                    self._timed = None
                    break
                timed = self._timed = self._timed or TimedTake(self._next_of)
            element = timed.take()
            if element is not None:
                return element
        with self.lock:
            return self._next()

    def _next_of(self, timed: Any) -> list[np.ndarray] | None:
        """The next element; None if another TimedTake, or none, has replaced `timed`."""
        with self.lock:
            return self._next() if self._timed is timed else None

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
                                      'from_structure.'
                                      + errors.why('iterator-uninitialised'))
            self._open(self.make())
        if self._resumed is not None:
            self._resume()
        return self.cursor                          # type: ignore[return-value]

    def _resume(self) -> None:
        """Sets the pass to the saved position, unless the datasets have changed since then."""
        (chain, state), self._resumed = self._resumed, None
        now = chain_of(self.source)                 # type: ignore[arg-type]
        if chain != now:
            self._not_resumed(f'its datasets were {_text(chain)}, and are {_text(now)}')
            return
        try:
            self._open(self.source)                 # type: ignore[arg-type]  # ends its threads
            load(self.cursor, state)                # type: ignore[arg-type]
        except errors.NotFoundError:                # an input file: reading it says so
            raise
        except Exception as error:                  # noqa: BLE001 - whatever a function raises
            self._not_resumed(f'{type(error).__name__}: {getattr(error, "message", error)}')
            self._open(self.source)                 # type: ignore[arg-type]

    def _not_resumed(self, why: str) -> None:
        logging.warning("The iterator '%s' starts from the first element, not at the position that "
                        'was saved: %s', self.name, why)

    def hold(self, held: ExitStack) -> None:
        """Until `held` is left, this iterator stays where it is."""
        held.enter_context(self.lock)
        if self.cursor is not None:
            self.cursor.hold(held)

    def get_state(self) -> Any:
        """(datasets, position of the pass), as plain data; None before its start."""
        with self.lock:
            if self.cursor is None and (self.make is None or self._resumed is not None):
                return self._resumed
            position = self._position()
            return chain_of(self.source), position              # type: ignore[arg-type]

    def set_state(self, state: Any) -> None:
        """Restores the position, immediately or when the pass starts."""
        with self.lock:
            self._resumed = state
            if self.cursor is not None:
                self._started()

    def to_bytes(self) -> bytes:
        """The position of the pass."""
        with self.lock:
            position = self._position()
            random = self.source and random_inside(self.source)
            if random:
                raise draws_randomly(random, 'their number is not known')
            return encode(position)

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


_NOT_OF_THE_POSITION = ('random', 'seed', 'seed2', 'seeds', 'threads')


def chain_of(source: Source) -> list[str]:
    """The datasets with their numbers, such as 'Batched(batch_size=16)'; the input comes first.

    Seeds are left out, which are part of the position, and what depends on the machine.
    """
    numbers = [f'{name}={value}' for name, value in sorted(vars(source).items())
               if isinstance(value, (int, str)) and name not in _NOT_OF_THE_POSITION]
    paths = getattr(source, 'paths', None)
    if paths is not None:
        names = '\n'.join(map(os.path.basename, paths))
        numbers.append(f'files={len(paths)}, crc32={zlib.crc32(os.fsencode(names))}')
    own = f'{type(source).__name__}({", ".join(numbers)})'
    return [*[text for one in source.inputs for text in chain_of(one)], own]


def _text(chain: list[str]) -> str:
    return ' > '.join(chain)


def by_handle(handle: bytes) -> IteratorState:
    """The iterator that a string handle names."""
    found = _by_handle.get(handle)
    if found is None:
        raise errors.op_error(errors.NotFoundError,
                              f'no iterator has the handle {handle!r}',
                              'feed the result of sess.run(iterator.string_handle()) in this '
                              'Session.')
    return found
