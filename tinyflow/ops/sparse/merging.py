"""sparse_reorder, and sparse_merge of ids and values."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import Op
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    indexing,
    joining,
    shaping,
)

__all__ = ['sparse_merge', 'sparse_reorder']


class SparseReorder(Op):
    """Sorts the entries of a sparse tensor in row-major order."""

    signature = ('input_indices: int64, input_values: T, input_shape: int64 -> '
                 'output_indices: int64, output_values: T')

    def shape(input_indices, input_values, input_shape):
        return [input_indices, input_values]

    def kernel(input_indices, input_values, input_shape):
        order = np.lexsort(input_indices.T[::-1]) if input_indices.shape[1] else \
            np.arange(len(input_indices))
        return input_indices[order], input_values[order]

    def gradient(op, indices_gradient, values_gradient):
        # Reordering the entry numbers shows where each value went.
        count = constants.size(op.inputs[1], out_type=dtypes.int64)
        numbers = SparseTensor(op.inputs[0], constants.range(count), op.inputs[2])
        back = indexing.invert_permutation(sparse_reorder(numbers).values)
        return None, gathering.gather(values_gradient, back), None


def sparse_reorder(sp_input, name=None):
    """The same SparseTensor with its entries in row-major order. Shapes: [*a] -> [*a]."""
    sp_input = _checked(sp_input)
    indices, values = SparseReorder.apply(sp_input.indices, sp_input.values, sp_input.dense_shape,
                                          name=name)
    shape = sp_input.get_shape()
    dense_shape = shape.as_list() if shape.is_fully_defined() else \
        identity_and_cast.Identity.apply(sp_input.dense_shape)
    return SparseTensor(indices, values, dense_shape)


def _checked(value):
    if hasattr(value, 'dense_shape'):
        return SparseTensor.from_value(value)
    raise misuse(TypeError('Input must be a SparseTensor.'))


def sparse_merge(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
    """The SparseTensor that has the values of `sp_values` at the ids in `sp_ids`.

    Shapes: sp_ids and sp_values [batch, n] -> [batch, vocab_size]; a list of k ids and sizes gives
    [batch, *vocab_size].
    """
    if hasattr(sp_ids, 'dense_shape'):
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    elif not isinstance(vocab_size, (list, tuple)) or len(sp_ids) != len(vocab_size):
        raise misuse(ValueError('sp_ids and vocab_size have to have equal lengths.'))
    with name_scope(name, 'SparseMerge', [sp_values]):
        sp_ids, sp_values = [_checked(ids) for ids in sp_ids], _checked(sp_values)
        columns = [shaping.expand_dims(_int64(ids.values), axis=1) for ids in sp_ids]
        sizes = [constants.cast(size, dtypes.int64) for size in vocab_size]
        indices = joining.concat([sp_ids[0].indices[:, :-1], *columns], 1)
        shape = joining.concat([sp_ids[0].dense_shape[:-1], sizes], 0)
        merged = SparseTensor(indices, sp_values.values, shape)
        if already_sorted:
            return merged
        ordered = sparse_reorder(merged)
        return SparseTensor(ordered.indices, ordered.values, shape)


def _int64(values):
    return values if values.dtype is dtypes.int64 else constants.cast(values, dtypes.int64)
