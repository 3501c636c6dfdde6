"""PhasedLSTMCell: an LSTM with a time gate."""
from __future__ import annotations

from tinyflow.graph.dtypes import float32
from tinyflow.layers.rnn.cell import RNNCell
from tinyflow.layers.rnn.projections import Linear
from tinyflow.layers.rnn.sizes import LSTMStateTuple, OfUnitsLSTM
from tinyflow.ops.array import identity_and_cast, indexing, joining
from tinyflow.ops.math import arithmetic, unary
from tinyflow.ops.random import random_functions
from tinyflow.ops.variables.initializers import constant_initializer, random_uniform_initializer
from tinyflow.ops.variables.variable_scope import get_variable, variable_scope


def _log_uniform(minval, maxval):
    """An initializer of exp(uniform in [log minval, log maxval))."""
    def initializer(shape, dtype=float32, partition_info=None):
        return unary.exp(random_functions.random_uniform(shape, unary.log(minval),
                                                         unary.log(maxval), dtype))
    return initializer


class PhasedLSTMCell(OfUnitsLSTM, RNNCell):
    """An LSTM whose cells are updated only in the open phase of a learned oscillation.

    Shapes: inputs a pair of times [batch, 1] and x [batch, in], state LSTMStateTuple of two
    [batch, num_units] -> output [batch, num_units] and a new state. Source: Neil et al., "Phased
    LSTM: accelerating recurrent network training for long or event-based sequences", NIPS 2016.
    """

    def __init__(self, num_units, use_peepholes=False, leak=0.001, ratio_on=0.1,
                 trainable_ratio_on=True, period_init_min=1.0, period_init_max=1000.0, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._use_peepholes = num_units, use_peepholes
        self._leak, self._ratio_on = leak, ratio_on
        self._trainable_ratio_on = trainable_ratio_on
        self._periods = _log_uniform(period_init_min, period_init_max)
        self._linears = {}

    def _linear(self, scope, parts, size):
        if scope not in self._linears:
            self._linears[scope] = Linear(parts, size, True)
        return self._linears[scope](parts)

    def call(self, inputs, state):
        c_prev, h_prev = state
        time, x = inputs
        units, seen = self._num_units, [x, h_prev]
        with variable_scope('mask_gates'):
            gates = unary.sigmoid(self._linear('mask_gates', self._peeping(seen, c_prev),
                                               2 * units))
            i, f = joining.split(axis=1, num_or_size_splits=2, value=gates)
        with variable_scope('new_input'):
            new_input = unary.tanh(self._linear('new_input', seen, units))
        c = c_prev * f + i * new_input
        with variable_scope('output_gate'):
            o = unary.sigmoid(self._linear('output_gate', self._peeping(seen, c), units))
        h = unary.tanh(c) * o
        k = self._openness(time)
        c = k * c + (1 - k) * c_prev
        h = k * h + (1 - k) * h_prev
        return h, LSTMStateTuple(c, h)

    def _peeping(self, seen, cells):
        return [*seen, cells] if self._use_peepholes else seen

    def _openness(self, time):
        """The openness of the time gate of each cell: [batch, num_units]."""
        units = [self._num_units]
        period = get_variable('period', units, initializer=self._periods)
        phase = get_variable('phase', units,
                             initializer=random_uniform_initializer(0., period.initial_value))
        ratio_on = get_variable('ratio_on', units, trainable=self._trainable_ratio_on,
                                initializer=constant_initializer(self._ratio_on))
        shift = identity_and_cast.cast(phase, time.dtype)
        length = identity_and_cast.cast(period, time.dtype)
        ratio = identity_and_cast.cast(_mod(time - shift, length) / length, float32)
        k_up = 2 * ratio / ratio_on
        k_down = 2 - k_up
        k_closed = self._leak * ratio
        k = indexing.where(ratio < ratio_on, k_down, k_closed)
        return indexing.where(ratio < 0.5 * ratio_on, k_up, k)


def _mod(x, y):
    """x mod y, with the gradient of x."""
    return identity_and_cast.stop_gradient(arithmetic.mod(x, y) - x) + x


__all__ = ['PhasedLSTMCell']
