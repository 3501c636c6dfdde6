"""Monotonic attention: alignments that only move forward over the memory."""
from __future__ import annotations

import functools

import numpy as np

from tinyflow.api.contrib.seq2seq.attention import (
    BaseMechanism,
    bahdanau_score_of,
    dense,
    luong_score_of,
)
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import int32
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
    where_onehot as masking,
)
from tinyflow.ops.control_flow import functional
from tinyflow.ops.math import clip, scans, unary
from tinyflow.ops.random import random_functions
from tinyflow.ops.variables.variable_scope import get_variable, variable_scope


def safe_cumprod(x, *args, **kwargs):
    """Cumulative products of numbers in [0, 1], with a finite gradient at x = 0.

    Shapes: x [*a] -> [*a]; further arguments as tf.cumsum.
    """
    with name_scope(None, 'SafeCumprod', [x]):
        x = convert_to_tensor(x, name='x')
        tiny = np.finfo(x.dtype.np).tiny
        return unary.exp(scans.cumsum(unary.log(clip.clip_by_value(x, tiny, 1)),
                                      *args, **kwargs))


def monotonic_attention(p_choose_i, previous_attention, mode):
    """The distribution over positions at which a monotonic attention stops.

    Shapes: p_choose_i (probability of stopping at each position) and previous_attention [batch,
    length] -> [batch, length]. mode: 'recursive' (exact), 'parallel' (closed form), or 'hard' (p is
    0 or 1). Source: Raffel et al., "Online and linear-time attention by enforcing monotonic
    alignments", ICML 2017.
    """
    p = convert_to_tensor(p_choose_i, name='p_choose_i')
    previous = convert_to_tensor(previous_attention, name='previous_attention')
    if mode == 'recursive':
        return _recursive(p, previous)
    if mode == 'parallel':
        passed = safe_cumprod(1 - p, axis=1, exclusive=True)
        return p * passed * scans.cumsum(previous / clip.clip_by_value(passed, 1e-10, 1.), axis=1)
    if mode == 'hard':
        p *= scans.cumsum(previous, axis=1)
        return p * scans.cumprod(1 - p, axis=1, exclusive=True)
    raise misuse(ValueError("mode must be 'recursive', 'parallel', or 'hard'."))


def _recursive(p, previous):
    batch = p.shape[0].value or shape_ops.shape(p)[0]
    passed = joining.concat([constants.ones((batch, 1)), 1 - p[:, :-1]], 1)
    arriving = functional.scan(
        lambda x, yz: shaping.reshape(yz[0] * x + yz[1], (batch,)),
        [shaping.transpose(passed), shaping.transpose(previous)], constants.zeros((batch,)))
    return p * shaping.transpose(arriving)


def _probability(score, previous_alignments, sigmoid_noise, mode, seed=None):
    """monotonic_attention of sigmoid(score), to which noise is added in training."""
    if sigmoid_noise > 0:
        noise = random_functions.random_normal(shape_ops.shape(score), dtype=score.dtype, seed=seed)
        score += sigmoid_noise * noise
    if mode == 'hard':
        p = identity_and_cast.cast(score > 0, score.dtype)
    else:
        p = unary.sigmoid(score)
    return monotonic_attention(p, previous_alignments, mode)


class _Monotonic(BaseMechanism):
    def initial_alignments(self, batch_size, dtype):
        """All weight on the first position."""
        return masking.one_hot(constants.zeros((batch_size,), dtype=int32), self._alignments_size,
                               dtype=dtype)

    def _aligned(self, score, state):
        alignments = self._probability_fn(score, state)
        return alignments, alignments

    def _bias(self, dtype):
        return get_variable('attention_score_bias', dtype=dtype,
                            initializer=self._score_bias_init)


class BahdanauMonotonicAttention(_Monotonic):
    """BahdanauAttention whose weights are those of monotonic_attention.

    Shapes: query [batch, in], memory [batch, length, size] -> alignments [batch, length].
    """

    def __init__(self, num_units, memory, memory_sequence_length=None, normalize=False,
                 score_mask_value=None, sigmoid_noise=0., sigmoid_noise_seed=None,
                 score_bias_init=0., mode='parallel', dtype=None,
                 name='BahdanauMonotonicAttention'):
        super().__init__(
            query_layer=dense(num_units, 'query_layer', dtype),
            memory_layer=dense(num_units, 'memory_layer', dtype), memory=memory,
            probability_fn=functools.partial(_probability, sigmoid_noise=sigmoid_noise, mode=mode,
                                             seed=sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length, score_mask_value=score_mask_value,
            name=name)
        self._num_units, self._normalize, self._name = num_units, normalize, name
        self._score_bias_init = score_bias_init

    def __call__(self, query, state):
        """(alignments, next state), which are the same."""
        with variable_scope(None, 'bahdanau_monotonic_attention', [query]):
            processed = self.query_layer(query)
            score = bahdanau_score_of(self, query, processed)
            score += self._bias(processed.dtype)
        return self._aligned(score, state)


class LuongMonotonicAttention(_Monotonic):
    """LuongAttention whose weights are those of monotonic_attention.

    Shapes: query [batch, num_units], memory [batch, length, size] -> alignments [batch, length].
    """

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False,
                 score_mask_value=None, sigmoid_noise=0., sigmoid_noise_seed=None,
                 score_bias_init=0., mode='parallel', dtype=None, name='LuongMonotonicAttention'):
        super().__init__(
            query_layer=None, memory_layer=dense(num_units, 'memory_layer', dtype), memory=memory,
            probability_fn=functools.partial(_probability, sigmoid_noise=sigmoid_noise, mode=mode,
                                             seed=sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length, score_mask_value=score_mask_value,
            name=name)
        self._num_units, self._scale, self._name = num_units, scale, name
        self._score_bias_init = score_bias_init

    def __call__(self, query, state):
        """(alignments, next state), which are the same."""
        with variable_scope(None, 'luong_monotonic_attention', [query]):
            score = luong_score_of(self, query)
            score += self._bias(query.dtype)
        return self._aligned(score, state)


__all__ = ['BahdanauMonotonicAttention', 'LuongMonotonicAttention', 'monotonic_attention',
           'safe_cumprod']
