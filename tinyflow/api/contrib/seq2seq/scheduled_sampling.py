"""Scheduled sampling: helpers that feed the true inputs or samples of the last outputs."""
from __future__ import annotations

from tinyflow.api.contrib.seq2seq import sampling
from tinyflow.api.contrib.seq2seq.helpers import (
    GreedyEmbeddingHelper,
    TrainingHelper,
    as_array,
    check_single,
    embedding_function,
)
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import bool as bool_, int32
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn.steps import transpose_batch_time
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    indexing,
    joining,
    shape_ops,
)
from tinyflow.ops.control_flow import cond
from tinyflow.ops.math import logic, reduction


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """As GreedyEmbeddingHelper, with symbols drawn from the distribution of the outputs.

    Shapes: start_tokens [batch] int32, end_token [] int32; a `softmax_temperature` below 1 favours
    likely symbols.
    """

    def __init__(self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None):
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature, self._seed = softmax_temperature, seed

    def sample(self, time, outputs, state, name=None):
        check_single(outputs)
        temperature = self._softmax_temperature
        logits = outputs if temperature is None else outputs / temperature
        return sampling.categorical(logits=logits, seed=self._seed)


def _probability(given):
    """The sampling probability as a tensor; ValueError unless it is a scalar or vector."""
    given = convert_to_tensor(given, name='sampling_probability')
    if given.shape.ndims not in (0, 1):
        raise misuse(ValueError('sampling_probability must be either a scalar or a vector. saw '
                                f'shape: {given.shape}'))
    return given


def _mixed(base, taken, others, sampled):
    """`sampled` in the rows `taken`, those of `base` in the rows `others`: both are [n, 1]."""
    kept = gathering.gather_nd(base, others)
    sampled = sampled()
    shape = shape_ops.shape(base)
    return (gathering.scatter_nd(indices=taken, updates=sampled, shape=shape)
            + gathering.scatter_nd(indices=others, updates=kept, shape=shape))


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """With `sampling_probability` the next input of a row is the embedding of a symbol sampled from
    its last output.

    Shapes: inputs [batch, time, in], sequence_length [batch]. Source: Bengio et al., "Scheduled
    sampling for sequence prediction with recurrent neural networks", NIPS 2015.
    """

    def __init__(self, inputs, sequence_length, embedding, sampling_probability, time_major=False,
                 seed=None, scheduling_seed=None, name=None):
        with name_scope(name, 'ScheduledEmbeddingSamplingWrapper',
                        [embedding, sampling_probability]):
            self._embedding_fn = embedding_function(embedding)
            self._sampling_probability = _probability(sampling_probability)
            self._seed, self._scheduling_seed = seed, scheduling_seed
            super().__init__(inputs=inputs, sequence_length=sequence_length,
                             time_major=time_major, name=name)

    def sample(self, time, outputs, state, name=None):
        """A sampled symbol for some rows, -1 for the others."""
        with name_scope(name, 'ScheduledEmbeddingTrainingHelperSample',
                        nest.flatten([time, outputs, state])):
            chosen = sampling.bernoulli(probs=self._sampling_probability, dtype=bool_,
                                        sample_shape=self.batch_size, seed=self._scheduling_seed)
            return indexing.where(chosen, sampling.categorical(logits=outputs, seed=self._seed),
                                  constants.fill([self.batch_size], -1))

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with name_scope(name, 'ScheduledEmbeddingTrainingHelperNextInputs',
                        nest.flatten([time, outputs, state, sample_ids])):
            finished, base, state = super().next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids, name=name)

            def mixed():
                taken = identity_and_cast.cast(indexing.where(sample_ids > -1), int32)
                others = identity_and_cast.cast(indexing.where(sample_ids <= -1), int32)
                ids = gathering.gather_nd(sample_ids, taken)
                return _mixed(base, taken, others, lambda: self._embedding_fn(ids))

            inputs = cond.cond(reduction.reduce_all(finished), lambda: base, mixed)
        return finished, inputs, state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """With `sampling_probability` the next input of a row is its last output (or next_inputs_fn of
    it).

    Shapes: inputs [batch, time, in], sequence_length [batch], auxiliary_inputs [batch, time, more],
    which are concatenated to both kinds of inputs.
    """

    def __init__(self, inputs, sequence_length, sampling_probability, time_major=False, seed=None,
                 next_inputs_fn=None, auxiliary_inputs=None, name=None):
        with name_scope(name, 'ScheduledOutputTrainingHelper',
                        [inputs, auxiliary_inputs, sampling_probability]):
            self._sampling_probability = _probability(sampling_probability)
            if auxiliary_inputs is not None:
                inputs = convert_to_tensor(inputs, name='inputs')
                auxiliary_inputs = convert_to_tensor(auxiliary_inputs, name='auxiliary_inputs')
                inputs = joining.concat((inputs, auxiliary_inputs), -1)
                if not time_major:
                    auxiliary_inputs = transpose_batch_time(auxiliary_inputs)
            self._auxiliary = None if auxiliary_inputs is None else as_array(auxiliary_inputs)
            self._seed, self._next_inputs_fn = seed, next_inputs_fn
            super().__init__(inputs=inputs, sequence_length=sequence_length,
                             time_major=time_major, name=name)

    def sample(self, time, outputs, state, name=None):
        """1 for rows that use their output, 0 for the others."""
        with name_scope(name, 'ScheduledOutputTrainingHelperSample',
                        nest.flatten([time, outputs, state])):
            return sampling.bernoulli(probs=self._sampling_probability,
                                      sample_shape=self.batch_size, seed=self._seed)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with name_scope(name, 'ScheduledOutputTrainingHelperNextInputs',
                        nest.flatten([time, outputs, state, sample_ids])):
            finished, base, state = super().next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids, name=name)
            chosen = identity_and_cast.cast(sample_ids, bool_)

            def mixed():
                if self._next_inputs_fn is None:
                    return indexing.where(chosen, self._with_auxiliary(outputs, time), base)
                taken = identity_and_cast.cast(indexing.where(chosen), int32)
                others = identity_and_cast.cast(indexing.where(logic.logical_not(chosen)), int32)
                rows = gathering.gather_nd(outputs, taken)
                return _mixed(base, taken, others, lambda: self._with_auxiliary(
                    self._next_inputs_fn(rows), time, taken))

            all_finished = reduction.reduce_all(finished)
            nothing = logic.logical_not(reduction.reduce_any(chosen))
            inputs = cond.cond(logic.logical_or(all_finished, nothing), lambda: base,
                               mixed)
        return finished, inputs, state

    def _with_auxiliary(self, rows, time, indices=None):
        """`rows` concatenated with the auxiliary inputs of the next step."""
        if self._auxiliary is None:
            return rows
        auxiliary = self._auxiliary.read(time + 1)
        if indices is not None:
            auxiliary = gathering.gather_nd(auxiliary, indices)
        return joining.concat((rows, auxiliary), -1)


__all__ = ['SampleEmbeddingHelper', 'ScheduledEmbeddingTrainingHelper',
           'ScheduledOutputTrainingHelper']
