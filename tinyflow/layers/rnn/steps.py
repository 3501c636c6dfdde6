"""Helpers of static_rnn, dynamic_rnn and raw_rnn: batch sizes, dtypes, steps past the end."""
from __future__ import annotations

from contextlib import contextmanager

from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, indexing, joining, shape_ops, shaping
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.variables.variable_scope import variable_scope


@contextmanager
def rnn_scope(scope):
    """The variable scope of a network; its weights are read where its steps are computed."""
    with variable_scope(scope or 'rnn') as opened:
        if opened.caching_device is None and get_default_graph().outer_graph is None:
            opened.set_caching_device(_device_of)
        yield opened


def _device_of(operation):
    return operation.device


def is_tensor_array(value):
    """True for a TensorArray, which a step passes on unchanged."""
    return isinstance(value, TensorArray)


def first_state(cell, initial_state, batch_size, dtype):
    """The state before the first step: the given one, or zeros. ValueError without a dtype."""
    if initial_state is not None:
        _check_state(cell, initial_state)
        return initial_state
    if not dtype:
        raise misuse(ValueError('If there is no initial_state, you must give a dtype: '
                                'dtype=tf.float32.'))
    if getattr(cell, 'get_initial_state', None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def _check_state(cell, state):
    """ValueError for one Tensor where the cell unpacks several, or for rows of another length."""
    if not _is_built_in(cell):
        return                          # a user-defined cell may take anything
    size = cell.state_size
    if nest.is_sequence(size):
        if isinstance(state, Tensor):
            raise misuse(ValueError(report(
                f'The initial state of this {type(cell).__name__} is one tensor, and state_size '
                f'is {size}', inputs=[('initial_state', state)],
                hint='tf.nn.rnn_cell.LSTMStateTuple(c, h) for a cell of LSTM, a tuple of the '
                     'states of all layers for MultiRNNCell; or cell.zero_state(batch_size, '
                     'tf.float32).')))
    elif isinstance(size, int) and isinstance(state, Tensor):
        shape = state.raw_shape
        if shape is not None and len(shape) == 2 and shape[1] not in (None, size):
            raise misuse(ValueError(report(
                f'The initial state has {shape[1]} columns, and this {type(cell).__name__} keeps '
                f'{size}', inputs=[('initial_state', state)],
                hint=f'a state of [batch, {size}]: tf.layers.dense(state, {size}) projects another '
                     'network\'s state to this size.')))


def _is_built_in(cell):
    """True for a cell of tinyflow, and for a wrapper of one."""
    while cell is not None:
        if not type(cell).__module__.startswith('tinyflow.'):
            return False
        cell = getattr(cell, 'cell', None) or getattr(cell, '_cell', None)
    return True


def state_dtype(dtype, state):
    """The dtype of outputs: the given one, or that which all parts of the state share."""
    if dtype is not None:
        return dtype
    found = {part.dtype.base_dtype for part in nest.flatten(state)}
    if not found:
        raise misuse(ValueError('Unable to infer dtype from empty state.'))
    if len(found) > 1:
        raise misuse(ValueError('State has tensors of different inferred_dtypes. Unable to infer a '
                                'single representative dtype.'))
    return found.pop()


def check_lengths(sequence_length, inputs, batch_axis):
    """ValueError unless sequence_length is a vector, one length for each row of the batch."""
    shape = sequence_length.raw_shape
    rows = inputs.raw_shape[batch_axis] if inputs.raw_shape is not None else None
    if shape is not None and len(shape) == 1 and None not in (rows, shape[0]) and shape[0] != rows:
        raise misuse(ValueError(report(
            f'sequence_length has {shape[0]} lengths, and the batch has {rows} rows',
            inputs=[('sequence_length', sequence_length), ('inputs', inputs)],
            hint='one length for each row of the batch'
                 + ('; inputs are [batch, time, in], or [time, batch, in] with time_major=True.'
                    if batch_axis else '.'))))
    if shape is not None and len(shape) != 1:
        raise misuse(ValueError(report(
            'sequence_length must be a vector of length batch_size, but saw shape: '
            f'{sequence_length.shape}', inputs=[('sequence_length', sequence_length)],
            hint='one length for each row of the batch: placeholder(tf.int32, [None]).')))


def transpose_batch_time(x):
    """x [a, b, *c] as [b, a, *c]; a vector or scalar is returned unchanged."""
    shape = x.raw_shape
    if shape is not None and len(shape) < 2:
        return x
    others = constants.range(2, shape_ops.rank(x))
    result = shaping.transpose(x, joining.concat(([1, 0], others), axis=0))
    if shape is not None:
        result.set_shape((shape[1], shape[0]) + shape[2:])
    return result


def best_effort_input_batch_size(flat_input):
    """The number of rows of time-major inputs, as a number where the static shape is known."""
    for x in flat_input:
        shape = x.raw_shape
        if shape is None:
            continue
        if len(shape) < 2:
            raise misuse(ValueError(report(
                f'dynamic_rnn: Expected input tensor {x.name} to have rank at least 2',
                inputs=[('inputs', x)], hint='inputs are [batch, time, features].')))
        if shape[1] is not None:
            return shape[1]
    return shape_ops.shape(flat_input[0])[1]


def copy_through(finished, old, new):
    """The old value for finished rows, the new one for the others."""
    if is_tensor_array(old) or (isinstance(old, Tensor) and old.raw_shape == ()):
        return new
    return indexing.where(finished, old, new)


def step(time, sequence_length, shortest, longest, zero_output, state, call_cell, unconditional):
    """(output, new state) of one step in which some rows are past their end.

    Those have outputs of zero and keep their state. Unless `unconditional`, the cell is not
    computed where all rows are past their end, and nothing is copied where none is.
    """
    finished = time >= sequence_length
    old = nest.flatten(zero_output) + nest.flatten(state)

    def new():
        output, new_state = call_cell()
        nest.assert_same_structure(zero_output, output)
        nest.assert_same_structure(state, new_state)
        return nest.flatten(output) + nest.flatten(new_state)

    def copied(values):
        return [copy_through(finished, o, n) for o, n in zip(old, values)]

    def computed():
        values = new()
        return cond(time < shortest, lambda: values, lambda: copied(values))

    if unconditional:
        flat = copied(new())
    else:
        flat = cond(time >= longest, lambda: old, computed)
    for result, before in zip(flat, old):
        if not is_tensor_array(result):
            result.set_shape(before.raw_shape)
    outputs = len(nest.flatten(zero_output))
    return (nest.pack_sequence_as(zero_output, flat[:outputs]),
            nest.pack_sequence_as(state, flat[outputs:]))


def row_shape(size):
    """The shape of one row of an output: `size` is an int, a TensorShape, a list or a Tensor.

    A Tensor is the size of attention over a memory whose length is known while running.
    """
    if isinstance(size, Tensor):
        size = constant_value(size)
        return TensorShape(None if size is None else [int(size)])
    return TensorShape(size if isinstance(size, (list, tuple, TensorShape)) else [size])


__all__ = ['is_tensor_array']
