"""Merge and merge of Keras 1, which Keras 2.1 still had: of tensors, and of models."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.keras2.models import Model
from keras_layer.layers import Add, Average, Concatenate, Dot, Lambda, Maximum, Multiply
from tinyflow.graph.support.errors import misuse

__all__ = ['Merge', 'merge']

_SIMPLE = {'sum': Add, 'mul': Multiply, 'ave': Average, 'max': Maximum}


class Merge:
    """Merge(mode='concat')([a, b]): the merging layer of Keras 1.

    mode: 'sum', 'mul', 'ave', 'max', 'concat', 'dot', 'cos', or a function of the list of inputs;
    `concat_axis` and `dot_axes` are the axes of the three before the last. With `layers`, models,
    it is a model of their inputs that merges their outputs: the first layer of a Sequential.
    """

    def __new__(cls, layers=None, mode='sum', concat_axis=-1, dot_axes=-1, output_shape=None,
                output_mask=None, arguments=None, node_indices=None, tensor_indices=None,
                name=None):
        """The layer of Keras 2 that does the same, or the model."""
        layer = _merging(mode, concat_axis, dot_axes, output_shape, output_mask, arguments,
                         None if layers else name)
        if not layers:
            return layer
        if len(layers) < 2:
            raise misuse(TypeError('A Merge should only be applied to a list of layers with at '
                                   f'least 2 elements. Found: {layers}'))
        inputs = []
        for tensor in tf.nest.flatten([each.input for each in layers]):
            if all(tensor is not known for known in inputs):
                inputs.append(tensor)
        return Model(inputs, layer([each.output for each in layers]), name=name)


def merge(inputs, mode='sum', concat_axis=-1, dot_axes=-1, output_shape=None, output_mask=None,
          arguments=None, name=None):
    """The tensor that `Merge` makes of a list of tensors."""
    return Merge(None, mode, concat_axis, dot_axes, output_shape, output_mask, arguments,
                 name=name)(inputs)


def _merging(mode, concat_axis, dot_axes, output_shape, output_mask, arguments, name):
    if callable(mode):
        mask = (lambda inputs, masks: output_mask(masks)) if callable(output_mask) else output_mask
        return Lambda(mode, output_shape=output_shape, mask=mask, arguments=arguments, name=name)
    if mode in _SIMPLE:
        return _SIMPLE[mode](name=name)
    if mode == 'concat':
        return Concatenate(axis=concat_axis, name=name)
    if mode in ('dot', 'cos'):
        return Dot(dot_axes, normalize=mode == 'cos', name=name)
    raise misuse(ValueError(f"Invalid merge mode {mode!r}: one of {', '.join(_SIMPLE)}, concat, "
                            'dot, cos, or a function.'))
