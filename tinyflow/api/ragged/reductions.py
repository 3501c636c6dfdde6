"""Reductions and segments of ragged tensors."""
from __future__ import annotations

from tinyflow.api.ragged import rows
from tinyflow.api.ragged.tensor import RaggedTensor
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, gathering, shape_ops
from tinyflow.ops.array.identity_and_cast import cast, identity
from tinyflow.ops.checks.value_checks import assert_equal
from tinyflow.ops.math import arithmetic, division, powers, reduction, segments
from tinyflow.ops.strings.joins import reduce_join, unsorted_segment_join

_SEGMENTS = {'sum': segments.unsorted_segment_sum, 'prod': segments.unsorted_segment_prod,
             'max': segments.unsorted_segment_max, 'min': segments.unsorted_segment_min}


def positive(axis, x):
    """An axis from 0 on; ValueError if x has no such axis, or none that is known."""
    rank = x.shape.ndims
    if rank is None and axis >= 0:
        return axis
    if rank is None:
        raise misuse(ValueError(f'axis={axis} may only be negative if the rank is statically '
                                'known.'))
    if not -rank <= axis < rank:
        raise misuse(ValueError(f'axis={axis} out of bounds: expected {-rank}<=axis<{rank}'))
    return axis % rank


# ---- reductions ----------------------------------------------------------------------------

def reduce(kind, x, axis=None, keepdims=None, name=None):
    """The reduction `kind` (sum, prod, max, min, mean, any, all) of a RaggedTensor."""
    _refuse_keepdims(keepdims)
    with name_scope(name, f'RaggedReduce{kind.title()}', [x.row_splits]):
        if kind in ('any', 'all'):
            counted = x.with_flat_values(cast(x.flat_values, 'int32'))
            found = reduce({'any': 'max', 'all': 'min'}[kind], counted, axis)
            return _mapped(lambda v: v > 0, found)
        if kind == 'mean':
            total = reduce('sum', x, axis)
            count = reduce('sum', x.with_flat_values(constants.ones_like(x.flat_values)), axis)
            return _mapped(lambda v: division.truediv(v, _flat(count)), total)
        return _reduced(x, axis, getattr(reduction, f'reduce_{kind}'), _SEGMENTS[kind])


def join(inputs, axis=None, keep_dims=None, separator='', name=None, reduction_indices=None,
         keepdims=None):
    """The strings of a RaggedTensor, joined along one or all axes."""
    _refuse_keepdims(keepdims or keep_dims)
    axis = reduction_indices if axis is None else axis
    with name_scope(name, 'RaggedSegmentJoin', [inputs.row_splits]):
        def joined(values, axis=None):
            return reduce_join(values, axis, separator=separator)

        def segment(values, ids, count):
            return unsorted_segment_join(values, ids, count, separator=separator)
        return _reduced(inputs, axis, joined, segment)


def _refuse_keepdims(keepdims):
    if keepdims:
        raise misuse(ValueError('keepdims=True is not supported for RaggedTensors.\n  Hint: '
                                'tf.expand_dims(result, axis) gives the same.'))


def _reduced(x, axis, dense, segment):
    if axis is None:
        return dense(x.flat_values)
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    for one in sorted({positive(a, x) for a in axes}, reverse=True):
        x = _reduce_axis(x, one, dense, segment) if isinstance(x, RaggedTensor) else \
            dense(x, axis=one)
    return x


def _mapped(function, x):
    return x.with_flat_values(function(x.flat_values)) if isinstance(x, RaggedTensor) else \
        function(x)


def _flat(x):
    return x.flat_values if isinstance(x, RaggedTensor) else x


def _reduce_axis(x, axis, dense, segment):
    values = x.values
    if axis > 1:
        return x.with_values(_reduce_axis(values, axis - 1, dense, segment)
                             if isinstance(values, RaggedTensor) else dense(values, axis=axis - 1))
    ids = x.value_rowids()
    if axis == 1:
        return _by_segment(values, ids, x.nrows(), segment)
    columns = constants.range(cast(shape_ops.shape(ids)[0], ids.dtype)) \
        - gathering.gather(x.row_splits, ids)
    return _by_segment(values, columns, x.bounding_shape(axis=1), segment)


def _by_segment(data, ids, count, segment):
    """What of `data` has the same id, combined column by column."""
    if not isinstance(data, RaggedTensor):
        return segment(data, ids, count)
    longest = segments.unsorted_segment_max(data.row_lengths(), ids, count)
    splits = rows.splits_of_lengths(arithmetic.maximum(longest, constants.constant(
        0, longest.dtype)))
    inner = data.value_rowids()
    columns = constants.range(cast(shape_ops.shape(inner)[0], inner.dtype)) \
        - gathering.gather(data.row_splits, inner)
    places = gathering.gather(splits, gathering.gather(ids, inner)) + columns
    return RaggedTensor(_by_segment(data.values, places, splits[-1], segment), splits,
                        internal=True)


# ---- segments ------------------------------------------------------------------------------

def segment(kind, data, segment_ids, num_segments, name=None):
    """tf.unsorted_segment_sum and the like (sum, prod, max, min, mean, sqrt_n) of ragged tensors.

    `segment_ids` has the first axes of `data`.
    """
    with name_scope(name, f'RaggedSegment{kind.title()}'):
        if kind in ('mean', 'sqrt_n'):
            total = segment('sum', data, segment_ids, num_segments)
            ones = _mapped(constants.ones_like, data)
            count = _flat(segment('sum', ones, segment_ids, num_segments))
            count = count if kind == 'mean' else powers.sqrt(count)
            return _mapped(lambda v: division.truediv(v, count), total)
        if isinstance(segment_ids, RaggedTensor):
            if not isinstance(data, RaggedTensor):
                raise misuse(ValueError('segment_ids.shape must be a prefix of data.shape, but '
                                        'segment_ids is ragged and data is not.'))
            check = assert_equal(segment_ids.row_splits, data.row_splits,
                                 message='segment_ids.shape must be a prefix of data.shape')
            ids = segment_ids.values
            with control_dependencies([check] if check is not None else []):
                ids = ids.with_flat_values(identity(ids.flat_values)) \
                    if isinstance(ids, RaggedTensor) else identity(ids)
            return segment(kind, data.values, ids, num_segments)
        ids = convert_to_tensor(segment_ids, name='segment_ids')
        kind_of_rows = data.row_splits.dtype if isinstance(data, RaggedTensor) else ids.dtype
        count = cast(convert_to_tensor(num_segments, name='num_segments'), kind_of_rows)
        return _by_segment(data, cast(ids, kind_of_rows), count, _SEGMENTS[kind])


__all__ = ['join', 'positive', 'reduce', 'segment']
