"""The calls of a layer as nodes of Keras' graph: inputs, outputs and shapes of each."""
from __future__ import annotations

from typing import Any

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine import node
from keras_layer.engine.node import mask_of
from tinyflow.graph.support.errors import misuse


class LayerNodes:
    """The part of Layer about its calls."""

    @property
    def inbound_nodes(self):
        """The Nodes of the calls of this layer."""
        return self._inbound_nodes

    @property
    def outbound_nodes(self):
        """The Nodes of the layers that were called on this one's outputs."""
        return self._outbound_nodes

    @outbound_nodes.setter
    def outbound_nodes(self, nodes):        # programs that cut off a model's last layer set []
        self._outbound_nodes = nodes

    def get_input_at(self, node_index):
        """The input of the call with that number."""
        return self._of_node(node_index, 'input_tensors', 'input')

    def get_output_at(self, node_index):
        """The output of the call with that number."""
        return self._of_node(node_index, 'output_tensors', 'output')

    def get_input_shape_at(self, node_index):
        """The shape of the input of the call with that number."""
        return self._of_node(node_index, 'input_shapes', 'input shape')

    def get_output_shape_at(self, node_index):
        """The shape of the output of the call with that number."""
        return self._of_node(node_index, 'output_shapes', 'output shape')

    def get_input_mask_at(self, node_index):
        """The mask of the input of the call with that number."""
        return tf.nest.map_structure(mask_of, self.get_input_at(node_index))

    def get_output_mask_at(self, node_index):
        """The mask of the output of the call with that number."""
        return tf.nest.map_structure(mask_of, self.get_output_at(node_index))

    def _of_node(self, node_index, attribute, what):
        if not self._inbound_nodes:
            raise misuse(RuntimeError(
                f"Layer '{self.name}' has never been called and thus has no defined {what}.\n"
                f'  Hint: call it on an Input, or put it into a model.'))
        if not -len(self._inbound_nodes) <= node_index < len(self._inbound_nodes):
            raise misuse(ValueError(f'Asked to get {what} at node {node_index}, but the layer has '
                                    f'only {len(self._inbound_nodes)} inbound nodes.'))
        value = getattr(self._inbound_nodes[node_index], attribute)
        # As in TF 1.15, the shape of an Input is a list of one.
        if isinstance(value, list) and len(value) == 1 and (
                'shape' not in attribute or node.always_lists):
            return value[0]
        return value

    def _first(self, attribute, what):
        if len(self._inbound_nodes) > 1 and node.always_lists and 'shape' not in attribute:
            raise misuse(AttributeError(
                f'Layer {self.name} was called {len(self._inbound_nodes)} times, so it has several '
                f'of "layer {what}".\n  Hint: get_{what}_at(node_index).'))
        if len(self._inbound_nodes) > 1 and 'shape' in attribute:
            values = [self._of_node(i, attribute, what) for i in range(len(self._inbound_nodes))]
            if any(v != values[0] for v in values):
                raise misuse(AttributeError(
                    f'Layer {self.name} was called {len(values)} times, on different shapes, hence '
                    f'the notion of "layer {what}" is ill-defined. Use '
                    f'`get_{what.replace(" ", "_")}_at(node_index)` instead.'))
        if not self._inbound_nodes:
            raise misuse(AttributeError(
                f'Layer {self.name} has never been called, so it has no {what} yet.\n  Hint: call '
                'it on an Input, or give the first layer its input_shape.'))
        return self._of_node(0, attribute, what)

    @property
    def input(self) -> Any:
        """The input tensor (or nest of tensors) of the layer's first call."""
        return self._first('input_tensors', 'input')

    @property
    def output(self) -> Any:
        """The output tensor (or nest of tensors) of the layer's first call."""
        return self._first('output_tensors', 'output')

    @property
    def input_shape(self):
        """The shape of the input, a tuple of int and None; AttributeError if the calls differ."""
        return self._first('input_shapes', 'input shape')

    @property
    def output_shape(self):
        """The shape of the output, a tuple of int and None; AttributeError if the calls differ."""
        return self._first('output_shapes', 'output shape')

    @property
    def input_mask(self):
        """The mask of the input of the first call, or None."""
        return tf.nest.map_structure(mask_of, self.input)

    @property
    def output_mask(self):
        """The mask of the output of the first call, or None."""
        return tf.nest.map_structure(mask_of, self.output)


shape_type = tf.TensorShape         # of the shapes that `build` is given; keras2/shapes.py sets it


def shapes_of(tensors):
    """The static shapes of a nest of tensors, as TensorShapes."""
    return tf.nest.map_structure(lambda t: shape_type(K.int_shape(t)), tensors)
