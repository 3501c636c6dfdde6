"""Raw ops between layers, wrapped as layers: `Model` sees `tf.exp(x) + 1` as it sees Dense (B1)."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.node import Node

__all__ = ['TensorFlowOpLayer', 'wrap_raw_ops']


class TensorFlowOpLayer(Layer):
    """One operation of the graph below as a layer, made again for every further call.

    `constants` maps positions of its inputs to what does not come from Keras' graph.
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
        outputs = K.make_op_again(self.node_def, tensors, self.name)
        return outputs[0] if len(outputs) == 1 else outputs

    def get_config(self):
        constants = {i: K.get_value(v).tolist() if K.is_tensor(v) else v
                     for i, v in self.constants.items()}
        return {**super().get_config(), 'node_def': self.node_def, 'constants': constants}


def wrap_raw_ops(tensors):
    """Makes a layer of each raw op between `tensors` and Keras' tensors.

    False, and nothing is done, if one of them does not come from Keras' graph at all.
    """
    if not all(K.is_computed_from_keras([t]) for t in tensors):
        return False
    stack = [(t.op, False) for t in tensors]
    while stack:
        operation, inputs_done = stack.pop()
        if _known(operation):
            continue
        from_keras = [t for t in operation.inputs if K.is_computed_from_keras([t])]
        if inputs_done:
            _wrap(operation, from_keras)
            continue
        stack.append((operation, True))
        stack += [(t.op, False) for t in from_keras]
    return True


def _known(operation):
    return all(getattr(t, '_keras_history', None) is not None for t in operation.outputs)


def _wrap(operation, from_keras):
    """The layer of one op whose inputs are known to Keras; its outputs become known."""
    wanted = {id(t) for t in from_keras}
    constants = {i: t for i, t in enumerate(operation.inputs) if id(t) not in wanted}
    layer = TensorFlowOpLayer(K.describe_op(operation), constants=constants,
                              name='tf_op_layer_' + operation.name)
    inputs = from_keras[0] if len(from_keras) == 1 else list(from_keras)
    Node(layer, inputs, list(operation.outputs))
