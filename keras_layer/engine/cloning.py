"""clone_model: the same layers with new weights."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.engine.input_layer import Input, InputLayer
from keras_layer.engine.model import Model
from keras_layer.engine.network_config import insert_unconnected
from keras_layer.engine.sequential import Sequential
from tinyflow.graph.support.errors import misuse


def clone_model(model, input_tensors=None, clone_function=None):
    """A copy of the model with new layers and newly initialized weights.

    The clone is called on `input_tensors` instead of new Inputs; `clone_function(layer)` creates
    the copy of a layer. ValueError for a subclassed model.
    """
    return clone_as(Model, Sequential, model, input_tensors, clone_function)


def clone_as(model_class, sequential_class, model, input_tensors=None, clone_function=None):
    """`clone_model` whose copies are of these classes."""
    if not isinstance(model, Model):
        raise misuse(ValueError(f'Expected `model` argument to be a `Model` instance, got '
                                f'{model!r}'))
    clone = clone_function or (lambda layer: type(layer).from_config(layer.get_config()))
    if isinstance(model, Sequential):
        return _clone_sequential(sequential_class, model, input_tensors, clone)
    if not model._is_graph_network:
        raise misuse(ValueError(
            'Expected `model` argument to be a functional `Model` instance, but got a subclass '
            'model instead.\n  Hint: create another object of its class.'))
    return _clone_functional(model_class, model, input_tensors, clone)


def _clone_sequential(sequential_class, model, input_tensors, clone):
    layers = [clone(layer) for layer in model.layers]
    if input_tensors is None:
        copy = sequential_class(name=model.name)
        first = model._stack[0] if model._stack else None
        if isinstance(first, InputLayer) and not hasattr(layers[0], '_batch_input_shape'):
            copy.add(InputLayer(batch_input_shape=first._batch_input_shape, dtype=first.dtype))
        for layer in layers:
            copy.add(layer)
        return copy
    tensors = tf.nest.flatten(input_tensors)
    if len(tensors) != 1:
        raise misuse(ValueError('To clone a `Sequential` model, we expect at most one tensor as '
                                'part of `input_tensors`.'))
    copy = sequential_class([_input_of(tensors[0])], name=model.name)
    for layer in layers:
        copy.add(layer)
    return copy


def _input_of(tensor):
    history = getattr(tensor, '_keras_history', None)
    if history is not None and isinstance(history.layer, InputLayer):
        return history.layer
    return Input(tensor=tensor)._keras_history.layer


def _clone_functional(model_class, model, input_tensors, clone):
    if input_tensors is None:
        new = [Input(batch_shape=layer._batch_input_shape, dtype=layer.dtype, sparse=layer.sparse,
                     name=layer.name) for layer in model._input_layers]
    else:
        new = [_input_of(t)._inbound_nodes[0].outputs[0]
               for t in tf.nest.flatten(input_tensors)]
    made = {id(old): tensor for old, tensor in zip(model.inputs, new)}
    copies = {}
    for node in model._topology.node_order:
        if not node.inbound_layers:
            continue
        layer = node.outbound_layer
        if layer not in copies:
            copies[layer] = clone(layer)
        inputs = tf.nest.map_structure(lambda t: made[id(t)], node.inputs)
        arguments = tf.nest.map_structure(lambda x: made.get(id(x), x), node.arguments) \
            if node.arguments else {}
        outputs = copies[layer](inputs, **arguments)
        for old, tensor in zip(tf.nest.flatten(node.outputs), tf.nest.flatten(outputs)):
            made[id(old)] = tensor

    def found(structure):
        return tf.nest.map_structure(lambda t: made[id(t)], structure)
    copy = model_class(inputs=found(model._input_structure),
                       outputs=found(model._output_structure), name=model.name)
    insert_unconnected(copy, copies.values())
    return copy
