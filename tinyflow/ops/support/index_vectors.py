"""What several modules of indexing need: indices checked against the sizes that they index."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.support.errors import OpFailure


def check_indices(indices, size, name='indices'):
    """ValueError, in TensorFlow's words, unless all indices are in [0, size)."""
    if indices.size and (indices.min() < 0 or indices.max() >= size):
        place = _first((indices < 0) | (indices >= size))
        raise OpFailure(f'{name}{_subscript(place)} = {indices[place]} is not in [0, {size})',
                        f'indices count from 0; {size} is the size of the axis that they index.')


def at_index_vectors(array, indices):
    """(view of the array, index) such that view[index] is what the index vectors name.

    Shapes: array [*k, *a], indices [*b, rank of k] -> view[index] [*b, *a]. ValueError for an index
    vector that is outside of the array or too long.
    """
    columns = tuple(np.moveaxis(indices, -1, 0))
    if len(columns) > array.ndim:
        raise ValueError(f'index vectors of length {len(columns)} do not fit the rank {array.ndim}')
    for column, size in zip(columns, array.shape):
        if column.size and (column.min() < 0 or column.max() >= size):
            place = _first((column < 0) | (column >= size))
            raise ValueError(f'indices{_subscript(place)} = {indices[place].tolist()} does not '
                             f'index into shape {shapes.text(array.shape)}')
    if columns:
        return array, columns
    return array[np.newaxis], (np.zeros(indices.shape[:-1], np.intp),)      # each is the whole


def _first(wrong):
    return tuple(np.argwhere(wrong)[0].tolist())


def _subscript(place):
    return f'[{", ".join(map(str, place))}]' if place else ''
