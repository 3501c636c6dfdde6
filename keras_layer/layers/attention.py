"""Attention layers: dot-product (Luong) and additive (Bahdanau)."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.base_layer import Layer
from tinyflow.graph.support.errors import misuse

__all__ = ['AdditiveAttention', 'Attention']

# Large enough that exp(score - _MASKED_SCORE) is 0 next to any score that is not masked.
_MASKED_SCORE = 1.e9


class _DenseAttention(Layer):
    """softmax(scores of query and key) value; a subclass computes the scores.

    Called on [query, value] or [query, value, key]; without a key the values are the keys.
    """

    def __init__(self, causal=False, **kwargs):
        super().__init__(**kwargs)
        self.causal = causal
        self.supports_masking = True

    def _calculate_scores(self, query, key):
        raise NotImplementedError(f'{type(self).__name__}._calculate_scores(query, key): a custom '
                                  'attention layer returns [batch, queries, values] here.')

    def call(self, inputs, mask=None):
        self._check_call(inputs, mask)
        query, value = inputs[:2]
        key = inputs[2] if len(inputs) > 2 else value
        query_mask, value_mask = mask[:2] if mask else (None, None)
        scores = self._calculate_scores(query=query, key=key)
        kept = None if value_mask is None else tf.expand_dims(value_mask, axis=-2)
        if self.causal:
            past = _lower_triangle(scores)
            kept = past if kept is None else tf.logical_and(kept, past)
        outputs = self._apply_scores(scores=scores, value=value, scores_mask=kept)
        if query_mask is not None:
            outputs *= tf.cast(tf.expand_dims(query_mask, axis=-1), outputs.dtype)
        return outputs

    def _apply_scores(self, scores, value, scores_mask=None):
        """softmax(scores) value, ignoring scores whose mask is False."""
        if scores_mask is not None:
            scores -= _MASKED_SCORE * tf.cast(tf.logical_not(scores_mask), K.floatx())
        return tf.matmul(tf.nn.softmax(scores), value)

    def compute_mask(self, inputs, mask=None):
        self._check_call(inputs, mask)
        if not mask or mask[0] is None:
            return None
        return tf.convert_to_tensor(mask[0])

    def compute_output_shape(self, input_shape):
        query, value = (tf.TensorShape(s).as_list() for s in input_shape[:2])
        return tf.TensorShape([*query[:-1], value[-1]])

    def _check_call(self, inputs, mask):
        name = type(self).__name__
        if not isinstance(inputs, list):
            raise misuse(ValueError(f'{name} layer must be called on a list of inputs, namely '
                                    '[query, value] or [query, value, key].'))
        if not 2 <= len(inputs) <= 3:
            raise misuse(ValueError(f'{name} layer accepts inputs list of length 2 or 3, namely '
                                    '[query, value] or [query, value, key]. Given length: '
                                    f'{len(inputs)}'))
        if mask and not isinstance(mask, list):
            raise misuse(ValueError(f'{name} layer mask must be a list, namely [query_mask, '
                                    'value_mask].'))
        if mask and not 2 <= len(mask) <= len(inputs):
            raise misuse(ValueError(f'{name} layer mask must be a list of length 2, namely '
                                    f'[query_mask, value_mask]. Given length: {len(mask)}'))

    def get_config(self):
        return {**super().get_config(), 'causal': self.causal}


class Attention(_DenseAttention):
    """softmax(query key^T) value; `use_scale` multiplies the scores by a weight.

    Shapes: query [batch, queries, n], value [batch, values, m], key [batch, values, n] ->
    [batch, queries, m]; scale []. With `causal`, query i sees the values up to i. Masks:
    [query_mask [batch, queries], value_mask [batch, values]]. Luong et al. (2015).
    """

    def __init__(self, use_scale=False, **kwargs):
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape):
        self.scale = self.add_weight(name='scale', shape=(), initializer=tf.ones_initializer(),
                                     dtype=self.dtype) if self.use_scale else None
        super().build(input_shape)

    def _calculate_scores(self, query, key):
        scores = tf.matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale

    def get_config(self):
        return {**super().get_config(), 'use_scale': self.use_scale}


class AdditiveAttention(_DenseAttention):
    """softmax(scale . tanh(query + key)) value; without `use_scale` scale is 1.

    Shapes: query [batch, queries, n], value [batch, values, m], key [batch, values, n] ->
    [batch, queries, m]; scale [n]. With `causal`, query i sees the values up to i. Masks:
    [query_mask [batch, queries], value_mask [batch, values]]. Bahdanau et al. (2015).
    """

    def __init__(self, use_scale=True, **kwargs):
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape):
        features = tf.TensorShape(input_shape[1]).as_list()[-1]
        self.scale = self.add_weight(
            name='scale', shape=[features], initializer=tf.glorot_uniform_initializer(),
            dtype=self.dtype) if self.use_scale else None
        super().build(input_shape)

    def _calculate_scores(self, query, key):
        query = tf.expand_dims(query, axis=-2)      # [batch, queries, 1, n]
        key = tf.expand_dims(key, axis=-3)          # [batch, 1, values, n]
        scale = self.scale if self.use_scale else 1.
        return tf.reduce_sum(scale * tf.tanh(query + key), axis=-1)

    def get_config(self):
        return {**super().get_config(), 'use_scale': self.use_scale}


def _lower_triangle(scores):
    """True where a query's number is at least the value's, as [1, queries, values]."""
    sizes = tf.shape(scores)
    sizes = tf.concat([tf.ones_like(sizes[:-2]), sizes[-2:]], axis=0)
    row = tf.cumsum(tf.ones(shape=sizes, dtype=tf.int32), axis=-2)
    column = tf.cumsum(tf.ones(shape=sizes, dtype=tf.int32), axis=-1)
    return tf.greater_equal(row, column)
