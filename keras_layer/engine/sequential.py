"""Sequential: layers one after another."""
from __future__ import annotations

import copy
import inspect
from contextlib import nullcontext
from typing import Any

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.call_context import current_call
from keras_layer.engine.input_layer import Input, InputLayer
from keras_layer.engine.layer_naming import default_name
from keras_layer.engine.model import Model
from keras_layer.engine.node import mask_of
from keras_layer.engine.registry import deserialize_layer, register_layers
from tinyflow.graph.support.errors import misuse

__all__ = ['Sequential']


class Sequential(Model):
    """A model of layers, each fed by the one before.

    ``Sequential([Dense(10, input_shape=(784,)), Activation('softmax')])``. Without an input shape
    the weights are created by the first data, or by `build(input_shape)`.
    """

    def __init__(self, layers=None, name=None):
        super().__init__(name=name or default_name(type(self), 'sequential'))
        self._stack = []
        self._build_input_shape = None
        for layer in tf.nest.flatten(layers) if layers else ():
            self.add(layer)

    # ---- the stack -----------------------------------------------------------------------

    def add(self, layer):
        """Appends a layer. TypeError if it is not a Layer; ValueError if it has several outputs."""
        history = getattr(layer, '_keras_history', None)
        if history is not None and isinstance(history.layer, InputLayer):
            layer = history.layer
        if not isinstance(layer, Layer):
            raise misuse(TypeError(f'The added layer must be an instance of class Layer. Found: '
                                   f'{layer!r}' + ('\n  Hint: Dense(10), not Dense: call the '
                                                   'class to create a layer.'
                                                   if isinstance(layer, type) else '')))
        if any(layer is known for known in self._stack):
            raise misuse(ValueError(f'The layer {layer.name} is in the model already; call it '
                                    'again in a functional Model, if its weights are to be '
                                    'shared.'))
        with self._graph.as_default():
            self._put(layer)
        # The compiled functions lack the new layer.
        self._forget_functions()

    def _put(self, layer):
        if not self._stack:
            if isinstance(layer, InputLayer):
                self._stack.append(layer)
                outputs = layer._inbound_nodes[-1].outputs
                self.outputs = tf.nest.flatten(outputs)
                self._rewire()
                return
            shape = _first_shape(layer)
            if shape is not None:
                dtype = layer.dtype if not isinstance(layer, Model) else None
                x = Input(batch_shape=shape, dtype=_input_dtype(layer, dtype),
                          name=layer.name + '_input')
                layer(x)
                self._stack.append(x._keras_history.layer)
            elif layer._inbound_nodes and len(layer._inbound_nodes[-1].inbound_layers or ()) == 1 \
                    and isinstance(layer._inbound_nodes[-1].inbound_layers[0], InputLayer):
                self._stack.append(layer._inbound_nodes[-1].inbound_layers[0])
            if self._stack:
                outputs = tf.nest.flatten(layer._inbound_nodes[-1].outputs)
                _one_output(layer, outputs)
                self.outputs = outputs
        elif self.outputs:
            outputs = tf.nest.flatten(layer(self.outputs[0]))
            _one_output(layer, outputs)
            self.outputs = outputs
        self._stack.append(layer)
        if self.outputs:
            self._rewire()
        self._layers_in_order = list(self._stack)

    def _rewire(self):
        first = self._feature_inputs
        if first is None:
            first = tf.nest.flatten(self._stack[0]._inbound_nodes[-1].outputs)[0]
        self._wire(first, self.outputs[0])
        self._layers_in_order = list(self._stack)

    def pop(self):
        """Removes the last layer. TypeError if there is none."""
        if not self.layers:
            raise misuse(TypeError('There are no layers in the model.'))
        layer = self._stack.pop()
        self._layers_in_order = list(self._stack)
        if not self.layers:
            self.outputs = self.inputs = None
            self.built = self._is_graph_network = False
            self._stack = []
        elif self.outputs:
            self.outputs = [tf.nest.flatten(self._stack[-1].output)[0]]
            layer._inbound_nodes.pop()
            self._rewire()
        self._forget_functions()

    @property
    def layers(self):
        """The layers in order, without the Input created for the first."""
        if self._stack and isinstance(self._stack[0], InputLayer):
            return self._stack[1:]
        return list(self._stack)

    @property
    def _sublayers(self):
        return list(self._stack) if '_stack' in self.__dict__ else []

    def _numbered_layers(self):
        return self.layers

    @property
    def _wired_when_made(self):
        return self._is_graph_network and not self._wired_by_data

    def build(self, input_shape=None):
        """Makes the weights for inputs of that shape, batch included."""
        if self._is_graph_network or input_shape is None:
            self.built = self._is_graph_network
            return
        shape = tuple(tf.TensorShape(input_shape).as_list())
        self._build_input_shape = shape
        if current_call() is not None and current_call().layer is self:
            return                              # the call itself creates the weights
        self._wire_deferred(shape, self._first_dtype() or K.floatx())

    def _own_node(self, node):
        """As in TF, a model that was built by its first data numbers its calls from 0."""
        if not self._wired_by_data:
            super()._own_node(node)

    _wired_by_data = False

    def _wire_deferred(self, shape, dtype, by_data=False):
        """Adds an Input of that shape and calls all layers.

        `by_data`: caused by data of fit or predict; TF then creates other nodes, which changes
        seeds.
        """
        self._wired_by_data = True
        layers = list(self._stack)
        self._build_input_shape = shape
        with self._graph.as_default():
            x = Input(batch_shape=shape, dtype=dtype,
                      name=None if by_data else layers[0].name + '_input')
            self._stack = [x._keras_history.layer]
            if by_data:
                K.learning_phase()
            with K.name_scope(self._name_scope()) if by_data else nullcontext():
                for layer in layers:
                    x = layer(x)
                    _one_output(layer, tf.nest.flatten(x))
                    self._stack.append(layer)
            self.outputs = tf.nest.flatten(x)
            self._rewire()
        self.built = True
        self._read_deferred_checkpoint()

    def _wire_features(self, specs):
        """Adds an Input for each feature that the first layer, a DenseFeatures, reads.

        `specs` is a dict of (shape, dtype) by key.
        """
        self._wired_by_data = True
        layers = list(self._stack)
        wanted = getattr(layers[0], '_feature_keys', None)
        with self._graph.as_default():
            inputs = {key: Input(batch_shape=shape, dtype=dtype, name=key)
                      for key, (shape, dtype) in specs.items() if wanted is None or key in wanted}
            x = inputs
            for layer in layers:
                x = layer(x)
                _one_output(layer, tf.nest.flatten(x))
            self.outputs = tf.nest.flatten(x)
            self._feature_inputs = tf.nest.flatten(inputs)
            self._rewire()
        self.built = True

    _feature_inputs = None

    def _first_dtype(self):
        return _input_dtype(self._stack[0], self._stack[0].dtype) if self._stack else None

    def get_weights(self) -> Any:
        """The values of `weights`. ValueError if they do not exist yet, without an input shape."""
        if self._stack and not self.built and not self.weights:
            raise misuse(ValueError(
                f'Weights for model {self.name} have not yet been created. Weights are created '
                'when the Model is first called on inputs or `build()` is called with an '
                '`input_shape`.\n  Hint: input_shape=(...) for the first layer.'))
        return super().get_weights()

    def __call__(self, inputs, *args, **kwargs):
        if not self._is_graph_network and self._stack and isinstance(inputs, dict):
            self._wire_features({key: (K.int_shape(x), x.dtype.base_dtype.name)
                                 for key, x in inputs.items()})
        outputs = super().__call__(inputs, *args, **kwargs)
        if self._input_structure is None:
            self._input_structure, self._output_structure = inputs, outputs
        return outputs

    def call(self, inputs, training=None, mask=None):
        if self._is_graph_network:
            return super().call(inputs, training=training, mask=mask)
        if mask is not None:
            inputs._keras_mask = mask
        for layer in self._stack:
            takes_it = training is not None and 'training' in inspect.signature(
                layer.call).parameters
            inputs = layer(inputs, **({'training': training} if takes_it else {}))
            _one_output(layer, tf.nest.flatten(inputs))
        return inputs

    def _makes_layers_of(self, value):
        return False                            # its layers are those of the stack

    def compute_mask(self, inputs, mask=None):
        """The mask of the output for these inputs; as in TensorFlow, calls the layers again."""
        return mask_of(self.call(inputs, mask=mask))

    def compute_output_shape(self, input_shape):
        """The output shape, from those of the layers."""
        if self._is_graph_network:
            return super().compute_output_shape(input_shape)
        for layer in self._stack:
            input_shape = layer.compute_output_shape(input_shape)
        return input_shape

    # ---- classes -------------------------------------------------------------------------

    def predict_proba(self, x, batch_size=32, verbose=0) -> Any:
        """`predict`, for models whose outputs are probabilities."""
        return self.predict(x, batch_size=batch_size, verbose=verbose)

    def predict_classes(self, x, batch_size=32, verbose=0) -> Any:
        """The class with the highest probability for each example; for one output, 0 or 1."""
        probabilities = self.predict(x, batch_size=batch_size, verbose=verbose)
        if probabilities.shape[-1] > 1:
            return probabilities.argmax(axis=-1)
        return (probabilities > 0.5).astype('int32')

    # ---- configuration -------------------------------------------------------------------

    def get_config(self):
        """The name and the layers, as a dict from which `from_config` makes an equal model."""
        layers = [{'class_name': type(layer).__name__, 'config': layer.get_config()}
                  for layer in self.layers]
        config = {'name': self.name, 'layers': copy.deepcopy(layers)}
        if self._build_input_shape:
            config['build_input_shape'] = self._build_input_shape
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """A model of this configuration, without the weights; Keras 2.1's list of layers, too."""
        name = shape = None
        layers = config
        if isinstance(config, dict):
            name, shape, layers = config['name'], config.get('build_input_shape'), config['layers']
        model = cls(name=name)
        for layer_config in layers:
            model.add(deserialize_layer(layer_config, custom_objects=custom_objects))
        if not model.inputs and shape:
            model.build(shape)
        return model


register_layers({'Sequential': Sequential})


def _first_shape(layer):
    """The batch shape of the first layer, which may be a model."""
    shape = getattr(layer, '_batch_input_shape', None)
    if shape is None and isinstance(layer, Model):
        if isinstance(layer, Sequential):
            return _first_shape(layer._stack[0]) if layer._stack else None
        if layer._is_graph_network:
            return K.int_shape(layer.inputs[0])
    return shape


def _input_dtype(layer, dtype):
    """The dtype of the Input: an Embedding declares its own, since it casts itself."""
    return getattr(layer, '_input_dtype', None) or dtype or K.floatx()


def _one_output(layer, outputs):
    if len(outputs) != 1:
        raise misuse(ValueError(
            'All layers in a Sequential model should have a single output tensor, but '
            f'{layer.name} has {len(outputs)}. For multi-output layers, use the functional API.'))
