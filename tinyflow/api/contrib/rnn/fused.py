"""Fused RNN adaptors: cells that process a whole sequence per call, and time reversal."""
from __future__ import annotations

from tinyflow.graph.support.errors import abstract
from tinyflow.layers.rnn.dynamic import dynamic_rnn
from tinyflow.layers.rnn.static import static_rnn
from tinyflow.ops.array import joining, shaping


class FusedRNNCell:
    """Base of cells that are called with all steps at once.

    Shapes: inputs [time, batch, in] (or a list of [batch, in]) -> (outputs likewise, state).
    """

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        raise abstract(self)


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell as a FusedRNNCell, by static_rnn or dynamic_rnn.

    Shapes: as FusedRNNCell.
    """

    def __init__(self, cell, use_dynamic_rnn=False):
        self._cell, self._use_dynamic_rnn = cell, use_dynamic_rnn

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        is_list = isinstance(inputs, list)
        settings = {'sequence_length': sequence_length, 'initial_state': initial_state,
                    'dtype': dtype, 'scope': scope}
        if self._use_dynamic_rnn:
            inputs = joining.stack(inputs) if is_list else inputs
            outputs, state = dynamic_rnn(self._cell, inputs, time_major=True, **settings)
            return (joining.unstack(outputs) if is_list else outputs), state
        inputs = inputs if is_list else joining.unstack(inputs)
        outputs, state = static_rnn(self._cell, inputs, **settings)
        return (outputs if is_list else joining.stack(outputs)), state


class TimeReversedFusedRNN(FusedRNNCell):
    """A FusedRNNCell over the steps in reverse, its outputs in the order of the inputs.

    Shapes: as FusedRNNCell.
    """

    def __init__(self, cell):
        self._cell = cell

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        inputs = _reversed(inputs, sequence_length)
        outputs, state = self._cell(inputs, initial_state=initial_state, dtype=dtype,
                                    sequence_length=sequence_length, scope=scope)
        return _reversed(outputs, sequence_length), state


def _reversed(t, lengths):
    if isinstance(t, list):
        return list(reversed(t))
    if lengths is None:
        return shaping.reverse_v2(t, [0])
    return shaping.reverse_sequence(t, lengths, 0, 1)


__all__ = ['FusedRNNCell', 'FusedRNNCellAdaptor', 'TimeReversedFusedRNN']
