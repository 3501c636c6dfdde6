"""tf.reduce_join: strings of a tensor glued together along dimensions."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.ops import constants

__all__ = ['reduce_join']


class ReduceJoin(Op):
    """The strings along some dimensions, glued together; the first of these runs fastest."""

    signature = 'inputs: string, reduction_indices: int32 -> output: string'
    attrs = {'keep_dims': False, 'separator': ''}
    static = {'reduction_indices': (0, 1)}
    gradient = NOT_DIFFERENTIABLE

    def shape(inputs, reduction_indices, *, keep_dims):
        axes = _axes(reduction_indices, len(inputs))
        if axes is None:
            return (None,) * len(inputs) if keep_dims else None
        kept = [1 if i in axes else n for i, n in enumerate(inputs) if keep_dims or i not in axes]
        return tuple(kept)

    def kernel(inputs, reduction_indices, *, keep_dims, separator):
        axes = _axes(reduction_indices, inputs.ndim)
        kept = [i for i in range(inputs.ndim) if i not in axes]
        sizes = tuple([inputs.shape[i] for i in kept])
        count = int(np.prod([inputs.shape[i] for i in axes], dtype=np.int64))
        rows = inputs.transpose(kept + axes[::-1]).reshape(int(np.prod(sizes, dtype=int)), count)
        between = separator.encode() if isinstance(separator, str) else separator
        result = np.empty(len(rows), object)
        result[:] = [between.join(row) for row in rows.tolist()]
        shape = [1 if i in axes else n for i, n in enumerate(inputs.shape)] if keep_dims else sizes
        return result.reshape(shape)


def _axes(indices, rank):
    """The dimensions, counted from 0, or None. ValueError if there are none such."""
    indices = (indices,) if isinstance(indices, int) else indices
    if indices is None or None in indices:
        return None
    for i in indices:
        if not -rank <= i < rank:
            raise ValueError(f'Invalid reduction dimension {i} for input with {rank} '
                             f'dimension{"s" * (rank != 1)}')
    axes = [i % rank for i in indices]
    if len(set(axes)) < len(axes):
        raise ValueError(f'Duplicate reduction dimension in {list(indices)}')
    return axes


def reduce_join(inputs, axis=None, keep_dims=None, separator='', name=None,
                reduction_indices=None, keepdims=None):
    """The strings of `inputs` along `axis`, glued together with `separator` between.

    Shapes: inputs [*a] -> [*a without axis]. `axis` is a dimension, or several, of which the first
    runs fastest; without it all are joined, the last running fastest.
    """
    axis = reduction_indices if axis is None else axis
    keep = keep_dims if keepdims is None else keepdims
    with name_scope(name, 'ReduceJoin', [inputs, axis]):
        inputs = convert_to_tensor(inputs, dtypes.string)
        if axis is None:
            rank = inputs.shape.ndims
            if rank is None:
                axis = constants.range(constants.rank(inputs) - 1, -1, -1)
            else:
                axis = constants.constant(np.arange(rank - 1, -1, -1), dtypes.int32)
        return ReduceJoin.apply(inputs, axis, keep_dims=bool(keep), separator=separator)
