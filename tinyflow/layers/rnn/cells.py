"""The four basic cells: BasicRNNCell, GRUCell, BasicLSTMCell, LSTMCell."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import misuse
from tinyflow.layers import named
from tinyflow.layers.input_spec import InputSpec
from tinyflow.layers.rnn.cell import LayerRNNCell, check_cell_dtypes
from tinyflow.layers.rnn.sizes import LSTMStateTuple, OfUnits, Projected
from tinyflow.ops.array import constants, joining, slicing
from tinyflow.ops.linalg import matmul
from tinyflow.ops.math import arithmetic, clip, unary
from tinyflow.ops.nn import bias
from tinyflow.ops.variables.initializers import constant_initializer, zeros_initializer


class _UnitsCell(OfUnits, LayerRNNCell):
    """A cell whose output and state are `num_units` wide."""

    def __init__(self, num_units, activation, reuse, name, dtype, **kwargs):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_cell_dtypes([self.dtype])
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = named.activation(activation) if activation else unary.tanh


class BasicRNNCell(_UnitsCell):
    """output = new state = activation(W [inputs, state] + b).

    Shapes: inputs [batch, in], state [batch, num_units] -> output and new state
    [batch, num_units]. Source: Elman, "Finding structure in time", Cognitive Science 14 (1990).
    """

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)

    def build(self, inputs_shape):
        depth, units = self._input_depth(inputs_shape), self._num_units
        self._kernel = self.add_variable('kernel', shape=[depth + units, units])
        self._bias = self.add_variable('bias', shape=[units],
                                       initializer=zeros_initializer())
        self.built = True

    def call(self, inputs, state):
        check_cell_dtypes([inputs, state])
        output = self._activation(affine([inputs, state], self._kernel, self._bias))
        return output, output


class GRUCell(_UnitsCell):
    """A gated recurrent unit: u * state + (1 - u) * candidate, where the candidate uses r * state.

    Shapes: inputs [batch, in], state [batch, num_units] -> output and new state
    [batch, num_units]. Source: Cho et al., "Learning phrase representations using RNN
    encoder-decoder", EMNLP 2014. The biases of the gates r and u begin with 1.
    """

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None,
                 bias_initializer=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._kernel_initializer = named.initializer(kernel_initializer)
        self._bias_initializer = named.initializer(bias_initializer)

    def build(self, inputs_shape):
        depth, units = self._input_depth(inputs_shape), self._num_units
        self._gate_kernel = self.add_variable('gates/kernel', shape=[depth + units, 2 * units],
                                              initializer=self._kernel_initializer)
        self._gate_bias = self.add_variable(
            'gates/bias', shape=[2 * units],
            initializer=self._bias_initializer or constant_initializer(1.0))
        self._candidate_kernel = self.add_variable(
            'candidate/kernel', shape=[depth + units, units], initializer=self._kernel_initializer)
        self._candidate_bias = self.add_variable(
            'candidate/bias', shape=[units],
            initializer=self._bias_initializer or zeros_initializer())
        self.built = True

    def call(self, inputs, state):
        check_cell_dtypes([inputs, state])
        gates = unary.sigmoid(affine([inputs, state], self._gate_kernel, self._gate_bias))
        r, u = joining.split(value=gates, num_or_size_splits=2, axis=1)
        candidate = affine([inputs, r * state], self._candidate_kernel, self._candidate_bias)
        c = self._activation(candidate)
        new_h = u * state + (1 - u) * c
        return new_h, new_h


class BasicLSTMCell(_UnitsCell):
    """The LSTM without peepholes: c = c * sigmoid(f) + sigmoid(i) * j, h = activation(c) * o.

    Shapes: inputs [batch, in], state LSTMStateTuple of two [batch, num_units] -> output
    [batch, num_units] and a new state. `forget_bias` is added to the forget gate f, so that it
    is open at first. Source: Zaremba et al., "Recurrent neural network regularization" (2014).
    """

    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None,
                 reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple

    @property
    def state_size(self):
        if self._state_is_tuple:
            return LSTMStateTuple(self._num_units, self._num_units)
        return 2 * self._num_units

    def build(self, inputs_shape):
        depth, units = self._input_depth(inputs_shape), self._num_units
        self._kernel = self.add_variable('kernel', shape=[depth + units, 4 * units])
        self._bias = self.add_variable('bias', shape=[4 * units],
                                       initializer=zeros_initializer())
        self.built = True

    def call(self, inputs, state):
        check_cell_dtypes([inputs, state])
        sigmoid, add, multiply = unary.sigmoid, arithmetic.add, arithmetic.multiply
        one = constants.constant(1, dtype=dtypes.int32)
        if self._state_is_tuple:
            c, h = state
        else:
            c, h = joining.split(value=state, num_or_size_splits=2, axis=one)
        gates = affine([inputs, h], self._kernel, self._bias)
        # i = input gate, j = new input, f = forget gate, o = output gate
        i, j, f, o = joining.split(value=gates, num_or_size_splits=4, axis=one)
        forget_bias = constants.constant(self._forget_bias, dtype=f.dtype)
        new_c = add(multiply(c, sigmoid(add(f, forget_bias))),
                    multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, joining.concat([new_c, new_h], 1)


class LSTMCell(Projected, _UnitsCell):
    """The LSTM with optional peepholes (gates that use the cell state), projection and clipping.

    Shapes: inputs [batch, in], state LSTMStateTuple of c [batch, num_units] and h [batch, out] ->
    output [batch, out] and a new state; `out` is num_proj, or num_units without a projection.
    Source: Hochreiter and Schmidhuber, "Long short-term memory", Neural Computation 9 (1997); Sak
    et al., "Long short-term memory recurrent neural network architectures", Interspeech 2014.
    """

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None,
                 num_proj=None, proj_clip=None, num_unit_shards=None, num_proj_shards=None,
                 forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None,
                 dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = named.initializer(initializer)
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        if (num_unit_shards or 1) > 1 or (num_proj_shards or 1) > 1:
            raise misuse(ValueError('LSTMCell: tinyflow does not partition its Variables; omit '
                                    'num_unit_shards and num_proj_shards.'))
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple

    def build(self, inputs_shape):
        depth, units = self._input_depth(inputs_shape), self._num_units
        h_depth = units if self._num_proj is None else self._num_proj
        self._kernel = self.add_variable(
            'kernel', shape=[depth + h_depth, 4 * units], initializer=self._initializer)
        self._bias = self.add_variable('bias', shape=[4 * units],
                                       initializer=zeros_initializer())
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = [
                self.add_variable(f'w_{gate}_diag', shape=[units], initializer=self._initializer)
                for gate in 'fio']
        if self._num_proj is not None:
            self._proj_kernel = self.add_variable(
                'projection/kernel', shape=[units, self._num_proj], initializer=self._initializer)
        self.built = True

    def call(self, inputs, state):
        check_cell_dtypes([inputs, state])
        sigmoid = unary.sigmoid
        c_prev, m_prev = state if self._state_is_tuple else self._parts(state)
        gates = affine([inputs, m_prev], self._kernel, self._bias)
        i, j, f, o = joining.split(value=gates, num_or_size_splits=4, axis=1)
        if self._use_peepholes:
            c = (sigmoid(f + self._forget_bias + self._w_f_diag * c_prev) * c_prev
                 + sigmoid(i + self._w_i_diag * c_prev) * self._activation(j))
        else:
            c = sigmoid(f + self._forget_bias) * c_prev + sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip.clip_by_value(c, -self._cell_clip, self._cell_clip)
        gate = o + self._w_o_diag * c if self._use_peepholes else o
        m = sigmoid(gate) * self._activation(c)
        if self._num_proj is not None:
            m = matmul.matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = clip.clip_by_value(m, -self._proj_clip, self._proj_clip)
        if self._state_is_tuple:
            return m, LSTMStateTuple(c, m)
        return m, joining.concat([c, m], 1)

    def _parts(self, state):
        proj = self._num_units if self._num_proj is None else self._num_proj
        return (slicing.slice(state, [0, 0], [-1, self._num_units]),
                slicing.slice(state, [0, self._num_units], [-1, proj]))


def affine(parts, kernel, b):
    """concat(parts) kernel + b.

    Shapes: parts [batch, *], kernel [sum of *, units], b [units] -> [batch, units].
    """
    return bias.bias_add(matmul.matmul(joining.concat(parts, 1), kernel), b)


__all__ = ['BasicLSTMCell', 'BasicRNNCell', 'GRUCell', 'LSTMCell', 'LSTMStateTuple']
