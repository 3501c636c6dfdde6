"""Decoder, and dynamic_decode, which calls it in a loop until every row is finished."""
from __future__ import annotations

from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import int32
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import abstract, misuse
from tinyflow.layers.rnn.cell import zero_tensor
from tinyflow.layers.rnn.steps import is_tensor_array, transpose_batch_time
from tinyflow.ops.array import constants, indexing, shape_ops
from tinyflow.ops.control_flow import while_loop
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.math import logic, reduction
from tinyflow.ops.variables.variable_scope import cache_reads, variable_scope


class Decoder:
    """Base of decoders for dynamic_decode: an initial state, and a step function."""

    @property
    def batch_size(self):
        """The number of rows."""
        raise abstract(self)

    @property
    def output_size(self):
        """A nest of the sizes of one step's outputs, without the batch."""
        raise abstract(self)

    @property
    def output_dtype(self):
        """A nest of dtypes, like `output_size`."""
        raise abstract(self)

    def initialize(self, name=None):
        """(finished, first inputs, first state), before any step."""
        raise abstract(self)

    def step(self, time, inputs, state, name=None):
        """(outputs, next state, next inputs, finished) of one step."""
        raise abstract(self)

    def finalize(self, outputs, final_state, sequence_lengths):
        """(outputs, state) after the last step; optional."""
        raise abstract(self)

    @property
    def tracks_own_finished(self):
        """True if `step` itself keeps finished rows finished (a beam may become unfinished)."""
        return False


def dynamic_decode(decoder, output_time_major=False, impute_finished=False,
                   maximum_iterations=None, parallel_iterations=32, swap_memory=False, scope=None):
    """Runs `decoder` until all rows are finished: (outputs, final state, sequence lengths).

    Shapes: -> outputs [batch, time, size] (or [time, batch, size] if `output_time_major`), lengths
    [batch]. With `impute_finished` a finished row outputs zeros and keeps its state, which
    training requires; `maximum_iterations` limits the number of steps.
    """
    if not isinstance(decoder, Decoder):
        raise misuse(TypeError(f'Expected decoder to be type Decoder, but saw: {type(decoder)}'))
    with variable_scope(scope, 'decoder') as opened:
        cache_reads(opened)
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(maximum_iterations, int32,
                                                   'maximum_iterations')
            if maximum_iterations.raw_shape != ():
                raise misuse(ValueError('maximum_iterations must be a scalar'))
        finished, inputs, state = decoder.initialize()
        zeros = nest.map_structure(
            lambda size, dtype: nest.map_structure(
                lambda s: zero_tensor(decoder.batch_size, s, dtype), size),
            decoder.output_size, decoder.output_dtype)
        if maximum_iterations is not None:
            finished = logic.logical_or(finished, 0 >= maximum_iterations)
        lengths = constants.zeros_like(finished, dtype=int32)
        time = constants.constant(0, dtype=int32)
        arrays = nest.map_structure(lambda size, dtype: _array(decoder, size, dtype),
                                    decoder.output_size, decoder.output_dtype)
        body = _body(decoder, zeros, impute_finished)
        _, arrays, state, _, _, lengths = while_loop.while_loop(
            lambda time, arrays, state, inputs, finished, lengths:
                logic.logical_not(reduction.reduce_all(finished)),
            body, (time, arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations, maximum_iterations=maximum_iterations,
            swap_memory=swap_memory)
        outputs = nest.map_structure(lambda array: array.stack(), arrays)
        try:
            outputs, state = decoder.finalize(outputs, state, lengths)
        except NotImplementedError:
            pass
        if not output_time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
    return outputs, state, lengths


def _array(decoder, size, dtype):
    """The TensorArray that collects one output."""
    shape = None
    if isinstance(size, TensorShape) and size.ndims != 0:
        rows = constant_value(convert_to_tensor(decoder.batch_size, name='batch_size'))
        shape = TensorShape([rows]).concatenate(size)
    return TensorArray(dtype=dtype, size=0, dynamic_size=True, element_shape=shape)


def _body(decoder, zeros, impute_finished):
    """The body of the loop."""
    def step(time, arrays, state, inputs, finished, lengths):
        outputs, next_state, next_inputs, now_finished = decoder.step(time, inputs, state)
        if not decoder.tracks_own_finished:
            now_finished = logic.logical_or(now_finished, finished)
        next_lengths = indexing.where(
            logic.logical_not(finished),
            constants.fill(shape_ops.shape(lengths), time + 1), lengths)
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(arrays, outputs)
        nest.assert_same_structure(inputs, next_inputs)

        def kept(new, old):
            if is_tensor_array(old):
                return new
            new.set_shape(old.raw_shape)
            return new if new.raw_shape == () else indexing.where(finished, old, new)

        if impute_finished:
            outputs = nest.map_structure(lambda out, zero: indexing.where(finished, zero, out),
                                         outputs, zeros)
            next_state = nest.map_structure(kept, next_state, state)
        arrays = nest.map_structure(lambda array, out: array.write(time, out), arrays, outputs)
        return time + 1, arrays, next_state, next_inputs, now_finished, next_lengths
    return step


__all__ = ['Decoder', 'dynamic_decode']
