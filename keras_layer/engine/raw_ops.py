"""Raw ops between layers become layers: `Model` handles `tf.exp(x) + 1` as it handles Dense."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.node import Node
from keras_layer.engine.registry import layer_class

__all__ = ['wrap_raw_ops']


def wrap_raw_ops(tensors):
    """Wraps each raw op between `tensors` and Keras tensors in a layer.

    Returns False and does nothing if one of them does not depend on a Keras tensor.
    """
    if any(map(K.is_sparse, tensors)) or not all(K.is_computed_from_keras([t]) for t in tensors):
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
    """Wraps one op whose inputs are Keras tensors; so its outputs become Keras tensors."""
    wanted = {id(t) for t in from_keras}
    constants = {i: _value_if_known(t) for i, t in enumerate(operation.inputs)
                 if id(t) not in wanted}
    layer = layer_class('TensorFlowOpLayer')(operation.node_def, operation.name, constants)
    inputs = from_keras[0] if len(from_keras) == 1 else list(from_keras)
    Node(layer, inputs, list(operation.outputs))


def _value_if_known(tensor):
    value = tf.get_static_value(tensor)
    return tensor if value is None else value
