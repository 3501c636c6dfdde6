"""Operations as serialized NodeDefs, and copies of them on other inputs."""
from __future__ import annotations

import base64

import tinyflow as tf

__all__ = ['serialize_op', 'is_computed_from_keras', 'recreate_op']


def serialize_op(operation):
    """An operation's NodeDef as base64 text."""
    return base64.b64encode(operation.node_def.SerializeToString()).decode('ascii')


def recreate_op(description, inputs, name):
    """A copy of a serialized operation on other inputs; the list of its outputs."""
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
    """True if one of the tensors depends on an output of an Input or a Keras layer."""
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
