"""embedding_lookup: rows of an embedding table, which may be partitioned."""
from __future__ import annotations

from tinyflow.graph import shapes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import colocate_with, name_scope
from tinyflow.graph.dtypes import int32
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    indexing,
    joining,
    shape_ops,
    shaping,
    unique,
)
from tinyflow.ops.array.unique import DynamicStitch
from tinyflow.ops.math import arithmetic, clip, reduction


class ParallelDynamicStitch(DynamicStitch):
    """DynamicStitch under the name that TF uses if no index occurs twice."""


def embedding_lookup(params, ids, partition_strategy='mod', name=None, validate_indices=True,
                     max_norm=None):
    """The rows of `params` at `ids`: the embedding vector of each id.

    Shapes: params [rows, *row], or a list of partitions; ids [*a] -> [*a, *row]. With n partitions
    row i is in partition i % n ('mod'), or each has a contiguous range of rows ('div'). `max_norm`
    clips each vector. ValueError for no params or an unknown strategy.
    """
    if params is None:
        raise misuse(ValueError('embedding_lookup: params must be specified'))
    if isinstance(params, (list, tuple)):
        params = list(params)
    elif hasattr(params, '_get_variable_list'):
        params = params._get_variable_list()            # a PartitionedVariable
    else:
        params = [params]
    if not params:
        raise misuse(ValueError('embedding_lookup: Need at least one param'))
    with name_scope(name, 'embedding_lookup', [*params, ids]) as scope:
        if not all(hasattr(p, 'handle') for p in params):           # else only the rows are read
            params = [convert_to_tensor(p, name='params' if len(params) == 1 else f'params_{i}')
                      for i, p in enumerate(params)]
        ids = convert_to_tensor(ids, name='ids')
        if len(params) == 1:
            with colocate_with(params[0]):
                rows = _clipped(gathering.gather(params[0], ids, name=scope), ids, max_norm)
            return identity_and_cast.identity(rows)
        return _from_parts(params, ids, partition_strategy, max_norm, scope)


def _clipped(rows, ids, max_norm):
    if max_norm is None:
        return rows
    if ids.raw_shape is not None and rows.raw_shape is not None:
        axes = list(range(len(ids.raw_shape), len(rows.raw_shape)))
    else:
        axes = constants.range(shape_ops.rank(ids), shape_ops.rank(rows))
    return clip.clip_by_norm(rows, max_norm, axes=axes)


def _from_parts(params, ids, strategy, max_norm, name):
    """Gathers the rows of each partition, then stitches them in the order of the ids."""
    flat = shaping.reshape(ids, [-1])
    positions = constants.range(shape_ops.size(flat))
    if strategy == 'mod':
        part, row = flat % len(params), flat // len(params)
    elif strategy == 'div':
        part, row = _runs(params, flat)
    else:
        raise misuse(ValueError(f'Unrecognized partition strategy: {strategy}; it is '
                                "'mod' or 'div'."))
    part = identity_and_cast.cast(part, int32)
    rows_of_part = unique.dynamic_partition(row, part, len(params))
    where = unique.dynamic_partition(positions, part, len(params))
    found = []
    for param, rows in zip(params, rows_of_part):
        with colocate_with(param):
            found.append(gathering.gather(param, rows))
    result = ParallelDynamicStitch.apply(where, found, name=name)
    row_shape = _row_shape(params)
    if row_shape is not None and constant_value(ids) is not None:
        result.set_shape((constant_value(ids).size, *row_shape))
    if row_shape is None:
        with colocate_with(params[0]):
            shape = shape_ops.shape(params[0])
        tail = shape[1:]
    else:
        tail = list(row_shape)
    result = shaping.reshape(result, joining.concat([shape_ops.shape(ids), tail], 0))
    if ids.raw_shape is not None and row_shape is not None:
        result.set_shape(ids.raw_shape + row_shape)
    return _clipped(result, ids, max_norm)


def _raw_shape(part):
    """The static shape of a tensor, or of a resource variable, as a tuple."""
    return shapes.raw(part.shape)


def _row_shape(params):
    """The static shape of a row, if it is known for every partition."""
    known = [raw[1:] for raw in map(_raw_shape, params) if raw is not None
             and None not in raw[1:]]
    return known[0] if len(known) == len(params) else None


def _runs(params, ids):
    """(partition, row) of each id for 'div'; the first partitions are one row longer."""
    total = _total_rows(params, ids.dtype)
    short = total // len(params)
    extras = total % len(params)
    part = arithmetic.maximum(ids // (short + 1), (ids - extras) // short)
    row = indexing.where(part < extras, ids % (short + 1), (ids - extras) % short)
    return part, row


def _total_rows(params, dtype):
    sizes = [raw[0] if raw else None for raw in map(_raw_shape, params)]
    if None not in sizes:
        return constants.constant(sum(sizes), dtype)
    counts = []
    for param in params:
        with colocate_with(param):
            counts.append(shape_ops.shape(param)[0])
    return reduction.reduce_sum(joining.stack([identity_and_cast.cast(c, dtype) for c in counts]))


__all__ = ['embedding_lookup']
