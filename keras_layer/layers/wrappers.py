"""Wrappers of layers: TimeDistributed."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.input_spec import InputSpec
from keras_layer.engine.registry import deserialize_layer
from keras_layer.utils.generic import has_arg
from tinyflow.graph.support.errors import misuse

__all__ = ['TimeDistributed', 'Wrapper']


class Wrapper(Layer):
    """Base of layers that wrap another `layer` and have its weights."""

    def __init__(self, layer, **kwargs):
        if not isinstance(layer, Layer):
            raise misuse(ValueError(f'Please initialize `{type(self).__name__}` layer with a '
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
        config = dict(config)
        layer = deserialize_layer(config.pop('layer'), custom_objects=custom_objects)
        return cls(layer, **config)


class TimeDistributed(Wrapper):
    """The same layer at each step: [batch, steps, *a] -> [batch, steps, *layer(a)].

    Built-in layers process all steps as one batch. Custom and stateful layers may depend on the
    batch size: if it is known, they are called step by step.
    """

    def __init__(self, layer, **kwargs):
        super().__init__(layer, **kwargs)
        self.supports_masking = True
        self._flattened = None              # (inputs, the same as one batch) of the current call

    @staticmethod
    def _step(input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        return tf.TensorShape([sizes[0], *sizes[2:]])

    def build(self, input_shape=None):
        if tf.TensorShape(input_shape).ndims < 3:
            raise misuse(ValueError('`TimeDistributed` Layer should be passed an `input_shape ` '
                                    f'with at least 3 dimensions, received: {input_shape}'))
        self.input_spec = InputSpec(shape=[None, *tf.TensorShape(input_shape).as_list()[1:]])
        super().build(self._step(input_shape))

    def compute_output_shape(self, input_shape):
        inner = tf.TensorShape(self.layer.compute_output_shape(self._step(input_shape))).as_list()
        return tf.TensorShape([inner[0], tf.TensorShape(input_shape).as_list()[1], *inner[1:]])

    def _runs_step_by_step(self, batch_size):
        return batch_size and (not _is_builtin(self.layer)
                               or getattr(self.layer, 'stateful', False))

    def call(self, inputs, training=None, mask=None):
        kwargs = {'training': training} if has_arg(self.layer.call, 'training') else {}
        sizes = K.int_shape(inputs)
        if self._runs_step_by_step(sizes[0]):
            def step(x, _):
                return self.layer(x, **kwargs), []
            _, outputs, _ = K.rnn(step, inputs, initial_states=[], input_length=sizes[1])
        else:
            length = sizes[1] if sizes[1] else tf.shape(inputs)[1]
            if has_arg(self.layer.call, 'mask') and mask is not None:
                kwargs['mask'] = _as_one_batch(mask)
            flat = _as_one_batch(inputs)
            self._flattened = inputs, flat
            outputs = _as_steps(self.layer(flat, **kwargs), length)
            outputs.set_shape([sizes[0], sizes[1], *outputs.shape.as_list()[2:]])
        return outputs

    def compute_mask(self, inputs, mask=None):
        """The mask that the layer computes for each step; else the mask of the steps.

        As in TensorFlow, it is the mask of the steps where the batch size is known.
        """
        sizes = K.int_shape(inputs)
        if sizes[0]:
            return mask
        (own, flat), self._flattened = self._flattened or (None, None), None
        made = None
        if mask is None or self.layer.supports_masking:
            made = self.layer.compute_mask(flat if own is inputs else _as_one_batch(inputs),
                                           None if mask is None else _as_one_batch(mask))
        if made is not None:
            return _as_steps(made, sizes[1] if sizes[1] else tf.shape(inputs)[1])
        for _ in range(2, 2 if mask is None else K.ndim(mask)):
            mask = K.any(mask, axis=-1)
        return mask


def _is_builtin(layer):
    """True for the built-in layers and their subclasses."""
    return any(base.__module__.partition('.')[0] == 'keras_layer'
               for base in type(layer).__mro__ if base not in Layer.__mro__)


def _as_one_batch(tensor):
    """[batch, steps, *a] -> [batch * steps, *a]."""
    return _reshaped(tensor, [-1, *_inner_sizes(tensor, 2)])


def _as_steps(tensor, length):
    """[batch * steps, *a] -> [batch, steps, *a]."""
    return _reshaped(tensor, [-1, length, *_inner_sizes(tensor, 1)])


def _reshaped(tensor, sizes):
    return tf.reshape(tensor, tf.stack(sizes) if any(K.is_tensor(s) for s in sizes) else sizes)


def _inner_sizes(tensor, start):
    static = K.int_shape(tensor)[start:]
    if None not in static:
        return list(static)
    dynamic = tf.shape(tensor)
    return [dynamic[i + start] if s is None else s for i, s in enumerate(static)]
