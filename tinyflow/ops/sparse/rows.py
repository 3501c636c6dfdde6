"""sparse_reshape, sparse_retain and sparse_fill_empty_rows."""
from __future__ import annotations

from math import prod

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.operation import Tensor
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    shaping,
    where_onehot,
)
from tinyflow.ops.math import arithmetic, reduction


class SparseReshape(Op):
    """The indices of the entries in another shape; one size may be -1 (inferred)."""

    signature = ('input_indices: int64, input_shape: int64, new_shape: int64 '
                 '-> output_indices: int64, output_shape: int64')
    gradient = NOT_DIFFERENTIABLE

    def shape(indices, shape, new_shape):
        if len(indices) != 2 or len(shape) != 1 or len(new_shape) != 1:
            raise ValueError('input_indices must be a matrix, input_shape and new_shape vectors')
        return [(indices[0], new_shape[0]), new_shape]

    def kernel(indices, shape, new_shape):
        whole = resolved(shape.tolist(), new_shape.tolist())
        flat = np.zeros(len(indices), np.int64)
        for axis, size in enumerate(shape.tolist()):
            flat = flat * size + indices[:, axis]
        coordinates = []
        for size in reversed(whole):
            coordinates.append(flat % size if size else flat)
            flat = flat // size if size else flat
        new_indices = np.stack(coordinates[::-1], axis=1) if coordinates else \
            np.zeros((len(indices), 0), np.int64)
        return new_indices, np.array(whole, np.int64)


def resolved(shape, new_shape):
    """`new_shape` with its -1 replaced. ValueError if the number of elements differs."""
    if new_shape.count(-1) > 1:
        raise ValueError(f'At most one dimension can be inferred (-1). Found: {new_shape}')
    total, given = prod(shape), prod(size for size in new_shape if size != -1)
    whole = [total // given if size == -1 and given else size for size in new_shape]
    if prod(whole) != total:
        raise ValueError(f'Cannot reshape a tensor with {total} elements to shape {new_shape} '
                         f'({prod(whole)} elements).')
    return whole


class SparseFillEmptyRows(Op):
    """Adds an entry with the default value at column 0 to each empty row."""

    signature = ('indices: int64, values: T, dense_shape: int64, default_value: T '
                 '-> output_indices: int64, output_values: T, empty_row_indicator: bool, '
                 'reverse_index_map: int64')

    static = {'dense_shape': 1}

    def shape(indices, values, dense_shape, default_value):
        if len(indices) != 2 or len(values) != 1 or default_value:
            raise ValueError('indices must be a matrix, values a vector, default_value a scalar')
        rows = dense_shape[0] if dense_shape else None
        return [(None, indices[1]), (None,), (rows,), (indices[0],)]

    def kernel(indices, values, dense_shape, default_value):
        rows, own = dense_shape[0], indices[:, 0]
        if len(own) and (own.min() < 0 or own.max() >= rows):
            raise ValueError(f'indices must be in [0, {rows}) along axis 0, the rows of '
                             'dense_shape')
        empty = np.bincount(own, minlength=rows) == 0
        added = np.zeros((empty.sum(), indices.shape[1]), np.int64)
        added[:, 0] = np.flatnonzero(empty)
        order = np.argsort(np.concatenate([own, added[:, 0]]), kind='stable')
        where = np.empty(len(order), np.int64)
        where[order] = np.arange(len(order))
        fill = np.full(len(added), default_value, values.dtype)
        return (np.concatenate([indices, added])[order], np.concatenate([values, fill])[order],
                empty, where[:len(own)])

    def gradient(op, d_indices, d_values, d_empty, d_map):
        own = gathering.gather(d_values, op.outputs[3])
        d_default = arithmetic.subtract(reduction.reduce_sum(d_values), reduction.reduce_sum(own))
        return None, own, None, d_default


# ---- public functions ----------------------------------------------------------------------


def as_sparse(value):
    """`value` as a SparseTensor; TypeError for anything dense."""
    try:
        return SparseTensor.from_value(value)
    except TypeError:
        raise misuse(TypeError(f'Input must be a SparseTensor, not {value!r}.')) from None


def sparse_reshape(sp_input, shape, name=None):
    """The same values in another shape, in row-major order; one size may be -1.

    Shapes: a SparseTensor [*a] -> a SparseTensor [*shape]. ValueError where the sizes differ.
    """
    sp_input = as_sparse(sp_input)
    given = _python_shape(shape)
    shape = identity_and_cast.cast(shape, dtypes.int64)
    with name_scope(name, 'SparseReshape', [sp_input]) as scope:
        indices, new_shape = SparseReshape.apply(sp_input.indices, sp_input.dense_shape, shape,
                                                 name=scope)
        own = sp_input.raw_shape
        if given is not None and own is not None and None not in own:
            try:
                whole = resolved(list(own), given)
            except ValueError as error:
                raise misuse(error) from None
            new_shape = constants.constant(whole, dtype=dtypes.int64)
        return SparseTensor(indices, identity_and_cast.identity(sp_input.values), new_shape)


def _python_shape(shape):
    """A shape given as Python values, as a list; None for a computed one, as in TF."""
    if isinstance(shape, Tensor):
        return constant_value(shape).tolist() if shape.op.type == 'Const' else None
    if isinstance(shape, (list, tuple)) and any(isinstance(size, Tensor) for size in shape):
        return None
    return np.asarray(shape).tolist()


def sparse_retain(sp_input, to_retain):
    """The entries for which `to_retain` is true.

    Shapes: a SparseTensor of n values, to_retain [n] -> a SparseTensor of the same dense shape.
    """
    sp_input = as_sparse(sp_input)
    to_retain = convert_to_tensor(to_retain)
    sp_input.values.shape[:1].assert_is_compatible_with(to_retain.shape[:1])
    rows = shaping.reshape(where_onehot.where(to_retain), [-1])
    return SparseTensor(gathering.gather(sp_input.indices, rows),
                        gathering.gather(sp_input.values, rows),
                        identity_and_cast.identity(sp_input.dense_shape))


def sparse_fill_empty_rows(sp_input, default_value, name=None):
    """The tensor with `default_value` at column 0 of each empty row, and which rows were empty.

    Shapes: a SparseTensor [rows, columns] -> (a SparseTensor alike, [rows] of bool).
    """
    sp_input = as_sparse(sp_input)
    with name_scope(name, 'SparseFillEmptyRows', [sp_input]):
        default_value = convert_to_tensor(default_value, sp_input.values.dtype)
        indices, values, empty, _ = SparseFillEmptyRows.apply(
            sp_input.indices, sp_input.values, sp_input.dense_shape, default_value)
        return SparseTensor(indices, values, sp_input.dense_shape), empty


__all__ = ['sparse_fill_empty_rows', 'sparse_reshape', 'sparse_retain']
