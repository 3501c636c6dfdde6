"""K.function, K.gradients and values of Variables."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
layers = keras.layers
K = keras.backend

X = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
BATCH = np.random.RandomState(0).rand(40, 6).astype('float32')

pytestmark = pytest.mark.usefixtures('new_graph')


def still_model(**more):
    """A model that training does not change."""
    model = keras.Sequential([layers.Dense(1, kernel_initializer='ones', input_shape=(3,))])
    model.compile(keras.optimizers.SGD(0.), 'mse', **more)
    return model


def test_function_takes_the_options_of_a_run():
    K, metadata = keras.backend, tf.RunMetadata()
    x = K.placeholder((2,))
    double = K.function([x], [x * 2.], run_metadata=metadata,
                        options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE))
    assert double([[1., 2.]])[0].tolist() == [2., 4.]
    assert metadata.step_stats.dev_stats


def test_class_activation_map():
    """K.gradients and K.function of an inner layer; the numbers are NumPy's."""
    model = keras.Sequential([
        layers.Dense(4, input_shape=(6,), name='inner', activation='relu'),
        layers.Dense(3, name='scores')])
    inner = model.get_layer('inner')
    gradient = K.gradients(model.output[:, 1], inner.output)[0]
    run = K.function([model.input], [K.mean(gradient, axis=0), inner.output])
    weights, values = run([BATCH])
    first, bias, second, _ = model.get_weights()
    np.testing.assert_allclose(weights, second[:, 1], 1e-5)
    np.testing.assert_allclose(values, np.maximum(BATCH @ first + bias, 0), 1e-5)


def test_the_value_of_a_scalar_is_a_scalar():
    model = still_model()
    rate = keras.backend.get_value(model.optimizer.lr)
    assert isinstance(rate, np.float32) and not isinstance(rate, np.ndarray)
