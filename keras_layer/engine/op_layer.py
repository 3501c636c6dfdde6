"""Layers that models make of what is not a layer: raw operations, added losses and metrics."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.registry import register_layers

__all__ = ['AddLoss', 'AddMetric', 'TensorFlowOpLayer']

_PREFIX = 'tf_op_layer_'


class TensorFlowOpLayer(Layer):
    """A raw operation as a layer; each further call copies the operation.

    `node_def` is a NodeDef as a dict, as TensorFlow writes it, or as base64 text; `constants` maps
    positions of its inputs to values or tensors that do not come from Keras layers.
    """

    def __init__(self, node_def, name, constants=None, trainable=True, dtype=None, **kwargs):
        super().__init__(name=_PREFIX + name.removeprefix(_PREFIX), trainable=trainable,
                         dtype=dtype, **kwargs)
        self.node_def = K.as_node_def(node_def)
        self.constants = {int(i): value for i, value in (constants or {}).items()}
        self.built = True

    def call(self, inputs):
        given = iter(tf.nest.flatten(inputs))
        count = len(tf.nest.flatten(inputs)) + len(self.constants)
        tensors = [self._constant(i) if i in self.constants else next(given) for i in range(count)]
        outputs = K.recreate_op(self.node_def, tensors)
        return outputs[0] if len(outputs) == 1 else outputs

    def _constant(self, i):
        value = self.constants[i]
        if K.is_tensor(value):
            return value
        if isinstance(value, (list, float)) and np.asarray(value).dtype.kind == 'f':
            value = np.asarray(value, K.floatx())       # from JSON, which has no float types
        return tf.constant(value, name=self.node_def.input[i])

    def get_config(self):
        constants = {i: K.get_value(v) if K.is_tensor(v) else v for i, v in self.constants.items()}
        return {**super().get_config(), 'name': self.name.removeprefix(_PREFIX),
                'node_def': K.node_def_as_dict(self.node_def), 'constants': constants}


class AddLoss(Layer):
    """Adds its input, a scalar, to the losses of the model; the output is the input."""

    def __init__(self, unconditional=False, **kwargs):
        super().__init__(**kwargs)
        self.unconditional = unconditional

    def call(self, inputs):
        self.add_loss(inputs)
        return inputs

    def get_config(self):
        return {**super().get_config(), 'unconditional': self.unconditional}


class AddMetric(Layer):
    """Adds its input to the metrics of the model; the output is the input."""

    def __init__(self, aggregation=None, metric_name=None, **kwargs):
        super().__init__(**kwargs)
        self.aggregation, self.metric_name = aggregation, metric_name

    def call(self, inputs):
        self.add_metric(inputs, self.aggregation, self.metric_name)
        return inputs

    def get_config(self):
        return {**super().get_config(), 'aggregation': self.aggregation,
                'metric_name': self.metric_name}


register_layers({'AddLoss': AddLoss, 'AddMetric': AddMetric,
                 'TensorFlowOpLayer': TensorFlowOpLayer})
