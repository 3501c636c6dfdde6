"""Attention mechanisms: Luong and Bahdanau attention, alignments of a query with a memory."""
from __future__ import annotations

import math

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import abstract, misuse, report
from tinyflow.layers.base import Layer
from tinyflow.layers.core import Dense
from tinyflow.layers.rnn.cell import zero_tensor
from tinyflow.ops.array import (
    constants,
    joining,
    ranking,
    shape_ops,
    shaping,
    where_onehot as masking,
)
from tinyflow.ops.checks import value_checks
from tinyflow.ops.linalg import matmul
from tinyflow.ops.math import arithmetic, reduction, unary
from tinyflow.ops.nn import softmax
from tinyflow.ops.variables.initializers import (
    constant_initializer,
    ones_initializer,
    zeros_initializer,
)
from tinyflow.ops.variables.variable_scope import get_variable, variable_scope


class AttentionMechanism:
    """Base of attention mechanisms: `keys`, `values`, and __call__(query, state)."""

    @property
    def alignments_size(self):
        """The length of the memory, for which there is one weight each."""
        raise abstract(self)

    @property
    def state_size(self):
        """The size of the state that a mechanism keeps between steps."""
        raise abstract(self)


class BaseMechanism(AttentionMechanism):
    """A memory whose parts past each row's length are masked, and a function score -> weights.

    Shapes: memory [batch, length, ...], memory_sequence_length [batch]; the keys are those of the
    memory after `memory_layer`.
    """

    def __init__(self, query_layer, memory, probability_fn, memory_sequence_length=None,
                 memory_layer=None, score_mask_value=None, custom_key_value_fn=None, name=None):
        for layer, what in ((query_layer, 'query_layer'), (memory_layer, 'memory_layer')):
            if layer is not None and not isinstance(layer, Layer):
                raise misuse(TypeError(f'{what} is not a Layer: {type(layer).__name__}'))
        if not callable(probability_fn):
            raise misuse(TypeError('probability_fn must be callable, saw type: '
                                   f'{type(probability_fn).__name__}'))
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = memory_layer.dtype
        if score_mask_value is None:
            score_mask_value = dtypes.as_dtype(self.dtype).np.type(-np.inf)
        self._probability_fn = lambda score, previous: probability_fn(
            _masked_score(score, memory_sequence_length, score_mask_value), previous)
        with name_scope(name, 'BaseAttentionMechanismInit', nest.flatten(memory)):
            self._values = _prepared(memory, memory_sequence_length)
            self._keys = memory_layer(self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            sizes = self._keys.raw_shape
            self._batch_size = sizes[0] or shape_ops.shape(self._keys)[0]
            self._alignments_size = sizes[1] or shape_ops.shape(self._keys)[1]

    @property
    def memory_layer(self):
        """The layer that computes keys from the memory."""
        return self._memory_layer

    @property
    def query_layer(self):
        """The layer applied to each query, or None."""
        return self._query_layer

    @property
    def values(self):
        """The memory, masked: [batch, length, ...]."""
        return self._values

    @property
    def keys(self):
        """The keys, which queries are compared with: [batch, length, units]."""
        return self._keys

    @property
    def batch_size(self):
        """The number of rows, an int if it is known."""
        return self._batch_size

    @property
    def alignments_size(self):
        return self._alignments_size

    @property
    def state_size(self):
        return self._alignments_size

    def initial_alignments(self, batch_size, dtype):
        """The weights before the first step: zeros [batch, length]."""
        return zero_tensor(batch_size, self._alignments_size, dtype)

    def initial_state(self, batch_size, dtype):
        """The state before the first step."""
        return self.initial_alignments(batch_size, dtype)


def _prepared(memory, lengths):
    """The memory with zeros past the length of each row. ValueError for unknown inner sizes."""
    memory = nest.map_structure(lambda m: convert_to_tensor(m, name='memory'), memory)
    if lengths is not None:
        lengths = convert_to_tensor(lengths, name='memory_sequence_length')
    for part in nest.flatten(memory):
        if part.raw_shape is None or None in part.raw_shape[2:]:
            raise misuse(ValueError(report(
                f'Expected memory {part.name} to have fully defined inner dims, but saw shape: '
                f'{part.shape}', inputs=[('memory', part)])))
    if lengths is None:
        return memory
    first = nest.flatten(memory)[0]
    mask = masking.sequence_mask(lengths, maxlen=shape_ops.shape(first)[1], dtype=first.dtype)

    def masked(part):
        ones = constants.ones(part.shape.ndims - 2, dtype=dtypes.int32)
        shape = joining.concat((shape_ops.shape(mask), ones), 0)
        return part * shaping.reshape(mask, shape)
    return nest.map_structure(masked, memory)


def _masked_score(score, lengths, mask_value):
    """`mask_value` for the parts of the memory past each row's length."""
    if lengths is None:
        return score
    message = 'All values in memory_sequence_length must be greater than zero.'
    with control_dependencies([value_checks.assert_positive(lengths, message=message)]):
        inside = masking.sequence_mask(lengths, maxlen=shape_ops.shape(score)[1])
    values = mask_value * constants.ones_like(score)
    return masking.where(inside, score, values)


def luong_score(query, keys, scale):
    """scale * (query . key) for each key.

    Shapes: query [batch, units], keys [batch, length, units] -> [batch, length].
    """
    depth, units = query.shape[-1], keys.shape[-1]
    if depth.value is None or depth.value != units.value:
        raise misuse(ValueError(
            'Incompatible or unknown inner dimensions between query and keys.  Query '
            f'({query.name}) has units: {depth}.  Keys ({keys.name}) have units: {units}.  Perhaps '
            f"you need to set num_units to the keys' dimension ({units})?"))
    scores = matmul.matmul(shaping.expand_dims(query, 1), keys, transpose_b=True)
    scores = shaping.squeeze(scores, [1])
    return scores if scale is None else scale * scores


def bahdanau_score(query, keys, v, g=None, b=None):
    """sum(v * tanh(key + query)) for each key; with g and b v is normalised, and b is added.

    Shapes: query [batch, units], keys [batch, length, units], v [units] -> [batch, length].
    """
    query = shaping.expand_dims(query, 1)
    if g is None:
        return reduction.reduce_sum(v * unary.tanh(keys + query), [2])
    v = g * v * arithmetic.rsqrt(reduction.reduce_sum(arithmetic.square(v)))
    return reduction.reduce_sum(v * unary.tanh(keys + query + b), [2])


def luong_score_of(mechanism, query):
    """luong_score, with the Variable attention_g of a scaled mechanism."""
    scale = None
    if mechanism._scale:
        scale = get_variable('attention_g', dtype=query.dtype, initializer=ones_initializer,
                             shape=())
    return luong_score(query, mechanism.keys, scale)


def bahdanau_score_of(mechanism, query, processed):
    """bahdanau_score, with the mechanism's Variables."""
    units, g, b = mechanism._num_units, None, None
    v = get_variable('attention_v', [units], dtype=query.dtype)
    if mechanism._normalize:
        g = get_variable('attention_g', dtype=query.dtype, shape=(),
                         initializer=constant_initializer(math.sqrt(1. / units)))
        b = get_variable('attention_b', [units], dtype=query.dtype,
                         initializer=zeros_initializer())
    return bahdanau_score(processed, mechanism.keys, v, g, b)


def dense(units, name, dtype):
    """A layer without bias, for keys or queries."""
    return Dense(units, name=name, use_bias=False, dtype=dtype or dtypes.float32)


class LuongAttention(BaseMechanism):
    """Weights softmax(query . key), times a learned number with `scale`.

    Shapes: query [batch, num_units], memory [batch, length, size] -> alignments [batch, length].
    Source: Luong et al., "Effective approaches to attention-based neural machine translation",
    EMNLP 2015.
    """

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False,
                 probability_fn=None, score_mask_value=None, dtype=None, custom_key_value_fn=None,
                 name='LuongAttention'):
        probability_fn = probability_fn or softmax.softmax
        super().__init__(
            query_layer=None, memory_layer=dense(num_units, 'memory_layer', dtype), memory=memory,
            probability_fn=lambda score, _: probability_fn(score),
            memory_sequence_length=memory_sequence_length, score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn, name=name)
        self._num_units, self._scale, self._name = num_units, scale, name

    def __call__(self, query, state):
        """(alignments, next state), which are the same."""
        with variable_scope(None, 'luong_attention', [query]):
            score = luong_score_of(self, query)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class BahdanauAttention(BaseMechanism):
    """Weights softmax(v . tanh(key + query)), both of them after a layer.

    Shapes: query [batch, in], memory [batch, length, size] -> alignments [batch, length]. Source:
    Bahdanau et al., "Neural machine translation by jointly learning to align and translate",
    ICLR 2015; `normalize`: Salimans and Kingma, NIPS 2016.
    """

    def __init__(self, num_units, memory, memory_sequence_length=None, normalize=False,
                 probability_fn=None, score_mask_value=None, dtype=None, custom_key_value_fn=None,
                 name='BahdanauAttention'):
        probability_fn = probability_fn or softmax.softmax
        super().__init__(
            query_layer=dense(num_units, 'query_layer', dtype),
            memory_layer=dense(num_units, 'memory_layer', dtype), memory=memory,
            probability_fn=lambda score, _: probability_fn(score),
            custom_key_value_fn=custom_key_value_fn,
            memory_sequence_length=memory_sequence_length, score_mask_value=score_mask_value,
            name=name)
        self._num_units, self._normalize, self._name = num_units, normalize, name

    def __call__(self, query, state):
        """(alignments, next state), which are the same."""
        with variable_scope(None, 'bahdanau_attention', [query]):
            score = bahdanau_score_of(self, query, self.query_layer(query))
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def hardmax(logits, name=None):
    """One-hot vectors of the largest logits.

    Shapes: logits [*a, classes] -> [*a, classes].
    """
    with name_scope(name, 'Hardmax', [logits]):
        logits = convert_to_tensor(logits, name='logits')
        depth = logits.shape[-1].value
        depth = shape_ops.shape(logits)[-1] if depth is None else depth
        return masking.one_hot(ranking.argmax(logits, -1), depth, dtype=logits.dtype)


__all__ = ['AttentionMechanism', 'BahdanauAttention', 'LuongAttention', 'hardmax']
