"""IndRNN, IndyGRU, IndyLSTM and GLSTM cells: recurrence within one unit, or one group of units."""
from __future__ import annotations

from tinyflow.api.contrib.rnn.gated import input_width
from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.input_spec import InputSpec
from tinyflow.layers.rnn.cell import LayerRNNCell, RNNCell
from tinyflow.layers.rnn.projections import Linear
from tinyflow.layers.rnn.sizes import LSTMStateTuple, OfUnits, OfUnitsLSTM
from tinyflow.ops.array import constants, joining, shape_ops, slicing
from tinyflow.ops.linalg import matmul
from tinyflow.ops.math import arithmetic, unary
from tinyflow.ops.nn import bias
from tinyflow.ops.variables.initializers import (
    constant_initializer,
    random_uniform_initializer,
    zeros_initializer,
)
from tinyflow.ops.variables.variable_scope import get_variable, get_variable_scope, variable_scope


class IndRNNCell(OfUnits, LayerRNNCell):
    """activation(W inputs + u * state + b): each unit depends on its own state only.

    Shapes: inputs [batch, in], state [batch, num_units] -> output, new state likewise. Source: Li
    et al., "Independently recurrent neural network", CVPR 2018.
    """

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None):
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units, self._activation = num_units, activation or unary.tanh

    def build(self, inputs_shape):
        depth, units = self._input_depth(inputs_shape), self._num_units
        self._kernel_w = self.add_variable('kernel_w', shape=[depth, units])
        self._kernel_u = self.add_variable(
            'kernel_u', shape=[1, units],
            initializer=random_uniform_initializer(minval=-1, maxval=1, dtype=self.dtype))
        self._bias = self.add_variable('bias', shape=[units], initializer=zeros_initializer())
        self.built = True

    def call(self, inputs, state):
        gates = matmul.matmul(inputs, self._kernel_w) + state * self._kernel_u
        output = self._activation(bias.bias_add(gates, self._bias))
        return output, output


class IndyGRUCell(OfUnits, LayerRNNCell):
    """A GRU whose units depend on their own state only.

    Shapes: inputs [batch, in], state [batch, num_units] -> output, new state likewise. Source:
    Gonnet and Deselaers, "IndyLSTMs" (2019).
    """

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None,
                 bias_initializer=None, name=None, dtype=None):
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units, self._activation = num_units, activation or unary.tanh
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    def _weights(self, names, depth, width, start):
        kernel, own, shift = names
        return [
            self.add_variable(kernel, shape=[depth, width], initializer=self._kernel_initializer),
            self.add_variable(own, shape=[1, width], initializer=_signed(self.dtype)),
            self.add_variable(shift, shape=[width], initializer=self._bias_initializer or start)]

    def build(self, inputs_shape):
        depth, units = self._input_depth(inputs_shape), self._num_units
        self._gates = self._weights(('gates/kernel_w', 'gates/kernel_u', 'gates/bias'), depth,
                                    2 * units, constant_initializer(1.0))
        self._candidate = self._weights(('candidate/kernel', 'candidate/kernel_u',
                                         'candidate/bias'), depth, units, zeros_initializer())
        self.built = True

    def call(self, inputs, state):
        kernel, own, shift = self._gates
        gates = matmul.matmul(inputs, kernel) + joining.tile(state, [1, 2]) * own
        gates = unary.sigmoid(bias.bias_add(gates, shift))
        r, u = joining.split(value=gates, num_or_size_splits=2, axis=1)
        r_state = r * state
        kernel, own, shift = self._candidate
        candidate = matmul.matmul(inputs, kernel) + r_state * own
        c = self._activation(bias.bias_add(candidate, shift))
        new_h = u * state + (1 - u) * c
        return new_h, new_h


class IndyLSTMCell(OfUnitsLSTM, LayerRNNCell):
    """An LSTM whose cells depend on their own output only.

    Shapes: inputs [batch, in], state LSTMStateTuple of two [batch, num_units] -> output
    [batch, num_units] and a new state. Source: Gonnet and Deselaers, "IndyLSTMs" (2019).
    """

    def __init__(self, num_units, forget_bias=1.0, activation=None, reuse=None,
                 kernel_initializer=None, bias_initializer=None, name=None, dtype=None):
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._activation = activation or unary.tanh
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    def build(self, inputs_shape):
        depth, width = self._input_depth(inputs_shape), 4 * self._num_units
        self._kernel_w = self.add_variable('kernel_w', shape=[depth, width],
                                           initializer=self._kernel_initializer)
        self._kernel_u = self.add_variable('kernel_u', shape=[1, width],
                                           initializer=_signed(self.dtype))
        self._bias = self.add_variable('bias', shape=[width],
                                       initializer=self._bias_initializer or zeros_initializer())
        self.built = True

    def call(self, inputs, state):
        add, multiply, sigmoid = arithmetic.add, arithmetic.multiply, unary.sigmoid
        one = constants.constant(1, dtype=dtypes.int32)
        c, h = state
        gates = matmul.matmul(inputs, self._kernel_w)
        gates += joining.tile(h, [1, 4]) * self._kernel_u
        gates = bias.bias_add(gates, self._bias)
        i, j, f, o = joining.split(value=gates, num_or_size_splits=4, axis=one)
        forget_bias = constants.constant(self._forget_bias, dtype=f.dtype)
        new_c = add(multiply(c, sigmoid(add(f, forget_bias))),
                    multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h)


def _signed(dtype):
    return random_uniform_initializer(minval=-1, maxval=1, dtype=dtype or dtypes.float32)


class GLSTMCell(RNNCell):
    """An LSTM in groups: each uses a separate part of the inputs and of the outputs.

    Shapes: inputs [batch, in], state LSTMStateTuple of c [batch, num_units] and h [batch, out] ->
    output [batch, out]; all sizes are multiples of `number_of_groups`. Source: Kuchaiev and
    Ginsburg, "Factorization tricks for LSTM networks" (2017).
    """

    def __init__(self, num_units, initializer=None, num_proj=None, number_of_groups=1,
                 forget_bias=1.0, activation=unary.tanh, reuse=None):
        super().__init__(_reuse=reuse)
        for what, size in (('num_units', num_units), ('num_proj', num_proj or 0)):
            if size % number_of_groups:
                raise misuse(ValueError(f'{what} must be divisible by number_of_groups'))
        self._num_units, self._num_proj, self._groups = num_units, num_proj, number_of_groups
        self._weights_initializer, self._forget_bias = initializer, forget_bias
        self._activation = activation
        self._linear1, self._linear2 = [None] * number_of_groups, None

    @property
    def output_size(self):
        return self._num_proj or self._num_units

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self.output_size)

    def call(self, inputs, state):
        c_prev, m_prev = state
        batch = inputs.shape[0].value or shape_ops.shape(inputs)[0]
        if input_width(inputs) % self._groups:
            raise misuse(ValueError(f'input size ({input_width(inputs)}) must be divisible by '
                                    f'number_of_groups ({self._groups})'))
        with variable_scope(get_variable_scope(), initializer=self._weights_initializer):
            parts = zip(*[self._group(g, inputs, m_prev, batch) for g in range(self._groups)])
            shifts = [get_variable(name=f'bias_{gate}', shape=[self._num_units],
                                   dtype=inputs.dtype,
                                   initializer=constant_initializer(0.0, dtype=inputs.dtype))
                      for gate in 'ijfo']
            i, j, f, o = [bias.bias_add(joining.concat(list(part), axis=1), shift)
                          for part, shift in zip(parts, shifts)]
        c = (unary.sigmoid(f + self._forget_bias) * c_prev
             + unary.sigmoid(i) * unary.tanh(j))
        m = unary.sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            with variable_scope('projection'):
                if self._linear2 is None:
                    self._linear2 = Linear(m, self._num_proj, False)
                m = self._linear2(m)
        return m, LSTMStateTuple(c, m)

    def _group(self, group, inputs, m_prev, batch):
        """The four gates of one group, before their activations."""
        with variable_scope(f'group{group}'):
            own = [slicing.slice(x, [0, group * width], [batch, width],
                                 name=f'GLSTM_group{group}_input_generation')
                   for x, width in ((inputs, input_width(inputs) // self._groups),
                                    (m_prev, self.output_size // self._groups))]
            joined = joining.concat(own, axis=1)
            if self._linear1[group] is None:
                self._linear1[group] = Linear(joined, 4 * self._num_units // self._groups, False)
            return joining.split(self._linear1[group](joined), 4, 1)


__all__ = ['GLSTMCell', 'IndRNNCell', 'IndyGRUCell', 'IndyLSTMCell']
