"""Batches of rows of arrays that stay in Python: used by numpy_input_fn."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinyflow.data.runtime.base import INFINITE, Cursor, Element, Source, State
from tinyflow.data.runtime.randomness import seeds_or_any


class _Cursor(Cursor):
    """Rows epoch by epoch; a batch may contain rows of two epochs.

    The order of an epoch follows from the seeds and the epoch's number, so that the state of a
    pass is a few numbers.
    """

    def __init__(self, source: ArrayBatches) -> None:
        super().__init__(source)
        self.seeds = seeds_or_any(*source.seeds) if source.shuffle else (0, 0)
        self._begin(0, 0)

    def _begin(self, epoch: int, position: int) -> None:
        self.epoch, self.position = epoch, position
        self.order = None
        if self.source.shuffle:
            key = np.random.SeedSequence([s % 2**64 for s in self.seeds] + [epoch])
            self.order = np.random.Generator(np.random.Philox(key)).permutation(self.source.count)

    def __next__(self) -> Element:
        parts: list[Any] = []
        wanted = self.source.batch_size
        while wanted and not self._finished():
            first, end = self.position, min(self.position + wanted, self.source.count)
            parts.append(slice(first, end) if self.order is None else self.order[first:end])
            wanted -= end - first
            self.position = end
            if end == self.source.count and not self._last_epoch():
                self._begin(self.epoch + 1, 0)
        if not parts or wanted and self.source.epochs is None:
            raise StopIteration
        return [_rows(array, parts) for array in self.source.arrays]

    def _last_epoch(self) -> bool:
        return self.source.epochs is not None and self.epoch + 1 >= self.source.epochs

    def _finished(self) -> bool:
        return self.position >= self.source.count or self.source.epochs == 0

    def get_state(self) -> State:
        return {'epoch': self.epoch, 'position': self.position, 'seed': self.seeds[0],
                'seed2': self.seeds[1]}

    def set_state(self, state: State) -> None:
        self.seeds = state['seed'], state['seed2']
        self._begin(state['epoch'], state['position'])


def _rows(array: np.ndarray, parts: list) -> np.ndarray:
    if len(parts) == 1:
        return array[parts[0]].copy() if isinstance(parts[0], slice) else array[parts[0]]
    return np.concatenate([array[part] for part in parts])


class ArrayBatches(Source):
    """Elements of `batch_size` rows of `arrays`, `epochs` times over (None: forever).

    `shuffle` gives each epoch another order. The last batch may be smaller.
    """

    pass_class = _Cursor

    def __init__(self, arrays: Sequence[np.ndarray], batch_size: int, epochs: int | None,
                 shuffle: bool, seeds: tuple[int, int] = (0, 0)) -> None:
        self.arrays = list(arrays)
        self.count = len(arrays[0])
        self.batch_size, self.epochs, self.shuffle, self.seeds = batch_size, epochs, shuffle, seeds

    def cardinality(self) -> int:
        if self.epochs is None:
            return INFINITE if self.count else 0
        return -(-self.count * self.epochs // self.batch_size)
