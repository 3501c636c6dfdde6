"""Masks: made by Embedding and Masking, passed on by layers, used by losses."""
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


def test_embedding_makes_a_mask_that_layers_pass_on():
    ids = keras.Input((4,), dtype='int32')
    x = layers.Embedding(5, 3, mask_zero=True)(ids)
    for layer in (layers.Dropout(0.5), layers.Activation('relu'), layers.Dense(2),
                  layers.BatchNormalization(), layers.TimeDistributed(layers.Dense(2)),
                  layers.LeakyReLU(), layers.GaussianNoise(0.1)):
        x = layer(x)
    np.testing.assert_array_equal(mask_value(x, {ids: IDS}), KEPT)


def test_masking_masks_steps_of_one_value():
    x = keras.Input((3, 2))
    masked = layers.Masking(mask_value=-1.)(x)
    value = np.array([[[1, -1], [-1, -1], [0, 0]]], np.float32)
    np.testing.assert_array_equal(mask_value(masked, {x: value}), [[True, False, True]])
    np.testing.assert_array_equal(keras.Model(x, masked).predict(value)[0, 1], [0, 0])


def test_concatenate_joins_masks():
    ids = keras.Input((4,), dtype='int32')
    embedded = layers.Embedding(5, 3, mask_zero=True)(ids)
    unmasked = layers.Embedding(5, 2)(ids)
    wide = layers.Concatenate()([embedded, layers.Dense(2)(embedded)])
    np.testing.assert_array_equal(mask_value(wide, {ids: IDS}), KEPT)
    mixed = layers.Concatenate()([embedded, unmasked])
    np.testing.assert_array_equal(mask_value(mixed, {ids: IDS}), KEPT)
    long = layers.Concatenate(axis=1)([embedded, layers.Embedding(5, 3)(ids)])
    np.testing.assert_array_equal(mask_value(long, {ids: IDS}),
                                  np.concatenate([KEPT, np.ones((2, 4), bool)], axis=1))


def test_add_combines_masks_by_and():
    a, b = keras.Input((4,), dtype='int32'), keras.Input((4,), dtype='int32')
    embed = layers.Embedding(5, 3, mask_zero=True)
    both = layers.Add()([embed(a), embed(b)])
    found = mask_value(both, {a: IDS, b: [[1, 0, 1, 0], [1, 1, 1, 1]]})
    np.testing.assert_array_equal(found, KEPT & [[True, False, True, False], [True] * 4])


def test_nodes_of_the_mask_of_a_sum():
    embedding = layers.Embedding(9, 3, mask_zero=True)
    one, other = embedding(keras.Input((None,))), embedding(keras.Input((None,)))
    graph = tf.get_default_graph()
    before = len(graph.get_operations())
    layers.add([one, other])
    assert [op.name for op in graph.get_operations()[before:]] == [
        'add/add', 'add/ExpandDims/dim', 'add/ExpandDims', 'add/ExpandDims_1/dim',
        'add/ExpandDims_1', 'add/concat/axis', 'add/concat', 'add/All/reduction_indices', 'add/All']


@pytest.mark.parametrize('make', [layers.Flatten, lambda: layers.Conv1D(2, 2), layers.Layer])
def test_a_mask_ends_at_a_layer_without_masking(make):
    ids = keras.Input((4,), dtype='int32')
    embedded = layers.Embedding(5, 3, mask_zero=True)(ids)
    assert getattr(make()(embedded), '_keras_mask', None) is None


def test_compute_mask_of_a_layer_without_masking_raises():
    ids = keras.Input((4,), dtype='int32')
    embedded = layers.Embedding(5, 3, mask_zero=True)(ids)
    with pytest.raises(TypeError, match='Layer flat does not support masking.*\n.*mask_zero'):
        layers.Flatten(name='flat').compute_mask(embedded, embedded._keras_mask)


def test_a_mask_is_passed_to_call():
    seen = []

    class Mean(layers.Layer):
        supports_masking = True

        def call(self, inputs, mask=None):
            seen.append(mask)
            weights = tf.expand_dims(tf.cast(mask, inputs.dtype), -1)
            return tf.reduce_sum(inputs * weights, 1) / tf.reduce_sum(weights, 1)

        def compute_mask(self, inputs, mask=None):
            return None
    ids = keras.Input((4,), dtype='int32')
    model = keras.Model(ids, Mean()(layers.Embedding(5, 1, mask_zero=True)(ids)))
    table = np.arange(5.).reshape(5, 1)
    model.set_weights([table])
    np.testing.assert_allclose(model.predict(IDS), [[2.], [2.]])
    assert seen[0].dtype == tf.bool


def test_average_pooling_over_masked_steps():
    ids = keras.Input((4,), dtype='int32')
    embedded = layers.Embedding(5, 1, mask_zero=True)(ids)
    model = keras.Model(ids, layers.GlobalAveragePooling1D()(embedded))
    model.set_weights([np.arange(5.).reshape(5, 1)])
    np.testing.assert_allclose(model.predict(IDS), [[2.], [2.]])


def test_losses_skip_masked_steps():
    model = keras.Sequential([layers.Masking(0., input_shape=(3, 2)),
                              layers.Dense(1, use_bias=False)])
    model.compile('sgd', 'mse')
    model.set_weights([np.ones((2, 1))])
    x = np.array([[[1., 1.], [0., 0.], [1., 0.]]])
    # Squared errors 4, masked, 1; TF 1.15 divides by the number of all steps.
    assert model.evaluate(x, np.zeros((1, 3, 1)), verbose=0) == pytest.approx(5 / 3)


def test_time_distributed_has_the_mask_of_its_layer():
    words = keras.Input((2, 3), dtype='int32')
    outputs = layers.TimeDistributed(layers.Embedding(5, 4, mask_zero=True))(words)
    masked = keras.backend.function([words], [outputs._keras_mask])
    given = np.array([[[1, 0, 2], [0, 0, 4]]])
    assert masked([given])[0].tolist() == (given != 0).tolist()
    # A layer that makes none: the steps that count at all.
    steps = layers.TimeDistributed(layers.Lambda(lambda x: tf.reduce_sum(x, axis=1)))(outputs)
    kept = keras.backend.function([words], [steps._keras_mask])
    assert kept([np.array([[[1, 0, 2], [0, 0, 0]]])])[0].tolist() == [[True, False]]


def test_time_distributed_takes_a_mask_where_the_batch_size_is_known():
    class Doubled(layers.Layer):
        def __init__(self):
            super().__init__()
            self.supports_masking = True

        def call(self, inputs):
            return inputs * 2.

        def compute_output_shape(self, input_shape):
            return tf.TensorShape(input_shape)

    for layer, expected in ((layers.Dense(1, kernel_initializer='ones'), [[3.], [0.]]),
                            (Doubled(), [[2.] * 3, [0.] * 3])):
        x = keras.Input(batch_shape=(1, 2, 3))
        outputs = layers.TimeDistributed(layer)(layers.Masking()(x))
        assert outputs._keras_mask is not None
        given = np.array([[[1.] * 3, [0.] * 3]])
        assert keras.Model(x, outputs).predict(given, batch_size=1).tolist() == [expected]
