"""Cells with gates of other kinds than LSTM and GRU."""
from __future__ import annotations

from tinyflow.api.contrib.rnn.layer_norm import Normalizer
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.input_spec import InputSpec
from tinyflow.layers.rnn.cell import LayerRNNCell, RNNCell
from tinyflow.layers.rnn.projections import Linear
from tinyflow.layers.rnn.sizes import LSTMStateTuple, OfUnits, Projected
from tinyflow.ops.array import joining, slicing
from tinyflow.ops.linalg import matmul
from tinyflow.ops.math import clip, unary
from tinyflow.ops.nn import activations, bias
from tinyflow.ops.variables.initializers import zeros_initializer
from tinyflow.ops.variables.variable_scope import get_variable, get_variable_scope, variable_scope


def input_width(inputs):
    """The size of the inputs. ValueError if it is not known."""
    width = inputs.shape.with_rank(2)[1].value
    if width is None:
        raise misuse(ValueError('Could not infer input size from inputs.get_shape()[-1]'))
    return width


class UGRNNCell(OfUnits, RNNCell):
    """The update gate RNN: g * state + (1 - g) * activation(c).

    Shapes: inputs [batch, in], state [batch, num_units] -> output and new state
    [batch, num_units]. Source: Collins et al., "Capacity and trainability in recurrent neural
    networks", ICLR 2017.
    """

    def __init__(self, num_units, initializer=None, forget_bias=1.0, activation=unary.tanh,
                 reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._weights_initializer, self._activation = initializer, activation
        self._linear = None

    def call(self, inputs, state):
        input_width(inputs)
        with variable_scope(get_variable_scope(), initializer=self._weights_initializer):
            parts = joining.concat([inputs, state], 1)
            if self._linear is None:
                self._linear = Linear(parts, 2 * self._num_units, True)
            g, c = joining.split(axis=1, num_or_size_splits=2, value=self._linear(parts))
            c = self._activation(c)
            g = unary.sigmoid(g + self._forget_bias)
            new_state = g * state + (1.0 - g) * c
        return new_state, new_state


class IntersectionRNNCell(OfUnits, RNNCell):
    """The +RNN: one gate along time, one towards the next layer.

    Shapes: inputs [batch, num_units] (or any size, with `num_in_proj`), state [batch, num_units] ->
    output and new state [batch, num_units]. Source: Collins et al., ICLR 2017.
    """

    def __init__(self, num_units, num_in_proj=None, initializer=None, forget_bias=1.0,
                 y_activation=activations.relu, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._weights_initializer, self._y_activation = initializer, y_activation
        self._num_input_proj = num_in_proj
        self._linear1 = self._linear2 = None

    def call(self, inputs, state):
        with variable_scope(get_variable_scope(), initializer=self._weights_initializer):
            inputs = self._projected(inputs)
            units = self._num_units
            parts = joining.concat([inputs, state], 1)
            if self._linear2 is None:
                self._linear2 = Linear(parts, 4 * units, True)
            gates = self._linear2(parts)
            gh, h, gy, y = [gates[:, i * units:(i + 1) * units] if i else gates[:, :units]
                            for i in range(4)]
            h = unary.tanh(h)
            y = self._y_activation(y)
            gh = unary.sigmoid(gh + self._forget_bias)
            gy = unary.sigmoid(gy + self._forget_bias)
            new_state = gh * state + (1.0 - gh) * h
            new_y = gy * inputs + (1.0 - gy) * y
        return new_y, new_state

    def _projected(self, inputs):
        if input_width(inputs) == self._num_units:
            return inputs
        if not self._num_input_proj:
            raise misuse(ValueError('Must have input size == output size for Intersection RNN. To '
                                    'fix, num_in_proj should be set to num_units at cell init.'))
        with variable_scope('in_projection'):
            if self._linear1 is None:
                self._linear1 = Linear(inputs, self._num_units, True)
            return self._linear1(inputs)


class NASCell(LayerRNNCell):
    """The cell found by neural architecture search.

    Shapes: inputs [batch, in], state LSTMStateTuple of [batch, num_units] and [batch, out] ->
    output [batch, out], where out is num_proj or num_units. Source: Zoph and Le, "Neural
    architecture search with reinforcement learning", ICLR 2017.
    """

    def __init__(self, num_units, num_proj=None, use_bias=False, reuse=None, **kwargs):
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias

    @property
    def output_size(self):
        return self._num_units if self._num_proj is None else self._num_proj

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self.output_size)

    def build(self, inputs_shape):
        depth, units = self._input_depth(inputs_shape), self._num_units
        self.recurrent_kernel = self.add_variable('recurrent_kernel',
                                                  [self.output_size, 8 * units])
        self.kernel = self.add_variable('kernel', [depth, 8 * units])
        if self._use_bias:
            self.bias = self.add_variable('bias', shape=[8 * units],
                                          initializer=zeros_initializer())
        if self._num_proj is not None:
            self.projection_weights = self.add_variable('projection_weights',
                                                        [units, self._num_proj])
        self.built = True

    def call(self, inputs, state):
        sigmoid, tanh, relu = unary.sigmoid, unary.tanh, activations.relu
        c_prev, m_prev = state
        from_m = matmul.matmul(m_prev, self.recurrent_kernel)
        from_x = matmul.matmul(inputs, self.kernel)
        if self._use_bias:
            from_m = bias.bias_add(from_m, self.bias)
        m = joining.split(axis=1, num_or_size_splits=8, value=from_m)
        x = joining.split(axis=1, num_or_size_splits=8, value=from_x)
        first = [function(x[i] * m[i] if i == 3 else x[i] + m[i]) for i, function in enumerate(
            (sigmoid, relu, sigmoid, relu, tanh, sigmoid, tanh, sigmoid))]
        a, b = tanh(first[0] * first[1]), tanh(first[2] + first[3])
        c, d = tanh(first[4] * first[5]), sigmoid(first[6] + first[7])
        new_c = tanh(a + c_prev) * b
        new_m = tanh(new_c * tanh(c + d))
        if self._num_proj is not None:
            new_m = matmul.matmul(new_m, self.projection_weights)
        return new_m, LSTMStateTuple(new_c, new_m)


class SRUCell(OfUnits, LayerRNNCell):
    """The simple recurrent unit: its gates depend on the input only.

    Shapes: inputs [batch, num_units], state [batch, num_units] -> output, new state likewise.
    Source: Lei et al., "Simple recurrent units for highly parallelizable recurrence", EMNLP 2018.
    """

    def __init__(self, num_units, activation=None, reuse=None, name=None, **kwargs):
        super().__init__(_reuse=reuse, name=name, **kwargs)
        self._num_units, self._activation = num_units, activation or unary.tanh
        self.input_spec = InputSpec(ndim=2)

    def build(self, inputs_shape):
        depth, units = self._input_depth(inputs_shape), self._num_units
        self._kernel = self.add_variable('kernel', shape=[depth, 4 * units])
        self._bias = self.add_variable('bias', shape=[2 * units], initializer=zeros_initializer())
        self.built = True

    def call(self, inputs, state):
        x, f, r, x_after = joining.split(value=matmul.matmul(inputs, self._kernel),
                                         num_or_size_splits=4, axis=1)
        gates = unary.sigmoid(bias.bias_add(joining.concat([f, r], 1), self._bias))
        f, r = joining.split(value=gates, num_or_size_splits=2, axis=1)
        c = f * state + (1.0 - f) * x
        return r * self._activation(c) + (1.0 - r) * x_after, c


class CoupledInputForgetGateLSTMCell(Projected, RNNCell):
    """An LSTM whose input gate is 1 - forget gate.

    Shapes: inputs [batch, in], state LSTMStateTuple of c [batch, num_units] and h [batch, out] ->
    output [batch, out]; `out` is num_proj, or num_units without a projection. Source: Greff et al.,
    "LSTM: a search space odyssey" (2015).
    """

    def __init__(self, num_units, use_peepholes=False, initializer=None, num_proj=None,
                 proj_clip=None, num_unit_shards=1, num_proj_shards=1, forget_bias=1.0,
                 state_is_tuple=True, activation=unary.tanh, reuse=None, layer_norm=False,
                 norm_gain=1.0, norm_shift=0.0):
        super().__init__(_reuse=reuse)
        if num_unit_shards != 1 or num_proj_shards != 1:
            raise misuse(ValueError('CoupledInputForgetGateLSTMCell: tinyflow does not partition '
                                    'Variables; omit num_unit_shards and num_proj_shards.'))
        self._num_units, self._num_proj, self._proj_clip = num_units, num_proj, proj_clip
        self._use_peepholes, self._forget_bias = use_peepholes, forget_bias
        self._state_is_tuple, self._activation = state_is_tuple, activation
        self._normalizer = Normalizer(norm_gain, norm_shift) if layer_norm else None

    def call(self, inputs, state):
        sigmoid, units, dtype = unary.sigmoid, self._num_units, inputs.dtype
        proj = units if self._num_proj is None else self._num_proj
        if self._state_is_tuple:
            c_prev, m_prev = state
        else:
            c_prev = slicing.slice(state, [0, 0], [-1, units])
            m_prev = slicing.slice(state, [0, units], [-1, proj])
        kernel = get_variable('W_0', [input_width(inputs) + proj, 3 * units], dtype=dtype)
        b = get_variable('B', shape=[3 * units], initializer=zeros_initializer(), dtype=dtype)
        gates = matmul.matmul(joining.concat([inputs, m_prev], 1), kernel)
        if self._normalizer is None:
            gates = bias.bias_add(gates, b)
        j, f, o = joining.split(value=gates, num_or_size_splits=3, axis=1)
        if self._normalizer is not None:
            j, f, o = [self._normalizer(part, scope) for part, scope in
                       ((j, 'transform'), (f, 'forget'), (o, 'output'))]
        if self._use_peepholes:
            f_diag, o_diag = [get_variable(f'W_{gate}_diag', shape=[units], dtype=dtype)
                              for gate in 'FO']
            f = sigmoid(f + self._forget_bias + f_diag * c_prev)
        else:
            f = sigmoid(f + self._forget_bias)
        c = f * c_prev + (1 - f) * self._activation(j)
        if self._normalizer is not None:
            c = self._normalizer(c, 'state')
        m = sigmoid(o + o_diag * c if self._use_peepholes else o) * self._activation(c)
        if self._num_proj is not None:
            m = matmul.matmul(m, get_variable('W_P_0', [units, self._num_proj], dtype=dtype))
            if self._proj_clip is not None:
                m = clip.clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else joining.concat([c, m], 1)


__all__ = ['CoupledInputForgetGateLSTMCell', 'IntersectionRNNCell', 'NASCell',
           'SRUCell', 'UGRNNCell']
