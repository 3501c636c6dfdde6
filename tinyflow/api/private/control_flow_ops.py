"""tensorflow.python.ops.control_flow_ops: what of it has no public name."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import colocate_with, control_dependencies, name_scope
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.ops.array.identity_and_cast import identity

__all__ = ['with_dependencies']


def with_dependencies(dependencies, output_tensor, name=None):
    """The value of `output_tensor` after all of `dependencies` have run.

    Shapes: output_tensor [*a] -> [*a]; of an IndexedSlices, its values are passed on.
    """
    with name_scope(name, 'control_dependency') as scope, colocate_with(output_tensor), \
            control_dependencies(dependencies):
        if isinstance(output_tensor, IndexedSlices):
            return IndexedSlices(identity(output_tensor.values, name=scope),
                                 output_tensor.indices, output_tensor.dense_shape)
        return identity(convert_to_tensor(output_tensor), name=scope)
