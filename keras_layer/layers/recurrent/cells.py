"""Base classes of recurrent cells: options, weights, dropout masks; StackedRNNCells."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import activations, backend as K, constraints, initializers, regularizers
from keras_layer.engine.base_layer import Layer
from keras_layer.engine.registry import deserialize_layer
from keras_layer.layers.recurrent.states import (
    has_many_states,
    size_list,
    zero_states_of_cell,
)
from keras_layer.utils.generic import has_arg
from tinyflow.graph.support.errors import misuse

__all__ = ['AbstractRNNCell', 'DropoutMasks', 'StackedRNNCells', 'UnitsCell']


# Whether `build` of a cell in a stack is given the shapes of the constants, too, if `call` takes
# constants; tf.keras gives that of a step alone. keras2/enabling.py sets it.
builds_with_constants = False
# Whether the states of a stack are flat, with those of the last cell first if not said otherwise;
# keras2/enabling.py sets it.
flat_states = False


class AbstractRNNCell(Layer):
    """Base of custom cells: the computation of one time step.

    A subclass defines `state_size` and `output_size`, and
    ``output, new_states = call(inputs, states)`` with inputs [batch, ...] and states as a tuple.
    """

    def call(self, inputs, states):
        """The output of one step and the states after it. Subclasses override it."""
        raise NotImplementedError(f'{type(self).__name__}.call(inputs, states): a custom cell '
                                  'returns (output, new states) here.')

    @property
    def state_size(self):
        """Sizes of the states without the batch: an int, a TensorShape, or a nest of these."""
        raise NotImplementedError(f'{type(self).__name__}.state_size: a custom cell returns '
                                  'the sizes of its states here.')

    @property
    def output_size(self):
        """The size of the output without the batch."""
        raise NotImplementedError(f'{type(self).__name__}.output_size: a custom cell returns '
                                  'the size of its output here.')

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Zeros for each state; the batch is that of `inputs`, if they are given."""
        return zero_states_of_cell(self, inputs, batch_size, dtype)


class DropoutMasks:
    """Variational dropout of a cell: one mask for all steps of a sequence.

    Gal and Ghahramani (2016). The layer of the cell resets the masks before each call.
    """

    _dropout_mask = _recurrent_dropout_mask = None

    def reset_dropout_mask(self):
        """The next step draws a new mask for the inputs."""
        self._dropout_mask = None

    def reset_recurrent_dropout_mask(self):
        """The next step draws a new mask for the states."""
        self._recurrent_dropout_mask = None

    def get_dropout_mask_for_cell(self, inputs, training, count=1):
        """The mask(s) for the inputs: a tensor, or `count` of them in a list; None without."""
        if self.dropout and self._dropout_mask is None:
            self._dropout_mask = _drawn(inputs, self.dropout, training, count)
        return self._dropout_mask if self.dropout else None

    def get_recurrent_dropout_mask_for_cell(self, inputs, training, count=1):
        """The mask(s) for the states: a tensor, or `count` of them in a list; None without."""
        if self.recurrent_dropout and self._recurrent_dropout_mask is None:
            self._recurrent_dropout_mask = _drawn(inputs, self.recurrent_dropout, training, count)
        return self._recurrent_dropout_mask if self.recurrent_dropout else None


def _drawn(like, rate, training, count):
    ones = K.ones_like(like)
    masks = [K.in_train_phase(lambda: K.dropout(ones, rate), ones, training=training)
             for _ in range(count)]
    return masks if count > 1 else masks[0]


def dropped(tensor, masks, rate, count):
    """`count` copies of the tensor, each times its own dropout mask if there is dropout."""
    if 0. < rate < 1.:
        return [tensor * mask for mask in masks[:count]]
    return [tensor] * count


class UnitsCell(DropoutMasks, Layer):
    """A cell with `units` states whose weights are kernel, recurrent_kernel and bias.

    `options` are the constructor's arguments of subclasses, in the order of their
    configuration.
    """

    gates = 1
    options = ('units', 'activation', 'use_bias', 'kernel_initializer', 'recurrent_initializer',
               'bias_initializer', 'kernel_regularizer', 'recurrent_regularizer',
               'bias_regularizer', 'kernel_constraint', 'recurrent_constraint', 'bias_constraint',
               'dropout', 'recurrent_dropout')

    def __init__(self, options, **kwargs):
        super().__init__(**kwargs)
        set_options(self, options)
        self.state_size = self.output_size = self.units

    def build(self, input_shape):
        size = self.units * self.gates
        self.kernel = add_weight_of(self, 'kernel', (input_shape[-1], size))
        self.recurrent_kernel = add_weight_of(self, 'recurrent', (self.units, size),
                                              name='recurrent_kernel')
        self.bias = self._make_bias() if self.use_bias else None
        self.built = True

    def _make_bias(self):
        return add_weight_of(self, 'bias', (self.units * self.gates,))

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Zeros for each state; the batch is that of `inputs`, if they are given."""
        return zero_states_of_cell(self, inputs, batch_size, dtype)

    def get_config(self):
        return {**super().get_config(), **options_config(self, self.options)}


def add_weight_of(cell, kind, shape, name=None, initializer=None):
    """A weight with the cell's `kind`_initializer, _regularizer and _constraint."""
    return cell.add_weight(
        shape=shape, name=name or kind,
        initializer=initializer or getattr(cell, kind + '_initializer'),
        regularizer=getattr(cell, kind + '_regularizer'),
        constraint=getattr(cell, kind + '_constraint'))


def bias_with_open_forget_gate(cell, units):
    """An initializer of the biases [i, f, c, o] with ones for the forget gate.

    Jozefowicz et al. (2015).
    """
    def initializer(_, *args, **kwargs):
        return K.concatenate([cell.bias_initializer((units,), *args, **kwargs),
                              initializers.Ones()((units,), *args, **kwargs),
                              cell.bias_initializer((units * 2,), *args, **kwargs)])
    return initializer


_OF_KIND = {'activation': activations, 'initializer': initializers, 'regularizer': regularizers,
            'constraint': constraints}


def _kind_of(option):
    return _OF_KIND.get(option.rpartition('_')[2])


def set_options(target, options):
    """Sets a cell's attributes from its constructor's arguments; names are replaced by objects."""
    for option, value in options.items():
        kind = _kind_of(option)
        if kind is not None:
            value = kind.get(value)
        elif option in ('dropout', 'recurrent_dropout'):
            value = min(1., max(0., value))
        setattr(target, option, value)


def options_config(source, options):
    """The attributes named `options` as a configuration."""
    config = {}
    for option in options:
        kind, value = _kind_of(option), getattr(source, option)
        config[option] = kind.serialize(value) if kind is not None else value
    return config


class StackedRNNCells(Layer):
    """Cells one after another as one cell: the output of each is the input of the next.

    Its states are the tuple of the cells' states, in their order (reversed with
    `reverse_state_order=True`, as older versions of Keras did, whose states are flat). ValueError
    for a cell without `call` or `state_size`.
    """

    def __init__(self, cells, **kwargs):
        for cell in cells:
            if not hasattr(cell, 'call'):
                raise misuse(ValueError(f'All cells must have a `call` method. received cells: '
                                        f'{cells}'))
            if not hasattr(cell, 'state_size'):
                raise misuse(ValueError('All cells must have a `state_size` attribute. received '
                                        f'cells: {cells}'))
        self.reverse_state_order = kwargs.pop('reverse_state_order', flat_states)
        super().__init__(**kwargs)
        self.cells = cells

    @property
    def _in_state_order(self):
        return self._turned(self.cells)

    @property
    def state_size(self):
        """The cells' state sizes, as a tuple."""
        sizes = tuple(cell.state_size for cell in self._in_state_order)
        return tuple(tf.nest.flatten(sizes)) if flat_states else sizes

    @property
    def output_size(self):
        """The output size of the last cell."""
        return output_size_of(self.cells[-1])

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """The initial states of all cells, zeros by default."""
        states = tuple(
            cell.get_initial_state(inputs=inputs, batch_size=batch_size, dtype=dtype)
            if hasattr(cell, 'get_initial_state')
            else zero_states_of_cell(cell, inputs, batch_size, dtype)
            for cell in self._in_state_order)
        return tuple(tf.nest.flatten(states)) if flat_states else states

    def reset_dropout_mask(self):
        """The next step draws new masks for the inputs of all cells."""
        _of_each(self.cells, 'reset_dropout_mask')

    def reset_recurrent_dropout_mask(self):
        """The next step draws new masks for the states of all cells."""
        _of_each(self.cells, 'reset_recurrent_dropout_mask')

    def call(self, inputs, states, constants=None, **kwargs):
        new_states = []
        for cell, own in zip(self.cells, self._states_by_cell(states)):
            own = own if tf.nest.is_nested(own) else [own]
            if len(own) == 1 and getattr(cell, '_is_tf_rnn_cell', None) is not None:
                own = own[0]
            passed = {name: value for name, value in kwargs.items() if has_arg(cell.call, name)}
            if has_arg(cell.call, 'constants'):
                passed['constants'] = constants
            inputs, own = cell.call(inputs, own, **passed)
            new_states.append(own)
        if flat_states:
            return inputs, tf.nest.flatten(self._turned(new_states))
        return inputs, tf.nest.pack_sequence_as(self._turned(self.state_size),
                                                tf.nest.flatten(new_states))

    def _states_by_cell(self, states):
        states = tf.nest.flatten(states)
        if flat_states:
            sizes = [cell.state_size for cell in self._in_state_order]
            return self._turned(tf.nest.pack_sequence_as(sizes, states))
        # As in TF 1.15, which does not turn the states themselves.
        return tf.nest.pack_sequence_as(self._turned(self.state_size), states)

    def _turned(self, items):
        return items[::-1] if self.reverse_state_order else items

    def build(self, input_shape):
        constants = []
        if isinstance(input_shape, list):
            input_shape, *constants = input_shape
        shape = tuple(tf.TensorShape(input_shape).as_list())
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                with_constants = builds_with_constants and has_arg(cell.call, 'constants')
                cell.build([shape, *constants] if with_constants else shape)
                cell.built = True
            shape = (shape[0], *size_list(output_size_of(cell)))
        self.built = True

    def get_config(self):
        cells = [{'class_name': type(cell).__name__, 'config': cell.get_config()}
                 for cell in self.cells]
        return {**super().get_config(), 'cells': cells}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        config = dict(config)
        cells = [deserialize_layer(cell, custom_objects=custom_objects)
                 for cell in config.pop('cells')]
        return cls(cells, **config)


def output_size_of(cell):
    """The size of a cell's output: `output_size`, else that of its first state."""
    size = getattr(cell, 'output_size', None)
    if size is not None:
        return size
    return cell.state_size[0] if has_many_states(cell.state_size) else cell.state_size


def _of_each(cells, method):
    for cell in cells:
        if hasattr(cell, method):
            getattr(cell, method)()
