"""segment_sum, unsorted_segment_sum and so on: reductions of the rows that share a segment id.

In the segment_* ops the ids are sorted and are the indices of the output rows. In the
unsorted_segment_* ops they come in any order, the number of segments is given, and rows with a
negative id are dropped.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX, NUMBERS, REAL
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op, nodes
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import constants, joining, shaping
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.support.row_updates import at_rows

# ---- sorted ids ------------------------------------------------------------------------------

class _Segment(Op, abstract=True):
    signature = 'data: T, segment_ids: Tindices -> output: T'
    types = {'T': NUMBERS, 'Tindices': INDEX}
    partial_rank = True

    def shape(data, ids):
        if data is None:
            return None
        if not data or ids is not None and len(ids) != 1:
            raise ValueError('data must have rows, and segment_ids must be a vector, not '
                             f'{shapes.text(ids)}')
        return (None,) + data[1:]


# The extreme of nothing but NaN, which extremes of segments skip in TensorFlow.
_OF_NAN = {np.fmax: -np.inf, np.fmin: np.inf}


def _reduce_sorted(ufunc, data, ids, absent=0):
    """(result, counts): `ufunc` over the rows of each id; `absent` for ids that do not occur."""
    if ids.ndim != 1 or data.ndim < 1 or len(ids) != len(data):
        raise ValueError(f'segment_ids must be a vector of {len(data)} ids, one for each row of '
                         f'data, not of shape {list(ids.shape)}')
    if not len(ids):
        return np.zeros((0,) + data.shape[1:], data.dtype), np.zeros(0, np.intp)
    starts = np.flatnonzero(np.diff(ids)) + 1
    starts = np.concatenate([[0], starts])
    present = ids[starts]
    if ids[0] < 0 or (np.diff(present) < 0).any():
        raise OpFailure('segment ids must be >= 0 and are not increasing',
                        'sort the rows by id, or use an op such as tf.unsorted_segment_sum.')
    result = np.full((int(present[-1]) + 1,) + data.shape[1:], absent, data.dtype)
    counts = np.zeros(len(result), np.intp)
    result[present] = ufunc.reduceat(data, starts, axis=0, dtype=data.dtype)
    if ufunc in _OF_NAN and data.dtype.kind == 'f':
        np.copyto(result, _OF_NAN[ufunc], where=np.isnan(result))
    counts[present] = np.diff(np.append(starts, len(ids)))
    return result, counts


class SegmentSum(_Segment):
    def kernel(data, ids):
        return _reduce_sorted(np.add, data, ids)[0]

    def gradient(op, dy):
        return nodes.GatherV2(dy, op.inputs[1], 0), None


class SegmentMean(_Segment):
    def kernel(data, ids):
        result, counts = _reduce_sorted(np.add, data, ids)
        counts = np.maximum(counts, 1).astype(data.dtype)
        counts = counts.reshape((-1,) + (1,) * (data.ndim - 1))
        if data.dtype.kind in 'iu':
            return np.floor_divide(result - np.fmod(result, counts), counts)
        return np.true_divide(result, counts, result)

    def gradient(op, dy):
        data, ids = op.inputs
        ones = constants.cast(constants.ones_like(ids), dy.dtype)
        counts = nodes.GatherV2(segment_sum(ones, ids), ids, 0)
        return nodes.GatherV2(dy, ids, 0) / _as_column(counts, data), None


class SegmentProd(_Segment):
    def kernel(data, ids):
        return _reduce_sorted(np.multiply, data, ids, absent=1)[0]

    gradient = None         # as in TF1


def _gradient_of_segment_extreme(op, dy):
    """The gradient of max and min, shared equally between the rows with that value."""
    data, ids = op.inputs
    chosen = constants.cast(logic.equal(nodes.GatherV2(op.outputs[0], ids, 0), data), dy.dtype)
    count = segment_sum(chosen, ids)
    return chosen * nodes.GatherV2(arithmetic.div_no_nan(dy, count), ids, 0), None


class SegmentMax(_Segment):
    types = {'T': REAL, 'Tindices': INDEX}

    def kernel(data, ids):
        return _reduce_sorted(np.fmax, data, ids)[0]

    gradient = _gradient_of_segment_extreme


class SegmentMin(_Segment):
    types = {'T': REAL, 'Tindices': INDEX}

    def kernel(data, ids):
        return _reduce_sorted(np.fmin, data, ids)[0]

    gradient = _gradient_of_segment_extreme


def _as_column(values, data):
    """A vector with as many axes of size 1 after it as `data` has after its first."""
    if data.raw_shape is None:
        ones = constants.ones_like(constants.shape(data)[1:])
        return shaping.reshape(values, joining.concat([constants.shape(values), ones], 0))
    return shaping.reshape(values, [-1] + [1] * (len(data.raw_shape) - 1))


# ---- ids in any order ------------------------------------------------------------------------

class _UnsortedSegment(Op, abstract=True):
    signature = 'data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T'
    types = {'T': NUMBERS, 'Tindices': INDEX, 'Tnumsegments': INDEX}
    attrs = {'Tnumsegments': dtypes.int32}
    static = {'num_segments': 0}

    def shape(data, ids, count):
        if len(ids) > len(data):
            raise ValueError(f'data.shape = {shapes.text(data)} does not start with '
                             f'segment_ids.shape = {shapes.text(ids)}')
        try:
            shapes.merge(data[:len(ids)], ids)
        except ValueError:
            raise ValueError(f'data.shape = {shapes.text(data)} does not start with '
                             f'segment_ids.shape = {shapes.text(ids)}') from None
        return (count,) + data[len(ids):]


def _reduce_unsorted(ufunc, start, data, ids, count, out):
    if data.shape[:ids.ndim] != ids.shape:
        raise ValueError(f'data.shape = {list(data.shape)} does not start with '
                         f'segment_ids.shape = {list(ids.shape)}')
    if count < 0:
        raise ValueError(f'num_segments must not be negative, but is {count}')
    rest = data.shape[ids.ndim:]
    data, ids = data.reshape((ids.size,) + rest), ids.reshape(-1)
    if out is None:
        out = np.empty((count,) + rest, data.dtype)
    out[...] = start
    if ids.size:
        if ids.max() >= count:
            raise ValueError(f'segment_ids contains {ids.max()}, which is not in [0, {count})')
        if ids.min() < 0:
            keep = ids >= 0
            data, ids = data[keep], ids[keep]
        at_rows(ufunc, out, ids, data)
        if ufunc in _WORST and data.dtype.kind == 'f' and np.isnan(out).any():
            _reduce_after_nan(ufunc, data, ids, out)
    return out


_WORST = {np.maximum: -np.inf, np.minimum: np.inf}


def _reduce_after_nan(ufunc, data, ids, out):
    """Extremes of what comes after the last NaN of each segment, or NaN if nothing does.

    So TensorFlow computes them: it keeps the old extreme only if that is better.
    """
    rows = np.arange(len(data)).reshape([-1] + [1] * (data.ndim - 1))
    last = np.full(out.shape, -1)
    np.maximum.at(last, ids, np.where(np.isnan(data), rows, -1))
    after, any_after = rows > last[ids], np.zeros(out.shape, bool)
    np.logical_or.at(any_after, ids, after)
    out[last >= 0] = np.nan
    out[(last >= 0) & any_after] = _WORST[ufunc]
    np.copyto(data := data.copy(), _WORST[ufunc], where=~after)
    kept = np.isnan(out)
    ufunc.at(out, ids, data)
    out[kept] = np.nan


class UnsortedSegmentSum(_UnsortedSegment):
    def kernel(data, ids, count, out=None):
        return _reduce_unsorted(np.add, 0, data, ids, count, out)

    def gradient(op, dy):
        return _gather_kept(dy, op.inputs[1], op.inputs[0]), None, None


class UnsortedSegmentProd(_UnsortedSegment):
    def kernel(data, ids, count, out=None):
        return _reduce_unsorted(np.multiply, 1, data, ids, count, out)

    def gradient(op, dy):
        # The product of a segment's other rows: the segment's product divided by x; where x is
        # 0, the product of the others, which is 0 if one of them is 0 too.
        data, ids, count = op.inputs
        zero = logic.equal(data, 0)
        zeros = unsorted_segment_sum(constants.cast(zero, dtypes.int32), ids, count)
        without = unsorted_segment_prod(
            nodes.Select(zero, constants.ones_like(data), data), ids, count)
        ids = arithmetic.maximum(ids, 0)
        divided = nodes.GatherV2(op.outputs[0], ids, 0) / data
        alone = nodes.Select(nodes.GatherV2(zeros, ids, 0) > 1, constants.zeros_like(data),
                             nodes.GatherV2(without, ids, 0))
        return (_gather_kept(dy, op.inputs[1], data) * nodes.Select(zero, alone, divided),
                None, None)


def _gradient_of_unsorted_extreme(op, dy):
    """The gradient of max and min, shared equally between the rows with that value."""
    data, ids, count = op.inputs
    largest = nodes.GatherV2(op.outputs[0], arithmetic.maximum(ids, 0), 0)
    chosen = constants.cast(logic.equal(largest, data), dy.dtype)
    total = unsorted_segment_sum(chosen, ids, count)
    return chosen * _gather_kept(arithmetic.div_no_nan(dy, total), ids, data), None, None


class UnsortedSegmentMax(_UnsortedSegment):
    types = {**_UnsortedSegment.types, 'T': REAL}

    def kernel(data, ids, count, out=None):
        return _reduce_unsorted(np.maximum, limits(data.dtype).min, data, ids, count, out)

    gradient = _gradient_of_unsorted_extreme


class UnsortedSegmentMin(_UnsortedSegment):
    types = {**_UnsortedSegment.types, 'T': REAL}

    def kernel(data, ids, count, out=None):
        return _reduce_unsorted(np.minimum, limits(data.dtype).max, data, ids, count, out)

    gradient = _gradient_of_unsorted_extreme


def limits(dtype):
    """The smallest and largest number of a NumPy dtype."""
    return np.finfo(dtype) if dtype.kind == 'f' else np.iinfo(dtype)


def _gather_kept(values, ids, data):
    """values[ids] in the shape of `data`, with 0 for the rows that were dropped."""
    rows = nodes.GatherV2(values, arithmetic.maximum(ids, 0), 0)
    keep = constants.cast(ids >= 0, values.dtype)
    extra = constants.rank(data) - constants.rank(ids)
    ones = constants.fill(shaping.reshape(extra, [1]), 1)
    return rows * shaping.reshape(keep, joining.concat([constants.shape(ids), ones], 0))


# ---- counting --------------------------------------------------------------------------------

class Bincount(Op):
    """How often each of 0, 1, ... size - 1 occurs, or the sum of their weights."""

    signature = 'arr: int32, size: int32, weights: T -> bins: T'
    types = {'T': INDEX | {dtypes.float32, dtypes.float64}}
    static = {'size': 0}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(arr, size, weights):
        return (size,)

    def kernel(arr, size, weights):
        if arr.size and arr.min() < 0:
            raise ValueError('Input arr must be non-negative!')
        if weights.size and weights.shape != arr.shape:
            raise ValueError('weights must be empty or of the shape of arr, '
                             f'{list(arr.shape)}, not {list(weights.shape)}')
        inside = arr < size
        kept = weights[inside] if weights.size else None
        return np.bincount(arr[inside], kept, size).astype(weights.dtype)


# ---- public functions ------------------------------------------------------------------------

def segment_sum(data, segment_ids, name=None):
    """The sum of the rows that share an id; ids are sorted. 0 where an id does not occur.

    Shapes: data [rows, *a], segment_ids [rows] -> [last id + 1, *a].
    """
    return SegmentSum.apply(data, segment_ids, name=name)


def segment_mean(data, segment_ids, name=None):
    """The mean of the rows that share an id; ids are sorted. 0 where an id does not occur.

    Shapes: data [rows, *a], segment_ids [rows] -> [last id + 1, *a].
    """
    return SegmentMean.apply(data, segment_ids, name=name)


def segment_prod(data, segment_ids, name=None):
    """The product of the rows that share an id; ids are sorted. 1 where an id does not occur.

    Shapes: data [rows, *a], segment_ids [rows] -> [last id + 1, *a].
    """
    return SegmentProd.apply(data, segment_ids, name=name)


def segment_max(data, segment_ids, name=None):
    """The largest of the rows that share an id; ids are sorted. 0 where an id does not occur.

    Shapes: data [rows, *a], segment_ids [rows] -> [last id + 1, *a].
    """
    return SegmentMax.apply(data, segment_ids, name=name)


def segment_min(data, segment_ids, name=None):
    """The smallest of the rows that share an id; ids are sorted. 0 where an id does not occur.

    Shapes: data [rows, *a], segment_ids [rows] -> [last id + 1, *a].
    """
    return SegmentMin.apply(data, segment_ids, name=name)


def unsorted_segment_sum(data, segment_ids, num_segments, name=None):
    """The sum of the rows that share an id; 0 where an id does not occur.

    Shapes: data [*ids, *a], segment_ids [*ids] -> [num_segments, *a].
    """
    return UnsortedSegmentSum.apply(data, segment_ids, num_segments, name=name)


def unsorted_segment_prod(data, segment_ids, num_segments, name=None):
    """The product of the rows that share an id; 1 where an id does not occur.

    Shapes: data [*ids, *a], segment_ids [*ids] -> [num_segments, *a].
    """
    return UnsortedSegmentProd.apply(data, segment_ids, num_segments, name=name)


def unsorted_segment_max(data, segment_ids, num_segments, name=None):
    """The largest of the rows that share an id.

    An id that does not occur has the lowest number of the dtype.

    Shapes: data [*ids, *a], segment_ids [*ids] -> [num_segments, *a].
    """
    return UnsortedSegmentMax.apply(data, segment_ids, num_segments, name=name)


def unsorted_segment_min(data, segment_ids, num_segments, name=None):
    """The smallest of the rows that share an id.

    An id that does not occur has the highest number of the dtype.

    Shapes: data [*ids, *a], segment_ids [*ids] -> [num_segments, *a].
    """
    return UnsortedSegmentMin.apply(data, segment_ids, num_segments, name=name)


def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    """The mean of the rows that share an id; 0 where an id does not occur.

    Shapes: data [*ids, *a], segment_ids [*ids] -> [num_segments, *a].
    """
    with name_scope(name, 'UnsortedSegmentMean'):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _segment_counts(data, segment_ids, num_segments)
        return unsorted_segment_sum(data, segment_ids, num_segments) / counts


def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    """The sum of the rows that share an id, divided by the square root of their number.

    Shapes: data [*ids, *a], segment_ids [*ids] -> [num_segments, *a].
    """
    with name_scope(name, 'UnsortedSegmentSqrtN'):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _segment_counts(data, segment_ids, num_segments)
        total = unsorted_segment_sum(data, segment_ids, num_segments)
        return total / arithmetic.sqrt(counts)


def _segment_counts(data, ids, count):
    """How many rows each segment has (at least 1), shaped to divide the segments' sums."""
    ones = constants.ones(constants.shape(ids), data.dtype)
    counts = unsorted_segment_sum(ones, ids, count)
    extra = len(data.raw_shape) - len(ids.raw_shape)
    return arithmetic.maximum(shaping.reshape(counts, [count] + [1] * extra), 1)


def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=dtypes.int32):
    """How often each of 0, 1, ... occurs in `arr`, or the sums of their weights.

    Shapes: arr [*a] int32, weights [*a] -> [largest + 1], at least minlength, at most maxlength.
    """
    with name_scope('bincount'):
        arr = convert_to_tensor(arr, dtypes.int32, 'arr')
        not_empty = reduction.reduce_prod(constants.shape(arr)) > 0
        size = constants.cast(not_empty, dtypes.int32) * (reduction.reduce_max(arr) + 1)
        if minlength is not None:
            minlength = convert_to_tensor(minlength, dtypes.int32, 'minlength')
            size = arithmetic.maximum(minlength, size)
        if maxlength is not None:
            maxlength = convert_to_tensor(maxlength, dtypes.int32, 'maxlength')
            size = arithmetic.minimum(maxlength, size)
        if weights is not None:
            weights = convert_to_tensor(weights, name='weights')
            return unsorted_segment_sum(weights, arr, size)
        return Bincount.apply(arr, size, constants.constant([], dtype))


__all__ = [
    'bincount', 'segment_max', 'segment_mean', 'segment_min', 'segment_prod', 'segment_sum',
    'unsorted_segment_max', 'unsorted_segment_mean', 'unsorted_segment_min',
    'unsorted_segment_prod', 'unsorted_segment_sqrt_n', 'unsorted_segment_sum',
]
