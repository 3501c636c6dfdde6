"""LSTM: long short-term memory, with input, forget and output gates."""
from __future__ import annotations

from keras_layer import backend as K
from keras_layer.layers.recurrent.cells import (
    UnitsCell,
    add_weight_of,
    bias_with_open_forget_gate,
    dropped,
)
from keras_layer.layers.recurrent.gru import _not_zero, _with_implementation
from keras_layer.layers.recurrent.units_layer import UnitsRNN, of_cell, without

__all__ = ['LSTM', 'LSTMCell', 'PeepholeLSTMCell']


class LSTMCell(UnitsCell):
    """c' = f c + i activation(x W_c + h U_c), h' = o activation(c'), gates i, f, o of x and h.

    Hochreiter and Schmidhuber (1997). `implementation` 1 computes a product for each gate, 2 one
    for all. The states are [h, c]; weights hold the gates in the order i, f, c, o.
    Shapes: x [batch, features], h and c [batch, units] -> h' [batch, units].
    """

    gates = 4
    options = ('units', 'activation', 'recurrent_activation', 'use_bias', 'kernel_initializer',
               'recurrent_initializer', 'bias_initializer', 'unit_forget_bias',
               *UnitsCell.options[6:], 'implementation')

    def __init__(self, units, activation='tanh', recurrent_activation='hard_sigmoid',
                 use_bias=True, kernel_initializer='glorot_uniform',
                 recurrent_initializer='orthogonal', bias_initializer='zeros',
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None,
                 bias_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, dropout=0., recurrent_dropout=0., implementation=1,
                 **kwargs):
        super().__init__(without(locals()), **kwargs)
        self.state_size = [self.units, self.units]

    def _make_bias(self):
        initializer = bias_with_open_forget_gate(self, self.units) if self.unit_forget_bias \
            else None
        return add_weight_of(self, 'bias', (self.units * 4,), initializer=initializer)

    def call(self, inputs, states, training=None):
        h, c = states[0], states[1]
        masks = self.get_dropout_mask_for_cell(inputs, training, count=4)
        recurrent_masks = self.get_recurrent_dropout_mask_for_cell(h, training, count=4)
        if self.implementation == 1:
            given = dropped(inputs, masks, self.dropout, 4)
            x = [K.dot(part, kernel)
                 for part, kernel in zip(given, K.split(self.kernel, 4, axis=1))]
            if self.use_bias:
                x = [K.bias_add(part, bias)
                     for part, bias in zip(x, K.split(self.bias, 4, axis=0))]
            before = dropped(h, recurrent_masks, self.recurrent_dropout, 4)
            c, o = self._by_gate(x, before, c)
        else:
            if 0. < self.dropout < 1.:
                inputs = inputs * masks[0]
            z = K.dot(inputs, self.kernel)
            if 0. < self.recurrent_dropout < 1.:
                h = h * recurrent_masks[0]
            z += K.dot(h, self.recurrent_kernel)
            if self.use_bias:
                z = K.bias_add(z, self.bias)
            c, o = self._at_once(K.split(z, 4, axis=1), c)
        h = o * self.activation(c)
        return h, [h, c]

    def _inner(self, h, gate):
        start, end = gate * self.units or None, (gate + 1) * self.units if gate < 3 else None
        return K.dot(h[gate], self.recurrent_kernel[:, start:end])

    def _by_gate(self, x, h, c):
        """(c', o), a product with the recurrent kernel for each gate."""
        i = self.recurrent_activation(x[0] + self._inner(h, 0))
        f = self.recurrent_activation(x[1] + self._inner(h, 1))
        c = f * c + i * self.activation(x[2] + self._inner(h, 2))
        o = self.recurrent_activation(x[3] + self._inner(h, 3))
        return c, o

    def _at_once(self, z, c):
        """(c', o) from the sums of all products, one for each gate."""
        i, f = self.recurrent_activation(z[0]), self.recurrent_activation(z[1])
        c = f * c + i * self.activation(z[2])
        return c, self.recurrent_activation(z[3])


class PeepholeLSTMCell(LSTMCell):
    """LSTMCell with peepholes: i and f use the carry before the step, o that after it.

    Gers et al. (2002).
    """

    def build(self, input_shape):
        super().build(input_shape)
        names = ('input_gate_peephole_weights', 'forget_gate_peephole_weights',
                 'output_gate_peephole_weights')
        for name in names:
            setattr(self, name, self.add_weight(shape=(self.units,), name=name,
                                                initializer=self.kernel_initializer))

    def _by_gate(self, x, h, c):
        i = self.recurrent_activation(
            x[0] + self._inner(h, 0) + self.input_gate_peephole_weights * c)
        f = self.recurrent_activation(
            x[1] + self._inner(h, 1) + self.forget_gate_peephole_weights * c)
        c = f * c + i * self.activation(x[2] + self._inner(h, 2))
        o = self.recurrent_activation(
            x[3] + self._inner(h, 3) + self.output_gate_peephole_weights * c)
        return c, o

    def _at_once(self, z, c):
        i = self.recurrent_activation(z[0] + self.input_gate_peephole_weights * c)
        f = self.recurrent_activation(z[1] + self.forget_gate_peephole_weights * c)
        c = f * c + i * self.activation(z[2])
        return c, self.recurrent_activation(z[3] + self.output_gate_peephole_weights * c)


@of_cell(*LSTMCell.options)
class LSTM(UnitsRNN):
    """A recurrent layer of LSTMCell; its states are [h, c].

    Shapes: [batch, time, features] -> [batch, units], or [batch, time, units] with
    `return_sequences`. Hochreiter and Schmidhuber (1997).
    """

    cell_class = LSTMCell

    def __init__(self, units, activation='tanh', recurrent_activation='hard_sigmoid',
                 use_bias=True, kernel_initializer='glorot_uniform',
                 recurrent_initializer='orthogonal', bias_initializer='zeros',
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 recurrent_constraint=None, bias_constraint=None, dropout=0.,
                 recurrent_dropout=0., implementation=1, return_sequences=False,
                 return_state=False, go_backwards=False, stateful=False, unroll=False, **kwargs):
        implementation = _not_zero(implementation)
        options = {name: value for name, value in locals().items() if name in LSTMCell.options}
        super().__init__(options, activity_regularizer, kwargs, return_sequences=return_sequences,
                         return_state=return_state, go_backwards=go_backwards, stateful=stateful,
                         unroll=unroll)

    @classmethod
    def from_config(cls, config):
        return cls(**_with_implementation(config))
