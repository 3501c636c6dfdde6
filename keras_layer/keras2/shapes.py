"""Shapes as tuples, which Keras 2.1's layers are given and return; tf.keras has TensorShapes."""
from __future__ import annotations

import functools

import tinyflow as tf
from keras_layer import layers as _layers  # noqa: F401 - the classes that are changed
from keras_layer.engine import layer_nodes
from keras_layer.engine.base_layer import Layer
from keras_layer.keras2 import layers as _own  # noqa: F401

__all__ = ['disable', 'enable']

_METHOD = 'compute_output_shape'


def enable():
    """From now on `build` gets tuples, and `compute_output_shape` of Keras' layers returns them."""
    layer_nodes.shape_type = _plain
    for cls in _classes(Layer):
        method = vars(cls)[_METHOD]
        if not hasattr(method, '__wrapped__'):
            setattr(cls, _METHOD, _with_tuples(method))


def disable():
    """From now on they are TensorShapes again."""
    layer_nodes.shape_type = tf.TensorShape
    for cls in _classes(Layer):
        method = vars(cls)[_METHOD]
        setattr(cls, _METHOD, getattr(method, '__wrapped__', method))


def _classes(cls):
    """The classes of this package at and below cls that define the method."""
    found = {cls} if cls.__module__.startswith('keras_layer') and _METHOD in vars(cls) else set()
    return found.union(*map(_classes, cls.__subclasses__()))


def _with_tuples(method):
    @functools.wraps(method)
    def compute_output_shape(self, input_shape):
        return _plain(method(self, input_shape))
    return compute_output_shape


def _plain(shapes):
    if isinstance(shapes, list):
        return [_plain(shape) for shape in shapes]
    return tuple(shapes.as_list()) if isinstance(shapes, tf.TensorShape) and \
        shapes.ndims is not None else shapes
