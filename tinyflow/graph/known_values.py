"""What is known of tensors and dimensions while the graph is built, as functions."""
from __future__ import annotations

from tinyflow.graph import shapes
from tinyflow.graph.constant_value import constant_value


def get_static_value(tensor, partial=False):
    """The value of a tensor as an array if constants and static shapes tell it, else None."""
    found = constant_value(tensor)
    return None if found is None else found.copy()


def dimension_value(dimension):
    """The size of a Dimension as an int or None; an int or None stays itself."""
    return dimension.value if isinstance(dimension, shapes.Dimension) else dimension


def dimension_at_index(shape, index):
    """The Dimension of a shape at an index; an unknown one if the rank is unknown."""
    shape = shapes.as_shape(shape)
    return shapes.Dimension(None) if shape.raw is None else shape.dims[index]


__all__ = ['dimension_at_index', 'dimension_value', 'get_static_value']
