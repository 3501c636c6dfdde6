"""The public functions of slicing, gathering, where_onehot and similar modules, in one place."""
from tinyflow.ops.array.gathering import (
    batch_gather,
    gather,
    gather_nd,
    scatter_nd,
    tensor_scatter_add,
    tensor_scatter_nd_add,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
    tensor_scatter_sub,
    tensor_scatter_update,
)
from tinyflow.ops.array.slicing import slice, strided_slice
from tinyflow.ops.array.sorting import argsort, sort
from tinyflow.ops.array.unique import (
    dynamic_partition,
    dynamic_stitch,
    invert_permutation,
    searchsorted,
    setdiff1d,
    unique,
    unique_with_counts,
)
from tinyflow.ops.array.where_onehot import boolean_mask, one_hot, repeat, sequence_mask, where

__all__ = [
    'argsort', 'batch_gather', 'boolean_mask', 'dynamic_partition', 'dynamic_stitch', 'gather',
    'gather_nd', 'invert_permutation', 'one_hot', 'repeat', 'scatter_nd', 'searchsorted',
    'sequence_mask', 'setdiff1d', 'slice', 'sort', 'strided_slice', 'tensor_scatter_add',
    'tensor_scatter_nd_add', 'tensor_scatter_nd_sub', 'tensor_scatter_nd_update',
    'tensor_scatter_sub', 'tensor_scatter_update', 'unique', 'unique_with_counts', 'where',
]
