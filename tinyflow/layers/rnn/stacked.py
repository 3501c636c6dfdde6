"""Bidirectional layers, one on top of the other."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn.dynamic import bidirectional_dynamic_rnn
from tinyflow.layers.rnn.static import static_bidirectional_rnn
from tinyflow.ops.array import joining
from tinyflow.ops.variables.variable_scope import variable_scope


def stack_bidirectional_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None,
                            initial_states_bw=None, dtype=None, sequence_length=None, scope=None):
    """static_bidirectional_rnn for each pair of cells, each over the outputs of the one before.

    Shapes: inputs a list of [batch, in] -> (outputs, a list of [batch, fw + bw] of the last layer;
    states forward; states backward), the states as a tuple with one for each layer.
    """
    before_fw, before_bw = _states(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw = [], []
    with variable_scope(scope or 'stack_bidirectional_rnn'):
        for i, (fw, bw) in enumerate(zip(cells_fw, cells_bw)):
            with variable_scope(f'cell_{i}') as cell_scope:
                inputs, state_fw, state_bw = static_bidirectional_rnn(
                    fw, bw, inputs, initial_state_fw=before_fw[i], initial_state_bw=before_bw[i],
                    sequence_length=sequence_length, dtype=dtype, scope=cell_scope)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return inputs, tuple(states_fw), tuple(states_bw)


def stack_bidirectional_dynamic_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None,
                                    initial_states_bw=None, dtype=None, sequence_length=None,
                                    parallel_iterations=None, time_major=False, scope=None,
                                    swap_memory=False):
    """bidirectional_dynamic_rnn for each pair of cells, each over the outputs of the one before.

    Shapes: inputs [batch, time, in] -> (outputs [batch, time, fw + bw] of the last layer; states
    forward; states backward), the states as a tuple with one for each layer.
    `parallel_iterations` and `swap_memory` change nothing here.
    """
    before_fw, before_bw = _states(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw = [], []
    with variable_scope(scope or 'stack_bidirectional_rnn'):
        for i, (fw, bw) in enumerate(zip(cells_fw, cells_bw)):
            with variable_scope(f'cell_{i}'):
                outputs, (state_fw, state_bw) = bidirectional_dynamic_rnn(
                    fw, bw, inputs, initial_state_fw=before_fw[i], initial_state_bw=before_bw[i],
                    sequence_length=sequence_length, parallel_iterations=parallel_iterations,
                    dtype=dtype, swap_memory=swap_memory, time_major=time_major)
                inputs = joining.concat(outputs, 2)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return inputs, tuple(states_fw), tuple(states_bw)


def _states(cells_fw, cells_bw, initial_fw, initial_bw):
    """The initial states, None for each layer if there are none. ValueError for a wrong number."""
    for cells, short in ((cells_fw, 'fw'), (cells_bw, 'bw')):
        if not cells:
            raise misuse(ValueError(f'Must specify at least one {short} cell for '
                                    'BidirectionalRNN.'))
        if not isinstance(cells, list):
            raise misuse(ValueError(f'cells_{short} must be a list of RNNCells (one per layer).'))
    if len(cells_fw) != len(cells_bw):
        raise misuse(ValueError('Forward and Backward cells must have the same depth.'))
    found = []
    for states, short in ((initial_fw, 'fw'), (initial_bw, 'bw')):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise misuse(ValueError(f'initial_states_{short} must be a list of state tensors (one '
                                    'per layer).'))
        found.append(states or [None] * len(cells_fw))
    return found


__all__ = ['stack_bidirectional_dynamic_rnn', 'stack_bidirectional_rnn']
