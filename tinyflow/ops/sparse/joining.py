"""sparse_concat, sparse_split and sparse_slice."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op, nodes
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import OpFailure, misuse
from tinyflow.ops.array import constants, joining, shaping
from tinyflow.ops.math import logic, reduction, scans
from tinyflow.ops.sparse.entries import checked_sparse, entries_shape, rank_of, row_major
from tinyflow.ops.support.arguments import renamed

__all__ = ['sparse_concat', 'sparse_slice', 'sparse_split']


class SparseConcat(Op):
    """Concatenates along an axis: entries are shifted by the sizes of the inputs before theirs."""

    signature = ('indices: N*int64, values: N*T, shapes: N*int64 -> output_indices: int64, '
                 'output_values: T, output_shape: int64')
    attrs = {'concat_dim': REQUIRED}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(indices, values, shapes):
        counts = [None if raw is None else raw[0] for raw in indices]
        count = None if None in counts else sum(counts)
        ranks = [rank_of(i, s) for i, s in zip(indices, shapes)]
        rank = next((r for r in ranks if r is not None), None)
        if any(r not in (None, rank) for r in ranks):
            raise OpFailure(f'the inputs have the ranks {ranks}', 'all must have the same rank.')
        return [(count, rank), (count,), (rank,)]

    def kernel(indices, values, shapes, *, concat_dim):
        rank = len(shapes[0])
        if not -rank <= concat_dim < rank:
            raise ValueError(f'Concat dimension must be in range [{-rank}, {rank}), got '
                             f'{concat_dim}')
        axis = concat_dim % rank
        others = [np.delete(shape, axis).tolist() for shape in shapes]
        if any(other != others[0] for other in others):
            raise OpFailure(f'Expected shapes {[s.tolist() for s in shapes]} to match but for '
                            f'dimension {axis}',
                            'expand_nonconcat_dim=True makes the smaller ones as large as the '
                            'largest.')
        sizes = np.array([shape[axis] for shape in shapes])
        starts = np.cumsum(sizes) - sizes
        moved = []
        for part, start in zip(indices, starts):
            part = part.copy()
            part[:, axis] += start
            moved.append(part)
        joined = np.concatenate(moved)
        order = row_major(joined)
        shape = shapes[0].copy()
        shape[axis] = sizes.sum()
        return joined[order], np.concatenate(values)[order], shape


class SparseSplit(Op):
    """Splits a sparse tensor along an axis; the first parts are one larger if there is a rest."""

    signature = ('split_dim: int64, indices: int64, values: T, shape: int64 -> '
                 'output_indices: num_split*int64, output_values: num_split*T, '
                 'output_shape: num_split*int64')
    attrs = {'num_split': REQUIRED}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(split_dim, indices, values, shape, *, num_split):
        parts = entries_shape(indices, shape)
        return [part for part in parts for _ in range(num_split)]

    def kernel(split_dim, indices, values, shape, *, num_split):
        axis, rank = int(split_dim.reshape(())), len(shape)
        if not 0 <= axis < rank:
            raise ValueError(f'Input split_dim should be between 0 and {rank - 1}, got {axis}')
        size = int(shape[axis])
        if not 1 <= num_split <= size:
            raise ValueError(f'Input num_split should be between 1 and the splitting dimension '
                             f'size ({size}), got {num_split}')
        sizes = np.full(num_split, size // num_split)
        sizes[:size % num_split] += 1
        parts = []
        start = 0
        for part in sizes.tolist():
            first = np.zeros(rank, np.int64)
            first[axis] = start
            whole = shape.copy()
            whole[axis] = part
            parts.append(_slice(indices, values, shape, first, whole))
            start += part
        return tuple(array for column in zip(*parts) for array in column)


def _slice(indices, values, shape, start, size):
    """(indices, values, shape) of the entries from `start` on, at most `size` along each axis."""
    end = np.minimum(start + size, shape)
    inside = ((indices >= start) & (indices < end)).all(axis=1)
    return indices[inside] - start, values[inside], np.maximum(end - start, 0)


class SparseSlice(Op):
    """The entries within a box, with indices relative to its corner."""

    signature = ('indices: int64, values: T, shape: int64, start: int64, size: int64 -> '
                 'output_indices: int64, output_values: T, output_shape: int64')
    partial_rank = True

    def shape(indices, values, shape, start, size):
        return entries_shape(indices, shape)

    def kernel(indices, values, shape, start, size):
        if not len(shape) == len(start) == len(size):
            raise ValueError(f'Expected start and size to be vectors of length {len(shape)}, but '
                             f'got lengths {len(start)} and {len(size)}')
        return _slice(indices, values, shape, start, size)

    def gradient(op, d_indices, d_values, d_shape):
        indices, values, _, start, size = op.inputs
        inside = reduction.reduce_all(logic.logical_and(
            logic.greater_equal(indices, start), logic.less(indices, start + size)), 1)
        # Entry n of the slice takes its gradient; 0 means outside of the slice.
        numbers = scans.cumsum(constants.cast(inside, dtypes.int64))
        rows = nodes.Select(inside, numbers, constants.zeros_like(numbers))
        padded = joining.concat([constants.zeros([1], d_values.dtype), d_values], 0)
        return None, nodes.GatherV2(padded, rows, 0), None, None, None


# ---- public functions ------------------------------------------------------------------------

def sparse_concat(axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None,
                  expand_nonconcat_dims=None):
    """SparseTensors joined along `axis`; the entries of the result are in row-major order.

    Shapes: sp_inputs [*a, n_i, *b] -> SparseTensor [*a, sum of n_i, *b]. `expand_nonconcat_dim`
    makes *a and *b as large as the largest; without it InvalidArgumentError where they differ.
    """
    expand = renamed('expand_nonconcat_dims', expand_nonconcat_dims or None,
                     'expand_nonconcat_dim', expand_nonconcat_dim or None)
    axis = concat_dim if concat_dim is not None else axis
    if not isinstance(sp_inputs, (list, tuple)):
        raise misuse(TypeError('sparse_concat takes a list of SparseTensors.'))
    inputs = [checked_sparse(part) for part in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    dense_shapes = [part.dense_shape for part in inputs]
    if expand:
        largest = reduction.reduce_max(joining.concat(
            [shaping.reshape(shape, [1, -1]) for shape in dense_shapes], 0), 0)
        dense_shapes = [_expanded(shape, largest, axis) for shape in dense_shapes]
    indices, values, shape = SparseConcat.apply(
        [part.indices for part in inputs], [part.values for part in inputs], dense_shapes,
        concat_dim=axis, name=name)
    known = _joined_shape([part.raw_shape for part in inputs], axis)
    if known is not None and not expand:
        shape = constants.constant(known, dtypes.int64)
    return SparseTensor(indices, values, shape)


def _expanded(shape, largest, axis):
    """The largest sizes, except along the axis."""
    if axis == -1:
        return joining.concat([largest[:axis], shape[-1:], []], 0)
    return joining.concat([largest[:axis], shape[axis:axis + 1], largest[axis + 1:]], 0)


def _joined_shape(raws, axis):
    if any(raw is None or None in raw for raw in raws) or not -len(raws[0]) <= axis < len(raws[0]):
        return None
    joined = list(raws[0])
    joined[axis] = sum(raw[axis] for raw in raws)
    return joined


def sparse_slice(sp_input, start, size, name=None):
    """The part of a SparseTensor from `start` on, of `size` or as much as is left.

    Shapes: sp_input [*a], start and size [rank] -> SparseTensor [at most size].
    """
    sp_input = checked_sparse(sp_input)
    start = convert_to_tensor(start, dtypes.int64)
    size = convert_to_tensor(size, dtypes.int64)
    with name_scope(name, 'SparseSlice', [sp_input]) as scope:
        return SparseTensor(*SparseSlice.apply(sp_input.indices, sp_input.values,
                                               sp_input.dense_shape, start, size, name=scope))


def sparse_split(keyword_required=None, sp_input=None, num_split=None, axis=None, name=None,
                 split_dim=None):
    """A list of `num_split` SparseTensors, the parts along `axis`; keyword arguments only.

    Shapes: sp_input [*a, n, *b] -> num_split times [*a, n / num_split, *b], the first ones one
    larger if n is not divisible.
    """
    if keyword_required is not None:
        raise misuse(ValueError('Keyword arguments are required for this function: '
                                'tf.sparse_split(sp_input=x, num_split=2, axis=1).'))
    axis = renamed('axis', axis, 'split_dim', split_dim)
    for what, value in (('sp_input', sp_input), ('num_split', num_split), ('axis', axis)):
        if value is None:
            raise misuse(ValueError(f'{what} is required'))
    sp_input = checked_sparse(sp_input)
    outputs = SparseSplit.apply(axis, sp_input.indices, sp_input.values, sp_input.dense_shape,
                                num_split=num_split, name=name)
    return [SparseTensor(*outputs[i::num_split]) for i in range(num_split)]
