"""unique, setdiff1d, invert_permutation, dynamic_partition, dynamic_stitch, searchsorted."""
from __future__ import annotations

from collections import namedtuple

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure, misuse
from tinyflow.ops.array import constants, gathering, shaping
from tinyflow.ops.support.index_vectors import check_indices
from tinyflow.ops.support.ranks import of_rank

__all__ = ['dynamic_partition', 'dynamic_stitch', 'invert_permutation', 'searchsorted',
           'setdiff1d', 'unique', 'unique_with_counts']


class Unique(Op):
    """The distinct values in order of first occurrence, and the index of each element's value."""

    signature = 'x: T -> y: T, idx: out_idx'
    attrs = {'out_idx': dtypes.int32}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(x):
        _check_vector(of_rank(x, 1))
        return [(None,), x]

    def kernel(x, *, out_idx):
        _check_vector(x.shape)
        values, positions, _ = _distinct(x)
        return values, positions.astype(out_idx.np)


class UniqueWithCounts(Op):
    """As Unique, and how often each value occurs."""

    signature = 'x: T -> y: T, idx: out_idx, count: out_idx'
    attrs = {'out_idx': dtypes.int32}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(x):
        _check_vector(of_rank(x, 1))
        return [(None,), x, (None,)]

    def kernel(x, *, out_idx):
        _check_vector(x.shape)
        values, positions, counts = _distinct(x)
        return values, positions.astype(out_idx.np), counts.astype(out_idx.np)


def _check_vector(x, name='x'):
    if len(x) != 1:
        raise OpFailure(f'{name} must be a vector, not of shape {shapes.text(x)}',
                        'tf.reshape(x, [-1])')


def _distinct(x):
    """(values, positions, counts), in order of first occurrence; a NaN equals nothing."""
    values, first, positions, counts = np.unique(x, return_index=True, return_inverse=True,
                                                 return_counts=True, equal_nan=False)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return values[order], rank[positions.reshape(x.shape)], counts[order]


class ListDiff(Op):
    """The elements of x that are not in y, and their indices in x."""

    signature = 'x: T, y: T -> out: T, idx: out_idx'
    attrs = {'out_idx': dtypes.int32}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(x, y):
        _check_vector(of_rank(x, 1))
        _check_vector(of_rank(y, 1), 'y')
        return [(None,), (None,)]

    def kernel(x, y, *, out_idx):
        ListDiff.shape(x.shape, y.shape)
        kept = np.flatnonzero(~np.isin(x, y))
        return x[kept], kept.astype(out_idx.np)


class InvertPermutation(Op):
    """y with y[x[i]] = i."""

    signature = 'x: T -> y: T'
    types = {'T': INDEX}
    attrs = {'T': dtypes.int32}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(x):
        x = of_rank(x, 1)
        _check_vector(x)
        return x

    def kernel(x, out=None):
        check_indices(x, x.size, 'x')
        if out is None:
            out = np.empty_like(x)
        out.fill(-1)
        out[x] = np.arange(x.size, dtype=x.dtype)
        if (out < 0).any():
            raise ValueError(f'{x.tolist()} is not a permutation: a number is repeated')
        return out


class DynamicPartition(Op):
    """The elements of data, sorted into `num_partitions` tensors."""

    signature = 'data: T, partitions: int32 -> outputs: num_partitions*T'
    attrs = {'num_partitions': REQUIRED}

    def shape(data, partitions, *, num_partitions):
        shapes.merge(data[:len(partitions)], partitions)
        return [(None,) + data[len(partitions):]] * num_partitions

    def kernel(data, partitions, *, num_partitions):
        check_indices(partitions, num_partitions, 'partitions')
        return tuple(data[partitions == i] for i in range(num_partitions))

    def gradient(op, *dys):
        data, partitions = op.inputs
        dys = [constants.zeros_like(y) if dy is None else dy for y, dy in zip(op.outputs, dys)]
        shape = constants.shape(partitions)
        positions = shaping.reshape(constants.range(constants.size(partitions)), shape)
        indices = dynamic_partition(positions, partitions, op.attrs['num_partitions'])
        return shaping.reshape(dynamic_stitch(indices, dys), constants.shape(data)), None


class DynamicStitch(Op):
    """merged[indices[m][i]] = data[m][i]; later ones override."""

    signature = 'indices: N*int32, data: N*T -> merged: T'
    partial_rank = True

    def shape(indices, data):
        rest = None
        for index, piece in zip(indices, data):
            if index is not None and piece is not None:
                shapes.merge(piece[:len(index)], index)
                rest = shapes.merge(rest, piece[len(index):])
        return None if rest is None else (None,) + rest

    def kernel(indices, data):
        size = 1 + max((int(i.max()) for i in indices if i.size), default=-1)
        rest = data[0].shape[indices[0].ndim:]
        merged = np.zeros((size, *rest), data[0].dtype)
        for i, (index, piece) in enumerate(zip(indices, data)):
            if piece.shape != index.shape + rest:
                raise ValueError(f'data[{i}] must have the shape of indices[{i}] and then '
                                 f'{list(rest)}, as data[0] has, which is '
                                 f'{list(index.shape + rest)}, not {list(piece.shape)}')
            check_indices(index, size)
            merged[index] = piece
        return merged

    def gradient(op, dy):
        count = len(op.inputs) // 2
        return [None] * count + [gathering.gather(dy, i) for i in op.inputs[:count]]


class _Bound(Op, abstract=True):
    """The index at which each value would be inserted into its sorted row."""

    signature = 'sorted_inputs: T, values: T -> output: out_type'
    attrs = {'out_type': dtypes.int32}
    gradient = NOT_DIFFERENTIABLE

    def shape(sorted_inputs, values):
        if len(sorted_inputs) != 2 or len(values) != 2:
            raise ValueError('sorted_inputs and values must be matrices')
        shapes.merge(sorted_inputs[:1], values[:1])
        return values


def _search(rows, values, side, dtype):
    if len(rows) != len(values):
        raise ValueError('sorted_inputs and values must have as many rows, got shapes '
                         f'{shapes.text(rows.shape)} and {shapes.text(values.shape)}')
    result = np.empty(values.shape, dtype)
    for i, row in enumerate(rows):
        result[i] = np.searchsorted(row, values[i], side)
    return result


class LowerBound(_Bound):
    """The index before equal elements."""

    def kernel(sorted_inputs, values, *, out_type):
        return _search(sorted_inputs, values, 'left', out_type.np)


class UpperBound(_Bound):
    """The index after equal elements."""

    def kernel(sorted_inputs, values, *, out_type):
        return _search(sorted_inputs, values, 'right', out_type.np)


UniqueResult = namedtuple('Unique', ['y', 'idx'])
UniqueWithCountsResult = namedtuple('UniqueWithCounts', ['y', 'idx', 'count'])
ListDiffResult = namedtuple('ListDiff', ['out', 'idx'])


def unique(x, out_idx=dtypes.int32, name=None):
    """The distinct values y of x in order of first occurrence, and idx with y[idx[i]] = x[i].

    Shapes: x [n] -> y [number of distinct values], idx [n].
    """
    return UniqueResult(*Unique.apply(x, out_idx=dtypes.as_dtype(out_idx), name=name))


def unique_with_counts(x, out_idx=dtypes.int32, name=None):
    """As unique, and how often each distinct value occurs.

    Shapes: x [n] -> y [number of distinct values], idx [n], count [number of distinct values].
    """
    return UniqueWithCountsResult(
        *UniqueWithCounts.apply(x, out_idx=dtypes.as_dtype(out_idx), name=name))


def setdiff1d(x, y, index_dtype=dtypes.int32, name=None):
    """The elements of x that are not in y, in their order, and their positions in x.

    Shapes: x [n], y [m] -> out [k], idx [k].
    """
    return ListDiffResult(*ListDiff.apply(x, y, out_idx=dtypes.as_dtype(index_dtype), name=name))


def invert_permutation(x, name=None):
    """The inverse permutation: y[x[i]] = i.

    Shapes: x [n] -> [n]. InvalidArgumentError if x is not a permutation of 0 to n - 1.
    """
    return InvertPermutation.apply(x, name=name)


def dynamic_partition(data, partitions, num_partitions, name=None):
    """The elements of data split into `num_partitions` tensors: element i goes to partitions[i].

    Shapes: data [*a, *b], partitions [*a] -> a list of [k_i, *b].
    """
    return DynamicPartition.apply(data, partitions, num_partitions=num_partitions, name=name)


def dynamic_stitch(indices, data, name=None):
    """merged[indices[m][i]] = data[m][i]; the last value of a repeated index is kept.

    Shapes: indices, a list of [*a_m], data, a list of [*a_m, *b] -> [1 + largest index, *b].
    """
    merged = DynamicStitch.apply(indices, data, name=name)
    if shapes.known(merged.raw_shape):
        return merged
    known = [static_value(t) for t in merged.op.inputs[:len(indices)]]
    if merged.raw_shape is not None and all(
            k is not None and None not in np.ravel(k) for k in known):
        largest = max((int(np.max(k)) for k in known if np.size(k)), default=-1)
        merged.set_shape((largest + 1, *merged.raw_shape[1:]))
    return merged


def searchsorted(sorted_sequence, values, side='left', out_type=dtypes.int32, name=None):
    """The index at which each value would keep its row sorted; 'left': before equal elements.

    Shapes: sorted_sequence [*a, n], values [*a, m] -> [*a, m]. Raises ValueError for another side.
    """
    width = constants.shape_internal(sorted_sequence)[-1]
    count = constants.shape_internal(values)[-1]
    rows = shaping.reshape(sorted_sequence, [-1, width])
    wanted = shaping.reshape(values, [-1, count])
    if side not in ('left', 'right'):
        raise misuse(ValueError(f"side must be either 'right' or 'left'. Saw: {side}."))
    bound = LowerBound if side == 'left' else UpperBound
    found = bound.apply(rows, wanted, out_type=dtypes.as_dtype(out_type), name=name)
    return shaping.reshape(found, constants.shape_internal(values))
