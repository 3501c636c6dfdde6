"""Datasets made by a function from an element to a dataset: flat_map and interleave."""
from __future__ import annotations

from typing import Any

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
from tinyflow.data.runtime.mapping import Function
from tinyflow.data.runtime.replay import called


class _Open:
    """A dataset that the function returned for an element, and the pass over it."""

    def __init__(self, function: Function, element: Element, drawn: State | None = None) -> None:
        self.element = element
        (box,), self.drawn = called(function, element, drawn)
        made = box.item()
        if not isinstance(made, Source):
            raise invalid(f'the function gives a {type(made).__name__} where a dataset is needed')
        self.cursor: Cursor = opened(made)

    def get_state(self) -> State:
        return {'element': tuple(self.element), 'drawn': self.drawn, 'cursor': save(self.cursor)}

    @classmethod
    def from_state(cls, function: Function, state: State) -> _Open:
        made = cls(function, state['element'], state.get('drawn', {}))
        load(made.cursor, state['cursor'])
        return made


class _InterleavedCursor(Transform):
    """Cycles through the open datasets, taking a block from each; an empty slot is filled first.

    """

    def __init__(self, source: Interleaved) -> None:
        super().__init__(source)
        self.cycle: list[_Open | None] = [None] * source.cycle_length
        self.position = 0              # in the cycle
        self.taken = 0              # of the current block
        self.open = 0
        self.ended = False

    def __next__(self) -> Element:
        while self.open or not self.ended:
            current = self.cycle[self.position]
            if current is not None:
                for element in current.cursor:
                    self.taken += 1
                    if self.taken == self.source.block_length:
                        self._go_on()
                    return element
                current.cursor.close()
                self.cycle[self.position] = None
                self.open -= 1
                self._go_on()
            elif not self.ended:
                self._fill_slot()
            else:
                self._go_on()
        raise StopIteration

    def _go_on(self) -> None:
        self.position = (self.position + 1) % self.source.cycle_length
        self.taken = 0

    def _fill_slot(self) -> None:
        for element in self.input:
            self.cycle[self.position] = _Open(self.source.function, element)
            self.open += 1
            return
        self.ended = True

    def get_state(self) -> State:
        return {**super().get_state(), 'place': self.position, 'taken': self.taken,
                'ended': self.ended, 'cycle': [c and c.get_state() for c in self.cycle]}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        function = self.source.function
        self.position, self.taken, self.ended = state['place'], state['taken'], state['ended']
        self.cycle = [c and _Open.from_state(function, c) for c in state['cycle']]
        self.open = sum(c is not None for c in self.cycle)

    def close(self) -> None:
        for current in self.cycle:
            if current is not None:
                current.cursor.close()
        super().close()


class Interleaved(Source):
    """Blocks in turn from the datasets that a function returns for `cycle_length` elements."""

    pass_class = _InterleavedCursor

    def __init__(self, source: Source, function: Function, cycle_length: int,
                 block_length: int) -> None:
        self.inputs = source,
        self.function = function
        self.cycle_length, self.block_length = cycle_length, block_length

    def cardinality(self) -> int:
        return UNKNOWN


class _FlatCursor(Transform):
    def __init__(self, source: Flat) -> None:
        super().__init__(source)
        self.current: _Open | None = None

    def __next__(self) -> Element:
        while True:
            if self.current is not None:
                for element in self.current.cursor:
                    return element
                self.current.cursor.close()
                self.current = None
            self.current = _Open(self.source.function, next(self.input))

    def get_state(self) -> State:
        return {**super().get_state(), 'current': self.current and self.current.get_state()}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        current: Any = state['current']
        self.current = current and _Open.from_state(self.source.function, current)

    def close(self) -> None:
        if self.current is not None:
            self.current.cursor.close()
        super().close()


class Flat(Source):
    """The elements of the datasets that a function returns for each element, concatenated."""

    pass_class = _FlatCursor

    def __init__(self, source: Source, function: Function) -> None:
        self.inputs = source,
        self.function = function

    def cardinality(self) -> int:
        return UNKNOWN
