"""tf.contrib.crf: linear-chain conditional random fields.

A sequence of tags scores the sum of a number for each tag (`inputs`) and one for each pair of
neighbours (`transition_params`); its probability is the softmax of the scores over all sequences.
Lafferty, McCallum and Pereira, Conditional random fields (2001).
"""
from __future__ import annotations

import numpy as np

from tinyflow.api import math
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.layers.rnn.cell import RNNCell
from tinyflow.layers.rnn.dynamic import dynamic_rnn
from tinyflow.ops.array import constants, gathering, joining, padding, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.slicing import slice
from tinyflow.ops.array.where_onehot import sequence_mask, where
from tinyflow.ops.control_flow.smart_cond import smart_cond
from tinyflow.ops.math.composed_reductions import reduce_logsumexp
from tinyflow.ops.math.reduction import reduce_max, reduce_sum
from tinyflow.ops.variables.variable_scope import get_variable


def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
    """(the log probability of each sequence of tags, the transition scores).

    Shapes: inputs [batch, time, tags], tag_indices [batch, time], sequence_lengths [batch] ->
    [batch] and [tags, tags]. Without `transition_params` there is a Variable 'transitions'.
    """
    tags = _size(inputs, 2)
    sequence_lengths = cast(sequence_lengths, dtypes.int32)
    if transition_params is None:
        transition_params = get_variable('transitions', [tags, tags])
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    norms = crf_log_norm(inputs, sequence_lengths, transition_params)
    return scores - norms, transition_params


def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
    """The score of each sequence of tags, not normalized. Shapes: as in crf_log_likelihood."""
    def one_step():
        rows = shaping.reshape(constants.range(shape_ops.shape(inputs)[0]), [-1, 1])
        alone = shaping.squeeze(inputs, [1])
        scores = gathering.gather_nd(alone, joining.concat([rows, tag_indices], axis=1))
        return where(math.less_equal(sequence_lengths, 0), constants.zeros_like(scores), scores)

    def several_steps():
        return (crf_unary_score(tag_indices, sequence_lengths, inputs)
                + crf_binary_score(tag_indices, sequence_lengths, transition_params))
    return _by_length(inputs, one_step, several_steps)


def crf_multitag_sequence_score(inputs, tag_bitmap, sequence_lengths, transition_params):
    """The logarithm of the sum of the scores, as exponentials, of all sequences of allowed tags.

    Shapes: tag_bitmap [batch, time, tags] of bool, otherwise as in crf_log_likelihood -> [batch].
    """
    def allowed():
        never = constants.fill(shape_ops.shape(inputs), float('-inf'))
        return where(tag_bitmap, inputs, never)

    def one_step():
        return reduce_logsumexp(allowed(), axis=[1, 2])

    def several_steps():
        return crf_log_norm(allowed(), sequence_lengths, transition_params)
    return _by_length(inputs, one_step, several_steps)


def crf_log_norm(inputs, sequence_lengths, transition_params):
    """The logarithm of the sum of the scores, as exponentials, of all sequences: [batch]."""
    first = shaping.squeeze(slice(inputs, [0, 0, 0], [-1, 1, -1]), [1])

    def one_step():
        norms = reduce_logsumexp(first, [1])
        return where(math.less_equal(sequence_lengths, 0), constants.zeros_like(norms), norms)

    def several_steps():
        rest = slice(inputs, [0, 1, 0], [-1, -1, -1])
        cell = CrfForwardRnnCell(transition_params)
        after_first = _after_first(sequence_lengths)
        _, alphas = dynamic_rnn(cell=cell, inputs=rest, sequence_length=after_first,
                                initial_state=first, dtype=dtypes.float32)
        norms = reduce_logsumexp(alphas, [1])
        return where(math.less_equal(sequence_lengths, 0), constants.zeros_like(norms), norms)
    return _by_length(inputs, one_step, several_steps)


def crf_unary_score(tag_indices, sequence_lengths, inputs):
    """The sum of the scores of single tags: [batch]. Shapes: as in crf_log_likelihood."""
    batch, time, tags = (shape_ops.shape(inputs)[i] for i in range(3))
    flat = shaping.reshape(inputs, [-1])
    rows = shaping.expand_dims(constants.range(batch) * time * tags, 1)
    places = rows + shaping.expand_dims(constants.range(time) * tags, 0)
    if tag_indices.dtype is dtypes.int64:
        places = cast(places, dtypes.int64)
    places = shaping.reshape(places + tag_indices, [-1])
    scores = shaping.reshape(gathering.gather(flat, places), [batch, time])
    masks = sequence_mask(sequence_lengths, maxlen=shape_ops.shape(tag_indices)[1],
                          dtype=dtypes.float32)
    return reduce_sum(scores * masks, 1)


def crf_binary_score(tag_indices, sequence_lengths, transition_params):
    """The sum of the scores of neighbours: [batch]. Shapes: as in crf_log_likelihood."""
    tags = _size(transition_params, 0)
    pairs = shape_ops.shape(tag_indices)[1] - 1
    before = slice(tag_indices, [0, 0], [-1, pairs])
    after = slice(tag_indices, [0, 1], [-1, pairs])
    places = before * tags + after
    scores = gathering.gather(shaping.reshape(transition_params, [-1]), places)
    masks = sequence_mask(sequence_lengths, maxlen=shape_ops.shape(tag_indices)[1],
                          dtype=dtypes.float32)
    return reduce_sum(scores * slice(masks, [0, 1], [-1, -1]), 1)


def crf_decode(potentials, transition_params, sequence_length):
    """(the tags of the highest score [batch, time] of int32, their score [batch]).

    Shapes: potentials [batch, time, tags], transition_params [tags, tags],
    sequence_length [batch].
    """
    def one_step():
        alone = shaping.squeeze(potentials, [1])
        tags = shaping.expand_dims(math.argmax(alone, axis=1), 1)
        best = reduce_max(alone, axis=1)
        return cast(tags, dtypes.int32), best

    def several_steps():
        tags = _size(potentials, 2)
        forward = CrfDecodeForwardRnnCell(transition_params)
        state = shaping.squeeze(slice(potentials, [0, 0, 0], [-1, 1, -1]), axis=[1])
        rest = slice(potentials, [0, 1, 0], [-1, -1, -1])
        after_first = _after_first(sequence_length)
        backpointers, scores = dynamic_rnn(forward, inputs=rest, sequence_length=after_first,
                                           initial_state=state, time_major=False,
                                           dtype=dtypes.int32)
        backpointers = padding.reverse_sequence(backpointers, after_first, seq_dim=1)
        last = shaping.expand_dims(cast(math.argmax(scores, axis=1), dtypes.int32), axis=-1)
        found, _ = dynamic_rnn(CrfDecodeBackwardRnnCell(tags), inputs=backpointers,
                               sequence_length=after_first, initial_state=last,
                               time_major=False, dtype=dtypes.int32)
        found = joining.concat([last, shaping.squeeze(found, axis=[2])], axis=1)
        return (padding.reverse_sequence(found, sequence_length, seq_dim=1),
                reduce_max(scores, axis=1))
    return _by_length(potentials, one_step, several_steps)


def viterbi_decode(score, transition_params):
    """(the tags of the highest score as a list, their score), of NumPy arrays.

    Shapes: score [time, tags], transition_params [tags, tags].
    """
    best = np.zeros_like(score)
    backpointers = np.zeros_like(score, dtype=np.int32)
    best[0] = score[0]
    for t in range(1, score.shape[0]):
        paths = np.expand_dims(best[t - 1], 1) + transition_params
        best[t] = score[t] + np.max(paths, 0)
        backpointers[t] = np.argmax(paths, 0)
    tags = [np.argmax(best[-1])]
    for pointers in reversed(backpointers[1:]):
        tags.append(pointers[tags[-1]])
    return tags[::-1], np.max(best[-1])


# ---- the steps, as cells of an RNN ---------------------------------------------------------

class _TransitionCell(RNNCell):
    def __init__(self, transition_params):
        super().__init__()
        self._transition_params = shaping.expand_dims(transition_params, 0)
        self._num_tags = _size(transition_params, 0)

    @property
    def state_size(self):
        return self._num_tags

    @property
    def output_size(self):
        return self._num_tags


class CrfForwardRnnCell(_TransitionCell):
    """The forward algorithm; its state is the log sum of the scores up to each tag [batch, tags].
    """

    def __call__(self, inputs, state, scope=None):
        scores = shaping.expand_dims(state, 2) + self._transition_params
        alphas = inputs + reduce_logsumexp(scores, [1])
        return alphas, alphas


class CrfDecodeForwardRnnCell(_TransitionCell):
    """The highest score up to each tag [batch, tags]; the output is the best tag before it."""

    def __call__(self, inputs, state, scope=None):
        scores = shaping.expand_dims(state, 2) + self._transition_params
        best = inputs + reduce_max(scores, [1])
        return cast(math.argmax(scores, axis=1), dtypes.int32), best


class CrfDecodeBackwardRnnCell(RNNCell):
    """Follows the best tags back: the state is a tag [batch, 1], the input the best before each."""

    def __init__(self, num_tags):
        super().__init__()
        self._num_tags = num_tags

    @property
    def state_size(self):
        return 1

    @property
    def output_size(self):
        return 1

    def __call__(self, inputs, state, scope=None):
        state = shaping.squeeze(state, axis=[1])
        rows = constants.range(shape_ops.shape(inputs)[0])
        places = joining.stack([rows, state], axis=1)
        tags = shaping.expand_dims(gathering.gather_nd(inputs, places), axis=-1)
        return tags, tags


def _size(x, axis):
    """A static size of a tensor, or of what can be one."""
    return convert_to_tensor(x).raw_shape[axis]


def _by_length(x, one_step, several_steps):
    known = _size(x, 1)
    length = shape_ops.shape(x)[1] if known is None else known
    return smart_cond(math.equal(length, 1), one_step, several_steps)


def _after_first(lengths):
    """The number of steps after the first one."""
    return math.maximum(constants.constant(0, dtype=lengths.dtype), lengths - 1)


__all__ = ['CrfDecodeBackwardRnnCell', 'CrfDecodeForwardRnnCell', 'CrfForwardRnnCell',
           'crf_binary_score', 'crf_decode', 'crf_log_likelihood', 'crf_log_norm',
           'crf_multitag_sequence_score', 'crf_sequence_score', 'crf_unary_score',
           'viterbi_decode']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
