"""Subclassed models: training argument, weights, shapes after the first data."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)
INPUTS = np.linspace(-1, 1, 64).reshape(16, 4).astype('float32')
LABELS = np.arange(16) % 3

pytestmark = pytest.mark.usefixtures('new_graph')


class Own(keras.Model):
    """Its `training` is False unless it is passed."""

    def __init__(self):
        super().__init__()
        self.first = layers.Dense(4, kernel_initializer='ones')
        self.norm = layers.BatchNormalization()
        self.last = layers.Dense(1, kernel_initializer='ones')

    def call(self, x, training=False):
        return self.last(self.norm(self.first(x), training=training))


class BranchesOnTraining(Own):
    """Branches on `training` in Python."""

    def call(self, x, training=False):
        x = self.first(x)
        if training:
            x = x + 1.
        return self.last(x)


def test_fit_passes_training():
    model = Own()
    model.compile(keras.optimizers.SGD(0.), 'mse')
    assert model.evaluate(X, Y, verbose=0) == pytest.approx(40.187317, rel=1e-5)
    # The batch's own mean and variance: another loss than that of evaluate.
    assert model.fit(X, Y, verbose=0).history['loss'] == [pytest.approx(12.990806, rel=1e-5)]
    assert np.any(model.norm.get_weights()[2] != 0)


def test_training_may_be_tested_by_an_if():
    model = BranchesOnTraining()
    model.compile(keras.optimizers.SGD(0.), 'mse')
    evaluated = model.evaluate(X, Y, verbose=0)
    trained = model.fit(X, Y, verbose=0).history['loss'][0]
    assert (evaluated, trained) == pytest.approx((40.231567, 100.231567), rel=1e-5)


def test_build_makes_weights_without_the_models_scope():
    model = Own()
    model.build((None, 3))
    names = [w.name for w in model.weights]
    assert names[:2] == ['dense/kernel:0', 'dense/bias:0'] and len(names) == 8


def test_the_order_of_the_weights():
    class Several(keras.Model):
        def __init__(self):
            super().__init__()
            self.scale = self.add_weight('scale', (), initializer='ones')
            self.single = layers.BatchNormalization(name='n')
            self.several = [layers.BatchNormalization(name='a'), layers.Dense(2, name='d')]

        def call(self, x):
            for layer in (self.single, *self.several):
                x = layer(x)
            return x * self.scale
    model = Several()
    model.build((None, 2))
    four = ['gamma', 'beta', 'moving_mean', 'moving_variance']
    assert [w.op.name for w in model.weights] == [
        *(f'n/{what}' for what in four), 'a/gamma', 'a/beta', 'd/kernel', 'd/bias',
        'a/moving_mean', 'a/moving_variance', 'scale']
    assert [w.op.name for w in model.trainable_weights] == [
        'n/gamma', 'n/beta', 'a/gamma', 'a/beta', 'd/kernel', 'd/bias', 'scale']


class TwoLayers(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Dense(5, activation='relu')
        self.second = layers.Dense(3, activation='softmax')

    def call(self, inputs):
        return self.second(self.first(inputs))


def summary(model):
    lines = []
    model.summary(print_fn=lines.append)
    return '\n'.join(lines)


def test_the_summary_has_shapes_after_fit():
    model = TwoLayers()
    model.compile('sgd', 'sparse_categorical_crossentropy')
    model.fit(INPUTS, LABELS, verbose=0)
    text = summary(model)
    assert 'multiple' not in text and '(None, 5)' in text


class OfNames(tf.keras.Model):
    """A dense layer over the sum of two features."""

    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1, kernel_initializer='ones')

    def call(self, inputs):
        return self.dense(inputs['a'] + inputs['b'])


def test_predict_takes_tensors_and_datasets_before_the_model_is_built():
    features = {'a': tf.constant([[1., 2.]]), 'b': tf.constant([[3., 4.]])}
    assert OfNames().predict(features, steps=1).tolist() == [[10.]]
    rows = tf.data.Dataset.from_tensor_slices({name: np.ones([4, 2], np.float32) for name in 'ab'})
    assert OfNames().predict(rows.batch(2)).tolist() == [[4.]] * 4


def test_names_of_features_are_keys_for_each_model_of_a_graph():
    """The placeholders of the second model are a_1 and b_1; its data are still named a and b."""
    for _ in range(2):
        model = OfNames()
        assert model.predict({'a': np.ones([1, 2]), 'b': np.zeros([1, 2])}).tolist() == [[2.]]


def test_an_input_of_one_axis_needs_no_tuple():
    assert tf.keras.Input(3).shape.as_list() == [None, 3]
