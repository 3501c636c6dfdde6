"""Arithmetic of sparse tensors: sums, extremes, products with dense ones, softmax."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import Op
from tinyflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from tinyflow.graph.support.errors import OpFailure, worded
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
    """(the different indices of both, in order; the numbers there of a's and of b's entries)."""
    places, numbers = groups_of(np.concatenate([a_indices, b_indices]))
    return places, numbers[:len(a_indices)], numbers[len(a_indices):]


# ---- sparse and sparse -----------------------------------------------------------------------

class SparseAdd(Op):
    """The sum of two sparse tensors, without sums of less magnitude than the threshold."""

    signature = ('a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, '
                 'b_shape: int64, thresh: Treal -> sum_indices: int64, sum_values: T, '
                 'sum_shape: int64')
    types = {'T': dtypes.NUMBERS, 'Treal': dtypes.REAL}
    partial_rank = True

    def shape(a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh):
        return entries_shape(a_indices, a_shape)

    def kernel(a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh):
        check_same_shape(a_shape, b_shape)
        places, a_numbers, b_numbers = _merged(a_indices, b_indices)
        sums = np.zeros(len(places), a_values.dtype)
        np.add.at(sums, a_numbers, a_values)
        np.add.at(sums, b_numbers, b_values)
        # Only what both had a part in is compared with the threshold, as in TF.
        alone = np.ones(len(places), bool)
        alone[np.intersect1d(a_numbers, b_numbers)] = False
        kept = alone | (np.abs(sums) >= thresh)
        return places[kept], sums[kept], a_shape.copy()

    def gradient(op, d_indices, d_values, d_shape):
        d_a, d_b = SparseAddGrad.apply(d_values, op.inputs[0], op.inputs[3], op.outputs[0])
        return None, d_a, None, None, d_b, None, None


class SparseAddGrad(Op):
    """For each entry of a and of b the gradient of the sum's entry; zero if it was dropped."""

    signature = ('backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64 '
                 '-> a_val_grad: T, b_val_grad: T')
    types = {'T': dtypes.NUMBERS}
    partial_rank = True

    def shape(grad, a_indices, b_indices, sum_indices):
        return [(None,) if i is None else (i[0],) for i in (a_indices, b_indices)]

    def kernel(grad, a_indices, b_indices, sum_indices):
        places, numbers = groups_of(np.concatenate([sum_indices, a_indices, b_indices]))
        of_place = np.zeros(len(places), grad.dtype)
        of_place[numbers[:len(grad)]] = grad
        found = of_place[numbers[len(grad):]]
        return found[:len(a_indices)].copy(), found[len(a_indices):].copy()

    def gradient(op, dd_a, dd_b):
        grad, *places = op.inputs
        # The entries' own numbers tell where each one went; 0 stands for nowhere.
        numbers = SparseAddGrad.apply(constants.range(1, shape_ops.size(grad) + 1), *places)
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
    places, a_numbers, b_numbers = _merged(a_indices, b_indices)
    a, b = np.zeros((2, len(places)), a_values.dtype)
    a[a_numbers], b[b_numbers] = a_values, b_values
    return places, ufunc(a, b)


class SparseSparseMaximum(_Extreme):
    """The greater of both values wherever one has an entry; what is not there is 0."""

    types = {'T': dtypes.REAL}

    def kernel(*inputs):
        return _extremes(np.maximum, *inputs)


class SparseSparseMinimum(_Extreme):
    """The smaller of both values wherever one has an entry; what is not there is 0."""

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


def _places(op):
    """Where in the dense tensor each entry's factor stands."""
    indices, _, shape, dense = op.inputs
    size = shape_ops.shape(dense, out_type=dtypes.int64)
    missing = shape_ops.size(shape) - shape_ops.size(size)
    ones = constants.ones(joining.concat([[missing]], 0), dtypes.int64)
    places = arithmetic.floordiv(indices, arithmetic.floordiv(
        shape, joining.concat([ones, size], 0)))
    return places[:, missing:]


def _dense_gradient(op, values, places):
    dense = op.inputs[3]
    return gathering.scatter_nd(places, values, shape_ops.shape(dense, out_type=dtypes.int64))


class SparseDenseCwiseMul(_Cwise):
    """Entries times the dense values there."""

    def kernel(indices, values, shape, dense):
        return values * _dense_values(indices, shape, dense)

    def gradient(op, dy):
        places = _places(op)
        factors = gathering.gather_nd(op.inputs[3], places)
        return None, dy * factors, None, _dense_gradient(op, dy * op.inputs[1], places)


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
        places = _places(op)
        divisors = gathering.gather_nd(op.inputs[3], places)
        d_dense = -dy * op.inputs[1] / (divisors * divisors)
        return None, dy / divisors, None, _dense_gradient(op, d_dense, places)


# ---- softmax ---------------------------------------------------------------------------------

class SparseSoftmax(Op):
    """Softmax of the entries of each row; what is not there has no share."""

    signature = 'sp_indices: int64, sp_values: T, sp_shape: int64 -> output: T'
    types = {'T': frozenset((dtypes.float32, dtypes.float64))}
    partial_rank = True

    def shape(indices, values, shape):
        return values

    def kernel(indices, values, shape):
        if len(shape) < 2:
            raise OpFailure(f'Input should have rank >= 2, not {len(shape)}',
                            'rows of one more axis: tf.sparse.expand_dims(x, 0).')
        check_inside(indices, shape)
        places, numbers = groups_of(indices[:, :-1])
        largest = np.full(len(places), -np.inf, values.dtype)
        np.maximum.at(largest, numbers, values)
        powers = np.exp(values - largest[numbers])
        sums = np.zeros(len(places), values.dtype)
        np.add.at(sums, numbers, powers)
        return powers / sums[numbers]

    def gradient(op, dy):
        indices, _, shape = op.inputs
        y = op.outputs[0]
        sums = sparse_reductions.SparseReduceSum.apply(indices, dy * y, shape, [-1])
        return None, (dy - gathering.gather_nd(sums, indices[:, :-1])) * y, None


# ---- public functions ------------------------------------------------------------------------

def sparse_add(a, b, threshold=None, thresh=None):
    """The sum of two tensors of which at least one is sparse; of two SparseTensors again one.

    Shapes: a and b [*a] -> [*a]. Where both SparseTensors have an entry and the sum is of less
    magnitude than `threshold`, it is left out. TypeError if both are dense.
    """
    threshold = renamed('threshold', threshold, 'thresh', thresh)
    threshold = 0 if threshold is None else threshold
    kinds = SparseTensor, SparseTensorValue
    if not isinstance(a, kinds) and not isinstance(b, kinds):
        raise worded(TypeError('At least one input should be SparseTensor; do you mean to use '
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
    """Softmax of the entries along the last axis; what is not stored has no share.

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
