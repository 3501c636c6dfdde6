"""all_reduce: the sums of many tensors over all workers, in few messages.

Small gradients are written one after the other into a flat buffer, a bucket, and added up
together: a message costs tens of microseconds, whatever its size.
"""
from __future__ import annotations

import numpy as np

from tinyflow.cluster.collective_ops import CollectiveGather, CollectiveReduce
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.op import nodes

__all__ = ['BUCKET', 'all_reduce']

BUCKET = 32 << 20           # bytes


def all_reduce(values, workers):
    """The sum of each value over the workers; IndexedSlices are gathered instead.

    Values of known shapes are put into buckets in the order of their creation, which is that of the
    backward pass.
    """
    found = [None] * len(values)
    open_buckets = {}                   # dtype -> (positions, bytes)
    for position in sorted(range(len(values)), key=lambda i: _order(values[i])):
        value = values[position]
        if isinstance(value, IndexedSlices):
            found[position] = _gathered(value, workers)
        elif value.raw_shape is None or None in value.raw_shape:
            found[position] = CollectiveReduce.apply(value, group_size=workers)
        else:
            _add(open_buckets, position, value, found, values, workers)
    for positions, _ in open_buckets.values():
        _reduce(positions, found, values, workers)
    return found


def _order(value):
    return (value.values if isinstance(value, IndexedSlices) else value).op.id


def _gathered(slices, workers):
    rows = CollectiveGather.apply(slices.values, group_size=workers)
    indices = CollectiveGather.apply(slices.indices, group_size=workers)
    return IndexedSlices(rows, indices, slices.dense_shape)


def _add(open_buckets, position, value, found, values, workers):
    """Adds a value to the open bucket of its dtype, which is closed when it is full."""
    positions, size = open_buckets.get(value.dtype, ([], 0))
    own = _count(value) * value.dtype.size
    if positions and size + own > BUCKET:
        _reduce(positions, found, values, workers)
        positions, size = [], 0
    open_buckets[value.dtype] = [*positions, position], size + own


def _reduce(positions, found, values, workers):
    """Makes the nodes of one bucket."""
    if len(positions) == 1:
        found[positions[0]] = CollectiveReduce.apply(values[positions[0]], group_size=workers)
        return
    flat = nodes.ConcatV2([nodes.Reshape(values[i], [-1]) for i in positions], 0)
    total, start = CollectiveReduce.apply(flat, group_size=workers), 0
    for i in positions:
        end = start + _count(values[i])
        found[i] = nodes.Reshape(total[start:end], list(values[i].raw_shape))
        start = end


def _count(value):
    return int(np.prod(value.raw_shape, dtype=np.int64))
