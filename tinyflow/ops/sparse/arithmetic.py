"""Arithmetic on sparse tensors: sum, maximum, minimum, product with dense tensors, softmax."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import Op
from tinyflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from tinyflow.graph.support.errors import OpFailure, misuse
from tinyflow.ops.array import constants, gathering, joining, shape_ops
from tinyflow.ops.math import arithmetic, segments
from tinyflow.ops.sparse import reductions as sparse_reductions
from tinyflow.ops.sparse.dense_add import SparseTensorDenseAdd
from tinyflow.ops.sparse.entries import (
    check_inside,
    check_same_shape,
    checked_sparse,
    entries_shape,
    groups_of,
)
from tinyflow.ops.support.arguments import renamed

__all__ = ['sparse_add', 'sparse_maximum', 'sparse_minimum', 'sparse_softmax']


def _merged(a_indices, b_indices):
    """(the distinct indices of both in order; each entry's index number, for a and for b)."""
    distinct, numbers = groups_of(np.concatenate([a_indices, b_indices]))
    return distinct, numbers[:len(a_indices)], numbers[len(a_indices):]


# ---- sparse and sparse -----------------------------------------------------------------------

class SparseAdd(Op):
    """The sum of two sparse tensors; sums with magnitude below the threshold are dropped."""

    signature = ('a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, '
                 'b_shape: int64, thresh: Treal -> sum_indices: int64, sum_values: T, '
                 'sum_shape: int64')
    types = {'T': dtypes.NUMBERS, 'Treal': dtypes.REAL}
    partial_rank = True

    def shape(a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh):
        return entries_shape(a_indices, a_shape)

    def kernel(a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh):
        check_same_shape(a_shape, b_shape)
        distinct, a_numbers, b_numbers = _merged(a_indices, b_indices)
        sums = np.zeros(len(distinct), a_values.dtype)
        np.add.at(sums, a_numbers, a_values)
        np.add.at(sums, b_numbers, b_values)
        # Only sums of two entries are compared with the threshold, as in TF.
        single = np.ones(len(distinct), bool)
        single[np.intersect1d(a_numbers, b_numbers)] = False
        kept = single | (np.abs(sums) >= thresh)
        return distinct[kept], sums[kept], a_shape.copy()

    def gradient(op, d_indices, d_values, d_shape):
        d_a, d_b = SparseAddGrad.apply(d_values, op.inputs[0], op.inputs[3], op.outputs[0])
        return None, d_a, None, None, d_b, None, None


class SparseAddGrad(Op):
    """Gradient of SparseAdd: for each entry of a and b that of its sum; zero if it was dropped."""

    signature = ('backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64 '
                 '-> a_val_grad: T, b_val_grad: T')
    types = {'T': dtypes.NUMBERS}
    partial_rank = True

    def shape(grad, a_indices, b_indices, sum_indices):
        return [(None,) if i is None else (i[0],) for i in (a_indices, b_indices)]

    def kernel(grad, a_indices, b_indices, sum_indices):
        distinct, numbers = groups_of(np.concatenate([sum_indices, a_indices, b_indices]))
        per_index = np.zeros(len(distinct), grad.dtype)
        per_index[numbers[:len(grad)]] = grad
        gradients = per_index[numbers[len(grad):]]
        return gradients[:len(a_indices)].copy(), gradients[len(a_indices):].copy()

    def gradient(op, dd_a, dd_b):
        grad, *indices = op.inputs
        # Entry numbers (from 1) as gradients show where each entry went; 0 means dropped.
        numbers = SparseAddGrad.apply(constants.range(1, shape_ops.size(grad) + 1), *indices)
        rows = joining.concat(numbers, 0) - 1
        return (segments.unsorted_segment_sum(joining.concat([dd_a, dd_b], 0), rows,
                                              shape_ops.size(grad)), None, None, None)


class _Extreme(Op, abstract=True):
    signature = ('a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, '
                 'b_shape: int64 -> output_indices: int64, output_values: T')
    partial_rank = True

    def shape(a_indices, a_values, a_shape, b_indices, b_values, b_shape):
        return [(None, None), (None,)]


def _extremes(ufunc, a_indices, a_values, a_shape, b_indices, b_values, b_shape):
    check_same_shape(a_shape, b_shape)
    distinct, a_numbers, b_numbers = _merged(a_indices, b_indices)
    a, b = np.zeros((2, len(distinct)), a_values.dtype)
    a[a_numbers], b[b_numbers] = a_values, b_values
    return distinct, ufunc(a, b)


class SparseSparseMaximum(_Extreme):
    """The greater of both values wherever one has an entry; a missing entry counts as 0."""

    types = {'T': dtypes.REAL}

    def kernel(*inputs):
        return _extremes(np.maximum, *inputs)


class SparseSparseMinimum(_Extreme):
    """The smaller of both values wherever one has an entry; a missing entry counts as 0."""

    types = {'T': dtypes.NUMBERS}

    def kernel(*inputs):
        return _extremes(np.minimum, *inputs)


# ---- sparse and dense ------------------------------------------------------------------------

class _Cwise(Op, abstract=True):
    signature = ('sp_indices: int64, sp_values: T, sp_shape: int64, dense: T -> output: T')
    types = {'T': dtypes.NUMBERS}
    partial_rank = True

    def shape(indices, values, shape, dense):
        if values is not None:
            return values
        return (None,) if indices is None else (indices[0],)


def _dense_values(indices, shape, dense):
    """The values of `dense`, broadcast to the sparse tensor's shape, at its entries."""
    check_inside(indices, shape)
    try:
        return np.broadcast_to(dense, tuple(shape.tolist()))[tuple(indices.T)]
    except ValueError:
        raise ValueError('SparseDenseBinaryOpShared broadcasts dense to sparse only; got '
                         f'incompatible shapes: {shape.tolist()} and {shapes.text(dense.shape)}'
                         ) from None


def _dense_indices(op):
    """The index into the dense tensor for each entry, after broadcasting."""
    indices, _, shape, dense = op.inputs
    size = shape_ops.shape(dense, out_type=dtypes.int64)
    missing = shape_ops.size(shape) - shape_ops.size(size)
    ones = constants.ones(joining.concat([[missing]], 0), dtypes.int64)
    positions = arithmetic.floordiv(indices, arithmetic.floordiv(
        shape, joining.concat([ones, size], 0)))
    return positions[:, missing:]


def _dense_gradient(op, values, positions):
    dense = op.inputs[3]
    return gathering.scatter_nd(positions, values, shape_ops.shape(dense, out_type=dtypes.int64))


class SparseDenseCwiseMul(_Cwise):
    """Entries times the dense values there."""

    def kernel(indices, values, shape, dense):
        return values * _dense_values(indices, shape, dense)

    def gradient(op, dy):
        positions = _dense_indices(op)
        factors = gathering.gather_nd(op.inputs[3], positions)
        return None, dy * factors, None, _dense_gradient(op, dy * op.inputs[1], positions)


class SparseDenseCwiseDiv(_Cwise):
    """Entries divided by the dense values there."""

    def kernel(indices, values, shape, dense):
        divisors = _dense_values(indices, shape, dense)
        if values.dtype.kind in 'iu':
            if (divisors == 0).any():
                raise ValueError('Integer division by zero')
            return np.trunc(values / divisors).astype(values.dtype)
        return values / divisors

    def gradient(op, dy):
        positions = _dense_indices(op)
        divisors = gathering.gather_nd(op.inputs[3], positions)
        d_dense = -dy * op.inputs[1] / (divisors * divisors)
        return None, dy / divisors, None, _dense_gradient(op, d_dense, positions)


# ---- softmax ---------------------------------------------------------------------------------

class SparseSoftmax(Op):
    """Softmax over the entries of each row; missing entries do not count."""

    signature = 'sp_indices: int64, sp_values: T, sp_shape: int64 -> output: T'
    types = {'T': frozenset((dtypes.float32, dtypes.float64))}
    partial_rank = True

    def shape(indices, values, shape):
        return values

    def kernel(indices, values, shape):
        if len(shape) < 2:
            raise OpFailure(f'Input should have rank >= 2, not {len(shape)}',
                            'tf.sparse.expand_dims(x, 0) adds an axis.')
        check_inside(indices, shape)
        distinct, numbers = groups_of(indices[:, :-1])
        largest = np.full(len(distinct), -np.inf, values.dtype)
        np.maximum.at(largest, numbers, values)
        powers = np.exp(values - largest[numbers])
        sums = np.zeros(len(distinct), values.dtype)
        np.add.at(sums, numbers, powers)
        return powers / sums[numbers]

    def gradient(op, dy):
        indices, _, shape = op.inputs
        y = op.outputs[0]
        sums = sparse_reductions.SparseReduceSum.apply(indices, dy * y, shape, [-1])
        return None, (dy - gathering.gather_nd(sums, indices[:, :-1])) * y, None


# ---- public functions ------------------------------------------------------------------------

def sparse_add(a, b, threshold=None, thresh=None):
    """The sum of two tensors of which at least one is sparse; sparse if both are.

    Shapes: a and b [*a] -> [*a]. Where both SparseTensors have an entry and the sum has a
    magnitude below `threshold`, it is dropped. TypeError if both are dense.
    """
    threshold = renamed('threshold', threshold, 'thresh', thresh)
    threshold = 0 if threshold is None else threshold
    kinds = SparseTensor, SparseTensorValue
    if not isinstance(a, kinds) and not isinstance(b, kinds):
        raise misuse(TypeError('At least one input should be SparseTensor; do you mean to use '
                               'tf.add()?'))
    if isinstance(a, kinds) and isinstance(b, kinds):
        return _sparse_sum(checked_sparse(a), checked_sparse(b), threshold)
    sparse, dense = (a, b) if isinstance(a, kinds) else (b, a)
    sparse = checked_sparse(sparse)
    return SparseTensorDenseAdd.apply(sparse.indices, sparse.values, sparse.dense_shape, dense)


def _sparse_sum(a, b, threshold):
    threshold = convert_to_tensor(threshold, a.values.dtype.real_dtype.base_dtype, 'threshold')
    indices, values, shape = SparseAdd.apply(a.indices, a.values, a.dense_shape, b.indices,
                                             b.values, b.dense_shape, threshold)
    static = shape_ops.broadcast_static_shape(a.get_shape(), b.get_shape())
    return SparseTensor(indices, values, static.as_list() if static.is_fully_defined() else shape)


def sparse_maximum(sp_a, sp_b, name=None):
    """The greater of the values of two SparseTensors, wherever one has an entry.

    Shapes: sp_a and sp_b [*a] -> SparseTensor [*a]. InvalidArgumentError where the shapes differ.
    """
    return _extreme(SparseSparseMaximum, sp_a, sp_b, name)


def sparse_minimum(sp_a, sp_b, name=None):
    """The smaller of the values of two SparseTensors, wherever one has an entry.

    Shapes: sp_a and sp_b [*a] -> SparseTensor [*a]. InvalidArgumentError where the shapes differ.
    """
    return _extreme(SparseSparseMinimum, sp_a, sp_b, name)


def _extreme(op, sp_a, sp_b, name):
    a, b = checked_sparse(sp_a), checked_sparse(sp_b)
    with name_scope(name, op.type, [a.indices, a.values, b.indices, b.values]) as scope:
        indices, values = op.apply(a.indices, a.values, a.dense_shape, b.indices, b.values,
                                   b.dense_shape, name=scope)
    return SparseTensor(indices, values, a.dense_shape)


def sparse_softmax(sp_input, name=None):
    """Softmax over the entries along the last axis; missing entries do not count.

    Shapes: sp_input [*a, n] -> SparseTensor [*a, n].
    """
    sp_input = checked_sparse(sp_input)
    with name_scope(name, 'SparseSoftmax', [sp_input.indices, sp_input.values]):
        values = SparseSoftmax.apply(sp_input.indices, sp_input.values, sp_input.dense_shape)
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


# ---- the operators of SparseTensor -----------------------------------------------------------

def times_dense(sparse, dense, name):
    """The SparseTensor of the entries times the dense values there."""
    values = SparseDenseCwiseMul.apply(sparse.indices, sparse.values, sparse.dense_shape, dense,
                                       name=name)
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


def _mul(sparse, dense):
    with name_scope(None, 'mul', [sparse, dense]) as scope:
        dense = convert_to_tensor(dense, sparse.dtype.base_dtype, 'y')
        return times_dense(sparse, dense, scope)


def _divided(kind):
    def divide(sparse, dense):
        with name_scope(None, kind, [sparse, dense]) as scope:
            values = sparse.values
            dense = convert_to_tensor(dense, sparse.dtype.base_dtype, 'y')
            if kind == 'truediv' and values.dtype.is_integer:
                wide = dtypes.float64 if values.dtype.size > 2 else dtypes.float32
                values, dense = constants.cast(values, wide), constants.cast(dense, wide)
            values = SparseDenseCwiseDiv.apply(sparse.indices, values, sparse.dense_shape, dense,
                                               name=scope)
            return SparseTensor(sparse.indices, values, sparse.dense_shape)
    return divide


for _name, _method in (('__mul__', _mul), ('__truediv__', _divided('truediv')),
                       ('__div__', _divided('div'))):
    setattr(SparseTensor, _name, _method)
