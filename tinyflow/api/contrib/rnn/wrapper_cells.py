"""Cell wrappers: AttentionCellWrapper and HighwayWrapper."""
from __future__ import annotations

from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn.cell import RNNCell, check_is_cell
from tinyflow.layers.rnn.projections import Linear
from tinyflow.layers.rnn.sizes import OfInnerCell
from tinyflow.ops.array import joining, shaping, slicing
from tinyflow.ops.conv import convolution_functions
from tinyflow.ops.math import reduction, unary
from tinyflow.ops.nn import bias, softmax
from tinyflow.ops.variables.initializers import constant_initializer
from tinyflow.ops.variables.variable_scope import get_variable, variable_scope


class AttentionCellWrapper(RNNCell):
    """The cell with attention: a weighted mean of its last `attn_length` outputs as additional
    input.

    Shapes: inputs [batch, in] -> output [batch, attn_size]; state (the cell's, last attention,
    [batch, attn_size * attn_length]). Source: Bahdanau et al., ICLR 2015.
    """

    def __init__(self, cell, attn_length, attn_size=None, attn_vec_size=None, input_size=None,
                 state_is_tuple=True, reuse=None):
        super().__init__(_reuse=reuse)
        check_is_cell('cell', cell)
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise misuse(ValueError(
                'Cell returns tuple of states, but the flag state_is_tuple is not set. State size '
                f'is: {cell.state_size}'))
        if attn_length <= 0:
            raise misuse(ValueError(f'attn_length should be greater than zero, got {attn_length}'))
        self._cell, self._attn_length, self._input_size = cell, attn_length, input_size
        self._attn_size = cell.output_size if attn_size is None else attn_size
        self._attn_vec_size = self._attn_size if attn_vec_size is None else attn_vec_size
        self._state_is_tuple = state_is_tuple
        self._linear1 = self._linear2 = self._linear3 = None

    @property
    def state_size(self):
        sizes = (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self):
        return self._attn_size

    def call(self, inputs, state):
        state, attention, seen = state if self._state_is_tuple else self._parts(state)
        seen = shaping.reshape(seen, [-1, self._attn_length, self._attn_size])
        width = self._input_size or inputs.shape.as_list()[1]
        if self._linear1 is None:
            self._linear1 = Linear([inputs, attention], width, True)
        output, new_state = self._cell(self._linear1([inputs, attention]), state)
        query = joining.concat(nest.flatten(new_state), 1) if self._state_is_tuple else new_state
        attention, seen = self._attend(query, seen)
        with variable_scope('attn_output_projection'):
            if self._linear2 is None:
                self._linear2 = Linear([output, attention], self._attn_size, True)
            output = self._linear2([output, attention])
        seen = joining.concat([seen, shaping.expand_dims(output, 1)], 1)
        seen = shaping.reshape(seen, [-1, self._attn_length * self._attn_size])
        new_state = (new_state, attention, seen)
        return output, new_state if self._state_is_tuple else joining.concat(list(new_state), 1)

    def _parts(self, states):
        cell, size = self._cell.state_size, self._attn_size
        return (slicing.slice(states, [0, 0], [-1, cell]),
                slicing.slice(states, [0, cell], [-1, size]),
                slicing.slice(states, [0, cell + size], [-1, size * self._attn_length]))

    def _attend(self, query, seen):
        """(the weighted mean of the stored outputs, the stored outputs without the oldest)."""
        length, size, units = self._attn_length, self._attn_size, self._attn_vec_size
        with variable_scope('attention'):
            kernel = get_variable('attn_w', [1, 1, size, units])
            v = get_variable('attn_v', [units])
            hidden = shaping.reshape(seen, [-1, length, 1, size])
            features = convolution_functions.conv2d(hidden, kernel, [1, 1, 1, 1], 'SAME')
            if self._linear3 is None:
                self._linear3 = Linear(query, units, True)
            y = shaping.reshape(self._linear3(query), [-1, 1, 1, units])
            scores = reduction.reduce_sum(v * unary.tanh(features + y), [2, 3])
            weights = softmax.softmax(scores)
            mean = reduction.reduce_sum(shaping.reshape(weights, [-1, length, 1, 1]) * hidden,
                                        [1, 2])
            mean = shaping.reshape(mean, [-1, size])
            return mean, slicing.slice(seen, [0, 1, 0], [-1, -1, -1])


class HighwayWrapper(OfInnerCell, RNNCell):
    """inputs * carry + outputs * transform, with gates computed from the inputs.

    Shapes: as the cell's; inputs and outputs have equal shapes. Source: Srivastava et al., "Highway
    networks" (2015).
    """

    def __init__(self, cell, couple_carry_transform_gates=True, carry_bias_init=1.0):
        super().__init__()
        self._cell = cell
        self._couple, self._carry_bias_init = couple_carry_transform_gates, carry_bias_init

    def __call__(self, inputs, state, scope=None):
        outputs, new_state = self._cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, outputs)
        for i, o in zip(nest.flatten(inputs), nest.flatten(outputs)):
            i.shape.assert_is_compatible_with(o.shape)
        return nest.map_structure(self._highway, inputs, outputs), new_state

    def _gate(self, name, x, start):
        width = x.shape.with_rank(2)[1].value
        weights = get_variable(f'{name}_w', [width, width])
        biases = get_variable(f'{name}_b', [width], initializer=constant_initializer(start))
        return unary.sigmoid(bias.xw_plus_b(x, weights, biases))

    def _highway(self, inputs, outputs):
        carry = self._gate('carry', inputs, self._carry_bias_init)
        transform = 1 - carry if self._couple else \
            self._gate('transform', inputs, -self._carry_bias_init)
        return inputs * carry + outputs * transform


__all__ = ['AttentionCellWrapper', 'HighwayWrapper']
