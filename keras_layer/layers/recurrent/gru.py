"""GRU: gated recurrent unit, with an update gate and a reset gate."""
from __future__ import annotations

from keras_layer import backend as K
from keras_layer.layers.recurrent.cells import UnitsCell, add_weight_of, dropped
from keras_layer.layers.recurrent.units_layer import UnitsRNN, of_cell, without
from tinyflow.graph.support import logging

__all__ = ['GRU', 'GRUCell']


class GRUCell(UnitsCell):
    """h' = z h + (1 - z) activation(x W_h + (r h) U_h), z and r gates of x and h.

    Cho et al. (2014). `reset_after` multiplies by r after the product with U_h, with a separate
    bias there, as cuDNN does. `implementation` 1 computes a product for each gate, 2 one for all.
    Shapes: x [batch, features], h [batch, units] -> h' [batch, units]; weights hold the gates in
    the order z, r, h.
    """

    gates = 3
    options = ('units', 'activation', 'recurrent_activation', *UnitsCell.options[2:],
               'implementation', 'reset_after')

    def __init__(self, units, activation='tanh', recurrent_activation='hard_sigmoid',
                 use_bias=True, kernel_initializer='glorot_uniform',
                 recurrent_initializer='orthogonal', bias_initializer='zeros',
                 kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 kernel_constraint=None, recurrent_constraint=None, bias_constraint=None,
                 dropout=0., recurrent_dropout=0., implementation=1, reset_after=False, **kwargs):
        super().__init__(without(locals()), **kwargs)

    def _make_bias(self):
        size = 3 * self.units
        return add_weight_of(self, 'bias', (2, size) if self.reset_after else (size,))

    def call(self, inputs, states, training=None):
        h = states[0]
        masks = self.get_dropout_mask_for_cell(inputs, training, count=3)
        recurrent_masks = self.get_recurrent_dropout_mask_for_cell(h, training, count=3)
        bias = recurrent_bias = None
        if self.use_bias:
            bias, recurrent_bias = K.unstack(self.bias) if self.reset_after else (self.bias, None)
        step = self._step_by_gate if self.implementation == 1 else self._step_at_once
        h, z, candidate = step(inputs, h, masks, recurrent_masks, bias, recurrent_bias)
        h = z * h + (1 - z) * candidate
        return h, [h]

    def _gate(self, tensor, gate):
        """The part of a weight that belongs to the gate: 0 is z, 1 is r, 2 is h."""
        start, end = gate * self.units, (gate + 1) * self.units
        part = slice(start or None, end if gate < 2 else None)
        return tensor[part] if K.ndim(tensor) == 1 else tensor[:, part]

    def _step_by_gate(self, inputs, h, masks, recurrent_masks, bias, recurrent_bias):
        given = dropped(inputs, masks, self.dropout, 3)
        x_z, x_r, x_h = [K.dot(x, self._gate(self.kernel, i)) for i, x in enumerate(given)]
        if bias is not None:
            x_z, x_r, x_h = [K.bias_add(x, self._gate(bias, i))
                             for i, x in enumerate((x_z, x_r, x_h))]
        h_z, h_r, h_h = dropped(h, recurrent_masks, self.recurrent_dropout, 3)
        inner_z = K.dot(h_z, self._gate(self.recurrent_kernel, 0))
        inner_r = K.dot(h_r, self._gate(self.recurrent_kernel, 1))
        if recurrent_bias is not None:
            inner_z = K.bias_add(inner_z, self._gate(recurrent_bias, 0))
            inner_r = K.bias_add(inner_r, self._gate(recurrent_bias, 1))
        z = self.recurrent_activation(x_z + inner_z)
        r = self.recurrent_activation(x_r + inner_r)
        if self.reset_after:
            inner_h = K.dot(h_h, self._gate(self.recurrent_kernel, 2))
            if recurrent_bias is not None:
                inner_h = K.bias_add(inner_h, self._gate(recurrent_bias, 2))
            inner_h = r * inner_h
        else:
            inner_h = K.dot(r * h_h, self._gate(self.recurrent_kernel, 2))
        return h, z, self.activation(x_h + inner_h)

    def _step_at_once(self, inputs, h, masks, recurrent_masks, bias, recurrent_bias):
        if 0. < self.dropout < 1.:
            inputs = inputs * masks[0]
        x = K.dot(inputs, self.kernel)
        if bias is not None:
            x = K.bias_add(x, bias)
        x_z, x_r, x_h = [self._gate(x, i) for i in range(3)]
        if 0. < self.recurrent_dropout < 1.:
            h = h * recurrent_masks[0]
        if self.reset_after:
            inner = K.dot(h, self.recurrent_kernel)
            if recurrent_bias is not None:
                inner = K.bias_add(inner, recurrent_bias)
        else:
            inner = K.dot(h, self.recurrent_kernel[:, :2 * self.units])
        inner_z, inner_r = inner[:, :self.units], inner[:, self.units:2 * self.units]
        z = self.recurrent_activation(x_z + inner_z)
        r = self.recurrent_activation(x_r + inner_r)
        if self.reset_after:
            inner_h = r * self._gate(inner, 2)
        else:
            inner_h = K.dot(r * h, self._gate(self.recurrent_kernel, 2))
        return h, z, self.activation(x_h + inner_h)


@of_cell(*GRUCell.options)
class GRU(UnitsRNN):
    """A recurrent layer of GRUCell.

    Shapes: [batch, time, features] -> [batch, units], or [batch, time, units] with
    `return_sequences`. Cho et al. (2014).
    """

    cell_class = GRUCell

    def __init__(self, units, activation='tanh', recurrent_activation='hard_sigmoid',
                 use_bias=True, kernel_initializer='glorot_uniform',
                 recurrent_initializer='orthogonal', bias_initializer='zeros',
                 kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, dropout=0., recurrent_dropout=0., implementation=1,
                 return_sequences=False, return_state=False, go_backwards=False, stateful=False,
                 unroll=False, reset_after=False, **kwargs):
        implementation = _not_zero(implementation)
        options = {name: value for name, value in locals().items() if name in GRUCell.options}
        super().__init__(options, activity_regularizer, kwargs, return_sequences=return_sequences,
                         return_state=return_state, go_backwards=go_backwards, stateful=stateful,
                         unroll=unroll)

    @classmethod
    def from_config(cls, config):
        return cls(**_with_implementation(config))


def _not_zero(implementation):
    """`implementation`, 1 for the 0 of old programs."""
    if implementation == 0:
        logging.warning('`implementation=0` has been deprecated, and now defaults to '
                        '`implementation=1`. Please update your layer call.')
        return 1
    return implementation


def _with_implementation(config):
    return {**config, 'implementation': 1} if config.get('implementation') == 0 else config
