"""Datasets that cache their elements: in memory, or in a file."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from tinyflow.data.runtime.base import Cursor, Element, Source, State, Transform, load, save
from tinyflow.data.runtime.batching import Listed
from tinyflow.data.runtime.sources import CountedCursor
from tinyflow.formats.wire.bundle import BundleReader
from tinyflow.formats.wire.bundle_writer import BundleWriter
from tinyflow.graph.support import errors


class _CachedCursor(Transform):
    """The first complete pass fills the cache; later passes do not use the input."""

    def __init__(self, source: Cached) -> None:
        self.source = source
        self.input: Cursor
        self.filling: list[Element] | None = None
        if source.elements is None:
            self.filling = []
            self.input = source.inputs[0].open()
        else:
            self.input = Listed(source.elements).open()

    def __next__(self) -> Element:
        if self.filling is None:
            return next(self.input)
        for element in self.input:
            element = tuple(element)
            for component in element:
                freeze(component)
            self.filling.append(element)
            return element
        if self.source.elements is None:
            self.source.elements = self.filling
        raise StopIteration

    def get_state(self) -> State:
        filled = self.filling is None
        elements = self.source.elements if filled else self.filling
        return {'input': save(self.input), 'elements': list(elements or ()), 'filled': filled}

    def set_state(self, state: State) -> None:
        self.close()
        if state['filled']:
            self.source.elements = state['elements']
            self.filling, self.input = None, Listed(state['elements']).open()
        else:
            self.filling, self.input = state['elements'], self.source.inputs[0].open()
        load(self.input, state['input'])


def freeze(component: Any) -> None:
    """Marks an array as shared; see `owned`."""
    flags = component.flags
    if flags.writeable:
        flags.writeable = False


class Cached(Source):
    """The input, read once and then cached."""

    pass_class = _CachedCursor

    def __init__(self, source: Source) -> None:
        self.inputs = source,
        self.elements: list[Element] | None = None

    def with_inputs(self, inputs: tuple[Source, ...]) -> Source:
        return type(self)(*inputs)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality() if self.elements is None else len(self.elements)





class _WritingCursor(Transform):
    """Yields the input's elements and writes them to the cache, which is published at the end."""

    def __init__(self, source: CachedOnDisk) -> None:
        super().__init__(source)
        self.writer: Any = None
        self.number = 0

    def __next__(self) -> Element:
        if self.writer is None:
            self.writer = BundleWriter(self.source.prefix)
        for element in self.input:
            for i, (component, dtype) in enumerate(zip(element, self.source.dtypes)):
                self.writer.add(self.source.key(self.number, i), np.asarray(component), dtype)
            self.number += 1
            return element
        if self.source.filled is None:
            self.writer.finish()
            self.source.look()
        raise StopIteration

    def get_state(self) -> State:
        raise errors.op_error(errors.UnimplementedError,
                              'the position of an iterator that is filling the cache '
                              f'{self.source.prefix!r} cannot be saved',
                              'run through the data once, or cache in memory: cache().')

    def close(self) -> None:
        if self.writer is not None and self.source.filled is None:
            self.writer.abandon()
        super().close()


class _ReadingCursor(CountedCursor):
    def __next__(self) -> Element:
        source, number = self.source, self.position
        if source.key(number, 0) not in source.filled:
            raise StopIteration
        self.position += 1
        return [source.filled.get(source.key(number, i)) for i in range(len(source.dtypes))]


class CachedOnDisk(Source):
    """The input, written to a file in the first complete pass, and read from there afterwards.

    The file is a checkpoint with a tensor for each component of each element, as TensorFlow writes
    it.
    """

    def __init__(self, source: Source, prefix: str, dtypes: Sequence[Any]) -> None:
        self.inputs = source,
        self.prefix, self.dtypes = prefix, dtypes
        self.filled: Any = None
        self.look()

    def look(self) -> None:
        """Opens the cache if it exists."""
        if os.path.exists(f'{self.prefix}.index'):
            self.filled = BundleReader(self.prefix)

    def key(self, number: int, component: int) -> str:
        """The name of a component in the file, padded so that names sort as numbers do."""
        width = len(str(len(self.dtypes) - 1))
        return f'{number:7d}_{component:{width}d}'

    def open(self) -> Cursor:
        return _WritingCursor(self) if self.filled is None else _ReadingCursor(self)

    def with_inputs(self, inputs: tuple[Source, ...]) -> Source:
        return CachedOnDisk(inputs[0], self.prefix, self.dtypes)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()
