"""Node: one call of a layer, an edge of the graph of layers."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K


class History(tuple):
    """(layer, node_index, tensor_index): the origin of a tensor."""

    __slots__ = ()

    def __new__(cls, layer, node_index, tensor_index):
        return super().__new__(cls, (layer, node_index, tensor_index))

    layer = property(lambda self: self[0])
    node_index = property(lambda self: self[1])
    tensor_index = property(lambda self: self[2])


class Node:
    """The call of `outbound_layer` on `input_tensors` that returned `output_tensors`.

    `inbound_layers`, `node_indices` and `tensor_indices` are the sources of the inputs, in the
    structure of the inputs; they are empty for the node of an Input. `arguments` are the other
    arguments of the call.
    """

    def __init__(self, outbound_layer, input_tensors, output_tensors, arguments=None):
        self.outbound_layer = outbound_layer
        self.input_tensors = input_tensors
        self.output_tensors = output_tensors
        self.arguments = arguments or {}
        histories = [t._keras_history for t in tf.nest.flatten(input_tensors)] \
            if input_tensors is not None else []
        self.inbound_layers = [h.layer for h in histories]
        self.node_indices = [h.node_index for h in histories]
        self.tensor_indices = [h.tensor_index for h in histories]
        for layer in self.inbound_layers:
            layer._outbound_nodes.append(self)
        index = len(outbound_layer._inbound_nodes)
        outbound_layer._inbound_nodes.append(self)
        for i, tensor in enumerate(tf.nest.flatten(output_tensors)):
            tensor._keras_history = History(outbound_layer, index, i)

    @classmethod
    def of_network(cls, network, inputs, outputs):
        """A model's first node, before all calls: its own inputs and outputs.

        Files number the calls of a nested model from 1 for that reason.
        """
        node = cls.__new__(cls)
        node.outbound_layer, node.arguments = network, {}
        node.input_tensors, node.output_tensors = inputs, outputs
        node.inbound_layers, node.node_indices, node.tensor_indices = [], [], []
        return node

    @property
    def input_shapes(self):
        if self.input_tensors is None:
            return None
        return tf.nest.map_structure(K.int_shape, self.input_tensors)

    @property
    def output_shapes(self):
        return tf.nest.map_structure(K.int_shape, self.output_tensors)

    def iterate_inbound(self):
        """(layer, node_index, tensor_index, tensor) of each input."""
        tensors = tf.nest.flatten(self.input_tensors) if self.inbound_layers else []
        return zip(self.inbound_layers, self.node_indices, self.tensor_indices, tensors)

    def get_config(self):
        return {'outbound_layer': self.outbound_layer.name,
                'inbound_layers': [layer.name for layer in self.inbound_layers],
                'node_indices': self.node_indices, 'tensor_indices': self.tensor_indices}
