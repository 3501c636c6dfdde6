"""sparse_transpose, sparse_expand_dims and sparse_reset_shape."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.op import nodes
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
    slicing,
    where_v2,
)
from tinyflow.ops.checks import value_checks
from tinyflow.ops.math import arithmetic, reduction
from tinyflow.ops.sparse import merging as sparse_merging
from tinyflow.ops.sparse.entries import checked_sparse

__all__ = ['sparse_expand_dims', 'sparse_reset_shape', 'sparse_transpose']


def sparse_transpose(sp_input, perm=None, name=None):
    """The axes of a SparseTensor in the order `perm`, or reversed.

    Shapes: sp_input [*a] -> SparseTensor [*a in the order perm].
    """
    with name_scope(name, 'SparseTranspose', [sp_input]):
        sp_input = checked_sparse(sp_input)
        if perm is None:
            return _reversed_axes(sp_input)
        indices = _permuted(sp_input, perm)
        raw, known = sp_input.raw_shape, static_value(convert_to_tensor(perm))
        if isinstance(known, tuple) and None not in known and raw is not None \
                and None not in raw:
            shape = [raw[axis] for axis in known]
        else:
            shape = nodes.GatherV2(sp_input.dense_shape, perm, 0)
        return sparse_merging.sparse_reorder(SparseTensor(indices, sp_input.values, shape))


def _reversed_axes(sp_input):
    rank = shape_ops.Size.apply(sp_input.dense_shape, out_type=dtypes.int32, name='Rank')
    perm = (rank - 1) - constants.range(0, rank, 1)
    indices = _permuted(sp_input, perm)
    shape = nodes.GatherV2(sp_input.dense_shape, perm, 0)
    indices, values = sparse_merging.SparseReorder.apply(indices, sp_input.values, shape)
    return SparseTensor(indices, values, identity_and_cast.identity(shape))


def _permuted(sp_input, perm):
    return shaping.transpose(nodes.GatherV2(shaping.transpose(sp_input.indices), perm, 0))


def sparse_expand_dims(sp_input, axis=None, name=None):
    """The SparseTensor with a new axis of size 1 before `axis` (the last one by default).

    Shapes: sp_input [*a, *b] -> SparseTensor [*a, 1, *b].
    """
    sp_input = checked_sparse(sp_input)
    rank = sp_input.dense_shape.raw_shape
    if rank is None or rank[0] is None:
        raise misuse(ValueError('sparse_expand_dims needs a SparseTensor of known rank.'))
    axis = -1 if axis is None else axis
    with name_scope(name, 'expand_dims', [sp_input]):
        axis = convert_to_tensor(axis, name='axis')
        axis = where_v2.where_v2(axis >= 0, axis, axis + rank[0] + 1)
        indices, shape = sp_input.indices, sp_input.dense_shape
        column = constants.zeros([shape_ops.shape(indices)[0], 1], dtypes.int64)
        indices = joining.concat([slicing.slice(indices, [0, 0], [-1, axis]), column,
                                  slicing.slice(indices, [0, axis], [-1, -1])], 1)
        before = slicing.slice(shape, [0], [axis])
        after = slicing.slice(shape, [axis], [-1])
        one = convert_to_tensor([1], dtypes.int64, 'new_shape')
        return SparseTensor(indices, sp_input.values, joining.concat([before, one, after], 0))


def sparse_reset_shape(sp_input, new_shape=None):
    """The SparseTensor with another dense shape: `new_shape`, or the smallest that fits.

    Shapes: sp_input [*a] -> SparseTensor [*new_shape], no dimension smaller than in *a.
    ValueError or InvalidArgumentError otherwise.
    """
    sp_input = checked_sparse(sp_input)
    indices = identity_and_cast.identity(sp_input.indices)
    values = identity_and_cast.identity(sp_input.values)
    shape = identity_and_cast.identity(sp_input.dense_shape)
    if new_shape is None:
        largest = reduction.reduce_max(indices, 0)
        zero = constants.constant(0, dtypes.int64)
        dense_shape = arithmetic.maximum(zero, arithmetic.add(largest, constants.ones_like(shape)))
        return SparseTensor(indices, values, dense_shape)
    dense_shape = convert_to_tensor(new_shape)
    if dense_shape.raw_shape is not None and len(dense_shape.raw_shape) != 1:
        raise misuse(ValueError(f'new_shape must have rank 1, not {len(dense_shape.raw_shape)}'))
    dense_shape = constants.cast(dense_shape, dtypes.int64)
    raw, known = sp_input.raw_shape, static_value(dense_shape)
    if raw is not None and None not in raw and isinstance(known, tuple) and None not in known:
        if len(raw) != len(known) or any(x > y for x, y in zip(raw, known)):
            raise misuse(ValueError(
                'Requested new_shape should have dimension sizes >= sp_input.shape.  Found '
                f'new_shape ({list(known)}), sp_input.shape ({list(raw)}).'))
        return SparseTensor(indices, values, list(known))
    dense_shape = _checked(value_checks.assert_equal, shape_ops.shape(shape),
                           shape_ops.shape(dense_shape), dense_shape)
    dense_shape = _checked(value_checks.assert_less_equal, shape, dense_shape, dense_shape)
    return SparseTensor(indices, values, dense_shape)


def _checked(check, x, y, value):
    """`value`, after the check of x and y."""
    with control_dependencies([check(x, y)]):
        return identity_and_cast.identity(value, name='control_dependency')
