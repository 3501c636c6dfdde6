"""Layers around a layer: TimeDistributed."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.input_spec import InputSpec
from keras_layer.utils.generic import has_arg
from tinyflow.errors import worded

__all__ = ['TimeDistributed', 'Wrapper']


class Wrapper(Layer):
    """Base of layers that wrap another `layer`, whose weights are theirs."""

    def __init__(self, layer, **kwargs):
        if not isinstance(layer, Layer):
            raise worded(ValueError(f'Please initialize `{type(self).__name__}` layer with a '
                                    f'`Layer` instance. You passed: {layer!r}'))
        self.layer = layer
        super().__init__(**kwargs)

    def build(self, input_shape=None):
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True

    @property
    def activity_regularizer(self):
        return getattr(self.layer, 'activity_regularizer', None)

    def get_config(self):
        return {**super().get_config(), 'layer': {'class_name': type(self.layer).__name__,
                                                  'config': self.layer.get_config()}}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The wrapper of that configuration, with a new layer inside."""
        from keras_layer.layers import deserialize
        config = dict(config)
        layer = deserialize(config.pop('layer'), custom_objects=custom_objects)
        return cls(layer, **config)


class TimeDistributed(Wrapper):
    """The same layer at each step: [batch, steps, *a] -> [batch, steps, *layer(a)]."""

    def __init__(self, layer, **kwargs):
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    @staticmethod
    def _step(input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        return tf.TensorShape([sizes[0], *sizes[2:]])

    def build(self, input_shape=None):
        if tf.TensorShape(input_shape).ndims < 3:
            raise worded(ValueError('`TimeDistributed` Layer should be passed an `input_shape ` '
                                    f'with at least 3 dimensions, received: {input_shape}'))
        self.input_spec = InputSpec(shape=[None, *tf.TensorShape(input_shape).as_list()[1:]])
        super().build(self._step(input_shape))

    def compute_output_shape(self, input_shape):
        inner = tf.TensorShape(self.layer.compute_output_shape(self._step(input_shape))).as_list()
        return tf.TensorShape([inner[0], tf.TensorShape(input_shape).as_list()[1], *inner[1:]])

    def call(self, inputs, training=None, mask=None):
        kwargs = {'training': training} if has_arg(self.layer.call, 'training') else {}
        sizes = K.int_shape(inputs)
        if sizes[0]:
            def step(x, _):
                return self.layer(x, **kwargs), []
            _, outputs, _ = K.rnn(step, inputs, initial_states=[], input_length=sizes[1],
                                  mask=mask, unroll=False)
        else:
            length = sizes[1] if sizes[1] else tf.shape(inputs)[1]
            inner = [-1, *_inner_sizes(inputs, 2)]
            flat = tf.reshape(inputs, tf.stack(inner) if any(
                K.is_tensor(s) for s in inner) else inner)
            if has_arg(self.layer.call, 'mask') and mask is not None:
                kwargs['mask'] = tf.reshape(mask, [-1, *_inner_sizes(mask, 2)])
            outputs = self.layer(flat, **kwargs)
            outer = [-1, length, *_inner_sizes(outputs, 1)]
            outputs = tf.reshape(outputs, tf.stack(outer) if any(
                K.is_tensor(s) for s in outer) else outer)
            outputs.set_shape([sizes[0], sizes[1], *outputs.shape.as_list()[2:]])
        return outputs

    def compute_mask(self, inputs, mask=None):
        return mask


def _inner_sizes(tensor, start):
    static = K.int_shape(tensor)[start:]
    if None not in static:
        return list(static)
    dynamic = tf.shape(tensor)
    return [dynamic[i + start] if s is None else s for i, s in enumerate(static)]
