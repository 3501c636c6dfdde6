"""Datasets that combine or split elements: batch, padded_batch, unbatch, window."""
from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from tinyflow.data.runtime.base import (
    INFINITE,
    UNKNOWN,
    Element,
    Source,
    State,
    Transform,
    invalid,
    read_only,
)
from tinyflow.data.runtime.shuffling import Shuffled
from tinyflow.data.runtime.sources import CountedCursor, Slices
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.support import errors

_LARGE, _LARGEST = 1 << 15, 1 << 28     # bytes of an array, and of a batch
_Whole = np.ndarray | None


def stacked(elements: Sequence[Element], wholes: Sequence[_Whole] = ()) -> list[np.ndarray]:
    """Elements stacked. `wholes` are those that components may be rows of already.

    Shapes: each component [*rest] in all n elements -> [n, *rest].
    """
    return [_stacked_column(column, i, wholes[i] if wholes else None)
            for i, column in enumerate(zip(*elements))]


def _stacked_column(column: Sequence[Any], number: int, whole: _Whole) -> np.ndarray:
    first = column[0]
    shape, dtype = first.shape, first.dtype
    if not shape:
        if not dtype.hasobject:
            return np.fromiter(column, dtype, len(column))
    elif whole is not None and all(a.base is whole for a in column):
        return whole[:len(column)]
    elif not dtype.hasobject and all(a.shape == shape for a in column):
        return np.concatenate(column).reshape(len(column), *shape)
    batch = np.empty((len(column), *shape), dtype)
    for i, array in enumerate(column):
        if array.shape != shape:
            raise _ragged(column, i, number)
        batch[i] = array if array.ndim else array.item()
    return batch


def _whole(array: Any, size: int) -> _Whole:
    """Memory for a batch of large arrays like this one."""
    if _LARGE <= array.nbytes <= _LARGEST // size and not array.dtype.hasobject:
        return np.empty((size, *array.shape), array.dtype)
    return None


def _row(whole: _Whole, array: Any, number: int) -> Any:
    """The array; if it fits, a copy in its place, made while it is in the cache."""
    if whole is None or array.shape != whole.shape[1:]:
        return array
    row = whole[number]
    row[...] = array
    return row


def _ragged(column: Sequence[Any], i: int, number: int) -> errors.OpError:
    of_component = f' of component {number}' if number else ''
    shapes = f'[tensor]: {list(column[i].shape)}, [batch]: {list(column[0].shape)}'
    if column[i].ndim != column[0].ndim:
        return invalid(f'Cannot add tensor to the batch: number of dimensions does not match. '
                       f'Shapes are: {shapes} (element {i}{of_component})',
                       'all elements must have one rank; check the results of the map functions.')
    return invalid(
        f'Cannot add tensor to the batch: number of elements does not match. Shapes are: {shapes} '
        f'(element {i}{of_component})',
        'padded_batch(batch_size, padded_shapes) pads shorter elements; or make all sizes '
        'equal in map() before batch().')


class _BatchedCursor(Transform):
    def __init__(self, source: Batched) -> None:
        super().__init__(source)
        self.rows_of = source.rows_of()
        if self.rows_of is not None:
            self.input.rows = True

    def __next__(self) -> Element:
        size = self.source.batch_size
        wholes: list[_Whole] = []
        elements = self._taken(size, wholes) if self.rows_of is None else \
            self.input.rows_taken(size)
        if not elements or (self.source.drop_remainder and len(elements) < size):
            raise StopIteration
        if self.rows_of is None:
            return self.source.pack(elements, wholes)
        return self._gathered(self.rows_of, elements)

    def _taken(self, size: int, wholes: list[_Whole]) -> list[Element]:
        """The next elements; of large arrays, rows of the `wholes` that are made here."""
        elements = list(islice(self.input, 1))
        if elements and self.source.in_place:
            wholes += [_whole(a, size) for a in elements[0]]
        if all(whole is None for whole in wholes):
            return elements + list(islice(self.input, size - 1))
        elements = [[_row(*pair, 0) for pair in zip(wholes, elements[0])]]
        for element in islice(self.input, size - 1):
            number = len(elements)
            elements.append([_row(*pair, number) for pair in zip(wholes, element)])
        return elements

    def _gathered(self, slices: Slices, numbers: list) -> Element:
        """The rows at those indices; rows of a restored position are arrays already."""
        if set(map(type, numbers)) == {int}:
            return [c.take(numbers, 0) for c in slices.components]
        return self.source.pack([slices.row(n) if type(n) is int else n for n in numbers])


class Batched(Source):
    """`batch_size` elements at a time, stacked; the last batch may be smaller, or is dropped."""

    pass_class = _BatchedCursor
    in_place = True             # large arrays are copied to the batch one by one

    def __init__(self, source: Source, batch_size: int, drop_remainder: bool) -> None:
        self.inputs = source,
        self.batch_size, self.drop_remainder = batch_size, bool(drop_remainder)

    def rows_of(self) -> Slices | None:
        """The arrays whose shuffled rows are batched, if that is the input."""
        shuffled = self.inputs[0]
        below = shuffled.inputs[0] if type(shuffled) is Shuffled else None
        return below if type(self) is Batched and type(below) is Slices else None

    def pack(self, elements: Sequence[Element], wholes: Sequence[_Whole] = ()) -> Element:
        return stacked(elements, wholes)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count < 0:
            return count
        return count // self.batch_size if self.drop_remainder else -(-count // self.batch_size)


class PaddedBatched(Batched):
    """As Batched, with every component padded to one shape.

    `padded_shapes`: the sizes of each component, -1 for the largest of the batch.
    """

    in_place = False

    def __init__(self, source: Source, batch_size: int, padded_shapes: Sequence[Sequence[int]],
                 padding_values: Sequence[Any], drop_remainder: bool) -> None:
        super().__init__(source, batch_size, drop_remainder)
        self.padded_shapes, self.padding_values = padded_shapes, padding_values

    def pack(self, elements: Sequence[Element], wholes: Sequence[_Whole] = ()) -> Element:
        return [_padded(column, shape, value) for column, shape, value in
                zip(zip(*elements), self.padded_shapes, self.padding_values)]


def _padded(column: Sequence[Any], wanted: Sequence[int], value: Any) -> np.ndarray:
    """Shapes: n arrays [<= sizes] -> [n, *sizes]."""
    for array in column:
        if len(array.shape) != len(wanted):
            raise invalid('All elements in a batch must have the same rank as the padded shape: '
                          f'expected rank {len(wanted)} but got element with rank '
                          f'{len(array.shape)}',
                          'padded_shapes needs one entry per dimension; None where the longest '
                          'element counts.')
    sizes = [max(a.shape[d] for a in column) if size < 0 else int(size)
             for d, size in enumerate(wanted)]
    batch = np.empty((len(column), *sizes), column[0].dtype)
    batch.fill(value.item() if batch.dtype == object else value)
    for i, array in enumerate(column):
        if any(a > b for a, b in zip(array.shape, sizes)):
            raise errors.op_error(errors.DataLossError,
                                  'Attempted to pad to a smaller size than the input element: '
                                  f'element {i} has shape {list(array.shape)}, the batch {sizes}',
                                  'None in padded_shapes takes the size of the longest element.')
        where: tuple = (i, *[slice(n) for n in array.shape])
        batch[where] = array if array.ndim else array.item()
    return batch


class _UnbatchedCursor(Transform):
    def __init__(self, source: Unbatched) -> None:
        super().__init__(source)
        self.batch: Element = ()
        self.row = self.rows = 0

    def __next__(self) -> Element:
        while self.row >= self.rows:
            batch = next(self.input)
            lengths = {len(c) for c in batch if c.ndim}
            if len(lengths) != 1 or any(not c.ndim for c in batch):
                raise invalid(
                    'Input element must have the same batch size in each component. Shapes are: '
                    + ', '.join(str(list(c.shape)) for c in batch),
                    'unbatch() takes the rows of all components side by side.')
            self.batch, self.row, self.rows = batch, 0, lengths.pop()
        i, self.row = self.row, self.row + 1
        return [c[i, ...] for c in self.batch]

    def get_state(self) -> State:
        return {**super().get_state(), 'batch': tuple(c[self.row:] for c in self.batch)}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.batch = state['batch']
        self.row, self.rows = 0, len(self.batch[0]) if self.batch else 0


class Unbatched(Source):
    """The rows of the components of each element.

    Shapes: elements [n, *rest] -> n elements [*rest].
    """

    pass_class = _UnbatchedCursor

    def __init__(self, source: Source) -> None:
        self.inputs = source,

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        return 0 if count == 0 else INFINITE if count == INFINITE else UNKNOWN


class _ListedCursor(CountedCursor):
    def __next__(self) -> Element:
        if self.position == len(self.source.elements):
            raise StopIteration
        self.position += 1
        return self.source.elements[self.position - 1]


class Listed(Source):
    """Elements of a given list."""

    pass_class = _ListedCursor

    def __init__(self, elements: Sequence[Element]) -> None:
        self.elements = [read_only(e) for e in elements]

    def cardinality(self) -> int:
        return len(self.elements)


class _WindowsCursor(Transform):
    def __init__(self, source: Windows) -> None:
        super().__init__(source)
        self.buffer: deque[Element] = deque()
        self.to_skip = 0
        self.ended = False

    def __next__(self) -> Element:
        source, buffer = self.source, self.buffer
        while self.to_skip and not self.ended:
            self._skip()
        span = (source.size - 1) * source.stride + 1
        while len(buffer) < span and not self.ended:
            for element in self.input:
                buffer.append(element)
                break
            else:
                self.ended = True
        if not buffer or (len(buffer) < span and source.drop_remainder):
            raise StopIteration
        window = list(islice(buffer, 0, span, source.stride))
        for _ in range(min(source.shift, len(buffer))):
            buffer.popleft()
        self.to_skip = max(0, source.shift - span)
        return [boxed(Listed([(component,) for component in column]))
                for column in zip(*window)]

    def _skip(self) -> None:
        self.to_skip -= 1
        for _ in self.input:
            return
        self.ended = True

    def get_state(self) -> State:
        return {**super().get_state(), 'buffer': [tuple(e) for e in self.buffer],
                'to skip': self.to_skip, 'ended': self.ended}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.buffer = deque(state['buffer'])
        self.to_skip, self.ended = state['to skip'], state['ended']


class Windows(Source):
    """Datasets of `size` elements, `stride` apart; each begins `shift` elements after the last.

    An element has one dataset per component of the input.
    """

    pass_class = _WindowsCursor

    def __init__(self, source: Source, size: int, shift: int, stride: int,
                 drop_remainder: bool) -> None:
        self.inputs = source,
        self.size, self.shift, self.stride = size, shift, stride
        self.drop_remainder = bool(drop_remainder)

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count < 0:
            return count
        if self.drop_remainder:
            span = (self.size - 1) * self.stride + 1
            return 0 if count < span else (count - span) // self.shift + 1
        return -(-count // self.shift)
