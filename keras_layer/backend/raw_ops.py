"""Nodes of the graph below as values: described, and made again on other inputs."""
from __future__ import annotations

import base64

import tinyflow as tf

__all__ = ['describe_op', 'is_computed_from_keras', 'make_op_again']


def describe_op(operation):
    """An operation's NodeDef as text that JSON can hold."""
    return base64.b64encode(operation.node_def.SerializeToString()).decode('ascii')


def make_op_again(description, inputs, name):
    """The outputs of a node like the described one, on other inputs; a list of tensors."""
    graph_def = tf.GraphDef()
    node = graph_def.node.add()
    node.ParseFromString(base64.b64decode(description))
    del node.input[:]
    for i in range(len(inputs)):
        node.input.append(f'tensor_{i}:0')
    node.name = name
    operation, = tf.import_graph_def(
        graph_def, input_map={f'tensor_{i}:0': t for i, t in enumerate(inputs)},
        return_elements=[name], name='')
    return list(operation.outputs)


def is_computed_from_keras(tensors):
    """True if one of the tensors depends on what an Input or a Keras layer made."""
    stack, seen = list(tensors), set()
    while stack:
        tensor = stack.pop()
        if getattr(tensor, '_keras_history', None) is not None:
            return True
        if tensor.op in seen:
            continue
        seen.add(tensor.op)
        stack.extend(tensor.op.inputs)
    return False
