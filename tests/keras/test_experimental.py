"""keras.experimental: cosine decay schedules against their formulas, and in training."""
import numpy as np
import pytest

import tinyflow as tf
from keras_layer import experimental as E
from keras_layer.engine.sequential import Sequential
from keras_layer.layers import Dense

STEPS = np.array([0, 1, 3, 9, 10, 25])


def rates(schedule, steps=STEPS):
    with tf.Graph().as_default(), tf.Session() as session:
        step = tf.placeholder(tf.int64, [])
        rate = schedule(step)
        return np.array([session.run(rate, {step: n}) for n in steps])


def test_cosine_decay():
    part = np.minimum(STEPS, 10) / 10
    wanted = 0.5 * (0.9 * (1 + np.cos(np.pi * part)) / 2 + 0.1)
    np.testing.assert_allclose(rates(E.CosineDecay(0.5, 10, alpha=0.1)), wanted, rtol=1e-5)


def test_cosine_decay_restarts():
    """Periods of 4, 8, 16 ... steps, each from half the height of the one before."""
    starts, lengths = [0, 4, 12, 28], [4, 8, 16, 32]
    wanted = []
    for step in STEPS:
        n = max(i for i, start in enumerate(starts) if start <= step)
        part = (step - starts[n]) / lengths[n]
        wanted.append(0.5 ** n * (1 + np.cos(np.pi * part)) / 2)
    np.testing.assert_allclose(rates(E.CosineDecayRestarts(1., 4, m_mul=0.5)), wanted, rtol=1e-4,
                               atol=1e-6)


def test_linear_cosine_decay():
    part = np.minimum(STEPS, 10) / 10
    wanted = 2. * ((0.2 + 1 - part) * (1 + np.cos(2 * np.pi * 0.5 * part)) / 2 + 0.01)
    np.testing.assert_allclose(rates(E.LinearCosineDecay(2., 10, alpha=0.2, beta=0.01)), wanted,
                               rtol=1e-4)


def test_noisy_linear_cosine_decay():
    """Noise of variance 1 at the first step; none with variance 0."""
    plain = rates(E.LinearCosineDecay(1., 10))
    still = rates(E.NoisyLinearCosineDecay(1., 10, initial_variance=0.))
    np.testing.assert_allclose(still, plain, rtol=1e-5)
    noisy = rates(E.NoisyLinearCosineDecay(1., 10), steps=[0] * 400)
    assert abs(noisy.std() - 1) < 0.15


@pytest.mark.parametrize('schedule', [
    E.CosineDecay(0.5, 10), E.CosineDecayRestarts(0.5, 4, t_mul=3.), E.LinearCosineDecay(0.5, 10),
    E.NoisyLinearCosineDecay(0.5, 10, initial_variance=0., name='n')])
def test_configuration(schedule):
    again = type(schedule).from_config(schedule.get_config())
    assert again.get_config() == schedule.get_config()
    np.testing.assert_array_equal(rates(again), rates(schedule))


def test_a_model_with_a_schedule():
    """The rate is 0 after the last step: the weights no longer change."""
    with tf.Graph().as_default():
        model = Sequential([Dense(1, input_shape=(2,))])
        model.compile(tf.keras.optimizers.SGD(E.CosineDecay(0.1, 2)), 'mse')
        x, y = np.ones((4, 2)), np.zeros((4, 1))
        seen = []
        for _ in range(4):
            model.train_on_batch(x, y)
            seen.append(model.get_weights()[0])
    assert not np.array_equal(seen[0], seen[1])
    np.testing.assert_array_equal(seen[1], seen[2])
    np.testing.assert_array_equal(seen[2], seen[3])


def test_terminate_pools_returns_nothing():
    assert E.terminate_keras_multiprocessing_pools(use_sigkill=True) == []
