"""Update rules for resource Variables, which optimizers of programs may have besides the others.

    _resource_apply_dense(grad, var)            by default _apply_dense
    _resource_apply_sparse(grad, var, indices)  for rows without duplicate indices
    _resource_apply_sparse_duplicate_indices(grad, var, indices)    for any rows
"""
from __future__ import annotations

from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.op import nodes
from tinyflow.ops.array import constants
from tinyflow.ops.variables.variable import is_resource_variable


class ResourceRules:
    """The part of Optimizer that chooses the rule for a Variable."""

    def _update_dense(self, grad, var):
        rule = self._resource_apply_dense if is_resource_variable(var) else self._apply_dense
        return rule(grad, var)

    def _update_rows(self, grad, var):
        if is_resource_variable(var) and any(
                getattr(type(self), name) is not getattr(ResourceRules, name)
                for name in ('_resource_apply_sparse', '_resource_apply_sparse_duplicate_indices')):
            return self._resource_apply_sparse_duplicate_indices(grad.values, var, grad.indices)
        return self._apply_sparse_duplicate_indices(grad, var)

    def _resource_apply_dense(self, grad, handle):
        return self._apply_dense(grad, handle)

    def _resource_apply_sparse(self, grad, handle, indices):
        return self._apply_sparse(IndexedSlices(grad, indices, handle.shape.as_list()), handle)

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        rows = summed(IndexedSlices(grad, indices))
        return self._resource_apply_sparse(rows.values, handle, rows.indices)

    def _resource_scatter_add(self, x, i, v):
        """Adds the rows v at the indices i; returns the new value of the Variable."""
        return x.scatter_rows('Add', i, v)


def summed(grad):
    """The IndexedSlices with rows of equal index added up."""
    indices, positions = nodes.Unique(grad.indices)
    count = constants.shape(indices)[0]
    values = nodes.UnsortedSegmentSum(grad.values, positions, count)
    return IndexedSlices(values, indices, grad.dense_shape)
