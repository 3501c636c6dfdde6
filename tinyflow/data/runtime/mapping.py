"""Datasets made by a function of each element: map, filter, scan, take_while."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tinyflow.data.runtime.base import UNKNOWN, Cursor, Element, Source, State, Transform
from tinyflow.graph.support import errors

Function = Callable[..., Sequence[Any]]         # from the components of an element


class _NothingCursor(Cursor):
    def __next__(self) -> Element:
        raise StopIteration

    def get_state(self) -> State:
        return {}

    def set_state(self, state: State) -> None:
        pass


class Nothing(Source):
    """No elements."""

    pass_class = _NothingCursor

    def __init__(self) -> None:
        self.inputs = ()

    def cardinality(self) -> int:
        return 0


class _MappedCursor(Transform):
    over = False

    def __next__(self) -> Element:
        try:
            return self.source.function(*next(self.input))
        except errors.OutOfRangeError:          # a function ends the pass by raising it
            self.over = True
        except StopIteration:
            pass
        if self.over:
            self.input.close()
            self.input = Nothing().open()
        raise StopIteration

    def get_state(self) -> State:
        return {'over': True} if self.over else super().get_state()

    def set_state(self, state: State) -> None:
        self.over = 'over' in state
        if not self.over:
            super().set_state(state)
            return
        self.input.close()
        self.input = Nothing().open()


class Mapped(Source):
    """function(element) for each element of the input."""

    pass_class = _MappedCursor

    def __init__(self, source: Source, function: Function) -> None:
        self.inputs = source,
        self.function = function

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _FilteredCursor(Transform):
    def __next__(self) -> Element:
        predicate = self.source.predicate
        for element in self.input:
            if predicate(*element)[0]:
                return element
        raise StopIteration


class Filtered(Source):
    """The elements for which the predicate is true."""

    pass_class = _FilteredCursor

    def __init__(self, source: Source, predicate: Function) -> None:
        self.inputs = source,
        self.predicate = predicate

    def cardinality(self) -> int:
        return UNKNOWN


class _TakenWhileCursor(Transform):
    over = False

    def __next__(self) -> Element:
        if self.over:
            raise StopIteration
        element = next(self.input)
        if self.source.predicate(*element)[0]:
            return element
        self.over = True
        raise StopIteration

    def get_state(self) -> State:
        return {**super().get_state(), 'over': self.over}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.over = state['over']


class TakenWhile(Filtered):
    """The elements before the first for which the predicate is false."""

    pass_class = _TakenWhileCursor

    def cardinality(self) -> int:
        return UNKNOWN


class _ScannedCursor(Transform):
    def __init__(self, source: Scanned) -> None:
        super().__init__(source)
        self.carried = source.initial

    def __next__(self) -> Element:
        results = self.source.function(*self.carried, *next(self.input))
        n = len(self.source.initial)
        self.carried = results[:n]
        return results[n:]

    def get_state(self) -> State:
        return {**super().get_state(), 'carried': tuple(self.carried)}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.carried = state['carried']


class Scanned(Source):
    """function(carried, element) returns the next state, and an element of the result."""

    pass_class = _ScannedCursor

    def __init__(self, source: Source, initial: Sequence[Any], function: Function) -> None:
        self.inputs = source,
        self.initial, self.function = tuple(initial), function

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()
