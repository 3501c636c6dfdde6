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


# Whether tensors, masks and shapes of nodes are always lists, and a layer that was called several
# times has no `input` and `output`; keras2/enabling.py sets it.
always_lists = False


class Node:
    """The call of `outbound_layer` on `inputs` that returned `outputs`, nests of tensors.

    `inbound_layers`, `node_indices` and `tensor_indices` are the sources of the inputs, flat; they
    are empty for the node of an Input, whose `inputs` are None. `arguments` are the other arguments
    of the call.
    """

    def __init__(self, outbound_layer, inputs, outputs, arguments=None):
        self.outbound_layer, self.inputs, self.outputs = outbound_layer, inputs, outputs
        self.arguments = arguments or {}
        histories = [t._keras_history for t in tf.nest.flatten(inputs)] \
            if inputs is not None else []
        self.inbound_layers = [h.layer for h in histories]
        self.node_indices = [h.node_index for h in histories]
        self.tensor_indices = [h.tensor_index for h in histories]
        for layer in self.inbound_layers:
            layer._outbound_nodes.append(self)
        index = len(outbound_layer._inbound_nodes)
        outbound_layer._inbound_nodes.append(self)
        for i, tensor in enumerate(tf.nest.flatten(outputs)):
            tensor._keras_history = History(outbound_layer, index, i)

    @classmethod
    def of_network(cls, network, inputs, outputs):
        """A model's first node, before all calls: its own inputs and outputs.

        Files number the calls of a nested model from 1 for that reason.
        """
        node = cls.__new__(cls)
        node.outbound_layer, node.arguments = network, {}
        node.inputs, node.outputs = inputs, outputs
        node.inbound_layers, node.node_indices, node.tensor_indices = [], [], []
        return node

    input_tensors = property(lambda self: _shown(self.outputs if self.inputs is None
                                                 else self.inputs),
                             doc='The inputs; those of an Input are its outputs.')
    output_tensors = property(lambda self: _shown(self.outputs), doc='The outputs.')
    input_shapes = property(lambda self: tf.nest.map_structure(K.int_shape, self.input_tensors))
    output_shapes = property(lambda self: tf.nest.map_structure(K.int_shape, self.output_tensors))
    input_masks = property(lambda self: tf.nest.map_structure(mask_of, self.input_tensors))
    output_masks = property(lambda self: tf.nest.map_structure(mask_of, self.output_tensors))

    def iterate_inbound(self):
        """(layer, node_index, tensor_index, tensor) of each input."""
        tensors = tf.nest.flatten(self.inputs) if self.inbound_layers else []
        return zip(self.inbound_layers, self.node_indices, self.tensor_indices, tensors)

    def get_config(self):
        return {'outbound_layer': self.outbound_layer.name,
                'inbound_layers': [layer.name for layer in self.inbound_layers],
                'node_indices': self.node_indices, 'tensor_indices': self.tensor_indices}


def mask_of(tensor):
    """The mask of a tensor; None without."""
    return getattr(tensor, '_keras_mask', None)


def _shown(tensors):
    return tf.nest.flatten(tensors) if always_lists else tensors
