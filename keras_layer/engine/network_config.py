"""Configuration of functional models: to and from a dict."""
from __future__ import annotations

import copy

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.registry import deserialize_layer
from keras_layer.engine.topology import node_key
from tinyflow.graph.support.errors import misuse


def network_config(model):
    """The layers of `model`, each with the calls that belong to the model, as plain values."""
    numbers = _call_numbers(model)
    layers = []
    for layer in model.layers:
        calls = [_call_config(layer, i, numbers) for i, node in enumerate(layer._inbound_nodes)
                 if node_key(layer, i) in model._topology.nodes and node.inbound_layers]
        layers.append({'class_name': type(layer).__name__, 'config': layer.get_config(),
                       'name': layer.name, 'inbound_nodes': calls})
    return copy.deepcopy({
        'name': model.name, 'layers': layers,
        'input_layers': _ends(model._input_coordinates, numbers),
        'output_layers': _ends(model._output_coordinates, numbers)})


def _call_numbers(model):
    """node key -> its number among the calls of its layer that belong to the model."""
    numbers = {}
    for layer in model.layers:
        kept = [i for i in range(len(layer._inbound_nodes))
                if node_key(layer, i) in model._topology.nodes]
        first = 1 if _has_own_node(layer) else 0
        numbers.update({node_key(layer, i): n for n, i in enumerate(kept, first)})
    return numbers


def _has_own_node(layer):
    """True for a nested model, whose calls are numbered from 1."""
    return getattr(layer, '_has_own_node', False)


def _call_config(layer, index, numbers):
    node = layer._inbound_nodes[index]
    arguments = {k: _plain(v, numbers) for k, v in node.arguments.items()}
    return [[inbound.name, numbers[node_key(inbound, node_index)], tensor_index, arguments]
            for inbound, node_index, tensor_index, _ in node.iterate_inbound()]


def _plain(value, numbers):
    """An argument of a call as a plain value; a Keras tensor as a reference."""
    if isinstance(value, (list, tuple)):
        return [_plain(v, numbers) for v in value]
    history = getattr(value, '_keras_history', None)
    if history is not None:
        key = node_key(history.layer, history.node_index)
        return ['_CONSTANT_VALUE_OF', history.layer.name, numbers.get(key, 0),
                history.tensor_index]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return K.get_value(value).tolist()
    return value


def _ends(coordinates, numbers):
    return [[h.layer.name, numbers[node_key(h.layer, h.node_index)], h.tensor_index]
            for h in coordinates]


def network_from_config(cls, config, custom_objects=None):
    """A model from a dict of `network_config`, TensorFlow or Keras."""
    layers, waiting = {}, []
    for layer_config in config['layers']:
        name = layer_config['name']
        layer = deserialize_layer(layer_config, custom_objects=custom_objects)
        layers[name] = layer
        for call in layer_config.get('inbound_nodes', ()):
            waiting.append((layer, call))
    # The nodes of each layer, numbered as in the file.
    made = {name: list(layer._inbound_nodes) for name, layer in layers.items()}
    for name in _counted_from_0(waiting, config):
        if _has_own_node(layers[name]):
            del made[name][0]
    while waiting:
        left = []
        for layer, call in waiting:
            if any(len(made[e[0]]) <= e[1] for e in _entries(call)) or any(
                    l is layer for l, _ in left):
                left.append((layer, call))
                continue
            _replay_call(layer, call, made)
        if len(left) == len(waiting):
            raise misuse(ValueError(
                f"The configuration of model '{config.get('name')}' is incomplete: no layer makes "
                f'the inputs of {sorted({layer.name for layer, _ in left})}.'))
        waiting = left

    def tensor(coordinate):
        node = _node(made, coordinate[0], coordinate[1])
        return tf.nest.flatten(node.outputs)[coordinate[2]]
    inputs = [tensor(c) for c in _coordinates(config['input_layers'])]
    outputs = [tensor(c) for c in _coordinates(config['output_layers'])]
    model = cls(inputs=inputs if len(inputs) > 1 else inputs[0],
                outputs=outputs if len(outputs) > 1 else outputs[0], name=config.get('name'))
    insert_unconnected(model, layers.values())
    return model


def insert_unconnected(model, layers):
    """Makes those layers the model's that its outputs do not need, such as losses."""
    unconnected = [layer for layer in layers if layer not in model._topology.layers]
    if unconnected:
        nodes = [node for layer in layers
                 for node in layer._inbound_nodes[1 if _has_own_node(layer) else 0:]]
        model._topology.insert_nodes(nodes, unconnected)


def _counted_from_0(calls, config):
    """The names of the layers whose call 0 is used: some files number nested models from 0."""
    used = [entry[:2] for _, call in calls for entry in _entries(call)]
    used += [end[:2] for end in _coordinates(config['output_layers'])]
    return {name for name, number in used if number == 0}


def _coordinates(ends):
    """Later files give a single input as one coordinate, not as a list of one."""
    return [ends] if ends and isinstance(ends[0], str) else ends


def _entries(call):
    """The calls that a call needs: its inputs, and Keras tensors among its arguments."""
    for entry in call:
        yield entry
        for value in (entry[3].values() if len(entry) > 3 else ()):
            yield from _references(value)


def _references(value):
    if isinstance(value, list):
        if value and value[0] == '_CONSTANT_VALUE_OF':
            yield value[1:]
        else:
            for item in value:
                yield from _references(item)


def _node(made, name, number):
    if name not in made or number >= len(made[name]):
        raise misuse(ValueError(f"The configuration names call {number} of layer '{name}', which "
                                'it does not have.'))
    return made[name][number]


def _replay_call(layer, call, made):
    def tensor(name, number, index):
        return tf.nest.flatten(_node(made, name, number).outputs)[index]

    def resolved(value):
        if isinstance(value, list):
            if value and value[0] == '_CONSTANT_VALUE_OF':
                return tensor(*value[1:])
            return [resolved(v) for v in value]
        return value
    inputs = [tensor(*entry[:3]) for entry in call]
    arguments = {k: resolved(v) for k, v in (call[0][3] if len(call[0]) > 3 else {}).items()}
    layer(inputs[0] if len(inputs) == 1 else inputs, **arguments)
    made[layer.name].append(layer._inbound_nodes[-1])
