"""Datasets without an input: arrays, ranges, random numbers, Python generators."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tinyflow.data.runtime.base import INFINITE, UNKNOWN, Cursor, Element, Source, State, read_only
from tinyflow.data.runtime.randomness import Words

_CHUNK = 4096               # numbers of a range generated at a time


class CountedCursor(Cursor):
    """A pass whose state is the number of elements returned so far."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.position = 0

    def get_state(self) -> State:
        return {'position': self.position}

    def set_state(self, state: State) -> None:
        self.position = state['position']


class _OnceCursor(CountedCursor):
    def __next__(self) -> Element:
        if self.position:
            raise StopIteration
        self.position = 1
        return self.source.components


class Once(Source):
    """One element: the given components."""

    pass_class = _OnceCursor

    def __init__(self, components: Sequence[np.ndarray]) -> None:
        self.components = tuple(read_only(components))

    def cardinality(self) -> int:
        return 1


class _SlicesCursor(CountedCursor):
    rows = False            # return row indices, which a batch gathers together

    def __init__(self, source: Slices) -> None:
        super().__init__(source)
        if len(source.components) == 1:
            self.component = source.components[0]
            self.one = not self.component.dtype.hasobject or self.component.ndim > 1
        else:
            self.one = False

    def __next__(self) -> Element:
        i = self.position
        if i >= self.source.count:
            raise StopIteration
        self.position = i + 1
        if self.rows:
            return i                                    # type: ignore[return-value]
        if self.one:
            return (self.component[i],)
        return self.source.row(i)


class Slices(Source):
    """The rows of arrays of equal length.

    Shapes: components [count, *rest] each -> elements [*rest].
    """

    pass_class = _SlicesCursor

    def __init__(self, components: Sequence[np.ndarray]) -> None:
        self.components = tuple(read_only(components))
        self.count = len(components[0])

    def row(self, number: int) -> Element:
        """One element."""
        # An ellipsis keeps a row of a vector of strings an array.
        return [c[number, ...] for c in self.components]

    def cardinality(self) -> int:
        return self.count


class _RangeCursor(CountedCursor):
    def __init__(self, source: Range) -> None:
        super().__init__(source)
        self.chunk: Iterator[Any] = iter(())

    def __next__(self) -> Element:
        for value in self.chunk:
            self.position += 1
            return (value,)
        source, first = self.source, self.position
        count = min(_CHUNK, source.count - first)
        if count <= 0:
            raise StopIteration
        self.chunk = iter(np.arange(first, first + count) * source.step + source.start)
        self.position += 1
        return (next(self.chunk),)

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.chunk = iter(())


class Range(Source):
    """start, start + step, ... up to but excluding stop, as int64 scalars."""

    pass_class = _RangeCursor

    def __init__(self, start: int, stop: int, step: int) -> None:
        self.start, self.step = start, step
        self.count = len(range(start, stop, step))

    def cardinality(self) -> int:
        return self.count


class _RandomCursor(Cursor):
    def __init__(self, source: RandomInts) -> None:
        super().__init__(source)
        self.words = Words(source.seed, source.seed2)

    def __next__(self) -> Element:
        return (np.int64(self.words.draw()),)

    def get_state(self) -> State:
        return self.words.get_state()

    def set_state(self, state: State) -> None:
        self.words.set_state(state)


class RandomInts(Source):
    """An infinite sequence of uniform integers in [0, 2^32)."""

    pass_class = _RandomCursor

    def __init__(self, seed: int, seed2: int) -> None:
        self.seed, self.seed2 = seed, seed2

    def cardinality(self) -> int:
        return INFINITE


class _GeneratedCursor(CountedCursor):
    def __init__(self, source: Generated) -> None:
        super().__init__(source)
        self.values: Iterator[Any] | None = None
        self.skip = 0

    def __next__(self) -> Element:
        if self.values is None:
            self.values = iter(self.source.begin())
        while self.skip:
            self.skip -= 1
            next(self.values)
        index, self.position = self.position, self.position + 1
        return self.source.convert(next(self.values), index)

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.skip = self.position
        self.values = None

    def close(self) -> None:
        close = getattr(self.values, 'close', None)
        if close is not None:
            close()


class Generated(Source):
    """The values of a Python generator; `begin()` starts it and `convert(value, index)` checks
    them. A restored pass restarts the generator and skips the values returned before.
    """

    pass_class = _GeneratedCursor

    def __init__(self, begin: Callable[[], Any],
                 convert: Callable[[Any, int], Element]) -> None:
        self.begin, self.convert = begin, convert

    def cardinality(self) -> int:
        return UNKNOWN
