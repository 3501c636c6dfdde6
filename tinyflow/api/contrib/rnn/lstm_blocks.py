"""LSTMBlockCell, GRUBlockCell and LSTMBlockFusedCell: a step or a whole sequence as one node."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import int64
from tinyflow.graph.support.errors import abstract, misuse
from tinyflow.layers.base import Layer
from tinyflow.layers.input_spec import InputSpec
from tinyflow.layers.rnn.cell import LayerRNNCell
from tinyflow.layers.rnn.sizes import LSTMStateTuple, OfUnitsLSTM
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
    where_onehot as masking,
)
from tinyflow.ops.math import reduction
from tinyflow.ops.nn import gru_block, lstm_blocks
from tinyflow.ops.variables.initializers import constant_initializer


def _make_weights(cell, depth):
    """Kernel, bias and optional peepholes of a block LSTM."""
    units = cell._num_units
    cell._kernel = cell.add_variable('kernel', [depth + units, units * 4])
    cell._bias = cell.add_variable('bias', [units * 4], initializer=constant_initializer(0.0))
    if cell._use_peephole:
        cell._peepholes = [cell.add_variable(f'w_{gate}_diag', [units]) for gate in 'ifo']


class LSTMBlockCell(OfUnitsLSTM, LayerRNNCell):
    """An LSTM whose step is one node; weights and values are those of LSTMCell.

    Shapes: inputs [batch, in], state LSTMStateTuple of two [batch, num_units] -> output
    [batch, num_units] and a new state.
    """

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, dtype=None,
                 reuse=None, name='lstm_cell'):
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._use_peephole = use_peephole
        self._cell_clip = -1 if cell_clip is None else cell_clip
        self.input_spec = InputSpec(ndim=2)

    def build(self, inputs_shape):
        _make_weights(self, self._input_depth(inputs_shape))
        self.built = True

    def call(self, inputs, state):
        if len(state) != 2:
            raise misuse(ValueError('Expecting state to be a tuple with length 2.'))
        if self._use_peephole:
            peepholes = self._peepholes
        else:
            peepholes = [constants.zeros([self._num_units], dtype=inputs.dtype)] * 3
        c, h = state
        _, c, _, _, _, _, h = lstm_blocks.LSTMBlockCell.apply(
            inputs, c, h, self._kernel, *peepholes, self._bias,
            forget_bias=float(self._forget_bias), cell_clip=float(self._cell_clip),
            use_peephole=self._use_peephole)
        return h, LSTMStateTuple(c, h)


class LSTMBlockWrapper(Layer):
    """Base of LSTM layers over all steps: a subclass defines `num_units` and `_call_cell`."""

    @property
    def num_units(self):
        """The number of cells."""
        raise abstract(self)

    def _call_cell(self, inputs, initial_cell_state, initial_output, dtype, sequence_length):
        """(cell states, outputs), both [time, batch, num_units]."""
        raise abstract(self)

    def call(self, inputs, initial_state=None, dtype=None, sequence_length=None):
        is_list = isinstance(inputs, list)
        inputs = joining.stack(inputs) if is_list else inputs
        time, batch, depth = inputs.shape.with_rank(3).as_list()
        if not depth:
            raise misuse(ValueError(f'Expecting inputs_shape[2] to be set: {inputs.shape}'))
        batch = shape_ops.shape(inputs)[1] if batch is None else batch
        time = shape_ops.shape(inputs)[0] if time is None else time
        if initial_state is None:
            if dtype is None:
                raise misuse(ValueError('Either initial_state or dtype needs to be specified'))
            zeros = constants.zeros(joining.stack([batch, self.num_units]), dtype=dtype)
            initial_state = zeros, zeros
        elif len(initial_state) != 2:
            raise misuse(ValueError('Expecting initial_state to be a tuple with length 2 or None'))
        dtype = initial_state[0].dtype if dtype is None else dtype
        if sequence_length is not None:
            sequence_length = convert_to_tensor(sequence_length)
        cells, outputs = self._call_cell(inputs, *initial_state, dtype, sequence_length)
        if sequence_length is None:
            last = LSTMStateTuple(cells[-1], outputs[-1])
        else:
            outputs *= self._inside(sequence_length, time, dtype)
            states = [joining.concat([shaping.expand_dims(first, [0]), others], 0)
                      for first, others in zip(initial_state, (cells, outputs))]
            last = LSTMStateTuple(*[_at(s, sequence_length, batch) for s in states])
        return (joining.unstack(outputs) if is_list else outputs), last

    def _inside(self, lengths, time, dtype):
        """1 before the end of a row, else 0: [time, batch, num_units]."""
        mask = shaping.transpose(masking.sequence_mask(lengths, time, dtype=dtype), [1, 0])
        return joining.tile(shaping.expand_dims(mask, [-1]), [1, 1, self.num_units])


def _at(states, lengths, batch):
    """The state of each row at its own length."""
    rows = constants.range(batch)
    return gathering.gather_nd(states, joining.stack([lengths, rows], axis=1))


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """All steps of an LSTM as one node; weights and values are those of LSTMCell.

    Shapes: inputs [time, batch, in] (or a list of [batch, in]), sequence_length [batch] -> (outputs
    [time, batch, num_units], LSTMStateTuple).
    """

    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, reuse=None,
                 dtype=None, name='lstm_fused_cell'):
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._cell_clip = -1 if cell_clip is None else cell_clip
        self._use_peephole = use_peephole
        self.input_spec = InputSpec(ndim=3)

    @property
    def num_units(self):
        return self._num_units

    def build(self, input_shape):
        _make_weights(self, input_shape[2].value)
        self.built = True

    def _call_cell(self, inputs, initial_cell_state=None, initial_output=None, dtype=None,
                   sequence_length=None):
        time = inputs.shape[0].value or shape_ops.shape(inputs)[0]
        if self._use_peephole:
            wci, wcf, wco = self._peepholes
        else:
            wci = wcf = wco = constants.zeros([self._num_units], dtype=dtype)
        longest = time if sequence_length is None else reduction.reduce_max(sequence_length)
        _, cells, _, _, _, _, outputs = lstm_blocks.BlockLSTM.apply(
            identity_and_cast.cast(longest, int64), inputs, initial_cell_state, initial_output,
            self._kernel, wci, wcf, wco, self._bias, forget_bias=float(self._forget_bias),
            cell_clip=float(self._cell_clip), use_peephole=self._use_peephole)
        return cells, outputs


class GRUBlockCell(LayerRNNCell):
    """A GRU whose step is one node.

    Shapes: inputs [batch, in], state [batch, num_units] -> output and new state
    [batch, num_units]. GRUBlockCellV2 has the weights' names of GRUCell.
    """

    _names = ('w_ru', 'b_ru', 'w_c', 'b_c')

    def __init__(self, num_units=None, cell_size=None, reuse=None, name='gru_cell'):
        super().__init__(_reuse=reuse, name=name)
        if (cell_size is None) == (num_units is None):
            raise misuse(ValueError('Exactly one of num_units or cell_size must be provided.'))
        self._cell_size = cell_size if num_units is None else num_units
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self):
        return self._cell_size

    @property
    def output_size(self):
        return self._cell_size

    def build(self, input_shape):
        depth, units = self._input_depth(input_shape), self._cell_size
        names = self._names
        self._gate_kernel = self.add_variable(names[0], [depth + units, units * 2])
        self._gate_bias = self.add_variable(names[1], [units * 2],
                                            initializer=constant_initializer(1.0))
        self._candidate_kernel = self.add_variable(names[2], [depth + units, units])
        self._candidate_bias = self.add_variable(names[3], [units],
                                                 initializer=constant_initializer(0.0))
        self.built = True

    def call(self, inputs, h_prev):
        *_, new_h = gru_block.GRUBlockCell.apply(
            inputs, h_prev, self._gate_kernel, self._candidate_kernel, self._gate_bias,
            self._candidate_bias)
        return new_h, new_h


class GRUBlockCellV2(GRUBlockCell):
    """GRUBlockCell with the weights' names of GRUCell: checkpoints are compatible.

    Shapes: as GRUBlockCell.
    """

    _names = ('gates/kernel', 'gates/bias', 'candidate/kernel', 'candidate/bias')


__all__ = ['GRUBlockCell', 'GRUBlockCellV2', 'LSTMBlockCell', 'LSTMBlockFusedCell',
           'LSTMBlockWrapper']
