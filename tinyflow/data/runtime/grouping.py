"""Datasets that group elements by a key, and those that drop some: group_by_window, unique."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinyflow.data.runtime.base import (
    UNKNOWN,
    Cursor,
    Element,
    Source,
    State,
    Transform,
    invalid,
    load,
    opened,
    save,
)
from tinyflow.data.runtime.batching import Listed
from tinyflow.data.runtime.mapping import Function
from tinyflow.data.runtime.replay import called
from tinyflow.graph.object_scalars import boxed


class _GroupedCursor(Transform):
    """Collects elements by key; a full window becomes a dataset, whose reduction is returned."""

    def __init__(self, source: Grouped) -> None:
        super().__init__(source)
        self.groups: dict[int, list[Element]] = {}
        self.sizes: dict[int, int] = {}
        self.window: tuple[int, list[Element]] | None = None
        self.drawn: State = {}              # positions of random streams before it was made
        self.cursor: Cursor | None = None
        self.ended = False

    def __next__(self) -> Element:
        while True:
            if self.cursor is not None:
                for element in self.cursor:
                    return element
                self.cursor.close()
                self.cursor = self.window = None
            key = self._fill()
            if key is None:
                if not self.groups:
                    raise StopIteration
                key = min(self.groups)
            self._start(key, self.groups.pop(key))

    def _fill(self) -> int | None:
        """Takes elements until a window is full, and returns its key; None at the end."""
        if self.ended:
            return None
        for element in self.input:
            key = int(self.source.key(*element)[0])
            if key not in self.sizes:
                self.sizes[key] = self._size_of(key)
            group = self.groups.setdefault(key, [])
            group.append(element)
            if len(group) == self.sizes[key]:
                return key
        self.ended = True
        return None

    def _size_of(self, key: int) -> int:
        size = int(self.source.size(np.int64(key))[0])
        if size <= 0:
            raise invalid(f'Window size must be greater than zero, but got {size}.')
        return size

    def _start(self, key: int, elements: list[Element], drawn: State | None = None) -> None:
        self.window = key, elements
        (box,), self.drawn = called(self.source.reduce, (np.int64(key), boxed(Listed(elements))),
                                    drawn)
        self.cursor = opened(box.item())

    def get_state(self) -> State:
        window = self.window and [self.window[0], _plain(self.window[1])]
        return {**super().get_state(), 'ended': self.ended, 'sizes': list(self.sizes.items()),
                'groups': [[k, _plain(v)] for k, v in self.groups.items()], 'window': window,
                'drawn': self.drawn, 'cursor': self.cursor and save(self.cursor)}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.ended, self.sizes = state['ended'], dict(map(tuple, state['sizes']))
        self.groups = {key: list(elements) for key, elements in state['groups']}
        if state['window'] is not None:
            self._start(*state['window'], state.get('drawn', {}))
            if self.cursor is not None:
                load(self.cursor, state['cursor'])


def _plain(elements: Sequence[Element]) -> list[tuple]:
    return [tuple(e) for e in elements]


class Grouped(Source):
    """Elements with one key, size(key) of them at a time, each window reduced to a dataset."""

    pass_class = _GroupedCursor

    def __init__(self, source: Source, key: Function, reduce: Function, size: Function) -> None:
        self.inputs = source,
        self.key, self.reduce, self.size = key, reduce, size


class _ReducedCursor(Transform):
    """Reads the whole input first; then returns one element per key."""

    def __init__(self, source: ReducedByKey) -> None:
        super().__init__(source)
        self.states: dict[int, Sequence[Any]] | None = None
        self.index = 0

    def __next__(self) -> Element:
        if self.states is None:
            self.states = self._run_through()
        if self.index == len(self.states):
            raise StopIteration
        key = sorted(self.states)[self.index]
        self.index += 1
        return self.source.finalize(*self.states[key])

    def _run_through(self) -> dict[int, Sequence[Any]]:
        source, states = self.source, {}
        for element in self.input:
            key = int(source.key(*element)[0])
            if key not in states:
                states[key] = source.init(np.int64(key))
            states[key] = source.reduce(*states[key], *element)
        return states

    def get_state(self) -> State:
        states = self.states
        return {**super().get_state(), 'place': self.index,
                'states': None if states is None else [[k, tuple(v)] for k, v in states.items()]}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.index = state['place']
        self.states = None if state['states'] is None else dict(map(tuple, state['states']))


class ReducedByKey(Source):
    """finalize(state) per key; init(key) makes a state, reduce(state, element) the next one."""

    pass_class = _ReducedCursor

    def __init__(self, source: Source, key: Function, init: Function, reduce: Function,
                 finalize: Function) -> None:
        self.inputs = source,
        self.key, self.init, self.reduce, self.finalize = key, init, reduce, finalize


class _DistinctCursor(Transform):
    def __init__(self, source: Distinct) -> None:
        super().__init__(source)
        self.seen: set = set()

    def __next__(self) -> Element:
        for element in self.input:
            value = element[0].item()
            if value not in self.seen:
                self.seen.add(value)
                return element
        raise StopIteration

    def get_state(self) -> State:
        return {**super().get_state(), 'seen': list(self.seen)}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.seen = set(state['seen'])


class Distinct(Source):
    """Distinct scalars."""

    pass_class = _DistinctCursor

    def __init__(self, source: Source) -> None:
        self.inputs = source,


class _ForgivingCursor(Transform):
    def __next__(self) -> Element:
        while True:
            try:
                return next(self.input)
            except StopIteration:
                raise
            except Exception:           # noqa: BLE001 - drops any failing element
                continue


class Forgiving(Source):
    """The input without the elements that raise an error."""

    pass_class = _ForgivingCursor

    def __init__(self, source: Source) -> None:
        self.inputs = source,

    def cardinality(self) -> int:
        return UNKNOWN
