"""Network: a graph of layers that is a layer itself."""
from __future__ import annotations

import inspect
from typing import Any

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.call_context import calling, current_call
from keras_layer.engine.layer_naming import default_name
from keras_layer.engine.layer_weights import UNTRACKED, layers_in, unique
from keras_layer.engine.model_arguments import (
    check_input,
    check_not_only_inputs,
    functional_arguments,
    short_text,
    unknown_argument,
)
from keras_layer.engine.network_config import network_config, network_from_config
from keras_layer.engine.network_losses import NetworkLosses
from keras_layer.engine.node import Node, mask_of
from keras_layer.engine.raw_ops import wrap_raw_ops
from keras_layer.engine.registry import register_layers
from keras_layer.engine.topology import Topology
from tinyflow.graph.support.errors import misuse

__all__ = ['Network']


class Network(NetworkLosses, Layer):
    """A directed acyclic graph of layers, from `inputs` to `outputs`.

    Without arguments it is the base of subclassed models, whose layers are attributes and whose
    `call` is the forward pass; their graph of layers is known after the first call.
    """

    _requires_init_first = True
    _masks_its_outputs = True       # by the masks of the layers inside

    def __init__(self, *args, **kwargs):
        functional = len(args) >= 2 or 'outputs' in kwargs or ('inputs' in kwargs and args)
        if functional:
            inputs, outputs, name, trainable = functional_arguments(args, kwargs)
            self._init_base(name, trainable)
            self._wire(inputs, outputs)
        else:
            check_not_only_inputs(args, kwargs)
            self._init_base(kwargs.pop('name', args[0] if args else None),
                            kwargs.pop('trainable', True), **kwargs)

    def _init_base(self, name, trainable=True, dtype=None, dynamic=False, **kwargs):
        kwargs.pop('autocast', None)
        if kwargs:
            raise unknown_argument(kwargs, type(self).__name__)
        kind = 'model' if type(self).__name__ in ('Model', 'Network', 'Functional') else None
        super().__init__(name=name or default_name(type(self), kind),
                         trainable=trainable, dtype=dtype, dynamic=dynamic)
        self.supports_masking = True
        self._graph = K.get_graph()
        K.drop_unused_models(self._graph)
        self._is_graph_network = False
        self.inputs = self.outputs = None
        self._layers_in_order = None
        self._input_structure = self._output_structure = None
        self._traced = None                         # the graph of layers of a subclassed model

    # ---- wiring --------------------------------------------------------------------------

    def _wire(self, inputs, outputs):
        """Finds the layers between inputs and outputs."""
        for tensor in tf.nest.flatten(inputs):
            check_input(tensor, type(self).__name__)
        if len({id(t) for t in tf.nest.flatten(inputs)}) < len(tf.nest.flatten(inputs)):
            raise misuse(ValueError('The list of inputs passed to the model is redundant. All '
                                    f'inputs should only appear once. Found: {inputs}'))
        lacking = [t for t in tf.nest.flatten(outputs)
                   if getattr(t, '_keras_history', None) is None]
        if lacking and not (all(map(K.is_tensor, lacking)) and wrap_raw_ops(lacking)):
            raise misuse(ValueError(
                'Output tensors to a Model must be the output of a Keras `Layer` (thus holding '
                f'past layer metadata). Found: {short_text(lacking[0])}\n  Hint: an output '
                'has to be computed from the Inputs of the model.'))
        self._input_structure, self._output_structure = inputs, outputs
        self.inputs, self.outputs = tf.nest.flatten(inputs), tf.nest.flatten(outputs)
        self._graph = self.outputs[0].graph
        self._is_graph_network = True
        self._topology = Topology(self.inputs, self.outputs)
        self._layers_in_order = self._topology.layers
        self._input_coordinates = [t._keras_history for t in self.inputs]
        self._output_coordinates = [t._keras_history for t in self.outputs]
        self._input_layers = [h.layer for h in self._input_coordinates]
        self._output_layers = [h.layer for h in self._output_coordinates]
        self.built = True
        self._own_node(Node.of_network(self, inputs, outputs))

    def _own_node(self, node):
        """Makes `node` the first node, replacing that of an earlier wiring."""
        if self._has_own_node:
            self._inbound_nodes[0] = node
        elif not self._inbound_nodes:
            self._inbound_nodes.append(node)

    @property
    def _has_own_node(self):
        return bool(self._inbound_nodes) and not self._inbound_nodes[0].inbound_layers

    @property
    def _sublayers(self):
        if self._layers_in_order is not None:
            return self._layers_in_order
        return super()._sublayers

    @property
    def weights(self):
        """All Variables, layer by layer: the order of `get_weights` and of files.

        Of layers in a list or dict, trainable ones come first, as in TF.
        """
        found = []
        for layers in self._layers_by_attribute():
            if len(layers) == 1:
                found += layers[0].weights
            else:
                found += [w for layer in layers for w in layer.trainable_weights]
                found += [w for layer in layers for w in layer.non_trainable_weights]
        trained, others = self._own_weights()
        return self._joined(trained + others, found)

    def _layers_by_attribute(self):
        if self._layers_in_order is not None:
            return [[layer] for layer in self._sublayers]
        values = [v for k, v in self.__dict__.items() if k not in UNTRACKED]
        return [found for found in map(layers_in, values) if found]

    def _joined(self, own, inside):
        return unique(inside + own)

    variables = weights

    @property
    def _added_metrics(self):
        """The Metric objects of the layers inside and its own, last in a functional model."""
        if not self._is_graph_network:
            return super()._added_metrics
        inside = [metric for layer in self._sublayers for metric in layer._added_metrics]
        return unique(inside + self._metrics)

    @property
    def layers(self):
        """The layers, inputs first."""
        return list(self._sublayers)

    @property
    def input_names(self):
        """The names of the input layers."""
        return [h.layer.name for h in self._input_coordinates] if self._is_graph_network else \
            [f'input_{i + 1}' for i in range(len(self.inputs or ()))]

    @property
    def output_names(self):
        """The names of the layers that compute the outputs; repeated ones are numbered."""
        if not self._is_graph_network:
            return [f'output_{i + 1}' for i in range(len(self.outputs or ()))]
        names, uses = [], {}
        for history in self._output_coordinates:
            name = history.layer.name
            uses[name] = uses.get(name, 0) + 1
            names.append(name if uses[name] == 1 else f'{name}_{uses[name] - 1}')
        return names

    @property
    def input(self) -> Any:
        """The input tensor, or the nest of inputs passed to the constructor."""
        return self._only_nest('_input_structure', 'input')

    @property
    def output(self) -> Any:
        """The output tensor, or the nest of outputs passed to the constructor."""
        return self._only_nest('_output_structure', 'output')

    def _only_nest(self, attribute, what):
        structure = getattr(self, attribute)
        if structure is None:
            raise misuse(AttributeError(f'{self.name} has never been called, so it has no {what} '
                                        'yet.\n  Hint: call it on an Input, or fit it.'))
        if isinstance(structure, (list, tuple)) and len(structure) == 1:
            return structure[0]
        return structure

    @property
    def input_shape(self):
        """The shape of the input (or the nest of shapes); AttributeError if the calls differ."""
        if len(self._inbound_nodes) > 1:
            return super().input_shape
        return tf.nest.map_structure(K.int_shape, self.input)

    @property
    def output_shape(self):
        """The shape of the output (or the nest of shapes); AttributeError if the calls differ."""
        if len(self._inbound_nodes) > 1:
            return super().output_shape
        return tf.nest.map_structure(K.int_shape, self.output)

    @property
    def stateful(self):
        """True if a layer inside keeps its state from batch to batch."""
        return any(getattr(layer, 'stateful', False) for layer in self._sublayers)

    @stateful.setter
    def stateful(self, value):
        if value:
            raise misuse(AttributeError('A model is stateful if one of its layers is.'))

    @property
    def state_updates(self):
        """The updates of the stateful layers."""
        return [u for layer in self._sublayers if getattr(layer, 'stateful', False)
                for u in layer.updates]

    @property
    def _checkpoint_dependencies(self):
        """The layers by their numbers, then what attributes name: a subclass has only those."""
        found, with_weights = [], 0
        for i, layer in enumerate(self._numbered_layers()):
            if self._wired_when_made and layer.weights:
                found.append((f'layer_with_weights-{with_weights}', layer))
                with_weights += 1
            found.append((f'layer-{i}', layer))
        return found + super()._checkpoint_dependencies

    def _numbered_layers(self):
        return self.layers if self._is_graph_network else []

    @property
    def _wired_when_made(self):
        """True if the layers had their weights when they were put into the network."""
        return self._is_graph_network

    def reset_states(self):
        """Sets the states of all stateful layers to zero."""
        for layer in self._sublayers:
            if hasattr(layer, 'reset_states') and getattr(layer, 'stateful', False):
                layer.reset_states()

    @property
    def input_spec(self):
        """None: the Inputs define the accepted values."""
        return None

    @input_spec.setter
    def input_spec(self, value):
        if value is not None:
            raise misuse(AttributeError('A model takes its input_spec from its Inputs.'))

    def get_layer(self, name=None, index=None) -> Any:
        """The layer of that name, or at that position. ValueError if there is none."""
        layers = self.layers
        if index is not None:
            if not -len(layers) <= index < len(layers):
                raise misuse(ValueError(f'Was asked to retrieve layer at index {index} but model '
                                        f'only has {len(layers)} layers.'))
            return layers[index]
        if not name:
            raise misuse(ValueError('Provide either a layer name or layer index.'))
        for layer in layers:
            if layer.name == name:
                return layer
        raise misuse(ValueError(f'No such layer: {name}. The model has '
                                f'{[layer.name for layer in layers]}.'))

    # ---- calling -------------------------------------------------------------------------

    def call(self, inputs, training=None, mask=None):
        """Calls the layers once more, on these inputs."""
        if not self._is_graph_network:
            raise NotImplementedError(
                f'{type(self).__name__}.call: a subclassed model defines its forward pass here.')
        return self._run_layers(inputs, training, mask)[0]

    def compute_mask(self, inputs, mask=None):
        """The masks of the outputs for these inputs; as in TensorFlow, calls the layers again."""
        if not self._is_graph_network:
            return None
        outputs = self._run_layers(inputs, None, mask)[0]
        return tf.nest.map_structure(mask_of, outputs)

    def _run_layers(self, inputs, training=None, mask=None):
        flat = tf.nest.flatten(inputs)
        if len(flat) != len(self.inputs):
            raise misuse(ValueError(f'The model {self.name} has {len(self.inputs)} inputs '
                                    f'{self.input_names}, but it was called on {len(flat)}.'))
        masks = tf.nest.flatten(mask) if mask is not None else [None] * len(flat)
        made = {}
        for own, given, its_mask in zip(self.inputs, flat, masks):
            if its_mask is not None:
                given._keras_mask = its_mask
            made[id(own)] = tf.cast(given, own.dtype) \
                if given.dtype.base_dtype != own.dtype.base_dtype else given
        deepest = max(self._topology.nodes_by_depth)
        for node in self._topology.node_order:
            if not node.inbound_layers:
                if node not in self._topology.nodes_by_depth[deepest]:
                    _identity_input(node, made)
                continue
            arguments = tf.nest.map_structure(
                lambda x: made.get(id(x), x), node.arguments) if node.arguments else {}
            accepted = inspect.signature(node.outbound_layer.call).parameters
            if 'training' in accepted and training is not None:
                arguments.setdefault('training', training)
            given = tf.nest.map_structure(lambda t: made[id(t)], node.inputs)
            outputs = node.outbound_layer(given, **arguments)
            for own, new in zip(tf.nest.flatten(node.outputs), tf.nest.flatten(outputs)):
                made[id(own)] = new
        structure = tf.nest.map_structure(lambda t: made[id(t)], self._output_structure)
        if isinstance(structure, (list, tuple)) and len(structure) == 1:
            structure = structure[0]
        return structure, made

    def compute_output_shape(self, input_shape):
        """The output shape(s), from those of the layers."""
        if not self._is_graph_network:
            return super().compute_output_shape(input_shape)
        given = [input_shape] if not isinstance(input_shape, list) else input_shape
        shapes = {id(t): tf.TensorShape(s) for t, s in zip(self.inputs, given)}
        for node in self._topology.node_order:
            if not node.inbound_layers:
                continue
            known = tf.nest.map_structure(lambda t: shapes[id(t)], node.inputs)
            found = node.outbound_layer.compute_output_shape(known)
            tensors = tf.nest.flatten(node.outputs)
            found = found if isinstance(found, list) else [found]
            shapes.update((id(t), tf.TensorShape(s)) for t, s in zip(tensors, found))
        found = [shapes[id(t)] for t in self.outputs]
        return found[0] if len(found) == 1 else found

    def build(self, input_shape):
        """Makes the weights of a subclassed model for inputs of that shape (or list of shapes)."""
        if self.built or input_shape is None:
            self.built = True
            return
        if type(self).call is Network.call:
            return
        if current_call() is None:
            shapes = input_shape if isinstance(input_shape, list) else [input_shape]
            with self._graph.as_default():
                x = [K.placeholder(shape=tf.TensorShape(s).as_list()) for s in shapes]
                with calling(self, x, None):        # without a name scope, as in TF
                    self.call(x if isinstance(input_shape, list) else x[0],
                              **_required_training(self.call))
        self.built = True

    # ---- configuration -------------------------------------------------------------------

    def get_config(self):
        """The layers and their calls, as a dict from which `from_config` makes an equal model."""
        if not self._is_graph_network:
            raise NotImplementedError(
                f'{type(self).__name__}.get_config: a subclassed model is Python code, which has '
                'no configuration; use save_weights, and create the model by its class.')
        return network_config(self)

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """A model of this configuration, without the weights."""
        return network_from_config(cls, config, custom_objects)


register_layers({'Network': Network})


def _identity_input(node, made):
    """Adds the identity node that TF makes for an Input at a lower depth than the deepest one."""
    own, name = tf.nest.flatten(node.outputs)[0], node.outbound_layer.name
    given = made[id(own)]
    with K.name_scope(name), K.name_scope(name):
        made[id(own)] = tf.identity(given)
    if hasattr(given, '_keras_mask'):
        made[id(own)]._keras_mask = given._keras_mask


def _required_training(call):
    """{'training': False} for a `call` that has no default for it."""
    parameter = inspect.signature(call).parameters.get('training')
    return {} if parameter is None or parameter.default is not parameter.empty else \
        {'training': False}
