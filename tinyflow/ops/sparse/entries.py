"""Shared helpers of sparse kernels: checks, sorting and grouping of entries."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from tinyflow.graph.support.errors import OpFailure, misuse


def checked_sparse(value):
    """`value` as a SparseTensor. TypeError for other types."""
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(value)
    raise misuse(TypeError(f'Input must be a SparseTensor, not {value!r}: '
                           'tf.sparse.from_dense(x) converts a Tensor.'))


def entries_shape(indices, shape):
    """Static shapes of (indices, values, dense_shape) for an unknown number of entries."""
    rank = rank_of(indices, shape)
    return [(None, rank), (None,), (rank,)]


def rank_of(indices, shape):
    """The rank, from the static shapes of indices [n, rank] or of the dense shape [rank]."""
    for raw, rank, axis in ((indices, 2, 1), (shape, 1, 0)):
        if raw is not None and len(raw) != rank:
            raise OpFailure(f'Shape must be rank {rank} but is rank {len(raw)}',
                            'indices [n, rank], values [n], dense_shape [rank].')
        if raw is not None and raw[axis] is not None:
            return raw[axis]
    return None


def row_major(indices):
    """Sorts entries in row-major order: the permutation, stable for equal indices."""
    return np.lexsort(indices.T[::-1]) if indices.shape[1] else np.arange(len(indices))


def groups_of(indices):
    """(the distinct indices in order, for each entry the number of its group)."""
    order = row_major(indices)
    ordered = indices[order]
    starts = np.ones(len(indices), bool)
    starts[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    numbers = np.empty(len(indices), np.int64)
    numbers[order] = np.cumsum(starts) - 1
    return ordered[starts], numbers


def check_inside(indices, shape):
    """ValueError for an index outside of the dense shape."""
    if indices.shape[1] != len(shape):
        raise ValueError(f'the indices have rank {indices.shape[1]}, the dense shape '
                         f'{list(shape)} has {len(shape)}')
    wrong = np.flatnonzero(((indices < 0) | (indices >= np.asarray(shape, np.int64))).any(axis=1))
    if wrong.size:
        raise OpFailure(f'index {indices[wrong[0]].tolist()} is outside of the shape '
                        f'{shapes.text(tuple(np.asarray(shape).tolist()))}',
                        'each index is at least 0 and less than the size of its axis.')


def check_same_shape(a_shape, b_shape):
    if a_shape.tolist() != b_shape.tolist():
        raise ValueError(f'Operands do not have the same shapes: {a_shape.tolist()} and '
                         f'{b_shape.tolist()}')


__all__ = []
