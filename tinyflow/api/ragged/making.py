"""Ragged tensors of Python lists, of ranges and placeholders: tf.ragged's functions."""
from __future__ import annotations

import numpy as np

from tinyflow.api.ragged import rows
from tinyflow.api.ragged.tensor import RaggedTensor
from tinyflow.api.ragged.value import RaggedTensorValue
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, get_default_graph, name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, gathering, joining, shape_ops
from tinyflow.ops.array.identity_and_cast import cast, identity
from tinyflow.ops.array.placeholders import placeholder as dense_placeholder
from tinyflow.ops.checks.value_checks import assert_equal, assert_none_equal
from tinyflow.ops.math import arithmetic, division


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None,
             row_splits_dtype=dtypes.int64):
    """A RaggedTensor of nested lists; a Tensor of a list without lists.

    The innermost `inner_shape` (with `ragged_rank`, all axes after that) must have one length.
    """
    with name_scope(name, 'RaggedConstant'):
        if get_default_graph().runs_at_once:        # in a graph, tf.constant raises TypeError
            _refuse_mixed(pylist)
        kind = dtypes.as_dtype(row_splits_dtype)
        value = _value(pylist, None if dtype is None else dtypes.as_dtype(dtype), ragged_rank,
                       inner_shape)

        def tensors(value):
            if not isinstance(value, RaggedTensorValue):
                return constants.constant(value, dtype, name='values')
            return RaggedTensor(tensors(value.values), constants.constant(value.row_splits, kind),
                                internal=True)
        return tensors(value)


def constant_value(pylist, dtype=None, ragged_rank=None, inner_shape=None,
                   row_splits_dtype='int64'):
    """As `constant`, but a RaggedTensorValue of arrays, of NumPy's dtypes by default."""
    value = _value(pylist, None if dtype is None else dtypes.as_dtype(dtype), ragged_rank,
                   inner_shape, as_numpy=True)

    def of_dtype(value):
        if not isinstance(value, RaggedTensorValue):
            return value
        return RaggedTensorValue(of_dtype(value.values), value.row_splits.astype(
            dtypes.as_dtype(row_splits_dtype).np))
    return of_dtype(value)


def _refuse_mixed(item):
    """ValueError for numbers and strings in one list."""
    kinds, level = set(), [item]
    while level:
        kinds |= {isinstance(i, (str, bytes)) for i in level
                  if not isinstance(i, (list, tuple, np.ndarray))}
        level = [i for part in level if isinstance(part, (list, tuple)) for i in part]
    if len(kinds) > 1:
        raise misuse(ValueError("Can't convert Python sequence with mixed types to Tensor."))


def _value(pylist, dtype, ragged_rank, inner_shape, as_numpy=False):
    depth, has_scalars = _depth(pylist)
    if ragged_rank is None:
        ragged_rank = max(0, depth - 1 - (len(inner_shape) if inner_shape else 0))
    elif ragged_rank >= depth and has_scalars:
        raise misuse(ValueError(f'Invalid pylist={pylist!r}: incompatible with '
                                f'ragged_rank={ragged_rank}'))
    splits, level = [], pylist
    for _ in range(ragged_rank):
        splits.append(np.cumsum([0, *(len(row) for row in level)], dtype=np.int64))
        level = [item for row in level for item in row]
    numbers = dtype.np if dtype is not None and dtype is not dtypes.string else None
    try:
        array = np.array(level if level else [], numbers) if dtype is not dtypes.string \
            else np.array(level, object)
    except ValueError:
        raise misuse(ValueError(f'Invalid pylist={pylist!r}: incompatible with '
                                f'ragged_rank={ragged_rank}')) from None
    if dtype is None and not as_numpy:
        if array.dtype.kind in 'US':
            array = np.array(level, object)
        else:
            narrow = {'float64': np.float32, 'int64': np.int32}.get(array.dtype.name)
            array = array if narrow is None else array.astype(narrow)
    if inner_shape:
        array = array.reshape(-1, *inner_shape)
    for part in reversed(splits):
        array = RaggedTensorValue(array, part)
    return array


def _depth(item):
    """(how deep lists are nested, whether there are numbers at the bottom)."""
    if not isinstance(item, (list, tuple, np.ndarray)):
        return 0, True
    if len(item) == 0:
        return 1, False
    found = [_depth(i) for i in item]
    if len({depth for depth, numbers in found if numbers}) > 1 or (
            any(n for _, n in found) and max(d for d, _ in found) > max(
                d for d, n in found if n)):
        raise misuse(ValueError('all scalar values must have the same nesting depth'))
    return 1 + max(depth for depth, _ in found), any(numbers for _, numbers in found)


def placeholder(dtype, ragged_rank, value_shape=None, name=None):
    """A RaggedTensor that is fed with a RaggedTensorValue, as tf.ragged.constant_value makes it."""
    with name_scope(name, 'RaggedPlaceholder'):
        shape = None if value_shape is None else [None, *value_shape]
        result = dense_placeholder(dtype, shape, 'flat_values')
        for i in reversed(range(ragged_rank)):
            splits = dense_placeholder(dtypes.int64, [None], f'row_splits_{i}')
            result = RaggedTensor(result, splits, internal=True)
        return result


def ragged_range(starts, limits=None, deltas=1, dtype=None, name=None,
                 row_splits_dtype=dtypes.int64):
    """Row i is starts[i], starts[i] + deltas[i], ... below limits[i]; of one argument, 0, 1, ..."""
    with name_scope(name, 'RaggedRange', [starts, limits, deltas]):
        kind = dtypes.as_dtype(row_splits_dtype)
        if limits is None:
            starts, limits = 0, starts
        limits = convert_to_tensor(limits, dtype, name='limits')
        starts = convert_to_tensor(starts, limits.dtype, name='starts')
        deltas = convert_to_tensor(deltas, limits.dtype, name='deltas')
        limits, starts, deltas = _of_one_size([limits, starts, deltas])
        zeros = constants.zeros_like(deltas)
        check = assert_none_equal(deltas, zeros, message='Requires delta != 0')
        with control_dependencies([check] if check is not None else []):
            deltas = identity(deltas)
        lengths = -division.floordiv(starts - limits, deltas)
        lengths = cast(arithmetic.maximum(lengths, zeros), kind)
        splits = rows.splits_of_lengths(lengths)
        ids = rows.ids_of_splits(splits)
        columns = constants.range(splits[-1]) - gathering.gather(splits, ids)
        values = gathering.gather(starts, ids) + \
            cast(columns, limits.dtype) * gathering.gather(deltas, ids)
        return RaggedTensor(values, splits, internal=True)


def _of_one_size(parts):
    """Vectors of one size; numbers are repeated."""
    vectors = [part for part in parts if part.shape.ndims != 0] or [joining.stack([parts[0]])]
    size, checks = vectors[0], []
    for other in vectors[1:]:
        if not other.graph.runs_at_once:
            other.shape.assert_is_compatible_with(size.shape)
        checks.append(assert_equal(
            shape_ops.shape(other), shape_ops.shape(size),
            message='starts, limits, and deltas must have the same shape'))
    with control_dependencies([check for check in checks if check is not None]):
        zeros = constants.zeros_like(size)
    return [part + zeros for part in parts]


def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """The row of each value. Shapes: splits [n + 1] -> [splits[n]]."""
    with name_scope(name, 'RaggedSplitsToSegmentIds', [splits]):
        splits = rows.index(splits, 'splits')
        ids = rows.ids_of_splits(splits)
        return ids if out_type is None else cast(ids, out_type)


def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Where the rows begin, of the row of each value. Shapes: segment_ids [m] -> [n + 1]."""
    with name_scope(name, 'SegmentIdsToRaggedSplits', [segment_ids]):
        splits = rows.splits_of_ids(rows.index(segment_ids, 'segment_ids'), num_segments)
        return splits if out_type is None else cast(splits, out_type)


__all__ = ['constant', 'constant_value', 'placeholder', 'ragged_range',
           'row_splits_to_segment_ids', 'segment_ids_to_row_splits']
