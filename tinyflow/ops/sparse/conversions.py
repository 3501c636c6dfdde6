"""Dense to sparse and back, sparse_to_indicator, sparse_eye, and sparse_mask for IndexedSlices."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.ops.array import (
    constants,
    gathering,
    shape_ops,
    shaping,
    unique,
    where_onehot,
)
from tinyflow.ops.math import arithmetic, logic
from tinyflow.ops.sparse import merging as sparse_merging, to_dense as sparse_to_dense
from tinyflow.ops.sparse.entries import checked_sparse

__all__ = ['from_dense', 'sparse_eye', 'sparse_mask', 'sparse_tensor_to_dense',
           'sparse_to_indicator']


def sparse_tensor_to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """The Tensor of a SparseTensor, with `default_value` (0, or '') where it has no entry.

    Shapes: sp_input [*a] -> [*a]. With `validate_indices`, InvalidArgumentError where the indices
    are not in order or repeat: tf.sparse_reorder sorts them.
    """
    sp_input = checked_sparse(sp_input)
    if default_value is None:
        default_value = constants.zeros([], sp_input.dtype.base_dtype)
    return sparse_to_dense.sparse_to_dense(
        sp_input.indices, sp_input.dense_shape, sp_input.values, default_value, validate_indices,
        name)


def sparse_to_indicator(sp_input, vocab_size, name=None):
    """Multi-hot rows: for each row of ids a row of bools that is True at those ids.

    Shapes: sp_input [*a, n] of int32 or int64 -> [*a, vocab_size] bool.
    """
    sp_input = checked_sparse(sp_input)
    with name_scope(name, 'SparseToIndicator', [sp_input]) as scope:
        count = shape_ops.shape(sp_input.indices)[0]
        present = constants.fill(shaping.expand_dims(count, 0), True)
        flags = SparseTensor(sp_input.indices, present, sp_input.dense_shape)
        merged = sparse_merging.sparse_merge(sp_input, flags, vocab_size, scope)
        return sparse_tensor_to_dense(merged, False, False, scope)


def from_dense(tensor, name=None):
    """The SparseTensor of the elements other than 0 ('' for strings).

    Shapes: tensor [*a] -> SparseTensor [*a].
    """
    with name_scope(name, 'dense_to_sparse'):
        tensor = convert_to_tensor(tensor)
        zero = '' if tensor.dtype.base_dtype is dtypes.string else 0
        return _not_equal(tensor, constants.constant(zero, tensor.dtype.base_dtype))


def _not_equal(tensor, value):
    indices = where_onehot.where(logic.not_equal(tensor, value))
    values = gathering.gather_nd(tensor, indices)
    return SparseTensor(indices, values, shape_ops.shape(tensor, out_type=dtypes.int64))


def sparse_eye(num_rows, num_columns=None, dtype=dtypes.float32, name=None):
    """The identity matrix as a SparseTensor.

    Shapes: -> SparseTensor [num_rows, num_columns], square if num_columns is None.
    """
    with name_scope(name, 'eye', [num_rows, num_columns]):
        rows = _size(num_rows, 'num_rows')
        columns = rows if num_columns is None else _size(num_columns, 'num_columns')
        diagonal = arithmetic.minimum(rows, columns)
        diagonal_indices = constants.range(diagonal, dtype=dtypes.int64)
        indices = shaping.stack([diagonal_indices, diagonal_indices], axis=1)
        ones = constants.ones(diagonal, dtypes.as_dtype(dtype))
        return SparseTensor(indices, ones, [rows, columns])


def _size(value, name):
    return convert_to_tensor(value, dtypes.int64, name)


def sparse_mask(a, mask_indices, name=None):
    """The IndexedSlices `a` without the rows of `mask_indices`.

    Shapes: a rows [n, *b] with indices [n], mask_indices [m] -> rows [n - masked, *b].
    """
    with name_scope(name, 'sparse_mask', [a, mask_indices]) as scope:
        indices, rows = unique.setdiff1d(a.indices, mask_indices)
        return IndexedSlices(gathering.gather(a.values, rows, name=scope), indices, a.dense_shape)
