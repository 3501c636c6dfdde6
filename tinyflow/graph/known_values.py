"""tf.get_static_value, tf.dimension_value, tf.dimension_at_index: static values for programs."""
from __future__ import annotations

from tinyflow.graph import shapes
from tinyflow.graph.constant_value import constant_value


def get_static_value(tensor, partial=False):
    """The value of a tensor as an array if constants and static shapes determine it, else None."""
    value = constant_value(tensor)
    return None if value is None else value.copy()


def dimension_value(dimension):
    """The size of a Dimension as an int or None; an int or None is returned unchanged."""
    return dimension.value if isinstance(dimension, shapes.Dimension) else dimension


def dimension_at_index(shape, index):
    """The Dimension of a shape at an index; an unknown Dimension if the rank is unknown."""
    shape = shapes.as_shape(shape)
    return shapes.Dimension(None) if shape.raw is None else shape.dims[index]


__all__ = ['dimension_at_index', 'dimension_value', 'get_static_value']
