"""raw_rnn: a loop whose inputs, outputs and end are determined by a function of the program."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import int32
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn import steps
from tinyflow.layers.rnn.cell import batch_shape, check_is_cell
from tinyflow.ops.array import constants, shape_ops
from tinyflow.ops.control_flow import while_loop
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.math import logic, reduction
from tinyflow.ops.variables.variable_scope import cache_reads, variable_scope


def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """Calls `cell` until `loop_fn` says that all rows are finished.

    loop_fn(time, cell_output, cell_state, loop_state) returns (finished, next_input, next_state,
    emit_output, next_loop_state). Before the first step it is called with time 0 and None for the
    rest, and returns the structure of emits (or None, for the cell's outputs).

    Shapes: finished [batch], next_input [batch, in] -> (a TensorArray of emits, the last state,
    the last loop_state). A finished row emits zeros and keeps its state.
    `parallel_iterations` and `swap_memory` change nothing here.
    """
    check_is_cell('cell', cell)
    if not callable(loop_fn):
        raise misuse(TypeError('loop_fn must be a callable'))
    with variable_scope(scope or 'rnn') as opened:
        cache_reads(opened)
        time = constants.constant(0, dtype=int32)
        finished, first, state, emit, loop_state = loop_fn(time, None, None, None)
        keeps_loop_state = loop_state is not None
        if not keeps_loop_state:
            loop_state = constants.constant(0, dtype=int32)
        static_batch, batch_size = _batch(first)
        nest.assert_same_structure(state, cell.state_size)
        state = nest.map_structure(convert_to_tensor, state)
        emits, zeros = _emits(cell, emit, state, static_batch, batch_size)

        def body(time, finished, value, emits, state, loop_state):
            output, cell_state = cell(value, state)
            nest.assert_same_structure(state, cell_state)
            nest.assert_same_structure(cell.output_size, output)
            next_time = time + 1
            now_finished, next_value, next_state, emitted, next_loop_state = loop_fn(
                next_time, output, cell_state, loop_state)
            nest.assert_same_structure(state, next_state)
            nest.assert_same_structure(value, next_value)
            nest.assert_same_structure(emits, emitted)
            emitted = _copied(finished, zeros, emitted)
            next_state = _copied(finished, state, next_state)
            emits = nest.map_structure(lambda a, e: a.write(time, e), emits, emitted)
            return (next_time, logic.logical_or(finished, now_finished), next_value, emits,
                    next_state, loop_state if next_loop_state is None else next_loop_state)

        returned = while_loop.while_loop(
            lambda time, finished, *_: logic.logical_not(reduction.reduce_all(finished)), body,
            [time, finished, first, emits, state, loop_state],
            parallel_iterations=parallel_iterations or 32, swap_memory=swap_memory)
        emits, final_state, loop_state = returned[-3:]
        return emits, final_state, loop_state if keeps_loop_state else None


def _batch(first):
    """(static size of the batch or None, the size as a number or tensor)."""
    flat = nest.flatten(first)
    batch = flat[0].shape[0]
    for x in flat:
        batch.merge_with(x.shape[0])
    return batch.value, batch.value or shape_ops.shape(flat[0])[0]


def _emits(cell, emit, state, static_batch, batch_size):
    """(TensorArrays for the emitted values, zeros like one step of them)."""
    if emit is None:
        structure = cell.output_size
        sizes = nest.flatten(structure)
        kinds = [nest.flatten(state)[0].dtype] * len(sizes)
    else:
        structure, flat = emit, nest.flatten(emit)
        sizes = [e.shape if e.shape.is_fully_defined() else shape_ops.shape(e) for e in flat]
        kinds = [e.dtype for e in flat]
    arrays = [TensorArray(dtype=kind, dynamic_size=True, size=0, name=f'rnn_output_{i}',
                          element_shape=TensorShape([static_batch]).concatenate(
                              steps.row_shape(size)))
              for i, (kind, size) in enumerate(zip(kinds, sizes))]
    zeros = [constants.zeros(batch_shape(batch_size, size), kind)
             for kind, size in zip(kinds, sizes)]
    return nest.pack_sequence_as(structure, arrays), nest.pack_sequence_as(structure, zeros)


def _copied(finished, old, new):
    return nest.map_structure(lambda o, n: steps.copy_through(finished, o, n), old, new)


__all__ = ['raw_rnn']
