"""Classes and functions of tensorflow.python that have another public name."""
from __future__ import annotations

from tinyflow.formats.wire.events import summary_iterator
from tinyflow.graph.shapes import TensorShape
from tinyflow.ops.variables.partitioned_variable import PartitionedVariable
from tinyflow.ops.variables.variable import Variable as VariableV1

__all__ = ['PartitionedVariable', 'VariableV1', 'summary_iterator', 'unknown_shape']


def unknown_shape(ndims=None, rank=None):
    """A TensorShape of which only the number of dimensions is known, or not even that."""
    size = ndims if rank is None else rank
    return TensorShape(None if size is None else [None] * size)
