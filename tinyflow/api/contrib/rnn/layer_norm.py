"""LayerNormBasicLSTMCell, and the Normalizer, also used by other cells."""
from __future__ import annotations

from tinyflow.graph.dtypes import float32
from tinyflow.layers.rnn.cell import RNNCell
from tinyflow.layers.rnn.sizes import LSTMStateTuple, OfUnitsLSTM
from tinyflow.ops.array import joining
from tinyflow.ops.linalg import matmul
from tinyflow.ops.math import unary
from tinyflow.ops.nn import bias, dropout
from tinyflow.ops.variables.initializers import constant_initializer
from tinyflow.ops.variables.variable_scope import get_variable, variable_scope


class Normalizer:
    """tf.contrib.layers.layer_norm in a given scope, with given initial values."""

    def __init__(self, gain, shift):
        self._gain, self._shift = gain, shift

    def __call__(self, x, scope, dtype=None):
        from tinyflow.api.contrib import layers  # start-up time
        shape = x.shape[-1:]
        with variable_scope(scope):
            for name, start in (('gamma', self._gain), ('beta', self._shift)):
                get_variable(name, shape=shape, initializer=constant_initializer(start),
                             dtype=dtype)
        return layers.layer_norm(x, reuse=True, scope=scope)


class LayerNormBasicLSTMCell(OfUnitsLSTM, RNNCell):
    """An LSTM whose gates and cells are normalised, with dropout on the new cell values.

    Shapes: inputs [batch, in], state LSTMStateTuple of two [batch, num_units] -> output
    [batch, num_units] and a new state. Source: Ba et al., "Layer normalization" (2016); Semeniuta
    et al., "Recurrent dropout without memory loss", COLING 2016.
    """

    def __init__(self, num_units, forget_bias=1.0, input_size=None, activation=unary.tanh,
                 layer_norm=True, norm_gain=1.0, norm_shift=0.0, dropout_keep_prob=1.0,
                 dropout_prob_seed=None, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._activation = activation
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed
        self._normalizer = Normalizer(norm_gain, norm_shift) if layer_norm else None

    def _linear(self, parts):
        """The gates before their activations; the shift of the normalization replaces a bias."""
        kernel = get_variable('kernel', [parts.shape[-1], 4 * self._num_units], dtype=parts.dtype)
        gates = matmul.matmul(parts, kernel)
        if self._normalizer is None:
            gates = bias.bias_add(gates, get_variable('bias', [4 * self._num_units],
                                                      dtype=parts.dtype))
        return gates

    def _norm(self, x, scope, dtype=float32):
        return x if self._normalizer is None else self._normalizer(x, scope, dtype)

    def call(self, inputs, state):
        c, h = state
        parts = joining.concat([inputs, h], 1)
        dtype = parts.dtype
        i, j, f, o = joining.split(value=self._linear(parts), num_or_size_splits=4, axis=1)
        i, j, f, o = [self._norm(part, scope, dtype) for part, scope in
                      ((i, 'input'), (j, 'transform'), (f, 'forget'), (o, 'output'))]
        g = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            g = dropout.dropout(g, self._keep_prob, seed=self._seed)
        c = c * unary.sigmoid(f + self._forget_bias) + unary.sigmoid(i) * g
        c = self._norm(c, 'state', dtype)
        h = self._activation(c) * unary.sigmoid(o)
        return h, LSTMStateTuple(c, h)


__all__ = ['LayerNormBasicLSTMCell']
