"""What newcomers write and mistake: programs in the manner of the books, and errors that teach."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
K, L = keras.backend, keras.layers
X = np.random.RandomState(0).rand(40, 6).astype('float32')


@pytest.fixture(autouse=True)
def fresh():
    K.clear_session()


def sequential_base():
    return keras.Sequential([L.Dense(5, input_shape=(6,)), L.BatchNormalization()])


def functional_base():
    inputs = keras.Input([6])
    return keras.Model(inputs, L.BatchNormalization()(L.Dense(5)(inputs)))


@pytest.mark.parametrize('make', [sequential_base, functional_base])
def test_batch_normalization_in_a_nested_model_is_trained(make):
    """Only the updates of the outer call run; those of the base's own inputs are not fed."""
    base = make()
    model = keras.Sequential([base, L.Dense(3, activation='softmax')])
    model.compile('sgd', 'sparse_categorical_crossentropy')
    norm = base.layers[-1]
    before = K.get_value(norm.moving_mean)
    assert len(model.updates) == 4                      # as in TensorFlow: of both calls
    assert len(model.get_updates_for(model.inputs)) == 2
    assert model.get_updates_for(None) == []
    model.fit(X, np.arange(40) % 3, verbose=0)
    assert not np.allclose(before, K.get_value(norm.moving_mean))


def test_activity_regularizer_in_a_nested_model_counts_for_the_calls_of_the_outer_one():
    """The value is TensorFlow 1.15's formula: (l2 sum of squares / batch) for each call, once."""
    base = keras.Sequential([L.Dense(5, input_shape=(6,), kernel_initializer='ones',
                                     activity_regularizer=keras.regularizers.l2(.1),
                                     kernel_regularizer=keras.regularizers.l2(.01))])
    a, b = keras.Input([6]), keras.Input([6])
    model = keras.Model([a, b], L.Add()([base(a), base(b)]))
    model.compile('sgd', 'mse')
    assert [len(model.losses), len(model.get_losses_for(None)),
            len(model.get_losses_for(model.inputs))] == [4, 1, 2]
    hidden = X.sum(1, keepdims=True) * np.ones((1, 5))
    expected = ((2 * hidden) ** 2).mean() + 2 * .1 * (hidden ** 2).sum() / 40 + .01 * 30
    np.testing.assert_allclose(model.train_on_batch([X, X], np.zeros((40, 5))), expected, 1e-5)


def test_super_init_was_forgotten():
    class Net(keras.Model):
        def __init__(self):
            self.dense = L.Dense(2)

    class Scale(L.Layer):
        def __init__(self):
            self.units = 2

        def call(self, x):
            return x

    with pytest.raises(RuntimeError, match='forgot to call'):
        Net()
    with pytest.raises(AttributeError, match='subclassing `Layer` and you forgot to call'):
        Scale()(keras.Input([3]))


@pytest.mark.parametrize('build, meant', [
    (lambda: L.Dense(2, activation='rellu'), 'relu'),
    (lambda: keras.optimizers.get('adamm'), 'adam'),
    (lambda: keras.losses.get('sparse_crossentropy'), 'sparse_categorical_crossentropy'),
    (lambda: L.Dense(2, kernel_initializer='glorot_unifrom'), 'glorot_uniform')])
def test_a_misspelt_name_is_told(build, meant):
    with pytest.raises(ValueError, match=f"Unknown .*\n  Mend: .*'{meant}'"):
        build()


def test_an_unknown_name_that_is_like_no_other_asks_for_custom_objects():
    with pytest.raises(ValueError, match='custom_objects='):
        keras.activations.get('my_own_activation')


def test_weights_of_a_model_without_input_shape():
    model = keras.Sequential([L.Dense(3)])
    with pytest.raises(ValueError, match='have not yet been created'):
        model.get_weights()
    model.build((None, 4))
    assert [w.shape for w in model.get_weights()] == [(4, 3), (3,)]


def test_a_model_of_arrays_and_numbers():
    with pytest.raises(ValueError, match=r'a NumPy array of shape \(40, 6\)'):
        keras.Model(X, X)
    with pytest.raises(ValueError, match='Output tensors to a Model .* Found: 5'):
        keras.Model(keras.Input([4]), 5)


def test_class_weight_names_missing_classes_as_plain_numbers():
    model = keras.Sequential([L.Dense(3, activation='softmax', input_shape=(6,))])
    model.compile('sgd', 'sparse_categorical_crossentropy')
    with pytest.raises(ValueError, match=r'The classes \[1, 2\] exist'):
        model.fit(X, np.arange(40) % 3, class_weight={0: 1.}, verbose=0)


def test_a_missing_file_of_weights():
    model = keras.Sequential([L.Dense(3, input_shape=(6,))])
    with pytest.raises(OSError, match="no file of weights at 'nowhere.h5'"):
        model.load_weights('nowhere.h5')


def test_class_activation_as_in_the_book():
    """K.gradients and K.function of an inner layer; the numbers are NumPy's."""
    model = keras.Sequential([
        L.Dense(4, input_shape=(6,), name='inner', activation='relu'),
        L.Dense(3, name='scores')])
    inner = model.get_layer('inner')
    gradient = K.gradients(model.output[:, 1], inner.output)[0]
    run = K.function([model.input], [K.mean(gradient, axis=0), inner.output])
    weights, values = run([X])
    first, bias, second, _ = model.get_weights()
    np.testing.assert_allclose(weights, second[:, 1], 1e-5)
    np.testing.assert_allclose(values, np.maximum(X @ first + bias, 0), 1e-5)
