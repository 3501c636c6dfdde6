"""Operations as serialized NodeDefs, and copies of them on other inputs."""
from __future__ import annotations

import base64

import tinyflow as tf

__all__ = ['as_node_def', 'is_computed_from_keras', 'node_def_as_dict', 'recreate_op']


def as_node_def(description):
    """The NodeDef that is given as such, as a dict (TensorFlow's files) or as base64 text."""
    if isinstance(description, dict):
        from google.protobuf import json_format  # start-up time
        return json_format.ParseDict(description, tf.NodeDef())
    if isinstance(description, str):
        return tf.NodeDef.FromString(base64.b64decode(description))
    return description


def node_def_as_dict(node_def):
    """A NodeDef as TensorFlow writes it into the configurations of models."""
    from google.protobuf import json_format  # start-up time
    return json_format.MessageToDict(node_def)


def recreate_op(node_def, inputs):
    """A copy of an operation on other inputs, in the current name scope; its list of outputs."""
    scope = tf.get_default_graph().get_name_scope()
    graph_def = tf.GraphDef()
    node = graph_def.node.add()
    node.CopyFrom(node_def)
    node.name = f'{scope}/{node_def.name}' if scope else node_def.name
    del node.input[:]
    for i in range(len(inputs)):
        node.input.append(f'tensor_{i}:0')
    operation, = tf.import_graph_def(
        graph_def, input_map={f'tensor_{i}:0': t for i, t in enumerate(inputs)},
        return_elements=[node.name], name='')
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
