"""RNN: a layer that applies a cell to each time step of its inputs."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import InputSpec, Layer
from keras_layer.engine.registry import deserialize_layer
from keras_layer.layers.recurrent.cells import StackedRNNCells
from keras_layer.layers.recurrent.stateful import StatefulRNN, wrong_number_of_states
from keras_layer.layers.recurrent.states import (
    listed_states,
    separate_arguments,
    size_list,
    zero_states,
)
from keras_layer.utils.generic import has_arg, to_list
from tinyflow.graph.support.errors import misuse

__all__ = ['RNN']


# Whether `build` of a cell is given the shapes of the constants behind that of a step; tf.keras
# gives that of a step alone. keras2/enabling.py sets it.
builds_with_constants = False


class RNN(StatefulRNN, Layer):
    """Applies `cell` to each time step: a recurrent layer of any cell or list of cells.

    A cell has `state_size` and ``output, new_states = call(inputs, states)``; it may have
    `output_size`, `get_initial_state` and be a layer. `return_sequences` gives the outputs of all
    steps, `return_state` also the last states; `go_backwards` starts at the last step;
    `stateful` starts each batch from the final states of the previous one; `unroll` unrolls the
    loop.

    Shapes:
        [batch, time, ...] -> [batch, ...] or, with `return_sequences`, [batch, time, ...]; time
        and batch are swapped with `time_major`. The inputs may be a tuple or dict of tensors.

    Raises ValueError for a cell without `call` or `state_size`.
    """

    def __init__(self, cell, return_sequences=False, return_state=False, go_backwards=False,
                 stateful=False, unroll=False, time_major=False, **kwargs):
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not hasattr(cell, 'call'):
            raise misuse(ValueError('`cell` should have a `call` method. The RNN was passed: '
                                    f'{cell!r}'))
        if not hasattr(cell, 'state_size'):
            raise misuse(ValueError('The RNN cell should have an attribute `state_size` (tuple of '
                                    'integers, one integer per RNN state).'))
        self.zero_output_for_mask = kwargs.pop('zero_output_for_mask', False)
        if 'input_shape' not in kwargs and ('input_dim' in kwargs or 'input_length' in kwargs):
            kwargs['input_shape'] = (kwargs.pop('input_length', None),
                                     kwargs.pop('input_dim', None))
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful = go_backwards, stateful
        self.unroll, self.time_major = unroll, time_major
        self.supports_masking = True
        self.input_spec = self.state_spec = self.constants_spec = None
        self._states, self._num_constants = None, 0

    # ---- shapes and masks ----------------------------------------------------------------

    def compute_output_shape(self, input_shape):
        shape = _first_shape(input_shape)
        batch, steps = (shape[1], shape[0]) if self.time_major else (shape[0], shape[1])
        front = [batch]
        if self.return_sequences:
            front = [steps, batch] if self.time_major else [batch, steps]
        sizes = listed_states(self.cell.state_size)
        size = getattr(self.cell, 'output_size', None)
        outputs = [tf.TensorShape(front + size_list(one))
                   for one in (tf.nest.flatten(size) if size is not None else sizes[:1])]
        if self.return_state:
            return outputs + [tf.TensorShape([batch, *size_list(one)])
                              for one in tf.nest.flatten(sizes)]
        return outputs[0] if len(outputs) == 1 else outputs

    def compute_mask(self, inputs, mask):
        mask = tf.nest.flatten(mask)[0]
        output_mask = mask if self.return_sequences else None
        if self.return_state:
            return [output_mask] + [None for _ in self.states]
        return output_mask

    # ---- building ------------------------------------------------------------------------

    def build(self, input_shape):
        constants = []
        if isinstance(input_shape, list) and not _is_shape(input_shape):
            if builds_with_constants and self._num_constants:
                constants = input_shape[-self._num_constants:]
            input_shape = input_shape[0]
        if _is_shape(input_shape):
            input_shape = tf.TensorShape(input_shape)
        specs = tf.nest.map_structure(self._spec_of, input_shape)
        if self.input_spec is None:
            self.input_spec = to_list(specs)
        else:
            self.input_spec[0] = specs
        if isinstance(self.cell, Layer) and not self.cell.built:
            shapes = tf.nest.map_structure(self._shape_of_step, input_shape)
            self.cell.build([shapes, *constants] if constants else shapes)
            self.cell.built = True
        sizes = listed_states(self.cell.state_size)
        if self.state_spec is not None:
            self._validate_state_spec(sizes, self.state_spec)
        else:
            self.state_spec = tf.nest.map_structure(
                lambda size: InputSpec(shape=(None, *size_list(size))), sizes)
        if self.stateful:
            self.reset_states()
        self.built = True

    def _spec_of(self, shape):
        sizes = list(shape.as_list() if hasattr(shape, 'as_list') else shape)
        batch, time = (1, 0) if self.time_major else (0, 1)
        sizes[time] = None
        if not self.stateful:
            sizes[batch] = None
        return InputSpec(shape=tuple(sizes))

    def _shape_of_step(self, shape):
        sizes = tuple(shape.as_list() if hasattr(shape, 'as_list') else shape)
        return sizes[1:] if self.time_major else sizes[:1] + sizes[2:]

    @staticmethod
    def _validate_state_spec(cell_state_sizes, init_state_specs):
        sizes, specs = tf.nest.flatten(cell_state_sizes), tf.nest.flatten(init_state_specs)
        if len(sizes) != len(specs) or not all(
                tf.TensorShape(spec.shape[1:]).is_compatible_with(tf.TensorShape(size))
                for spec, size in zip(specs, sizes)):
            raise misuse(ValueError(
                'An `initial_state` was passed that is not compatible with `cell.state_size`. '
                f'Received `state_spec`={init_state_specs}; however `cell.state_size` is '
                f'{cell_state_sizes}\n  Hint: one tensor [batch, size] for each state of the cell; '
                'an LSTM has two, [h, c].'))

    def get_initial_state(self, inputs):
        """The states before the first step: those of the cell, zeros by default."""
        inputs = tf.nest.flatten(inputs)[0]
        shape = K.shape(inputs)
        batch_size = shape[1] if self.time_major else shape[0]
        if getattr(self.cell, 'get_initial_state', None) is not None:
            states = self.cell.get_initial_state(inputs=None, batch_size=batch_size,
                                                 dtype=inputs.dtype)
        else:
            states = zero_states(batch_size, self.cell.state_size, inputs.dtype)
        return list(states) if tf.nest.is_nested(states) else [states]

    # ---- calling -------------------------------------------------------------------------

    def __call__(self, inputs, initial_state=None, constants=None, **kwargs):
        """The outputs for these inputs.

        `initial_state`, tensors for the states before the first step, and `constants`, tensors
        that each step of the cell gets, may come from layers of the model or from elsewhere, but
        not from both. ValueError if they do.
        """
        inputs, initial_state, constants = separate_arguments(inputs, initial_state, constants,
                                                              self._num_constants)
        if initial_state is None and constants is None:
            return super().__call__(inputs, **kwargs)
        specs = self._note_specs(initial_state, constants)
        additional = (initial_state or []) + (constants or [])
        if not all_from_keras(additional):
            if initial_state is not None:
                kwargs['initial_state'] = initial_state
            if constants is not None:
                kwargs['constants'] = constants
            return super().__call__(inputs, **kwargs)
        # They are inputs like others, so the graph of layers has edges to them.
        own = [None] * len(tf.nest.flatten(inputs))
        if not tf.nest.is_nested(inputs) and self.built and self.input_spec:
            own = self.input_spec[:1]
        self.input_spec = own + specs
        outputs = super().__call__([inputs, *additional], **kwargs)
        self.input_spec = self.input_spec[:-len(specs)]
        return outputs

    def _note_specs(self, initial_state, constants):
        """Stores the specs of states and constants, and returns them in one list."""
        def spec(tensor):
            return InputSpec(shape=K.int_shape(tensor))
        specs = []
        if initial_state is not None:
            self.state_spec = tf.nest.map_structure(spec, initial_state)
            specs += self.state_spec
        if constants is not None:
            self.constants_spec = [spec(tensor) for tensor in constants]
            self._num_constants = len(constants)
            specs += self.constants_spec
        return specs

    def call(self, inputs, mask=None, training=None, initial_state=None, constants=None):
        self._reset_dropout_masks()
        inputs, initial_state, constants = self._process_inputs(inputs, initial_state, constants)
        if mask is not None:
            mask = tf.nest.flatten(mask)[0]
        self._check_unrolling(tf.nest.flatten(inputs)[0])
        last_output, outputs, states = K.rnn(
            self._step(training, constants), inputs, initial_state, constants=constants,
            go_backwards=self.go_backwards, mask=mask, unroll=self.unroll,
            time_major=self.time_major, zero_output_for_mask=self.zero_output_for_mask,
            input_length=self._iterations(inputs))
        if self.stateful:
            self._keep_states(states)
        output = outputs if self.return_sequences else last_output
        return to_list(output) + list(states) if self.return_state else output

    def _reset_dropout_masks(self):
        for method in ('reset_dropout_mask', 'reset_recurrent_dropout_mask'):
            if hasattr(self.cell, method):
                getattr(self.cell, method)()

    @staticmethod
    def _iterations(inputs):
        """The most iterations of the loop, next to the number of steps: as in TF, none."""
        return None

    def _check_unrolling(self, first_input):
        if self.unroll and K.int_shape(first_input)[0 if self.time_major else 1] is None:
            raise misuse(ValueError(
                f'Cannot unroll a RNN if the time dimension is undefined (layer {self.name}).\n'
                '  Hint: give the number of steps: input_shape=(steps, features) for the first '
                'layer of a Sequential, input_length= for an Embedding, Input(shape=(steps, '
                'features)) otherwise; or unroll=False.'))

    def _step(self, training, constants):
        """The step function for K.rnn."""
        count = len(constants) if constants else 0
        kwargs = {'training': training} if has_arg(self.cell.call, 'training') else {}
        if count and not has_arg(self.cell.call, 'constants'):
            raise misuse(ValueError(
                f'RNN cell does not support constants\n  Hint: {type(self.cell).__name__}.call('
                'inputs, states, constants) takes them.'))
        bare = getattr(self.cell, '_is_tf_rnn_cell', None) is not None

        def step(inputs, states):
            if count:
                kwargs['constants'] = states[-count:]
                states = states[:-count]
            states = states[0] if bare and len(states) == 1 else states
            output, new_states = self.cell.call(inputs, states, **kwargs)
            return output, new_states if tf.nest.is_nested(new_states) else [new_states]
        return step

    def _process_inputs(self, inputs, initial_state, constants):
        """(inputs, initial states, constants), taken from the list of a Keras call."""
        if isinstance(inputs, list):
            count = self._num_constants
            initial_state = inputs[1:-count] if count else inputs[1:]
            constants = inputs[-count:] if count else constants
            inputs, initial_state = inputs[0], initial_state or None
        if initial_state is None:
            initial_state = self.states if self.stateful else self.get_initial_state(inputs)
        if len(initial_state) != len(self.states):
            raise wrong_number_of_states(self, len(initial_state))
        return inputs, initial_state, constants

    # ---- configuration -------------------------------------------------------------------

    def get_config(self):
        config = {**super().get_config(), 'return_sequences': self.return_sequences,
                  'return_state': self.return_state, 'go_backwards': self.go_backwards,
                  'stateful': self.stateful, 'unroll': self.unroll,
                  'time_major': self.time_major}
        if self._num_constants:
            config['num_constants'] = self._num_constants
        if self.zero_output_for_mask:
            config['zero_output_for_mask'] = self.zero_output_for_mask
        config['cell'] = {'class_name': type(self.cell).__name__,
                          'config': self.cell.get_config()}
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        config = dict(config)
        cell = deserialize_layer(config.pop('cell'), custom_objects=custom_objects)
        count = config.pop('num_constants', 0)
        layer = cls(cell, **config)
        layer._num_constants = count
        return layer


def all_from_keras(tensors):
    """True if all tensors come from Keras' graph, False if none. ValueError if some do."""
    from_keras = {K.is_keras_tensor(tensor) for tensor in tf.nest.flatten(tensors)}
    if len(from_keras) > 1:
        raise misuse(ValueError(
            'The initial state or constants of an RNN layer cannot be specified with a mix of '
            'Keras tensors and non-Keras tensors (a "Keras tensor" is a tensor that was returned '
            'by a Keras layer, or by `Input`)\n  Hint: Input(tensor=t) makes a Keras tensor of t.'))
    return from_keras.pop()


def _is_shape(shape):
    if isinstance(shape, tf.TensorShape):
        return True
    return isinstance(shape, (list, tuple)) and all(
        size is None or isinstance(size, (int, tf.Dimension)) for size in shape)


def _first_shape(input_shape):
    """The shape of the first input, as a list."""
    if isinstance(input_shape, list) and not _is_shape(input_shape):
        input_shape = input_shape[0]
    while not _is_shape(input_shape):
        input_shape = next(iter(input_shape.values())) if isinstance(input_shape, dict) \
            else input_shape[0]
    return tf.TensorShape(input_shape).as_list()
