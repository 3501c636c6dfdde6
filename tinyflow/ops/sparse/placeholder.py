"""sparse_placeholder: a SparseTensor that every run must feed."""
from __future__ import annotations

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.operation import Tensor
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.ops.array import placeholders


def sparse_placeholder(dtype, shape=None, name=None):
    """A SparseTensor to feed: {x: tf.SparseTensorValue(indices, values, dense_shape)}, or a tuple.

    Shapes: -> dense shape [*shape]; with shape None, or None inside, the shape is fed as well.
    """
    def named(part):
        return None if name is None else f'{name}/{part}'

    dense_shape, rank = _dense_shape(shape, named('shape'))
    values = placeholders.placeholder(dtype, [None], named('values'))
    indices = placeholders.placeholder(dtypes.int64, [None, rank], named('indices'))
    return SparseTensor(indices, values, dense_shape)


def _dense_shape(shape, name):
    """The shape as a tensor: a constant if it is fully known, else a placeholder; and the rank."""
    if shape is None:
        return placeholders.placeholder(dtypes.int64, [None], name), None
    if isinstance(shape, Tensor):
        known = static_value(shape)
        return shape, len(known) if isinstance(known, tuple) else None
    raw = shapes.raw(shape)
    if raw is None:
        return placeholders.placeholder(dtypes.int64, [None], name), None
    if None in raw:
        return placeholders.placeholder(dtypes.int64, [len(raw)], name), len(raw)
    return convert_to_tensor(list(raw), dtypes.int64, name), len(raw)


__all__ = ['sparse_placeholder']
