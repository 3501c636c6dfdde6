"""Datasets that repeat, cut or join others: repeat, take, skip, shard, concatenate, zip."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinyflow.data.runtime.base import (
    INFINITE,
    UNKNOWN,
    Cursor,
    Element,
    Source,
    State,
    Transform,
    invalid,
    load,
    save,
)
from tinyflow.data.runtime.shuffling import repeated


class _RepeatedCursor(Transform):
    epoch = 0
    given = False           # whether this pass has returned an element

    def __next__(self) -> Element:
        while self.epoch != self.source.count:
            for element in self.input:
                self.given = True
                return element
            if self.source.count == INFINITE and not self.given:
                break                                   # the input is empty
            self.epoch += 1
            self.input.close()
            if self.epoch != self.source.count:
                self.input = self.source.inputs[0].open()
                self.given = False
        raise StopIteration

    def get_state(self) -> State:
        return {**super().get_state(), 'epoch': self.epoch, 'given': self.given}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.epoch, self.given = state['epoch'], state['given']


class Repeated(Source):
    """The input `count` times; -1: forever."""

    pass_class = _RepeatedCursor

    def __init__(self, source: Source, count: int) -> None:
        self.inputs = source,
        self.count = INFINITE if count < 0 else count

    def cardinality(self) -> int:
        return repeated(self.inputs[0].cardinality(), self.count)


class _Counted(Transform):
    """A pass that counts the elements taken from its input."""

    position = 0

    def get_state(self) -> State:
        return {**super().get_state(), 'position': self.position}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.position = state['position']


class _TakenCursor(_Counted):
    def __next__(self) -> Element:
        if self.position == self.source.count:
            raise StopIteration
        element = next(self.input)
        self.position += 1
        return element


class Taken(Source):
    """The first `count` elements; all of them if it is -1."""

    pass_class = _TakenCursor

    def __init__(self, source: Source, count: int) -> None:
        self.inputs = source,
        self.count = INFINITE if count < 0 else count

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if self.count == INFINITE or count == UNKNOWN:
            return count if self.count else 0
        return self.count if count == INFINITE else min(count, self.count)


class _SkippedCursor(_Counted):
    def __next__(self) -> Element:
        count = self.source.count
        if count < 0:
            raise StopIteration
        while self.position < count:
            next(self.input)
            self.position += 1
        return next(self.input)


class Skipped(Source):
    """All but the first `count` elements; nothing if it is -1."""

    pass_class = _SkippedCursor

    def __init__(self, source: Source, count: int) -> None:
        self.inputs = source,
        self.count = count

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        return 0 if self.count < 0 else count if count < 0 else max(0, count - self.count)


class _ShardCursor(_Counted):
    def __next__(self) -> Element:
        source = self.source
        while True:
            element = next(self.input)
            current = self.position % source.shards
            self.position += 1
            if current == source.index:
                return element


class Shard(Source):
    """Every `shards`-th element, from number `index` on."""

    pass_class = _ShardCursor

    def __init__(self, source: Source, shards: int, index: int) -> None:
        self.inputs = source,
        self.shards, self.index = shards, index

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        return count if count < 0 else len(range(self.index, count, self.shards))


class _Several(Cursor):
    """A pass over several inputs."""

    def __init__(self, source: Any) -> None:
        super().__init__(source)
        self.inputs = [s.open() for s in source.inputs]

    def get_state(self) -> State:
        return {'inputs': [save(c) for c in self.inputs]}

    def set_state(self, state: State) -> None:
        for cursor, saved in zip(self.inputs, state['inputs'], strict=True):
            load(cursor, saved)

    def close(self) -> None:
        for cursor in self.inputs:
            cursor.close()


class _ZippedCursor(_Several):
    over = False
    begun: tuple[list, int] = ([], 0)       # what Ctrl-C left: components, of how many inputs

    def __next__(self) -> Element:
        if self.over:
            raise StopIteration
        (element, count), self.begun = self.begun, ([], 0)
        rest = iter(self.inputs[count:] if count else self.inputs)
        element = element.copy()
        try:
            for cursor in rest:
                element += next(cursor)
        except StopIteration:
            self.over = True
            raise
        except Exception:
            raise
        except BaseException:               # the inputs must stay side by side
            self.begun = element, len(self.inputs) - 1 - len(list(rest))
            raise
        return element

    def get_state(self) -> State:
        begun = {'begun': (tuple(self.begun[0]), self.begun[1])} if self.begun[1] else {}
        return {**super().get_state(), 'over': self.over, **begun}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.over = state['over']
        components, count = state.get('begun', ((), 0))
        self.begun = list(components), count


class Zipped(Source):
    """Tuples with an element of each input, up to the end of the shortest."""

    pass_class = _ZippedCursor

    def __init__(self, sources: Sequence[Source]) -> None:
        self.inputs = tuple(sources)

    def cardinality(self) -> int:
        counts = [s.cardinality() for s in self.inputs]
        if UNKNOWN in counts:
            return UNKNOWN
        return min([c for c in counts if c != INFINITE], default=INFINITE)


class _ConcatenatedCursor(Cursor):
    """Opens the second input at the end of the first."""

    def __init__(self, source: Concatenated) -> None:
        super().__init__(source)
        self.current = 0
        self.input = source.inputs[0].open()

    def __next__(self) -> Element:
        while True:
            for element in self.input:
                return element
            if self.current == len(self.source.inputs) - 1:
                raise StopIteration
            self._open(self.current + 1)

    def _open(self, current: int) -> None:
        self.input.close()
        self.current = current
        self.input = self.source.inputs[current].open()

    def get_state(self) -> State:
        return {'place': self.current, 'input': save(self.input)}

    def set_state(self, state: State) -> None:
        self._open(state['place'])
        load(self.input, state['input'])

    def close(self) -> None:
        self.input.close()


class Concatenated(Source):
    """The elements of the first input, then those of the second."""

    pass_class = _ConcatenatedCursor

    def __init__(self, first: Source, second: Source) -> None:
        self.inputs = first, second

    def cardinality(self) -> int:
        counts = [s.cardinality() for s in self.inputs]
        if INFINITE in counts:
            return INFINITE
        return UNKNOWN if UNKNOWN in counts else sum(counts)


class _ChosenCursor(_Several):
    """The first input selects one of the others, by number; exhausted ones are skipped."""

    def __init__(self, source: Chosen) -> None:
        super().__init__(source)
        self.over = [False] * len(source.inputs)

    def __next__(self) -> Element:
        while not all(self.over[1:]):
            (number,) = next(self.inputs[0])
            if not 0 <= number < len(self.inputs) - 1:
                raise invalid(f'Selector index out of range: {int(number)} >= '
                              f'{len(self.inputs) - 1}',
                              'the choice dataset numbers the datasets from 0.')
            current = int(number) + 1
            if not self.over[current]:
                for element in self.inputs[current]:
                    return element
                self.over[current] = True
        raise StopIteration

    def get_state(self) -> State:
        return {**super().get_state(), 'over': list(self.over)}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.over = list(state['over'])


class Chosen(Source):
    """Elements of several datasets, from which a dataset of numbers selects."""

    pass_class = _ChosenCursor

    def __init__(self, selector: Source, sources: Sequence[Source]) -> None:
        self.inputs = selector, *sources

    def cardinality(self) -> int:
        return UNKNOWN
