"""Stateful RNNs: states kept in Variables from batch to batch, until `reset_states`."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.layers.recurrent.states import size_list
from tinyflow.graph.support.errors import misuse

__all__ = ['StatefulRNN', 'wrong_number_of_states']


class StatefulRNN:
    """The part of a recurrent layer that keeps states."""

    @property
    def states(self):
        """The Variables of the states; None for each of them unless the layer is stateful."""
        if self._states is None:
            nothing = tf.nest.map_structure(lambda _: None, self.cell.state_size)
            return nothing if tf.nest.is_nested(nothing) else [nothing]
        return self._states

    @states.setter
    def states(self, states):
        self._states = states

    def _keep_states(self, states):
        """Adds the updates that store the states after each step of training or prediction."""
        self.add_update([K.update(variable, state) for variable, state in
                         zip(tf.nest.flatten(self.states), tf.nest.flatten(states))])

    def reset_states(self, states=None):
        """Sets the states to zero, or to the arrays `states`.

        AttributeError unless the layer is stateful; ValueError if its batch size is not known, or
        for arrays of another number or shape.
        """
        if not self.stateful:
            raise misuse(AttributeError(
                f'Layer must be stateful.\n  Hint: {type(self).__name__}(..., stateful=True), '
                'with batch_input_shape for the first layer of the model.'))
        sizes, shapes = self.cell.state_size, self._state_shapes()
        if tf.nest.flatten(self.states)[0] is None:
            made = [K.zeros(shape) for shape in shapes]
            self.states = tf.nest.pack_sequence_as(sizes, made) if tf.nest.is_nested(sizes) \
                else made
        elif states is None:
            K.batch_set_value([(variable, np.zeros(shape)) for variable, shape in
                               zip(tf.nest.flatten(self.states), shapes)])
        else:
            self._set_states(tf.nest.flatten(states))

    def _set_states(self, values):
        variables = tf.nest.flatten(self.states)
        if len(values) != len(variables):
            raise misuse(ValueError(
                f'Layer {self.name} expects {len(variables)} states, but it received {len(values)} '
                f'state values. Input received: {values}'))
        for i, (variable, value) in enumerate(zip(variables, values)):
            wanted = tuple(variable.shape.as_list())
            if np.shape(value) != wanted:
                raise misuse(ValueError(
                    f'State {i} is incompatible with layer {self.name}: expected shape={wanted}, '
                    f'found shape={np.shape(value)}'))
        K.batch_set_value(list(zip(variables, values)))

    def _state_shapes(self):
        """The shape of each state with the batch, flat."""
        batch = self._batch_size()
        if not batch:
            raise misuse(ValueError(
                'If a RNN is stateful, it needs to know its batch size. Specify the batch size of '
                'your input tensors:\n  Hint: batch_input_shape=(batch, steps, features) for the '
                'first layer of a Sequential, Input(batch_shape=(batch, steps, features)) '
                'otherwise.'))
        return [[batch, *size_list(size)] for size in tf.nest.flatten(self.cell.state_size)]

    def _batch_size(self):
        spec = tf.nest.flatten(self.input_spec)[0] if self.input_spec is not None else None
        if spec is None or spec.shape is None:
            return None
        return spec.shape[1 if self.time_major else 0]


def wrong_number_of_states(layer, count):
    """The ValueError for a call with another number of initial states than the cell has."""
    return misuse(ValueError(f'Layer has {len(layer.states)} states but was passed {count} initial '
                             'states.'))
