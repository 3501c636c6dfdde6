"""Sums and maxima of sparse tensors along axes, as dense and as sparse tensors."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.op import Op, nodes
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.ops.array import constants, gathering, shape_ops, shaping
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.sparse.entries import check_inside, checked_sparse, groups_of
from tinyflow.ops.support.arguments import renamed

__all__ = ['sparse_reduce_max', 'sparse_reduce_max_sparse', 'sparse_reduce_sum',
           'sparse_reduce_sum_sparse']


def _axes(axes, rank):
    axes = axes if isinstance(axes, tuple) else (axes,)
    for axis in axes:
        if not -rank <= axis < rank:
            raise ValueError(f'Invalid reduction dimension {axis}, for input with {rank} '
                             'dimensions.')
    return {axis % rank for axis in axes}


class _Reduced(Op, abstract=True):
    types = {'T': dtypes.NUMBERS}
    attrs = {'keep_dims': False}
    static = {'input_shape': 1, 'reduction_axes': (0, 1)}
    partial_rank = True


_DENSE = ('input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32 '
          '-> output: T')
_SPARSE = ('input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32 '
           '-> output_indices: int64, output_values: T, output_shape: int64')


def _dense_shape(indices, values, input_shape, reduction_axes, *, keep_dims):
    known = reduction_axes if isinstance(reduction_axes, tuple) else (reduction_axes,)
    if input_shape is None or None in known:
        return None
    axes = _axes(reduction_axes, len(input_shape))
    return tuple(1 if i in axes else size for i, size in enumerate(input_shape)
                 if keep_dims or i not in axes)


def _unknown(indices, values, input_shape, reduction_axes):
    return [None, None, None]


def _grouped(ufunc, indices, values, shape, axes):
    """(the other axes, the distinct indices along them, the reduced value at each)."""
    check_inside(indices, shape)
    kept = [i for i in range(len(shape)) if i not in axes]
    distinct, numbers = groups_of(indices[:, kept])
    order = np.argsort(numbers, kind='stable')
    starts = np.searchsorted(numbers[order], np.arange(len(distinct)))
    reduced = ufunc.reduceat(values[order], starts) if len(distinct) else values[:0]
    return kept, distinct, reduced


def _to_dense(ufunc, indices, values, shape, reduction_axes, keep_dims):
    axes = _axes(reduction_axes, len(shape))
    kept, distinct, reduced = _grouped(ufunc, indices, values, shape, axes)
    result = np.zeros([shape[i] for i in kept], values.dtype)
    if len(distinct):
        result[tuple(distinct.T)] = reduced if kept else reduced[0]
    if keep_dims:
        return result.reshape([1 if i in axes else size for i, size in enumerate(shape)])
    return result


def _to_sparse(ufunc, indices, values, shape, reduction_axes, keep_dims):
    axes = _axes(reduction_axes, len(shape))
    kept, distinct, reduced = _grouped(ufunc, indices, values, shape, axes)
    if not keep_dims:
        return distinct, reduced, np.array([shape[i] for i in kept], np.int64)
    wide = np.zeros((len(distinct), len(shape)), np.int64)
    wide[:, kept] = distinct
    return wide, reduced, np.array([1 if i in axes else size for i, size in enumerate(shape)],
                                   np.int64)


class SparseReduceSum(_Reduced):
    """Sums along axes; zero where there is no entry."""

    signature = _DENSE
    shape = _dense_shape

    def kernel(indices, values, input_shape, reduction_axes, *, keep_dims):
        return _to_dense(np.add, indices, values, input_shape, reduction_axes, keep_dims)

    def gradient(op, dy):
        indices, _, shape, axes = op.inputs
        # The shape with size 1 along the reduced axes: floor division makes indices 0 there.
        kept = _ones_along(shape, axes)
        distinct = arithmetic.floordiv(indices, arithmetic.floordiv(shape, kept))
        return None, gathering.gather_nd(shaping.reshape(dy, kept), distinct), None, None


def _ones_along(shape, axes):
    rank = shape_ops.size(shape)
    axes = shaping.reshape(arithmetic.floormod(axes + rank, rank), [-1, 1])
    numbers = constants.range(rank)
    chosen = reduction.reduce_any(logic.equal(axes, shaping.expand_dims(numbers, 0)), 0)
    return nodes.Select(chosen, constants.ones_like(shape), shape)


class SparseReduceMax(_Reduced):
    """Maxima of the entries along axes; zero where there is no entry."""

    types = {'T': dtypes.REAL}
    signature = _DENSE
    shape = _dense_shape

    def kernel(indices, values, input_shape, reduction_axes, *, keep_dims):
        return _to_dense(np.maximum, indices, values, input_shape, reduction_axes, keep_dims)


class SparseReduceSumSparse(_Reduced):
    """Sums along axes, with an entry wherever the input has one."""

    signature = _SPARSE
    shape = _unknown

    def kernel(indices, values, input_shape, reduction_axes, *, keep_dims):
        return _to_sparse(np.add, indices, values, input_shape, reduction_axes, keep_dims)


class SparseReduceMaxSparse(_Reduced):
    """Maxima along axes, with an entry wherever the input has one."""

    types = {'T': dtypes.REAL}
    signature = _SPARSE
    shape = _unknown

    def kernel(indices, values, input_shape, reduction_axes, *, keep_dims):
        return _to_sparse(np.maximum, indices, values, input_shape, reduction_axes, keep_dims)


# ---- public functions ------------------------------------------------------------------------

def _apply(op, sp_input, axis, keepdims, reduction_axes, keep_dims):
    keepdims = renamed('keepdims', keepdims, 'keep_dims', keep_dims)
    axis = renamed('axis', axis, 'reduction_axes', reduction_axes)
    sp_input = checked_sparse(sp_input)
    if axis is None:
        axis = _all_axes(sp_input)
    return op.apply(sp_input.indices, sp_input.values, sp_input.dense_shape, axis,
                    keep_dims=bool(keepdims))


def _all_axes(sp_input):
    raw = sp_input.raw_shape
    if raw is not None:
        return constants.constant(np.arange(len(raw), dtype=np.int32))
    return constants.range(0, shape_ops.size(sp_input.dense_shape, name='Rank'))


def sparse_reduce_sum(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """The sums of a SparseTensor along `axis` (all axes if None).

    Shapes: sp_input [*a] -> [*a without axis], or with size 1 there if keepdims.
    """
    return _apply(SparseReduceSum, sp_input, axis, keepdims, reduction_axes, keep_dims)


def sparse_reduce_max(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """The largest entries of a SparseTensor along `axis`; 0 where there is no entry.

    Shapes: sp_input [*a] -> [*a without axis], or with size 1 there if keepdims. Implicit
    zeros do not count.
    """
    return _apply(SparseReduceMax, sp_input, axis, keepdims, reduction_axes, keep_dims)


def sparse_reduce_sum_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None,
                             keep_dims=None):
    """The sums of a SparseTensor along `axis`, as a SparseTensor.

    Shapes: sp_input [*a] -> [*a without axis], or with size 1 there if keepdims.
    """
    return SparseTensor(*_apply(SparseReduceSumSparse, sp_input, axis, keepdims, reduction_axes,
                                keep_dims))


def sparse_reduce_max_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None,
                             keep_dims=None):
    """The largest entries of a SparseTensor along `axis`, as a SparseTensor.

    Shapes: sp_input [*a] -> [*a without axis], or with size 1 there if keepdims.
    """
    return SparseTensor(*_apply(SparseReduceMaxSparse, sp_input, axis, keepdims, reduction_axes,
                                keep_dims))
