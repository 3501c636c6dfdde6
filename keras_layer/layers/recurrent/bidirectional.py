"""Bidirectional: two recurrent layers, one forwards and one backwards in time."""
from __future__ import annotations

import inspect

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import InputSpec, Layer
from keras_layer.engine.registry import deserialize_layer
from keras_layer.layers.recurrent.rnn import all_from_keras
from keras_layer.layers.recurrent.states import separate_arguments
from keras_layer.layers.wrappers import Wrapper
from keras_layer.utils.generic import has_arg, to_list
from tinyflow.graph.support.errors import misuse

__all__ = ['Bidirectional']

_MERGE = {
    'concat': lambda y, y_rev: K.concatenate([y, y_rev]),
    'sum': lambda y, y_rev: y + y_rev,
    'ave': lambda y, y_rev: (y + y_rev) / 2,
    'mul': lambda y, y_rev: y * y_rev,
    None: lambda y, y_rev: [y, y_rev],
}


class Bidirectional(Wrapper):
    """A recurrent layer over the steps in both directions; each direction has its own weights.

    `merge_mode` is how the two outputs are combined: 'concat' (by default), 'sum', 'ave', 'mul', or
    None for a list of both. `backward_layer`, by default like `layer`, is the second one; it has
    the other `go_backwards`.

    Shapes: as the layer's, with twice as many features for 'concat'. Schuster and Paliwal (1997).

    Raises ValueError if `layer` is not a layer, for an unknown merge mode, and for two layers
    that do not match.
    """

    def __init__(self, layer, merge_mode='concat', weights=None, backward_layer=None, **kwargs):
        for name, given in (('layer', layer), ('backward_layer', backward_layer)):
            if given is not None and not isinstance(given, Layer) or layer is None:
                raise misuse(ValueError(
                    f'Please initialize `Bidirectional` layer with a `Layer` instance; `{name}` is '
                    f'{given!r}'))
        if merge_mode not in _MERGE:
            raise misuse(ValueError('Invalid merge mode. Merge mode should be one of {"sum", '
                                    f'"mul", "ave", "concat", None}}, not {merge_mode!r}'))
        self._num_constants, self._backward_config = 0, None
        super().__init__(layer, **kwargs)
        # Copies, so that the given layer can still be used by itself.
        self.forward_layer = _copy_of_metric(layer)
        if backward_layer is None:
            self.backward_layer = _copy_of_metric(layer, turned=True)
        else:
            self.backward_layer = backward_layer
            self._backward_config = backward_layer.get_config()
        self.forward_layer._name = 'forward_' + self.forward_layer.name
        self.backward_layer._name = 'backward_' + self.backward_layer.name
        self._check_directions()
        for one in (self.forward_layer, self.backward_layer):
            if getattr(one, 'zero_output_for_mask', None) is not None:
                one.zero_output_for_mask = one.return_sequences
        if weights:
            half = len(weights) // 2
            self.forward_layer._initial_weights = weights[:half]
            self.backward_layer._initial_weights = weights[half:]
        self.merge_mode = merge_mode
        self.stateful, self.return_state = layer.stateful, layer.return_state
        self.return_sequences = layer.return_sequences
        self.supports_masking = True
        self.input_spec = layer.input_spec

    @property
    def _sublayers(self):
        return [self.forward_layer, self.backward_layer]        # `layer` is only their template

    def _check_directions(self):
        forward, backward = self.forward_layer, self.backward_layer
        if forward.go_backwards == backward.go_backwards:
            raise misuse(ValueError('Forward layer and backward layer should have different '
                                    '`go_backwards` value.'))
        for name in ('stateful', 'return_sequences', 'return_state'):
            if getattr(forward, name) != getattr(backward, name):
                raise misuse(ValueError(
                    'Forward layer and backward layer are expected to have the same value for '
                    f'attribute {name}, got {getattr(forward, name)} and '
                    f'{getattr(backward, name)}'))

    # ---- shapes and masks ----------------------------------------------------------------

    def compute_output_shape(self, input_shape):
        shapes = self.forward_layer.compute_output_shape(input_shape)
        shapes = shapes if isinstance(shapes, list) else [shapes]
        states = [tf.TensorShape(shape) for shape in shapes[1:]] if self.return_state else []
        sizes = tf.TensorShape(shapes[0]).as_list()
        if self.merge_mode == 'concat' and sizes[-1] is not None:
            sizes[-1] *= 2
        outputs = [tf.TensorShape(sizes)] * (2 if self.merge_mode is None else 1)
        found = outputs + states + states
        return found[0] if len(found) == 1 else found

    def compute_mask(self, inputs, mask):
        mask = mask[0] if isinstance(mask, list) else mask
        output_mask = mask if self.return_sequences else None
        if not self.merge_mode:
            output_mask = [output_mask, output_mask]
        if self.return_state:
            return to_list(output_mask) + [None for _ in self.forward_layer.states] * 2
        return output_mask

    def build(self, input_shape):
        for layer in self._sublayers:
            with K.name_scope(layer.name):
                layer.build(input_shape)
            layer.built = True
        self.built = True

    def reset_states(self):
        """Sets the states of both directions to zero."""
        self.forward_layer.reset_states()
        self.backward_layer.reset_states()

    # ---- calling -------------------------------------------------------------------------

    def __call__(self, inputs, initial_state=None, constants=None, **kwargs):
        """The outputs for these inputs.

        `initial_state` holds the states of the forward layer, then as many of the backward layer.
        ValueError for an odd number of them.
        """
        inputs, initial_state, constants = separate_arguments(inputs, initial_state, constants,
                                                              self._num_constants)
        if initial_state is None and constants is None:
            return super().__call__(inputs, **kwargs)
        specs = self._note_specs(initial_state or [], constants or [])
        additional = (initial_state or []) + (constants or [])
        if not all_from_keras(additional):
            return super().__call__(inputs, initial_state=initial_state, constants=constants,
                                    **kwargs)
        before = self.input_spec
        self.input_spec = [None] * len(tf.nest.flatten(inputs)) + specs
        output = super().__call__([inputs, *additional], **kwargs)
        self.input_spec = before
        return output

    def _note_specs(self, initial_state, constants):
        if len(initial_state) % 2:
            raise misuse(ValueError(
                'When passing `initial_state` to a Bidirectional RNN, the state should be a list '
                'containing the states of the underlying RNNs, first all of the forward one. '
                f'Found: {initial_state}'))
        half = len(initial_state) // 2
        states = [InputSpec(shape=K.int_shape(state)) for state in initial_state]
        constant_specs = [InputSpec(shape=K.int_shape(tensor)) for tensor in constants]
        for layer, own in ((self.forward_layer, states[:half]),
                           (self.backward_layer, states[half:])):
            if own:
                layer.state_spec = own
            if constants:
                layer.constants_spec, layer._num_constants = constant_specs, len(constants)
        self._num_constants = len(constants) or self._num_constants
        return states + constant_specs

    def call(self, inputs, training=None, mask=None, initial_state=None, constants=None):
        kwargs = {name: value for name, value in
                  (('training', training), ('mask', mask), ('constants', constants))
                  if has_arg(self.layer.call, name)}
        forward, backward = self._inputs_of_both(inputs, initial_state, kwargs)
        y = self.forward_layer(*forward[:1], **forward[1], **kwargs)
        y_rev = self.backward_layer(*backward[:1], **backward[1], **kwargs)
        states = []
        if self.return_state:
            states = y[1:] + y_rev[1:]
            y, y_rev = y[0], y_rev[0]
        if self.return_sequences:
            y_rev = K.reverse(y_rev, 1)
        output = _MERGE[self.merge_mode](y, y_rev)
        return to_list(output) + states if self.return_state else output

    def _inputs_of_both(self, inputs, initial_state, kwargs):
        """(inputs, further arguments) of the forward and of the backward layer."""
        if isinstance(inputs, list) and len(inputs) > 1:
            kwargs.pop('constants', None)
            end = len(inputs) - self._num_constants
            half = (end - 1) // 2 + 1
            first, constants = inputs[:1], inputs[end:]
            if isinstance(kwargs.get('mask'), list):
                kwargs['mask'] = kwargs['mask'][0]
            return ((first + inputs[1:half] + constants, {}),
                    (first + inputs[half:end] + constants, {}))
        if initial_state is None:
            return (inputs, {}), (inputs, {})
        half = len(initial_state) // 2
        return ((inputs, {'initial_state': initial_state[:half]}),
                (inputs, {'initial_state': initial_state[half:]}))

    # ---- configuration -------------------------------------------------------------------

    def get_config(self):
        config = {**super().get_config(), 'merge_mode': self.merge_mode}
        if self._num_constants:
            config['num_constants'] = self._num_constants
        if self._backward_config is not None:
            config['backward_layer'] = {'class_name': type(self.backward_layer).__name__,
                                        'config': self._backward_config}
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        config = dict(config)
        count = config.pop('num_constants', 0)
        if config.get('backward_layer') is not None:
            config['backward_layer'] = deserialize_layer(config['backward_layer'],
                                                         custom_objects=custom_objects)
        made = super().from_config(config, custom_objects=custom_objects)
        made._num_constants = count
        return made


def _copy_of_metric(layer, turned=False):
    """A new layer of the same configuration, with the opposite direction if `turned`."""
    config = layer.get_config()
    if turned:
        config['go_backwards'] = not config['go_backwards']
    if 'custom_objects' not in inspect.signature(type(layer).from_config).parameters:
        return type(layer).from_config(config)
    # Custom cells are found by their class, even if they are not registered.
    cell = getattr(layer, 'cell', None)
    cells = [cell, *getattr(cell, 'cells', [])] if cell is not None else []
    return type(layer).from_config(config, custom_objects={
        type(one).__name__: type(one) for one in cells})
