"""CuDNNGRU and CuDNNLSTM: cuDNN's layout of weights, computed on the CPU."""
from __future__ import annotations

from keras_layer import backend as K, initializers, regularizers
from keras_layer.engine.base_layer import InputSpec
from keras_layer.layers.recurrent.gru import GRUCell
from keras_layer.layers.recurrent.lstm import LSTMCell
from keras_layer.layers.recurrent.rnn import RNN
from keras_layer.layers.recurrent.units_layer import of_cell, with_options_of_cell
from tinyflow.graph.support.errors import misuse

__all__ = ['CuDNNGRU', 'CuDNNLSTM']

_OPTIONS = ('units', 'kernel_initializer', 'recurrent_initializer', 'bias_initializer',
            'kernel_regularizer', 'recurrent_regularizer', 'bias_regularizer',
            'kernel_constraint', 'recurrent_constraint', 'bias_constraint')


class _CuDNNGRUCell(GRUCell):
    """A GRUCell with `reset_after`, sigmoid gates and one long bias."""

    options = _OPTIONS

    def _make_bias(self):
        return _long_bias(self, 6 * self.units, self.bias_initializer)

    def call(self, inputs, states, training=None):
        h = states[0]
        both = K.reshape(self.bias, (2, 3 * self.units))
        h, z, candidate = self._step_at_once(inputs, h, None, None, both[0], both[1])
        h = z * h + (1 - z) * candidate
        return h, [h]


class _CuDNNLSTMCell(LSTMCell):
    """An LSTMCell with sigmoid gates and a bias for the inputs and one for the states."""

    options = (*_OPTIONS[:4], 'unit_forget_bias', *_OPTIONS[4:])

    def _make_bias(self):
        units, own = self.units, self.bias_initializer

        def open_forget_gate(_, *args, **kwargs):
            return K.concatenate([own((units * 5,), *args, **kwargs),
                                  initializers.Ones()((units,), *args, **kwargs),
                                  own((units * 2,), *args, **kwargs)], axis=0)
        return _long_bias(self, 8 * units, open_forget_gate if self.unit_forget_bias else own)

    def call(self, inputs, states, training=None):
        h, c = states
        both = K.reshape(self.bias, (2, 4 * self.units))
        z = K.dot(inputs, self.kernel) + K.dot(h, self.recurrent_kernel)
        z = K.bias_add(z, both[0] + both[1])
        c, o = self._at_once(K.split(z, 4, axis=1), c)
        h = o * self.activation(c)
        return h, [h, c]


def _long_bias(cell, size, initializer):
    return cell.add_weight(shape=(size,), name='bias', initializer=initializer,
                           regularizer=cell.bias_regularizer, constraint=cell.bias_constraint)


class _CuDNNRNN(RNN):
    """Base of both layers. Masks raise an error, as with cuDNN."""

    cell_class = None

    def __init__(self, options, activity_regularizer, kwargs, **flags):
        cell = self.cell_class(**options, recurrent_activation='sigmoid',
                               dtype=kwargs.get('dtype'), **self.cell_flags)
        super().__init__(cell, **flags, **kwargs)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.input_spec = [InputSpec(ndim=3)]
        self.supports_masking = False

    def call(self, inputs, mask=None, training=None, initial_state=None):
        mask = mask[0] if isinstance(mask, list) else mask
        if mask is not None:
            raise misuse(ValueError(
                'Masking is not supported for CuDNN RNNs.\n  Hint: '
                f'{type(self).__name__[5:]}(...) has masks; no Masking() or mask_zero=True before '
                'this layer otherwise.'))
        return super().call(inputs, training=training, initial_state=initial_state)

    def get_config(self):
        config = super().get_config()
        del config['unroll']
        return with_options_of_cell(config, self)

    @classmethod
    def from_config(cls, config):
        return cls(**config)


@of_cell(*_CuDNNGRUCell.options)
class CuDNNGRU(_CuDNNRNN):
    """GRU(reset_after=True, recurrent_activation='sigmoid') with a bias [6 units].

    Shapes: [batch, time, features] -> [batch, units], or [batch, time, units] with
    `return_sequences`. ValueError for masked inputs.
    """

    cell_class, cell_flags = _CuDNNGRUCell, {'reset_after': True}

    def __init__(self, units, kernel_initializer='glorot_uniform',
                 recurrent_initializer='orthogonal', bias_initializer='zeros',
                 kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, return_sequences=False, return_state=False,
                 go_backwards=False, stateful=False, **kwargs):
        options = {name: value for name, value in locals().items()
                   if name in _CuDNNGRUCell.options}
        super().__init__(options, activity_regularizer, kwargs, return_sequences=return_sequences,
                         return_state=return_state, go_backwards=go_backwards, stateful=stateful)


@of_cell(*_CuDNNLSTMCell.options)
class CuDNNLSTM(_CuDNNRNN):
    """LSTM(recurrent_activation='sigmoid') with a bias [8 units], half of it for the states.

    Shapes: [batch, time, features] -> [batch, units], or [batch, time, units] with
    `return_sequences`. ValueError for masked inputs.
    """

    cell_class, cell_flags = _CuDNNLSTMCell, {}

    def __init__(self, units, kernel_initializer='glorot_uniform',
                 recurrent_initializer='orthogonal', bias_initializer='zeros',
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 recurrent_constraint=None, bias_constraint=None, return_sequences=False,
                 return_state=False, go_backwards=False, stateful=False, **kwargs):
        options = {name: value for name, value in locals().items()
                   if name in _CuDNNLSTMCell.options}
        super().__init__(options, activity_regularizer, kwargs, return_sequences=return_sequences,
                         return_state=return_state, go_backwards=go_backwards, stateful=stateful)
