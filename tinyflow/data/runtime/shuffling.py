"""Shuffling through a buffer, in TensorFlow's own order.

The buffer is a ring in which elements are in the order of their arrival; each pass over the input
owns a slice of the ring. An element drawn at random from the first slice is swapped with the
first one of that slice, which then starts one position later. So passes are never mixed, but the
buffer is filled from the next pass while the last one is emptied.
"""
from __future__ import annotations

import operator
from collections import deque
from typing import Any

from tinyflow.data.runtime.base import INFINITE, UNKNOWN, Cursor, Element, Source, State, load, save
from tinyflow.data.runtime.randomness import Words, seeds_or_any


class _ShuffledCursor(Cursor):
    source: Shuffled

    def __init__(self, source: Shuffled) -> None:
        super().__init__(source)
        self.words = Words(*source.seeds_of_next_pass())
        self.ring: list = []
        self.slices: deque[list[int]] = deque([[0, 0]])     # [start, end) of each pass
        self.held = 0
        self.epoch = 0
        self.started = False
        self.input: Cursor | None = None
        self.rows = False           # elements are row indices; see Batched.rows_of

    def __next__(self) -> Element:
        if self.held < self.source.buffer_size and (self.input is not None or not self.started):
            self._fill()
        if not self.held:
            raise StopIteration
        slices, ring = self.slices, self.ring
        while slices[0][0] == slices[0][1]:
            slices.popleft()
        first = slices[0]
        start, end = first
        size = self.source.buffer_size
        index = (start + self.words.draw() % (end - start)) % size
        start %= size
        element = ring[index]
        ring[index] = ring[start]
        ring[start] = None
        first[0] += 1
        self.held -= 1
        return element

    def rows_taken(self, count: int) -> list:
        """The next `count` elements, fewer at the end, if they are row indices."""
        taken: list = []
        ring, size, words = self.ring, self.source.buffer_size, self.words
        while len(taken) < count:
            cursor: Any = self.input
            if cursor is None or self.held != size - 1 or len(ring) < size \
                    or cursor.position >= cursor.source.count:
                for element in self:
                    taken.append(element)
                    break
                else:
                    break
                continue
            # In the middle of a pass one row comes in and one goes out: `_fill` and `__next__`.
            last = self.slices[-1]
            ring[last[1] % size] = cursor.position
            cursor.position += 1
            last[1] += 1
            first = self.slices[0]
            while first[0] == first[1]:
                self.slices.popleft()
                first = self.slices[0]
            start = first[0]
            index = (start + words.draw() % (first[1] - start)) % size
            start %= size
            taken.append(ring[index])
            ring[index] = ring[start]
            ring[start] = None
            first[0] += 1
        return taken

    def _fill(self) -> None:
        """Adds elements until the buffer is full or the last pass over the input has ended."""
        begins = not self.started
        if begins:
            self.input = self._opened()
            self.started = True
        count, size, ring = self.source.count, self.source.buffer_size, self.ring
        while self.input is not None and self.held < size:
            if count != INFINITE and self.epoch >= count:
                self._end_input()
                return
            for element in self.input:
                last = self.slices[-1]
                slot = last[1] % size
                if slot == len(ring):
                    ring.append(element)
                else:
                    ring[slot] = element
                last[1] += 1
                self.held += 1
                begins = False
                break
            else:
                if begins and count == INFINITE:        # the input is empty
                    self._end_input()
                    return
                self._next_epoch()

    def _next_epoch(self) -> None:
        self.epoch += 1
        end = self.slices[-1][1]
        self.slices.append([end, end])
        self._end_input()
        if self.source.count == INFINITE or self.epoch < self.source.count:
            self.input = self._opened()

    def _opened(self) -> Cursor:
        cursor = self.source.inputs[0].open()
        if self.rows:
            cursor.rows = True              # type: ignore[attr-defined]
        return cursor

    def _end_input(self) -> None:
        if self.input is not None:
            self.input.close()
            self.input = None

    def get_state(self) -> State:
        return {'words': self.words.get_state(), 'drawn by all': self.source.drawn_by_passes(),
                'ring': [None if e is None else tuple(self._whole(e)) for e in self.ring],
                'slices': [list(s) for s in self.slices], 'held': self.held, 'epoch': self.epoch,
                'begun': self.started, 'input': self.input and save(self.input)}

    def _whole(self, element: Any) -> Element:
        rows: Any = self.source.inputs[0]
        return rows.row(element) if type(element) is int else element

    def set_state(self, state: State) -> None:
        self.ring, self.held = list(state['ring']), state['held']
        self.slices = deque(map(list, state['slices']))
        self.epoch, self.started = state['epoch'], state['begun']
        self._end_input()
        if state['input'] is not None:
            self.input = self._opened()
            load(self.input, state['input'])
        self.words.set_state(state['words'])
        self.source.set_drawn_by_passes(state['drawn by all'])

    def close(self) -> None:
        self._end_input()


class Shuffled(Source):
    """`count` passes over the input, each in another order drawn from a buffer.

    `reshuffle`: every new pass over this dataset has its own seeds, drawn from the given ones;
    otherwise all use the given ones. The fused form of shuffle and repeat is count > 1 without it.
    """

    pass_class = _ShuffledCursor

    def __init__(self, source: Source, buffer_size: int, seed: int, seed2: int,
                 reshuffle: bool = False, count: int = 1) -> None:
        self.inputs = source,
        self.buffer_size, self.count, self.reshuffle = buffer_size, count, reshuffle
        self.seed, self.seed2 = seeds_or_any(seed, seed2)
        self.parent = Words(self.seed, self.seed2) if reshuffle else None

    def with_inputs(self, inputs: tuple[Source, ...]) -> Source:
        return Shuffled(inputs[0], self.buffer_size, self.seed, self.seed2, self.reshuffle,
                        self.count)

    def seeds_of_next_pass(self) -> tuple[int, int]:
        if self.parent is None:
            return self.seed, self.seed2
        return self.parent.draw(), self.parent.draw()

    def drawn_by_passes(self) -> State | None:
        return None if self.parent is None else self.parent.get_state()

    def set_drawn_by_passes(self, state: State | None) -> None:
        if self.parent is not None and state is not None:
            self.parent.set_state(state)

    def cardinality(self) -> int:
        return repeated(self.inputs[0].cardinality(), self.count)


def as_made(source: Source) -> Source:
    """The dataset as it was made: one that shuffles draws the order of its first pass again."""
    inputs = tuple([as_made(i) for i in source.inputs])
    if all(map(operator.is_, inputs, source.inputs)) and not (
            isinstance(source, Shuffled) and source.reshuffle):
        return source
    return source.with_inputs(inputs)


def repeated(cardinality: int, count: int) -> int:
    """The cardinality of `count` passes over a dataset of known (or not) cardinality."""
    if count == 0 or cardinality == 0:
        return 0
    if count < 0 or cardinality == INFINITE:
        return INFINITE
    return UNKNOWN if cardinality == UNKNOWN else count * cardinality
