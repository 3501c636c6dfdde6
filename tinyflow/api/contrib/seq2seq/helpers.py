"""Helpers of BasicDecoder: choose the next input of the cell, in training and in inference."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import int32
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import abstract, misuse
from tinyflow.layers.rnn.steps import transpose_batch_time
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    joining,
    ranking,
    shape_ops,
)
from tinyflow.ops.control_flow import cond
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.math import logic, reduction
from tinyflow.ops.nn import embedding


class Helper:
    """Base of helpers: `initialize`, then `sample` and `next_inputs` in each step."""

    @property
    def batch_size(self):
        """The number of rows, a tensor []."""
        raise NotImplementedError('batch_size has not been implemented')

    @property
    def sample_ids_shape(self):
        """The TensorShape of one row's sample."""
        raise NotImplementedError('sample_ids_shape has not been implemented')

    @property
    def sample_ids_dtype(self):
        """The dtype of samples."""
        raise NotImplementedError('sample_ids_dtype has not been implemented')

    def initialize(self, name=None):
        """(finished [batch], first inputs)."""
        raise abstract(self)

    def sample(self, time, outputs, state, name=None):
        """The sample for one step's outputs."""
        raise abstract(self)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """(finished [batch], next inputs, next state)."""
        raise abstract(self)


class CustomHelper(Helper):
    """A helper made of three functions, with the arguments of Helper's methods."""

    def __init__(self, initialize_fn, sample_fn, next_inputs_fn, sample_ids_shape=None,
                 sample_ids_dtype=None):
        self._initialize_fn, self._sample_fn = initialize_fn, sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size = None
        self._sample_ids_shape = TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or int32

    @property
    def batch_size(self):
        if self._batch_size is None:
            raise misuse(ValueError('batch_size accessed before initialize was called'))
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self):
        return self._sample_ids_dtype

    def initialize(self, name=None):
        with name_scope(name, f'{type(self).__name__}Initialize'):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = shape_ops.size(finished)
        return finished, inputs

    def sample(self, time, outputs, state, name=None):
        with name_scope(name, f'{type(self).__name__}Sample', nest.flatten((time, outputs, state))):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with name_scope(name, f'{type(self).__name__}NextInputs',
                        nest.flatten((time, outputs, state))):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state,
                                        sample_ids=sample_ids)


class TrainingHelper(Helper):
    """Feeds the true inputs, independent of the outputs (teacher forcing).

    Shapes: inputs [batch, time, in] (or [time, batch, in] if `time_major`; or a nest of
    these), sequence_length [batch].
    """

    def __init__(self, inputs, sequence_length, time_major=False, name=None):
        with name_scope(name, 'TrainingHelper', [*nest.flatten(inputs), sequence_length]):
            inputs = nest.map_structure(lambda x: convert_to_tensor(x, name='inputs'), inputs)
            self._inputs = inputs
            if not time_major:
                inputs = nest.map_structure(transpose_batch_time, inputs)
            self._input_arrays = nest.map_structure(as_array, inputs)
            self._sequence_length = convert_to_tensor(sequence_length, name='sequence_length')
            if self._sequence_length.shape.ndims != 1:
                raise misuse(ValueError('Expected sequence_length to be a vector, but received '
                                        f'shape: {self._sequence_length.shape}'))
            self._zero_inputs = nest.map_structure(lambda x: constants.zeros_like(x[0, :]), inputs)
            self._batch_size = shape_ops.size(sequence_length)

    @property
    def inputs(self):
        """The inputs, as given."""
        return self._inputs

    @property
    def sequence_length(self):
        """The number of steps of each row."""
        return self._sequence_length

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return TensorShape([])

    @property
    def sample_ids_dtype(self):
        return int32

    def initialize(self, name=None):
        with name_scope(name, 'TrainingHelperInitialize'):
            finished = logic.equal(0, self._sequence_length)
            return finished, self._read(reduction.reduce_all(finished), 0)

    def _read(self, all_finished, time):
        """The inputs of one step; zeros after the end."""
        return cond.cond(
            all_finished, lambda: self._zero_inputs,
            lambda: nest.map_structure(lambda array: array.read(time), self._input_arrays))

    def sample(self, time, outputs, name=None, **unused_kwargs):
        with name_scope(name, 'TrainingHelperSample', nest.flatten([time, outputs])):
            return identity_and_cast.cast(ranking.argmax(outputs, axis=-1), int32)

    def next_inputs(self, time, outputs, state, name=None, **unused_kwargs):
        with name_scope(name, 'TrainingHelperNextInputs', nest.flatten([time, outputs, state])):
            next_time = time + 1
            finished = next_time >= self._sequence_length
            return finished, self._read(reduction.reduce_all(finished), next_time), state


def as_array(x):
    """A TensorArray of the parts of x along its first axis."""
    return TensorArray(dtype=x.dtype, size=shape_ops.shape(x)[0],
                       element_shape=x.shape[1:]).unstack(x)


def embedding_function(embeddings):
    """A function ids -> vectors: `embeddings` itself, or a lookup in this table."""
    if callable(embeddings):
        return embeddings
    return lambda ids: embedding.embedding_lookup(embeddings, ids)


class GreedyEmbeddingHelper(Helper):
    """Feeds the embedding of the most likely symbol of the last output, until `end_token`.

    Shapes: start_tokens [batch] int32, end_token [] int32; `embedding` is a table or a function.
    """

    def __init__(self, embedding, start_tokens, end_token):
        self._embedding_fn = embedding_function(embedding)
        self._start_tokens = convert_to_tensor(start_tokens, int32, 'start_tokens')
        self._end_token = convert_to_tensor(end_token, int32, 'end_token')
        if self._start_tokens.shape.ndims != 1:
            raise misuse(ValueError('start_tokens must be a vector'))
        self._batch_size = shape_ops.size(start_tokens)
        if self._end_token.shape.ndims != 0:
            raise misuse(ValueError('end_token must be a scalar'))
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return TensorShape([])

    @property
    def sample_ids_dtype(self):
        return int32

    def initialize(self, name=None):
        return joining.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        check_single(outputs)
        return ranking.argmax(outputs, axis=-1, output_type=int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished = logic.equal(sample_ids, self._end_token)
        inputs = cond.cond(
            reduction.reduce_all(finished), lambda: self._start_inputs,
            lambda: self._embedding_fn(sample_ids))
        return finished, inputs, state


def check_single(outputs):
    """TypeError if the outputs are a nest."""
    if not isinstance(outputs, Tensor):
        raise misuse(TypeError(f'Expected outputs to be a single Tensor, got: {type(outputs)}'))


class InferenceHelper(Helper):
    """Feeds its samples, or next_inputs_fn of them, until `end_fn` is true for a row.

    Shapes: start_inputs [batch, ...]; sample_shape is the shape of one row's sample.
    """

    def __init__(self, sample_fn, sample_shape, sample_dtype, start_inputs, end_fn,
                 next_inputs_fn=None):
        self._sample_fn, self._end_fn = sample_fn, end_fn
        self._sample_shape = TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._next_inputs_fn = next_inputs_fn
        self._batch_size = shape_ops.shape(start_inputs)[0]
        self._start_inputs = convert_to_tensor(start_inputs, name='start_inputs')

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return self._sample_shape

    @property
    def sample_ids_dtype(self):
        return self._sample_dtype

    def initialize(self, name=None):
        return joining.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        return self._sample_fn(outputs)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state


__all__ = ['CustomHelper', 'GreedyEmbeddingHelper', 'Helper', 'InferenceHelper', 'TrainingHelper']
