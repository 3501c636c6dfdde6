"""static_rnn and related functions: one copy of the cell's nodes for each step."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies
from tinyflow.graph.dtypes import int32
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse, report
from tinyflow.layers.rnn import steps
from tinyflow.layers.rnn.cell import batch_shape, check_is_cell, static_batch_shape
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
)
from tinyflow.ops.math import reduction
from tinyflow.ops.variables.variable_scope import cache_reads, variable_scope


def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """Calls `cell` once for each of the inputs: (list of outputs, last state).

    Shapes: inputs a list of [batch, in] (or nests of these), initial_state as cell.state_size,
    sequence_length [batch] -> outputs a list of [batch, cell.output_size]. After the end of a
    row its outputs are zero and its state is kept. Without `initial_state`, the initial state is
    zeros of `dtype`. TypeError where inputs is not a list, ValueError where it is empty.
    """
    check_is_cell('cell', cell)
    _check_inputs(inputs)
    outputs = []
    with variable_scope(scope or 'rnn') as opened:
        cache_reads(opened)
        fixed_batch, first = _static_batch(inputs)
        batch_size = fixed_batch or shape_ops.shape(first)[0]
        state = steps.first_state(cell, initial_state, batch_size, dtype)
        if sequence_length is not None:
            sequence_length = convert_to_tensor(sequence_length, name='sequence_length')
            steps.check_lengths(sequence_length, first, batch_axis=0)
            kind = steps.state_dtype(dtype, state)
            zero_output = nest.map_structure(
                lambda size: _zeros(batch_size, fixed_batch, size, kind), cell.output_size)
            sequence_length = identity_and_cast.cast(sequence_length, int32)
            shortest = reduction.reduce_min(sequence_length)
            longest = reduction.reduce_max(sequence_length)
        for time, value in enumerate(inputs):
            if time:
                opened.reuse_variables()
            if sequence_length is None:
                output, state = cell(value, state)
            else:
                output, state = steps.step(
                    time, sequence_length, shortest, longest, zero_output, state,
                    lambda x=value, s=state: cell(x, s), unconditional=False)
            outputs.append(output)
        return outputs, state


def _check_inputs(inputs):
    if not nest.is_nested(inputs):
        raise misuse(TypeError(f'inputs must be a sequence, not {inputs!r}\n  Hint: '
                               'tf.unstack(x, axis=1) makes a list of steps of [batch, time, in].'))
    if not inputs:
        raise misuse(ValueError('inputs must not be empty'))


def _static_batch(inputs):
    """(size of the batch or None, the first of the inputs); ValueError where inputs do not fit."""
    flat = nest.flatten(inputs)
    first = flat[0]
    if first.raw_shape is not None and len(first.raw_shape) == 1:
        return first.raw_shape[0], first
    batch = None
    for value in flat:
        shape = value.shape.with_rank_at_least(2).raw
        if shape is None or None in shape[1:]:
            axis = shape[1:].index(None) if shape else 0
            raise misuse(ValueError(report(
                f'static_rnn: Input size (dimension {axis} of inputs) must be accessible via shape '
                'inference, but saw value None.', inputs=[('inputs', value)],
                hint='a placeholder of shape [None, steps, size], or x.set_shape.')))
        if None not in (batch, shape[0]) and batch != shape[0]:
            raise misuse(ValueError(report(
                f'static_rnn: Dimensions {batch} and {shape[0]} are not compatible: all steps are '
                'of one batch.', inputs=[('inputs', first), ('inputs', value)])))
        batch = shape[0] if batch is None else batch
    # TF uses the batch size of the first step only.
    return first.raw_shape[0], first


def _zeros(batch_size, fixed_batch, size, dtype):
    zeros = constants.zeros(joining.stack(batch_shape(batch_size, size)), dtype)
    zeros.set_shape(static_batch_shape(fixed_batch, size))
    return zeros


def static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length=None,
                            scope=None):
    """static_rnn whose first state comes from `state_saver` and whose last one is saved there.

    Shapes: as static_rnn. `state_saver` has state(name) and save_state(name, value);
    `state_name` is a name, or one name for each part of the state.
    """
    sizes = cell.state_size
    is_tuple = nest.is_nested(sizes)
    if is_tuple != nest.is_nested(state_name):
        raise misuse(ValueError('state_name should be the same type as cell.state_size.  '
                                f'state_name: {state_name}, cell.state_size: {sizes}'))
    names = nest.flatten(state_name)
    if len(names) != len(nest.flatten(sizes)):
        raise misuse(ValueError(f'#elems(state_name) != #elems(state_size): {len(names)} vs. '
                                f'{len(nest.flatten(sizes))}'))
    before = nest.pack_sequence_as(sizes, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, initial_state=before,
                                sequence_length=sequence_length, scope=scope)
    saved = [state_saver.save_state(name, part)
             for name, part in zip(names, nest.flatten(state))]
    with control_dependencies(saved):
        outputs[-1] = nest.map_structure(identity_and_cast.identity, outputs[-1])
        return outputs, nest.map_structure(identity_and_cast.identity, state)


def static_bidirectional_rnn(cell_fw, cell_bw, inputs, initial_state_fw=None,
                             initial_state_bw=None, dtype=None, sequence_length=None, scope=None):
    """Two static_rnn, the second over the inputs in reverse: (outputs, state_fw, state_bw).

    Shapes: inputs a list of [batch, in] -> outputs a list of [batch, fw + bw], the outputs of both
    cells for the same step side by side.
    """
    check_is_cell('cell_fw', cell_fw)
    check_is_cell('cell_bw', cell_bw)
    _check_inputs(inputs)
    with variable_scope(scope or 'bidirectional_rnn'):
        with variable_scope('fw') as fw_scope:
            output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype,
                                             sequence_length, scope=fw_scope)
        with variable_scope('bw') as bw_scope:
            backwards = _reversed(inputs, sequence_length)
            output_bw, state_bw = static_rnn(cell_bw, backwards, initial_state_bw, dtype,
                                             sequence_length, scope=bw_scope)
    output_bw = _reversed(output_bw, sequence_length)
    flat = [joining.concat([fw, bw], 1)
            for fw, bw in zip(nest.flatten(output_fw), nest.flatten(output_bw))]
    return nest.pack_sequence_as(output_fw, flat), state_fw, state_bw


def _reversed(inputs, lengths):
    """The steps in reverse order; with lengths, only the first `length` steps of each row."""
    if lengths is None:
        return list(reversed(inputs))
    results = [[] for _ in inputs]
    for sequence in zip(*map(nest.flatten, inputs)):
        # TF drops the static shape here, except for the rank.
        shape = sequence[0].shape
        rank = None if shape.ndims is None else (None,) * shape.ndims
        joined = joining.stack(sequence)
        parts = joining.unstack(shaping.reverse_sequence(joined, lengths, 0, 1))
        for part, result in zip(parts, results):
            part.set_shape(rank)
            result.append(part)
    return [nest.pack_sequence_as(i, r) for i, r in zip(inputs, results)]


__all__ = ['static_bidirectional_rnn', 'static_rnn', 'static_state_saving_rnn']
