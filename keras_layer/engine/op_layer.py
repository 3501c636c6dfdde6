"""TensorFlowOpLayer: one operation of the graph as a layer."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.registry import register_layers

__all__ = ['TensorFlowOpLayer']


class TensorFlowOpLayer(Layer):
    """A raw operation as a layer; each further call copies the operation.

    `constants` maps positions of its inputs to tensors that do not come from Keras layers.
    """

    def __init__(self, node_def, name=None, constants=None, trainable=True, dtype=None, **kwargs):
        super().__init__(name=name, trainable=trainable, dtype=dtype, **kwargs)
        self.node_def = node_def
        self.constants = {int(i): value for i, value in (constants or {}).items()}
        self.built = True

    def call(self, inputs):
        given = iter(tf.nest.flatten(inputs))
        count = len(tf.nest.flatten(inputs)) + len(self.constants)
        tensors = [tf.convert_to_tensor(self.constants[i]) if i in self.constants else next(given)
                   for i in range(count)]
        outputs = K.recreate_op(self.node_def, tensors, self.name)
        return outputs[0] if len(outputs) == 1 else outputs

    def get_config(self):
        constants = {i: K.get_value(v).tolist() if K.is_tensor(v) else v
                     for i, v in self.constants.items()}
        return {**super().get_config(), 'node_def': self.node_def, 'constants': constants}


register_layers({'TensorFlowOpLayer': TensorFlowOpLayer})
