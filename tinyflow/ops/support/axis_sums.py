"""Sums of floats over the first or the last axes, as products with a vector of ones.

OpenBLAS computes them in a fifth of the time of np.add.reduce, which adds one row to the result
after the other, or the elements of one row. They run in the calling thread: with several, the order
of the additions, and so the last bit, would depend on how many there are.
"""
from __future__ import annotations

from functools import lru_cache
from math import prod

import numpy as np

from tinyflow.graph.support.blas_threads import dot_in_one_thread

__all__ = ['add_reduce', 'is_product']

_LEAST = 1 << 15            # elements; below, calling a product costs more than it saves
_FEWEST = 8                 # sums
_LONGEST = 1 << 11          # elements of a row: NumPy rounds the sums of longer ones better


def is_product(dtype, shape, axes):
    """True if `add_reduce` computes these sums as a product; axes is an int or a tuple.

    Shapes: `shape` is that of the array to be summed.
    """
    return dtype.char in 'fd' and _matrix(shape, axes) is not None


@lru_cache(maxsize=1024)
def _matrix(shape, axes):
    """(shape of a matrix, its axis that is summed over, shapes of the sums without and with the
    reduced axes); None if NumPy sums.
    """
    rank, axes = len(shape), axes if type(axes) is tuple else (axes,)
    if not axes or not all(-rank <= axis < rank for axis in axes):
        return None
    reduced = sorted({axis % rank for axis in axes})
    count, last = len(reduced), reduced[0] > 0
    left = shape[:rank - count] if last else shape[count:]
    sums = prod(left)
    if reduced != list(range(reduced[0], reduced[0] + count)) or last and reduced[-1] != rank - 1 \
            or prod(shape) < _LEAST or sums < _FEWEST:
        return None
    each = prod(shape) // sums
    if last and each > _LONGEST:
        return None
    kept = tuple([1 if i in reduced else size for i, size in enumerate(shape)])
    return ((sums, each) if last else (each, sums)), int(last), left, kept


def add_reduce(x, axes, out=None, keep_dims=False):
    """np.add.reduce(x, axes, None, out, keep_dims) of floats, for axes other than ().

    Shapes: x [*a] -> [*a] without the axes, or with size 1 along them if `keep_dims`.
    """
    found = _matrix(x.shape, axes) if x.dtype.char in 'fd' and x.flags.c_contiguous else None
    if found is not None and (out is None or out.flags.c_contiguous):
        shape, axis, without, kept = found
        sums = np.empty(kept if keep_dims else without, x.dtype) if out is None else out
        matrix, ones = x.reshape(shape), _ones(shape[axis], x.dtype.char)
        factors = (matrix, ones) if axis else (ones, matrix)
        if dot_in_one_thread(*factors, sums.reshape(-1)):
            return sums
    return np.add.reduce(x, axes, None, out, keep_dims)


@lru_cache(maxsize=64)
def _ones(count, char):
    return np.ones(count, char)
