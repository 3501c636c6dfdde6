"""One value of a run: the array, or what is left of a big one; statistics and a heat map."""
from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

__all__ = ['Kept', 'Statistics', 'heat_map']

_BINS = 24
_SIDE = 24              # of a heat map, in cells


class Statistics(NamedTuple):
    """Of an array; min, max, mean, std and the histogram are those of its finite elements.

    `counts[i]` elements are between edges[i] and edges[i + 1].
    """

    min: float | None
    max: float | None
    mean: float | None
    std: float | None
    nan: int
    inf: int
    zeros: int
    counts: tuple[int, ...]
    edges: tuple[float, ...]

    def __str__(self) -> str:
        figures = [f'{name} {value:.5g}' for name, value in zip(self._fields[:4], self[:4])
                   if value is not None]
        return ', '.join(figures + [f'{count} {name}' for name, count in
                                    zip(('NaN', 'Inf', 'zeros'), self[4:7]) if count])

    @classmethod
    def of(cls, array: np.ndarray) -> Statistics | None:
        """Of an array of numbers; None for one of strings or other objects."""
        if array.dtype.kind not in 'biuf' and array.dtype.kind != 'c':
            return None
        numbers = np.abs(array) if array.dtype.kind == 'c' else array
        if numbers.dtype.kind != 'f' or numbers.dtype.itemsize < 4:
            numbers = numbers.astype(np.float64)
        numbers = numbers.ravel()
        finite = np.isfinite(numbers)
        odd = numbers.size - int(np.count_nonzero(finite))
        nan = int(np.count_nonzero(np.isnan(numbers))) if odd else 0
        good = numbers[finite] if odd else numbers
        zeros = int(numbers.size - np.count_nonzero(numbers))
        if not good.size:
            return cls(None, None, None, None, nan, odd - nan, zeros, (), ())
        low, high = float(good.min()), float(good.max())
        mean = float(good.mean(dtype=np.float64))
        std = float(np.sqrt(np.square(good - mean, dtype=np.float64).mean()))
        counts, edges = _histogram(good, low, high)
        return cls(low, high, mean, std, nan, odd - nan, zeros, counts, edges)


def _histogram(numbers: np.ndarray, low: float, high: float) -> tuple[tuple, tuple]:
    if not low < high or not np.isfinite(high - low) or (high - low) / _BINS == 0:
        return (numbers.size,), (low, high)
    counts, edges = np.histogram(numbers.astype(np.float64), _BINS, (low, high))
    return tuple(counts.tolist()), tuple(edges.tolist())


def heat_map(array: np.ndarray) -> np.ndarray | None:
    """At most 24 x 24 cells that show an array of numbers; each is the mean of a block.

    The last dimension runs to the right, the others down. A block with a NaN or infinity is NaN.
    """
    if array.dtype.kind not in 'biufc' or not array.size:
        return None
    if array.dtype.kind == 'c':
        array = np.abs(array)
    table = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
    for axis in (0, 1):
        size = table.shape[axis]
        if size > _SIDE:
            starts = np.arange(_SIDE) * size // _SIDE
            lengths = np.diff(np.append(starts, size))
            sums = np.add.reduceat(table, starts, axis, dtype=np.float64)
            table = sums / (lengths[:, None] if axis == 0 else lengths)
    table = table.astype(np.float64)
    return np.where(np.isfinite(table), table, np.nan)


class Kept:
    """One kept value; `array` is None once it is reduced to statistics and a heat map."""

    def __init__(self, array: np.ndarray) -> None:
        self.array: np.ndarray | None = array
        self.shape, self.dtype = array.shape, array.dtype
        self.nbytes = array.nbytes if array.dtype.kind != 'O' else 64 * array.size

    @cached_property
    def statistics(self) -> Statistics | None:
        """The Statistics; None if the values are not numbers."""
        with np.errstate(all='ignore'):
            return None if self.array is None else Statistics.of(self.array)

    @cached_property
    def heat(self) -> np.ndarray | None:
        """The heat map; None if the values are not numbers."""
        with np.errstate(all='ignore'):
            return None if self.array is None else heat_map(self.array)

    @cached_property
    def finite(self) -> bool:
        """True if there is no NaN and no infinity."""
        if 'statistics' in vars(self) or self.array is None:
            found = self.statistics
            return found is None or not found.nan + found.inf
        return self.dtype.kind not in 'fc' or bool(np.isfinite(self.array).all())

    def reduce(self) -> Kept:
        """Drops the array, and keeps its statistics and heat map."""
        _ = self.statistics, self.heat, self.finite
        self.array = None
        self.nbytes = 8 * _SIDE * _SIDE
        return self

    def __repr__(self) -> str:
        whole = '' if self.array is not None else ', reduced to statistics'
        return f'<{self.dtype.name} {list(self.shape)}{whole}>'
