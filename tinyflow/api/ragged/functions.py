"""What functions of tf give of ragged tensors: reductions, concatenation, gathering, rows."""
from __future__ import annotations

from tinyflow.api.ragged import rows
from tinyflow.api.ragged.tensor import RaggedTensor
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, gathering, joining, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast, identity
from tinyflow.ops.array.where_onehot import boolean_mask as dense_mask, where
from tinyflow.ops.checks.value_checks import assert_equal
from tinyflow.ops.math import arithmetic, division, reduction, segments

_SEGMENTS = {'sum': segments.unsorted_segment_sum, 'prod': segments.unsorted_segment_prod,
             'max': segments.unsorted_segment_max, 'min': segments.unsorted_segment_min}


def map_flat_values(op, *args, **kwargs):
    """op(*args, **kwargs) of the innermost values, with the same rows.

    All ragged tensors among the arguments must have the same rows, which is checked when run.
    Raises ValueError if their ragged ranks differ.
    """
    ragged = [a for a in (*args, *kwargs.values()) if isinstance(a, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    first, checks = ragged[0], []
    for other in ragged[1:]:
        if other.ragged_rank != first.ragged_rank:
            raise misuse(ValueError('Inputs must have identical ragged splits; the ragged ranks '
                                    f'are {first.ragged_rank} and {other.ragged_rank}.'))
        checks += [assert_equal(a, b, message='Inputs must have identical ragged splits')
                   for a, b in zip(first.nested_row_splits, other.nested_row_splits)
                   if a is not b]

    def flat(x):
        return x.flat_values if isinstance(x, RaggedTensor) else x
    with control_dependencies(checks):
        values = op(*[flat(a) for a in args], **{k: flat(v) for k, v in kwargs.items()})
    return first.with_flat_values(values)


def map_flat_list(op, inputs, *args, **kwargs):
    """op([x, y, ...], *args, **kwargs) of ragged tensors of the same rows, and of numbers."""
    return map_flat_values(lambda *flat: op(list(flat), *args, **kwargs), *inputs)


def elementwise(op, x, y, name=None):
    """op(x, y) of two ragged tensors of the same rows, or of one and a tensor that broadcasts."""
    if isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor):
        return map_flat_values(op, x, y)
    ragged = x if isinstance(x, RaggedTensor) else y
    other = convert_to_tensor(y if ragged is x else x, ragged.dtype)
    inner = ragged.flat_values.shape.ndims or 1
    if other.shape.ndims == 2 and other.shape[1] == 1 and ragged.ragged_rank == 1:
        other = gathering.gather(other[:, 0], ragged.value_rowids())
    elif other.shape.ndims is None or other.shape.ndims > inner - 1:
        raise misuse(NotImplementedError(
            f'{ragged.shape} and {other.shape}: of a tensor that is not ragged, numbers, columns '
            '[rows, 1] and what broadcasts to the innermost values can be combined with it.\n'
            '  Hint: tf.RaggedTensor.from_tensor(x).'))
    values = op(ragged.flat_values, other) if ragged is x else op(other, ragged.flat_values)
    return ragged.with_flat_values(values)


# ---- reductions ----------------------------------------------------------------------------

def reduce(kind, x, axis=None, keepdims=None, name=None):
    """The reduction `kind` (sum, prod, max, min, mean, any, all) of a RaggedTensor."""
    if keepdims:
        raise misuse(NotImplementedError('keepdims=True is not implemented for ragged tensors; '
                                         'tf.expand_dims(result, axis) gives the same.'))
    with name_scope(name, f'RaggedReduce{kind.title()}', [x.row_splits]):
        if kind in ('any', 'all'):
            counted = x.with_flat_values(cast(x.flat_values, 'int32'))
            found = reduce({'any': 'max', 'all': 'min'}[kind], counted, axis)
            return _mapped(lambda v: v > 0, found)
        if kind == 'mean':
            total = reduce('sum', x, axis)
            count = reduce('sum', x.with_flat_values(constants.ones_like(x.flat_values)), axis)
            if isinstance(total, RaggedTensor):
                return total.with_flat_values(division.truediv(total.flat_values,
                                                               count.flat_values))
            return division.truediv(total, count)
        if axis is None:
            return getattr(reduction, f'reduce_{kind}')(x.flat_values)
        if isinstance(axis, (list, tuple)):
            for one in sorted((_positive(a, x) for a in axis), reverse=True):
                x = reduce(kind, x, one) if isinstance(x, RaggedTensor) else \
                    getattr(reduction, f'reduce_{kind}')(x, axis=one)
            return x
        return _reduce_axis(kind, x, _positive(axis, x))


def _mapped(function, x):
    return x.with_flat_values(function(x.flat_values)) if isinstance(x, RaggedTensor) else \
        function(x)


def _positive(axis, x):
    rank = x.shape.ndims
    if not -rank <= axis < rank:
        raise misuse(ValueError(f'axis={axis} is not an axis of a ragged tensor of rank {rank}'))
    return axis % rank


def _reduce_axis(kind, x, axis):
    values = x.values
    if axis > 1:
        inner = _reduce_axis(kind, values, axis - 1) if isinstance(values, RaggedTensor) else \
            getattr(reduction, f'reduce_{kind}')(values, axis=axis - 1)
        return x.with_values(inner)
    ids = x.value_rowids()
    if axis == 1 and not isinstance(values, RaggedTensor):
        return _SEGMENTS[kind](values, ids, x.nrows())
    if axis == 0 and not isinstance(values, RaggedTensor):
        columns = constants.range(cast(shape_ops.shape(ids)[0], ids.dtype)) \
            - gathering.gather(x.row_splits, ids)
        return _SEGMENTS[kind](values, columns, x.bounding_shape(axis=1))
    if axis == 1 and not isinstance(values.values, RaggedTensor):
        # The columns of all inner rows that belong to one outer row.
        inner = values.value_rowids()
        columns = constants.range(cast(shape_ops.shape(inner)[0], inner.dtype)) \
            - gathering.gather(values.row_splits, inner)
        longest = segments.unsorted_segment_max(values.row_lengths(), ids, x.nrows())
        splits = rows.splits_of_lengths(arithmetic.maximum(
            longest, constants.constant(0, longest.dtype)))
        places = gathering.gather(splits, gathering.gather(ids, inner)) + columns
        return RaggedTensor(_SEGMENTS[kind](values.values, places, splits[-1]), splits,
                            internal=True)
    raise misuse(NotImplementedError(f'axis={axis} of a ragged tensor of ragged rank '
                                     f'{x.ragged_rank} is not implemented'))


# ---- rows ----------------------------------------------------------------------------------

def gather(params, indices, name=None):
    """The rows of `params` at some indices, either of which may be ragged."""
    with name_scope(name, 'RaggedGather'):
        if isinstance(indices, RaggedTensor):
            return indices.with_values(gather(params, indices.values))
        if not isinstance(params, RaggedTensor):
            return gathering.gather(params, indices)
        indices = convert_to_tensor(indices, name='indices')
        if indices.shape.ndims == 0:
            return row(params, indices)
        if indices.shape.ndims != 1:
            raise misuse(NotImplementedError('indices of a ragged tensor are numbers, vectors or '
                                             'ragged tensors'))
        starts = gathering.gather(params.row_splits[:-1], indices)
        splits = rows.splits_of_lengths(gathering.gather(params.row_lengths(), indices))
        ids = rows.ids_of_splits(splits)
        places = constants.range(splits[-1]) - gathering.gather(splits, ids) \
            + gathering.gather(starts, ids)
        return RaggedTensor(gather(params.values, places), splits, internal=True)


def row(x, i):
    """Row i, a Tensor or, of a RaggedTensor of ragged rank 2 or more, a RaggedTensor."""
    start, end = x.row_splits[:-1][i], x.row_splits[1:][i]
    if isinstance(x.values, RaggedTensor):
        return gather(x.values, constants.range(start, end))
    return x.values[start:end]


def get_item(x, key):
    """x[key]: a row, a slice of rows, and then columns [a:b] of each row."""
    key = key if isinstance(key, tuple) else (key,)
    first, *rest = key
    if isinstance(first, slice):
        if first != slice(None):
            chosen = constants.range(x.nrows())[first]
            x = gather(x, chosen)
        return _columns(x, rest) if rest else x
    found = row(x, first)
    return found[tuple(rest)] if rest else found


def _columns(x, rest):
    part, *more = rest
    if more:
        raise misuse(NotImplementedError('a ragged tensor takes [rows, columns] only'))
    if not isinstance(part, slice):
        raise misuse(ValueError('Cannot index into an inner ragged dimension.'))
    if part.step not in (None, 1):
        raise misuse(NotImplementedError('columns of a ragged tensor have the step 1'))
    lengths = x.row_lengths()

    def place(number, default):
        if number is None:
            return default
        number = cast(convert_to_tensor(number), lengths.dtype)
        zeros = constants.zeros_like(lengths)
        number = where(number + zeros < 0, lengths + number, zeros + number)
        return arithmetic.maximum(arithmetic.minimum(number, lengths), zeros)
    starts = place(part.start, constants.zeros_like(lengths))
    ends = arithmetic.maximum(place(part.stop, lengths), starts)
    splits = rows.splits_of_lengths(ends - starts)
    ids = rows.ids_of_splits(splits)
    places = constants.range(splits[-1]) - gathering.gather(splits, ids) \
        + gathering.gather(starts + x.row_splits[:-1], ids)
    return RaggedTensor(gather(x.values, places), splits, internal=True)


def expand_dims(x, axis, name=None):
    """A new axis of length 1."""
    rank = x.shape.ndims
    axis = axis + rank + 1 if axis < 0 else axis
    with name_scope(name, 'RaggedExpandDims', [x.row_splits]):
        if axis == 0:
            splits = joining.stack([constants.constant(0, x.row_splits.dtype), x.nrows()])
            return RaggedTensor(x, splits, internal=True)
        if axis == 1:
            return RaggedTensor(x, constants.range(x.nrows() + 1), internal=True)
        if isinstance(x.values, RaggedTensor):
            return x.with_values(expand_dims(x.values, axis - 1))
        return x.with_values(shaping.expand_dims(x.values, axis - 1))


def concat(values, axis, name=None):
    """Rows one after the other (axis 0), or each row with the same one of the next (axis 1)."""
    with name_scope(name, 'RaggedConcat'):
        rank = max(v.ragged_rank for v in values if isinstance(v, RaggedTensor))
        parts = [v if isinstance(v, RaggedTensor) else RaggedTensor.from_tensor(
            v, ragged_rank=rank) for v in values]
        axis = _positive(axis, parts[0])
        if len({p.ragged_rank for p in parts}) > 1:
            raise misuse(ValueError('the ragged ranks must be equal: '
                                    f'{[p.ragged_rank for p in parts]}'))
        if axis == 0:
            return _one_after_the_other(parts)
        if axis == 1:
            count = parts[0].nrows()
            checks = [assert_equal(p.nrows(), count, message='Input tensors have incompatible '
                                                             'shapes') for p in parts[1:]]
            with control_dependencies(checks):
                order = constants.range(count)
            order = joining.stack([order + i * count for i in range(len(parts))], axis=1)
            mixed = gather(_one_after_the_other(parts), shaping.reshape(order, [-1]))
            return RaggedTensor(mixed.values, mixed.row_splits[::len(parts)], internal=True)
        inner = [p.values for p in parts]
        joined = concat(inner, axis - 1) if isinstance(inner[0], RaggedTensor) else \
            joining.concat(inner, axis - 1)
        return parts[0].with_values(joined)


def _one_after_the_other(parts):
    if not isinstance(parts[0], RaggedTensor):
        return joining.concat(parts, 0)
    splits, end = [parts[0].row_splits], parts[0].row_splits[-1]
    for part in parts[1:]:
        splits.append(part.row_splits[1:] + end)
        end = end + part.row_splits[-1]
    return RaggedTensor(_one_after_the_other([p.values for p in parts]),
                        joining.concat(splits, 0), internal=True)


def stack(values, axis=0, name=None):
    """Tensors, ragged or not, along a new axis; of other ranks than 0 the result is ragged."""
    with name_scope(name, 'RaggedConcat'):
        parts = [v if isinstance(v, RaggedTensor) else convert_to_tensor(v) for v in values]
        rank = max([v.ragged_rank for v in parts if isinstance(v, RaggedTensor)], default=1)
        parts = [v if isinstance(v, RaggedTensor) else RaggedTensor.from_tensor(
            v, ragged_rank=rank) for v in parts]
        return concat([expand_dims(v, axis) for v in parts], axis)


def boolean_mask(data, mask, name=None):
    """The values where the mask is true; with a mask of rank 2 or more, in ragged rows."""
    with name_scope(name, 'RaggedMask'):
        if not isinstance(mask, RaggedTensor):
            mask = convert_to_tensor(mask, name='mask')
            if mask.shape.ndims == 1:
                return gather(data, where(mask)[:, 0]) if isinstance(data, RaggedTensor) \
                    else dense_mask(data, mask)
            mask = RaggedTensor.from_tensor(mask, ragged_rank=mask.shape.ndims - 1)
        if not isinstance(data, RaggedTensor):
            data = RaggedTensor.from_tensor(data, ragged_rank=mask.ragged_rank)
        if isinstance(mask.values, RaggedTensor):
            return mask.with_values(boolean_mask(data.values, mask.values))
        with control_dependencies([assert_equal(data.row_splits, mask.row_splits)]):
            kept = identity(mask.values)
        lengths = segments.unsorted_segment_sum(cast(kept, mask.row_splits.dtype),
                                                mask.value_rowids(), mask.nrows())
        return RaggedTensor(boolean_mask(data.values, kept), rows.splits_of_lengths(lengths),
                            internal=True)


__all__ = ['boolean_mask', 'concat', 'elementwise', 'expand_dims', 'gather', 'get_item',
           'map_flat_list', 'map_flat_values', 'reduce', 'row', 'stack']
