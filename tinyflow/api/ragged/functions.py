"""What functions of tf give of ragged tensors: their values, joined, tiled, masked, divided."""
from __future__ import annotations

from tinyflow.api.ragged import indexing, reductions, rows
from tinyflow.api.ragged.tensor import RaggedTensor
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, gathering, joining, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast, identity
from tinyflow.ops.array.sorting import argsort
from tinyflow.ops.array.where_onehot import (
    boolean_mask as dense_mask,
    one_hot as dense_one_hot,
    where,
)
from tinyflow.ops.checks.value_checks import assert_equal
from tinyflow.ops.math import arithmetic, segments


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


def expand_dims(x, axis, name=None):
    """A new axis of length 1."""
    rank = x.shape.ndims
    if not -rank - 1 <= axis <= rank:
        raise misuse(ValueError(f'axis={axis} out of bounds: expected '
                                f'{-rank - 1}<=axis<{rank + 1}'))
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
        parts = [v if isinstance(v, RaggedTensor) else _ragged(v, rank) for v in values]
        for part in parts[1:]:
            if part.shape.ndims != parts[0].shape.ndims:
                raise misuse(ValueError(f'Shape {part.shape} must have rank '
                                        f'{parts[0].shape.ndims}'))
        axis = reductions.positive(axis, parts[0])
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
            mixed = indexing.gather(_one_after_the_other(parts), shaping.reshape(order, [-1]))
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


def _ragged(x, rank):
    x = convert_to_tensor(x)
    if x.shape.ndims is not None and x.shape.ndims <= rank:
        raise misuse(ValueError(f'Shape {x.shape} must have rank {rank + 1}'))
    return RaggedTensor.from_tensor(x, ragged_rank=rank)


def stack(values, axis=0, name=None):
    """Tensors, ragged or not, along a new axis; ragged if one of them is."""
    if not any(isinstance(v, RaggedTensor) for v in values):
        return joining.stack(values, axis, name)
    with name_scope(name, 'RaggedConcat'):
        parts = [v if isinstance(v, RaggedTensor) else convert_to_tensor(v) for v in values]
        rank = max([v.ragged_rank for v in parts if isinstance(v, RaggedTensor)], default=1)
        parts = [v if isinstance(v, RaggedTensor) else RaggedTensor.from_tensor(
            v, ragged_rank=rank) for v in parts]
        return concat([expand_dims(v, axis) for v in parts], axis)


def boolean_mask(data, mask, name=None):
    """The values where the mask is true; with a mask of rank 2 or more, in ragged rows.

    Raises ValueError for a mask of rank 0.
    """
    with name_scope(name, 'RaggedMask'):
        if not isinstance(mask, RaggedTensor):
            mask = convert_to_tensor(mask, name='mask')
            if mask.shape.ndims == 0:
                raise misuse(ValueError('mask cannot be scalar.'))
            if mask.shape.ndims == 1:
                return indexing.gather(data, where(mask)[:, 0]) \
                    if isinstance(data, RaggedTensor) else dense_mask(data, mask)
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


def ragged_where(condition, x=None, y=None, name=None):
    """The places where `condition` is true; or x there, y elsewhere.

    A condition that is a vector chooses among the rows of x and y.
    """
    if (x is None) != (y is None):
        raise misuse(ValueError('x and y must both be non-None or both be None.'))
    with name_scope(name, 'RaggedWhere', [condition, x, y]):
        if x is None:
            return dense_mask(condition.to_sparse().indices, condition.flat_values)
        if isinstance(condition, RaggedTensor):
            return map_flat_values(where, condition, x, y)
        condition = convert_to_tensor(condition, dtypes.bool, name='condition')
        count = x.nrows()
        places = constants.range(count)
        return indexing.gather(_one_after_the_other([x, y]),
                               where(condition, places, places + count))


def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """The one-hot vector of each index, behind the rows (axis=-1)."""
    if axis is not None and -1 < axis <= indices.ragged_rank:
        axis = -1 if axis == indices.ragged_rank else axis
        if axis != -1:
            raise misuse(ValueError('axis must be greater than indices.ragged_rank.'))
    inner = axis if axis in (None, -1) else axis - indices.ragged_rank
    return indices.with_flat_values(dense_one_hot(indices.flat_values, depth, on_value, off_value,
                                                  inner, dtype, name))


def tile(input, multiples, name=None):
    """The tensor, `multiples[i]` times along each axis i."""
    with name_scope(name, 'RaggedTile', [input, multiples]):
        kind = input.row_splits.dtype
        multiples = cast(convert_to_tensor(multiples, name='multiples'), kind)
        rank = input.shape.ndims
        return _tiled(input, [multiples[i] for i in range(rank)])


def _tiled(x, times):
    if not isinstance(x, RaggedTensor):
        return joining.tile(x, joining.stack(times))
    one = constants.constant(1, x.row_splits.dtype)
    values = _tiled(x.values, [one, *times[2:]]) if len(times) > 2 else x.values
    lengths = x.row_lengths()
    ids, columns, splits = rows.places_of_lengths(lengths * times[1])
    columns = columns % gathering.gather(lengths, ids)
    x = RaggedTensor(indexing.gather(values, gathering.gather(x.row_starts(), ids) + columns),
                     splits, internal=True)
    count = x.nrows()
    return indexing.gather(x, constants.range(count * times[0])
                           % arithmetic.maximum(count, constants.constant(1, count.dtype)))


def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Without the axes in `axis`, each of which must have the length 1.

    Raises ValueError without an axis, InvalidArgumentError for other lengths.
    """
    axis = squeeze_dims if axis is None else axis
    if axis is None:
        raise misuse(ValueError('Ragged.squeeze must have an axis argument.\n  Hint: lengths are '
                                'not known before the graph runs.'))
    chosen = axis if isinstance(axis, (list, tuple)) else [axis]
    with name_scope(name, 'RaggedSqueeze', [input]):
        for one in sorted((reductions.positive(a, input) for a in chosen), reverse=True):
            input = _squeezed(input, one) if isinstance(input, RaggedTensor) else \
                shaping.squeeze(input, [one])
        return input


def _squeezed(x, axis):
    if axis > 1:
        inner = x.values
        return x.with_values(_squeezed(inner, axis - 1) if isinstance(inner, RaggedTensor)
                             else shaping.squeeze(inner, [axis - 1]))
    lengths = x.row_lengths() if axis else x.nrows()
    check = assert_equal(lengths, constants.constant(1, lengths.dtype),
                         message=f'the given axis (axis = {axis}) is not squeezable!')
    values = x.values
    with control_dependencies([check] if check is not None else []):
        return values.with_flat_values(identity(values.flat_values)) \
            if isinstance(values, RaggedTensor) else identity(values)


def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """Row i has the elements of `data` whose partition is i, in their order.

    Shapes: data [*a, *b], partitions [*a] of ints below num_partitions, ragged or not
    -> RaggedTensor [num_partitions, (elements), *b].
    """
    with name_scope(name, 'SegmentStack', [data, partitions]):
        if not isinstance(partitions, RaggedTensor):
            partitions = convert_to_tensor(partitions, name='partitions')
            data = data if isinstance(data, RaggedTensor) else convert_to_tensor(data, name='data')
            rank = partitions.shape.ndims
            if rank is None:
                raise misuse(ValueError('partitions must have known rank'))
            if rank == 0:
                data, partitions = joining.stack([data]), joining.stack([partitions])
            elif rank > 1:
                if isinstance(data, RaggedTensor):
                    partitions = RaggedTensor.from_tensor(partitions, ragged_rank=rank - 1)
                else:
                    sizes = shape_ops.shape(data)[rank:]
                    data = shaping.reshape(data, joining.concat([[-1], sizes], 0))
                    partitions = shaping.reshape(partitions, [-1])
        if isinstance(partitions, RaggedTensor):
            if not isinstance(data, RaggedTensor):
                data = RaggedTensor.from_tensor(data, ragged_rank=partitions.ragged_rank)
            check = assert_equal(data.row_splits, partitions.row_splits)
            with control_dependencies([check] if check is not None else []):
                return stack_dynamic_partitions(data.values, partitions.values, num_partitions)
        order = argsort(partitions, stable=True)
        ids = cast(gathering.gather(partitions, order), dtypes.int64)
        return RaggedTensor.from_value_rowids(indexing.gather(data, order), ids, num_partitions)


def dynamic_partition(data, partitions, num_partitions, name=None):
    """A list with the elements of `data` of each partition, ragged where `data` is."""
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise misuse(TypeError('num_partitions must be a non-negative integer.'))
    found = stack_dynamic_partitions(data, partitions, num_partitions, name)
    return [indexing.row(found, i) for i in range(num_partitions)]


__all__ = ['boolean_mask', 'concat', 'dynamic_partition', 'expand_dims', 'map_flat_list',
           'map_flat_values', 'one_hot', 'ragged_where', 'squeeze', 'stack',
           'stack_dynamic_partitions', 'tile']
