"""Classes and functions of tensorflow.python that have another public name."""
from __future__ import annotations

from tinyflow.formats.wire.events import summary_iterator
from tinyflow.graph.shapes import Dimension, TensorShape
from tinyflow.ops.variables.partitioned_variable import PartitionedVariable
from tinyflow.ops.variables.variable import Variable as RefVariable, Variable as VariableV1
from tinyflow.train.summary.writer import FileWriterCache as SummaryWriterCache

__all__ = ['PartitionedVariable', 'RefVariable', 'SummaryWriterCache', 'VariableV1', 'as_dimension',
           'as_shape', 'matrix', 'scalar', 'summary_iterator', 'unknown_shape', 'vector']


def unknown_shape(ndims=None, rank=None):
    """A TensorShape of which only the number of dimensions is known, or not even that."""
    size = ndims if rank is None else rank
    return TensorShape(None if size is None else [None] * size)


def as_shape(shape):
    """The TensorShape of a shape in any form."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def as_dimension(value):
    """The Dimension of a size, which may be None."""
    return value if isinstance(value, Dimension) else Dimension(value)


def scalar():
    """The TensorShape []."""
    return TensorShape([])


def vector(length):
    """The TensorShape [length]."""
    return TensorShape([length])


def matrix(rows, cols):
    """The TensorShape [rows, cols]."""
    return TensorShape([rows, cols])
