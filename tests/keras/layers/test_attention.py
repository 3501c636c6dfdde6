"""Attention layers: masks, causal attention, how they are called."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

IDS = np.array([[3, 1, 0, 0], [2, 0, 0, 0]])
KEPT = np.array([[True, True, False, False], [True, False, False, False]])

pytestmark = pytest.mark.usefixtures('new_graph')


def mask_value(tensor, feeds):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensor._keras_mask, feeds)


def softmax(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_attention_ignores_masked_values_and_queries():
    q, v = keras.Input((4,), dtype='int32'), keras.Input((4,), dtype='int32')
    embed = layers.Embedding(5, 3, mask_zero=True)
    out = layers.Attention()([embed(q), embed(v)])
    model = keras.Model([q, v], out)
    table = np.random.RandomState(0).randn(5, 3)
    model.set_weights([table])
    other = np.array([[1, 2, 3, 0], [4, 3, 0, 0]])
    query, value = table[IDS], table[other]
    scores = query @ value.transpose(0, 2, 1) - 1e9 * (other == 0)[:, np.newaxis, :]
    wanted = softmax(scores) @ value * (IDS > 0)[..., np.newaxis]
    np.testing.assert_allclose(model.predict([IDS, other]), wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(mask_value(out, {q: IDS, v: other}), KEPT)


def test_attention_of_masked_query_value_and_key():
    """TF 1.15 refuses the third mask, which three masked inputs bring; it is not used."""
    ids = keras.Input((4,), dtype='int32')
    x = layers.Embedding(5, 3, mask_zero=True)(ids)
    assert keras.Model(ids, layers.AdditiveAttention()([x, x, x])).predict(IDS).shape == (2, 4, 3)


def test_causal_attention_does_not_see_later_steps():
    x = keras.Input((4, 3))
    model = keras.Model(x, layers.Attention(causal=True)([x, x]))
    value = np.random.RandomState(0).randn(1, 4, 3)
    later = value.copy()
    later[0, 2:] += 1.
    np.testing.assert_allclose(model.predict(value)[0, :2], model.predict(later)[0, :2], rtol=1e-5)
    np.testing.assert_allclose(model.predict(value)[0, 0], value[0, 0], rtol=1e-5)


def test_wrong_inputs_of_attention():
    x = keras.Input((4, 3))
    with pytest.raises(ValueError, match=r'\[query, value\]'):
        layers.Attention()(x)
    with pytest.raises(ValueError, match='Given length: 1'):
        layers.Attention()([x])
