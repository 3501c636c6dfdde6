"""sparse_segment_sum, sparse_segment_mean and sparse_segment_sqrt_n.

They reduce the rows `data[indices]` by segments. Sharing a row between segments needs no copy of
the table; the gradient is as large as `data`.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.dtypes import INDEX, REAL
from tinyflow.graph.op import Op, nodes
from tinyflow.ops.array import constants, shape_ops
from tinyflow.ops.math import arithmetic, segments

_PLAIN = 'data: T, indices: Tidx, segment_ids: int32 -> output: T'
_COUNTED = ('data: T, indices: Tidx, segment_ids: int32, num_segments: Tnumsegments '
            '-> output: T')
_FLOATS = frozenset({dtypes.float32, dtypes.float64})


def _shape(data, indices, segment_ids, num_segments=None):
    for name, shape in (('indices', indices), ('segment_ids', segment_ids)):
        if shape is not None and len(shape) != 1:
            raise ValueError(f'{name} must be a vector, not of shape {shapes.text(shape)}')
    if data is None:
        return None
    if not data:
        raise ValueError('data must have rows')
    return (num_segments,) + data[1:]


def _sums(data, indices, ids, num_segments):
    """(sums, counts) of the segments, padded with zeros to num_segments if that is given."""
    if len(indices) and (indices.min() < 0 or indices.max() >= len(data)):
        raise ValueError(f'indices must be in [0, {len(data)}), the rows of data: they are from '
                         f'{indices.min()} to {indices.max()}')
    sums, counts = segments._reduce_sorted(np.add, data[indices], ids)
    if num_segments is None:
        return sums, counts
    missing = num_segments - len(sums)
    if missing < 0:
        raise ValueError(f'segment ids must be < num_segments = {num_segments}')
    padding = ((0, missing),) + ((0, 0),) * (data.ndim - 1)
    return np.pad(sums, padding), np.pad(counts, (0, missing))


def _divided(data, indices, ids, num_segments, root):
    sums, counts = _sums(data, indices, ids, num_segments)
    counts = np.maximum(counts, 1).astype(data.dtype).reshape((-1,) + (1,) * (data.ndim - 1))
    return np.divide(sums, np.sqrt(counts) if root else counts, sums)


def _scattered(op, dy, weights=None):
    """The gradient of data: each row of dy added to the rows that its segment sums."""
    data, indices, ids = op.inputs[:3]
    rows = nodes.GatherV2(dy, ids, 0)
    if weights is not None:
        rows = rows / segments._as_column(weights, data)
    count = shape_ops.shape(data)[0]
    d_data = segments.unsorted_segment_sum(rows, indices, count)
    return d_data, *[None] * (len(op.inputs) - 1)


def _counts(op, dy):
    ids = op.inputs[2]
    ones = constants.cast(constants.ones_like(ids), dy.dtype)
    return nodes.GatherV2(segments.segment_sum(ones, ids), ids, 0)


class _Sum(Op, abstract=True):
    types = {'T': REAL, 'Tidx': INDEX, 'Tnumsegments': INDEX}
    attrs = {'Tidx': dtypes.int32}
    partial_rank = True
    shape = _shape

    def kernel(data, indices, ids, num_segments=None):
        return _sums(data, indices, ids, num_segments)[0]

    def gradient(op, dy):
        return _scattered(op, dy)


class _Mean(_Sum, abstract=True):
    types = {'T': _FLOATS, 'Tidx': INDEX, 'Tnumsegments': INDEX}

    def kernel(data, indices, ids, num_segments=None):
        return _divided(data, indices, ids, num_segments, root=False)

    def gradient(op, dy):
        return _scattered(op, dy, _counts(op, dy))


class _SqrtN(_Mean, abstract=True):
    def kernel(data, indices, ids, num_segments=None):
        return _divided(data, indices, ids, num_segments, root=True)

    def gradient(op, dy):
        return _scattered(op, dy, arithmetic.sqrt(_counts(op, dy)))


class SparseSegmentSum(_Sum):
    signature = _PLAIN


class SparseSegmentMean(_Mean):
    signature = _PLAIN


class SparseSegmentSqrtN(_SqrtN):
    signature = _PLAIN


class SparseSegmentSumWithNumSegments(_Sum):
    signature = _COUNTED
    attrs = {'Tidx': dtypes.int32, 'Tnumsegments': dtypes.int32}
    static = {'num_segments': 0}


class SparseSegmentMeanWithNumSegments(_Mean):
    signature = _COUNTED
    attrs = {'Tidx': dtypes.int32, 'Tnumsegments': dtypes.int32}
    static = {'num_segments': 0}


class SparseSegmentSqrtNWithNumSegments(_SqrtN):
    signature = _COUNTED
    attrs = {'Tidx': dtypes.int32, 'Tnumsegments': dtypes.int32}
    static = {'num_segments': 0}


# ---- public functions ------------------------------------------------------------------------


def _apply(plain, counted, data, indices, segment_ids, name, num_segments):
    if num_segments is None:
        return plain.apply(data, indices, segment_ids, name=name)
    return counted.apply(data, indices, segment_ids, num_segments, name=name)


def sparse_segment_sum(data, indices, segment_ids, name=None, num_segments=None):
    """tf.segment_sum(tf.gather(data, indices), segment_ids), without the copy of the rows.

    Shapes: data [rows, *a], indices [n], segment_ids [n], sorted -> [last id + 1, *a], or
    [num_segments, *a] with zeros for ids that do not occur.
    """
    return _apply(SparseSegmentSum, SparseSegmentSumWithNumSegments, data, indices, segment_ids,
                  name, num_segments)


def sparse_segment_mean(data, indices, segment_ids, name=None, num_segments=None):
    """As sparse_segment_sum, divided by the number of rows of the segment.

    Shapes: data [rows, *a], indices [n], segment_ids [n], sorted -> [last id + 1, *a], or
    [num_segments, *a] with zeros for ids that do not occur.
    """
    return _apply(SparseSegmentMean, SparseSegmentMeanWithNumSegments, data, indices, segment_ids,
                  name, num_segments)


def sparse_segment_sqrt_n(data, indices, segment_ids, name=None, num_segments=None):
    """As sparse_segment_sum, divided by the square root of the number of rows of the segment.

    Shapes: data [rows, *a], indices [n], segment_ids [n], sorted -> [last id + 1, *a], or
    [num_segments, *a] with zeros for ids that do not occur.
    """
    return _apply(SparseSegmentSqrtN, SparseSegmentSqrtNWithNumSegments, data, indices,
                  segment_ids, name, num_segments)


__all__ = ['sparse_segment_mean', 'sparse_segment_sqrt_n', 'sparse_segment_sum']
