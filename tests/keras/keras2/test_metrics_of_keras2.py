"""Metrics with masks and weights as Keras 2.1.6 gave them, from the same weights and data."""
import numpy as np
import pytest

from keras_layer import backend as K
from keras_layer.keras2 import enabling, models
from keras_layer.layers import Dense, Masking, TimeDistributed


def half(y_true, y_pred):
    return K.mean(K.abs(y_true - y_pred), axis=-1) / 2


@pytest.fixture(autouse=True)
def as_keras_2(graph):
    enabling.enable()
    yield
    enabling.disable()


MASKED = [0.719701, 0.733815, 0.719701]          # recorded, as all numbers here
WEIGHTS = np.array([0, 1, 2, 0, 1, 0.5, 3, 0, 0, 1.0])


def weighted():
    rng = np.random.RandomState(0)
    x, y = rng.rand(10, 3), rng.rand(10, 1)
    model = models.Sequential([Dense(1, input_shape=(3,), kernel_initializer='ones')])
    model.compile('sgd', 'mse', metrics=['mae', half], weighted_metrics=['mse', half])
    return model, x, y


def test_weighted():
    model, x, y = weighted()
    found = model.evaluate(x, y, sample_weight=WEIGHTS, batch_size=4, verbose=0)
    np.testing.assert_allclose(found, [3.727675, 1.196361, 0.598181, 3.727675, 1.088072],
                               atol=2e-6)
    found = model.train_on_batch(x, y, sample_weight=WEIGHTS)
    np.testing.assert_allclose(found, [3.918543, 1.196361, 0.598181, 3.918543, 1.122036],
                               atol=2e-6)


def test_weighted_validation():
    model, x, y = weighted()
    history = model.fit(x, y, sample_weight=WEIGHTS, batch_size=4, epochs=2, shuffle=False,
                        verbose=0, validation_data=(x[:5], y[:5], WEIGHTS[:5])).history
    np.testing.assert_allclose(history['loss'], [3.384786, 2.311434], atol=2e-6)
    np.testing.assert_allclose(history['weighted_mean_squared_error'], [3.384786, 2.311434],
                               atol=2e-6)
    np.testing.assert_allclose(history['val_loss'], [2.350450, 1.612300], atol=2e-6)


def test_masked():
    rng = np.random.RandomState(0)
    x, y = rng.rand(6, 4, 2), rng.rand(6, 4, 1)
    x[1, 2:] = x[3, 1:] = 0
    model = models.Sequential([Masking(input_shape=(4, 2)),
                               TimeDistributed(Dense(1, kernel_initializer='ones'))])
    model.compile('sgd', 'mse', metrics=['mae', 'mse'])
    found = model.evaluate(x, y, batch_size=4, verbose=0)
    np.testing.assert_allclose(found, MASKED, atol=2e-6)
    assert found[0] == pytest.approx(found[2])          # the metric is averaged as the loss is


def test_names_count_from_one():
    model = models.Sequential([Dense(2, input_shape=(3,)), Dense(1)])
    assert [layer.name for layer in model.layers] == ['dense_1', 'dense_2']
    assert model.name == 'sequential_1' and model.weights[0].name == 'dense_1/kernel:0'
    enabling.disable()
    assert Dense(1).name == 'dense_2'
