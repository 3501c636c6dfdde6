"""Properties of tensors: kind, static shape, number of elements."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from tinyflow.graph.support.errors import misuse

__all__ = [
    'count_params', 'int_shape', 'is_keras_tensor', 'is_placeholder', 'is_sparse', 'is_tensor',
    'is_variable', 'ndim',
]


def is_placeholder(x):
    """True for a placeholder."""
    op = getattr(x, 'op', None)
    return getattr(op, 'type', None) in ('Placeholder', 'PlaceholderV2')


def is_variable(x):
    """True for a Variable."""
    return isinstance(x, tf.Variable)


def is_tensor(x):
    """True for a Tensor, SparseTensor or Variable."""
    return tf.contrib.framework.is_tensor(x)


def is_sparse(tensor):
    """True for a SparseTensor."""
    return isinstance(tensor, tf.SparseTensor)


def is_keras_tensor(x):
    """True for an output of an Input or a Keras layer. ValueError for anything but a tensor."""
    if not isinstance(x, (tf.Tensor, tf.Variable, tf.SparseTensor)):
        raise misuse(ValueError(f'Unexpectedly found an instance of type `{type(x)}`. Expected a '
                                'symbolic tensor instance.'))
    return getattr(x, '_keras_history', None) is not None


def int_shape(x):
    """The static shape as a tuple of int and None; None where even the rank is unknown.

    Of a sparse Input it is the shape that was given, which the graph does not know.
    """
    declared = getattr(x, '_keras_shape', None)
    if declared is not None:
        return declared
    try:
        shape = x.shape
        if not isinstance(shape, tuple):
            shape = tuple(shape.as_list())
        return shape
    except ValueError:
        return None


def ndim(x):
    """The number of dimensions; None where unknown."""
    return x.shape.ndims


def count_params(x):
    """The number of elements of a tensor of known shape."""
    return int(np.prod(int_shape(x), dtype=np.int64))
