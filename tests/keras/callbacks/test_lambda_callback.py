"""LambdaCallback."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras

RNG = np.random.RandomState(0)
ROWS, TARGETS = RNG.randn(24, 4).astype('f'), RNG.randn(24, 1).astype('f')
ROW_WEIGHTS = np.linspace(0, 1, 24).astype('f')
SQUARES = (ROWS.sum(1, keepdims=True) - TARGETS)[:, 0] ** 2
PLAIN, WEIGHTED = SQUARES.mean(), (SQUARES * ROW_WEIGHTS).mean()

pytestmark = pytest.mark.usefixtures('new_graph')


def linear_model(rate=0.):
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,), kernel_initializer='ones')])
    model.compile(keras.optimizers.SGD(rate), 'mse')
    return model


def test_argument_names_of_a_hook_are_free():
    seen = []
    callback = keras.callbacks.LambdaCallback(
        on_batch_begin=lambda b, _: seen.append(b),
        on_batch_end=lambda b, found: seen.append(found['size']))
    linear_model().fit(ROWS, TARGETS, batch_size=12, verbose=0, callbacks=[callback])
    assert seen == [0, 12, 1, 12]
