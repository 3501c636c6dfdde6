"""SimpleRNN: fully connected RNN, the output of each step is fed to the next."""
from __future__ import annotations

from keras_layer import backend as K
from keras_layer.layers.recurrent.cells import UnitsCell
from keras_layer.layers.recurrent.units_layer import UnitsRNN, of_cell, without
from tinyflow.graph.support import logging

__all__ = ['SimpleRNN', 'SimpleRNNCell']


class SimpleRNNCell(UnitsCell):
    """h' = activation(x W + b + h U).

    Shapes: x [batch, features], h [batch, units] -> h' [batch, units].
    """

    def __init__(self, units, activation='tanh', use_bias=True,
                 kernel_initializer='glorot_uniform', recurrent_initializer='orthogonal',
                 bias_initializer='zeros', kernel_regularizer=None, recurrent_regularizer=None,
                 bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, dropout=0., recurrent_dropout=0., **kwargs):
        super().__init__(without(locals()), **kwargs)

    def call(self, inputs, states, training=None):
        previous = states[0]
        mask = self.get_dropout_mask_for_cell(inputs, training)
        recurrent_mask = self.get_recurrent_dropout_mask_for_cell(previous, training)
        h = K.dot(inputs * mask if mask is not None else inputs, self.kernel)
        if self.bias is not None:
            h = K.bias_add(h, self.bias)
        if recurrent_mask is not None:
            previous = previous * recurrent_mask
        output = h + K.dot(previous, self.recurrent_kernel)
        if self.activation is not None:
            output = self.activation(output)
        return output, [output]


@of_cell(*SimpleRNNCell.options)
class SimpleRNN(UnitsRNN):
    """A recurrent layer of SimpleRNNCell: h' = activation(x W + b + h U) in each step.

    Shapes: [batch, time, features] -> [batch, units], or [batch, time, units] with
    `return_sequences`. Elman (1990).
    """

    cell_class = SimpleRNNCell

    def __init__(self, units, activation='tanh', use_bias=True,
                 kernel_initializer='glorot_uniform', recurrent_initializer='orthogonal',
                 bias_initializer='zeros', kernel_regularizer=None, recurrent_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 recurrent_constraint=None, bias_constraint=None, dropout=0.,
                 recurrent_dropout=0., return_sequences=False, return_state=False,
                 go_backwards=False, stateful=False, unroll=False, **kwargs):
        options = {name: value for name, value in locals().items()
                   if name in SimpleRNNCell.options}
        if 'implementation' in kwargs:
            kwargs.pop('implementation')
            logging.warning('The `implementation` argument in `SimpleRNN` has been deprecated. '
                            'Please remove it from your layer call.')
        super().__init__(options, activity_regularizer, kwargs, return_sequences=return_sequences,
                         return_state=return_state, go_backwards=go_backwards, stateful=stateful,
                         unroll=unroll)

    @classmethod
    def from_config(cls, config):
        return cls(**{name: value for name, value in config.items() if name != 'implementation'})
