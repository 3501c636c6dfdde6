"""States of recurrent cells: sizes, zero states, and states among the call arguments."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from tinyflow.graph.support.errors import misuse

__all__ = ['has_many_states', 'listed_states', 'separate_arguments', 'size_list', 'zero_states',
           'zero_states_of_cell']


def has_many_states(state_size):
    """True if a cell with this `state_size` has a sequence of states instead of one."""
    return hasattr(state_size, '__len__') and not isinstance(state_size, tf.TensorShape)


def listed_states(state_size):
    """The sizes of a cell's states, as a list."""
    return list(state_size) if has_many_states(state_size) else [state_size]


def size_list(size):
    """One state's size without the batch, as a list: 3 is [3]."""
    return tf.TensorShape(size).as_list()


def zero_states_of_cell(cell, inputs, batch_size, dtype):
    """Zeros for each state of the cell; the batch is that of `inputs`, where they are given."""
    if inputs is not None:
        batch_size, dtype = K.shape(inputs)[0], inputs.dtype
    return zero_states(batch_size, cell.state_size, dtype)


def zero_states(batch_size, state_size, dtype):
    """Zeros [batch, *size] for each size in the nest `state_size`.

    ValueError without a batch size or dtype.
    """
    if batch_size is None or dtype is None:
        raise misuse(ValueError('batch_size and dtype cannot be None while constructing initial '
                                f'state: batch_size={batch_size}, dtype={dtype}'))

    def zeros(size):
        return K.zeros_of_shape([batch_size, *size_list(size)], dtype)
    if tf.nest.is_nested(state_size):
        return tf.nest.map_structure(zeros, state_size)
    return zeros(state_size)


def separate_arguments(inputs, initial_state, constants, num_constants):
    """(inputs, initial states, constants) of a call that may pass all of them in one list.

    A model that is called again passes [inputs, *states, *constants]. The states and constants
    come back as lists or None.
    """
    if isinstance(inputs, list):
        if initial_state is not None or constants is not None:
            raise misuse(ValueError(
                'The inputs of this recurrent layer are a list, which contains initial states and '
                'constants already; do not pass `initial_state` or `constants` as well.\n'
                '  Hint: layer(x, initial_state=states), or nested inputs as a tuple.'))
        if num_constants:
            inputs, constants = inputs[:-num_constants], inputs[-num_constants:]
        inputs, initial_state = inputs[0], inputs[1:] or None
    return inputs, _list_or_none(initial_state), _list_or_none(constants)


def _list_or_none(value):
    if value is None or isinstance(value, list):
        return value
    return list(value) if isinstance(value, tuple) else [value]
