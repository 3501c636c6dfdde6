"""dynamic_rnn and bidirectional_dynamic_rnn: a loop over time in the graph."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.dtypes import int32
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
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
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow import while_loop
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.variables.variable_scope import cache_reads, variable_scope


def dynamic_rnn(cell, inputs, sequence_length=None, initial_state=None, dtype=None,
                parallel_iterations=None, swap_memory=False, time_major=False, scope=None):
    """Calls `cell` for each step of `inputs` in a loop: (outputs, last state).

    Shapes: inputs [batch, time, in] (or [time, batch, in] if `time_major`; or nests of these),
    sequence_length [batch], initial_state as cell.state_size -> outputs
    [batch, time, cell.output_size]. After the end of a row its outputs are zero and its state is
    kept. Without `initial_state`, the initial state is zeros of `dtype`. The number of steps may
    differ from run to run. `parallel_iterations` and `swap_memory` change nothing here.
    """
    check_is_cell('cell', cell)
    with variable_scope(scope or 'rnn') as opened:
        cache_reads(opened)
        flat = nest.flatten(inputs)
        _check_ranks(flat)
        if not time_major:
            flat = [steps.transpose_batch_time(convert_to_tensor(x)) for x in flat]
        if sequence_length is not None:
            sequence_length = identity_and_cast.cast(sequence_length, int32)
            steps.check_lengths(sequence_length, flat[0], batch_axis=1)
            sequence_length = identity_and_cast.identity(sequence_length, name='sequence_length')
        batch_size = steps.best_effort_input_batch_size(flat)
        state = steps.first_state(cell, initial_state, batch_size, dtype)
        if sequence_length is not None:
            with control_dependencies([_assert_shape(sequence_length, [batch_size])]):
                sequence_length = identity_and_cast.identity(sequence_length, name='CheckSeqLen')
        inputs = nest.pack_sequence_as(inputs, flat)
        outputs, final_state = _loop(cell, inputs, state, sequence_length, dtype,
                                     parallel_iterations or 32, swap_memory)
        if not time_major:
            outputs = nest.map_structure(steps.transpose_batch_time, outputs)
        return outputs, final_state


def _assert_shape(x, shape):
    found, wanted = shape_ops.shape(x), joining.stack(shape)
    return assertions.Assert(reduction.reduce_all(logic.equal(found, wanted)), [
        f'Expected shape for Tensor {x.name} is ', wanted, ' but saw shape: ', found])


def _loop(cell, inputs, state, sequence_length, dtype, parallel_iterations, swap_memory):
    """(outputs [time, batch, ...], last state) for time-major inputs."""
    flat_input = nest.flatten(inputs)
    sizes = nest.flatten(cell.output_size)
    time_steps = shape_ops.shape(flat_input[0])[0]
    batch_size = steps.best_effort_input_batch_size(flat_input)
    const_steps, const_batch = _static_sizes(flat_input)
    kind = steps.state_dtype(dtype, state)
    zero_output = [constants.zeros(joining.stack(batch_shape(batch_size, size)), kind)
                   for size in sizes]
    if sequence_length is not None:
        reduction.reduce_min(sequence_length)           # an unused node of TF
        longest = reduction.reduce_max(sequence_length)
    else:
        longest = time_steps
    time = constants.constant(0, dtype=int32, name='time')
    with name_scope('dynamic_rnn') as base_name:
        pass

    def array(name, shape, dtype):
        return TensorArray(dtype=dtype, size=time_steps, element_shape=shape,
                           tensor_array_name=base_name + name)

    outputs = tuple(array(f'output_{i}', _row_shape(const_batch, size), kind)
                    for i, size in enumerate(sizes))
    arrays = [array(f'input_{i}', x.raw_shape[1:], x.dtype) for i, x in enumerate(flat_input)]
    arrays = [a.unstack(x) for a, x in zip(arrays, flat_input)]

    def one_step(time, outputs, state):
        values = [a.read(time) for a in arrays]
        for value, whole in zip(values, flat_input):
            value.set_shape(whole.raw_shape[1:])
        values = nest.pack_sequence_as(inputs, values)
        if sequence_length is None:
            output, state = cell(values, state)
        else:
            output, state = steps.step(
                time, sequence_length, None, longest,
                nest.pack_sequence_as(cell.output_size, zero_output), state,
                lambda: cell(values, state), unconditional=True)
        outputs = tuple(a.write(time, o) for a, o in zip(outputs, nest.flatten(output)))
        return time + 1, outputs, state

    bound = arithmetic.minimum(time_steps, arithmetic.maximum(1, longest))
    _, outputs, final_state = while_loop.while_loop(
        lambda time, *_: time < bound, one_step, (time, outputs, state),
        parallel_iterations=parallel_iterations, maximum_iterations=time_steps,
        swap_memory=swap_memory)
    stacked = [a.stack() for a in outputs]
    for output, size in zip(stacked, sizes):
        output.set_shape(static_batch_shape([const_steps, const_batch], size))
    return nest.pack_sequence_as(cell.output_size, stacked), final_state


def _row_shape(batch, size):
    return TensorShape([batch]).concatenate(steps.row_shape(size))


def _check_ranks(flat_input):
    """ValueError for a Tensor without axes for batch, time and values.

    Called before the transposition too, so that the message shows the user's tensor.
    """
    for x in flat_input:
        if isinstance(x, Tensor) and x.raw_shape is not None and len(x.raw_shape) < 3:
            raise misuse(ValueError(report(
                f'dynamic_rnn: Shape {x.shape} must have rank at least 3', inputs=[('inputs', x)],
                hint='inputs are [batch, time, in], or [time, batch, in] if time_major=True: '
                     'tf.reshape(x, [-1, steps, size]) cuts flat rows, tf.expand_dims(x, -1) makes '
                     'steps of one number.')))


def _static_sizes(flat_input):
    """(time steps, batch) as far as known; ValueError where inputs differ or sizes are unknown."""
    shapes = [x.raw_shape for x in flat_input]
    _check_ranks(flat_input)
    for x, shape in zip(flat_input, shapes):
        if shape is None or None in shape[2:]:
            raise misuse(ValueError(report(
                'dynamic_rnn: Input size (depth of inputs) must be accessible via shape inference, '
                'but saw value None.', inputs=[('inputs', x)],
                hint='a placeholder of shape [None, None, size], or x.set_shape.')))
        for axis, what in enumerate(('Time steps', 'Batch_size')):
            if shape[axis] != shapes[0][axis]:
                raise misuse(ValueError(report(
                    f'dynamic_rnn: {what} is not the same for all the elements in the input.',
                    inputs=[('inputs', flat_input[0]), ('inputs', x)])))
    return shapes[0][:2]


def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None,
                              initial_state_fw=None, initial_state_bw=None, dtype=None,
                              parallel_iterations=None, swap_memory=False, time_major=False,
                              scope=None):
    """Two dynamic_rnn, the second over the inputs in reverse: ((outputs), (states)) of both.

    Shapes: inputs [batch, time, in] (or [time, batch, in] if `time_major`) -> outputs, a pair of
    [batch, time, cell.output_size], both in the order of the inputs; tf.concat(outputs, 2) puts
    them side by side. With `sequence_length`, each row is reversed within its own length.
    `parallel_iterations` and `swap_memory` change nothing here.
    """
    check_is_cell('cell_fw', cell_fw)
    check_is_cell('cell_bw', cell_bw)
    settings = {'sequence_length': sequence_length, 'dtype': dtype, 'time_major': time_major,
                'parallel_iterations': parallel_iterations, 'swap_memory': swap_memory}
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def backwards(x):
        if sequence_length is None:
            return shaping.reverse(x, axis=[time_axis])
        return shaping.reverse_sequence(x, sequence_length, seq_axis=time_axis,
                                        batch_axis=batch_axis)

    with variable_scope(scope or 'bidirectional_rnn'):
        with variable_scope('fw') as fw_scope:
            output_fw, state_fw = dynamic_rnn(cell_fw, inputs, initial_state=initial_state_fw,
                                              scope=fw_scope, **settings)
        with variable_scope('bw') as bw_scope:
            output_bw, state_bw = dynamic_rnn(
                cell_bw, nest.map_structure(backwards, inputs), initial_state=initial_state_bw,
                scope=bw_scope, **settings)
    return (output_fw, backwards(output_bw)), (state_fw, state_bw)


__all__ = ['bidirectional_dynamic_rnn', 'dynamic_rnn']
