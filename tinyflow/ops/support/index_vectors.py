"""Bounds checks of indices, and index vectors as NumPy indices (gather_nd, scatter_nd)."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.support.errors import OpFailure, why


def check_indices(indices, size, name='indices'):
    """ValueError, with TensorFlow's message, unless all indices are in [0, size)."""
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        position = _first_true((indices < 0) | (indices >= size))
        raise OpFailure(f'{name}{_subscript(position)} = {indices[position]} is not in [0, {size})',
                        f'indices count from 0; {size} is the size of the axis that they index.'
                        + why('gather-index'))


def at_index_vectors(array, indices):
    """(view, index) such that view[index] are the slices that the index vectors point to.

    Shapes: array [*k, *a], indices [*b, rank of k] -> view[index] [*b, *a]. ValueError for an index
    vector that is out of bounds or too long.
    """
    columns = tuple(np.moveaxis(indices, -1, 0))
    if len(columns) > array.ndim:
        raise ValueError(f'index vectors of length {len(columns)} do not fit the rank {array.ndim}')
    for column, size in zip(columns, array.shape):
        if column.size and (column.min() < 0 or column.max() >= size):
            position = _first_true((column < 0) | (column >= size))
            raise ValueError(
                f'indices{_subscript(position)} = {indices[position].tolist()} does not index into '
                f'shape {shapes.text(array.shape)}')
    if columns:
        return array, columns
    # Empty index vectors: each selects the whole array.
    return array[np.newaxis], (np.zeros(indices.shape[:-1], np.intp),)


def _first_true(mask):
    return tuple(np.argwhere(mask)[0].tolist())


def _subscript(position):
    return f'[{", ".join(map(str, position))}]' if position else ''
