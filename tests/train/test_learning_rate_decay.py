"""Learning rates that fall: against the formulas, and against TensorFlow's refusals."""
from math import cos, exp, floor, pi

import numpy as np
import pytest

import tinyflow as tf

STEPS = [0, 1, 4, 5, 9, 10, 11, 17, 20, 21, 33, 70]


pytestmark = pytest.mark.usefixtures('graph')


def half_cosine(t):
    return 0.5 * (1 + cos(pi * t))


def restarts(n, first, longer, higher, alpha):
    start, length, height = 0.0, first, 1.0
    while n >= start + length:
        start, length, height = start + length, length * longer, height * higher
    return (1 - alpha) * height * half_cosine((n - start) / length) + alpha


def piecewise(n, boundaries, values):
    return values[sum(n > b for b in boundaries)]


def polynomial(n, steps, end, power, cycle):
    if cycle:
        steps *= max(1, -(-n // steps))
    return (1 - end) * (1 - min(n, steps) / steps) ** power + end


def linear_cosine(n, steps, periods, alpha, beta):
    t = min(n, steps) / steps
    return (alpha + 1 - t) * half_cosine(2 * periods * t) + beta


CASES = {
    'exponential': (lambda s: tf.train.exponential_decay(1.0, s, 10, 0.5),
                    lambda n: 0.5 ** (n / 10)),
    'exponential, stairs': (lambda s: tf.train.exponential_decay(1.0, s, 10, 0.5, staircase=True),
                            lambda n: 0.5 ** (n // 10)),
    'natural': (lambda s: tf.train.natural_exp_decay(1.0, s, 10, 0.5),
                lambda n: exp(-0.5 * n / 10)),
    'natural, stairs': (lambda s: tf.train.natural_exp_decay(1.0, s, 10, 0.5, True),
                        lambda n: exp(-0.5 * floor(n / 10))),
    'inverse time': (lambda s: tf.train.inverse_time_decay(1.0, s, 10, 0.5),
                     lambda n: 1 / (1 + 0.5 * n / 10)),
    'inverse time, stairs': (lambda s: tf.train.inverse_time_decay(1.0, s, 10, 0.5, True),
                             lambda n: 1 / (1 + 0.5 * floor(n / 10))),
    'piecewise': (lambda s: tf.train.piecewise_constant(s, [4, 20], [1.0, 0.5, 0.1]),
                  lambda n: piecewise(n, [4, 20], [1.0, 0.5, 0.1])),
    'polynomial': (lambda s: tf.train.polynomial_decay(1.0, s, 10, 0.1, power=2.0),
                   lambda n: polynomial(n, 10, 0.1, 2.0, False)),
    'polynomial, cycle': (lambda s: tf.train.polynomial_decay(1.0, s, 10, 0.1, cycle=True),
                          lambda n: polynomial(n, 10, 0.1, 1.0, True)),
    'cosine': (lambda s: tf.train.cosine_decay(1.0, s, 20, alpha=0.1),
               lambda n: 0.9 * half_cosine(min(n, 20) / 20) + 0.1),
    'restarts': (lambda s: tf.train.cosine_decay_restarts(1.0, s, 7, 2.0, 0.5, 0.1),
                 lambda n: restarts(n, 7, 2.0, 0.5, 0.1)),
    'restarts, equal periods': (lambda s: tf.train.cosine_decay_restarts(1.0, s, 7, t_mul=1.0),
                                lambda n: restarts(n, 7, 1.0, 1.0, 0.0)),
    'restarts, factors as tensors': (
        lambda s: tf.train.cosine_decay_restarts(1.0, s, 7, tf.constant(1.5), tf.constant(0.8)),
        lambda n: restarts(n, 7, 1.5, 0.8, 0.0)),
    'restarts, equal periods as a tensor': (
        lambda s: tf.train.cosine_decay_restarts(1.0, s, 7, tf.constant(1.0)),
        lambda n: restarts(n, 7, 1.0, 1.0, 0.0)),
    'linear cosine': (lambda s: tf.train.linear_cosine_decay(1.0, s, 20, 1.5, 0.1, 0.01),
                      lambda n: linear_cosine(n, 20, 1.5, 0.1, 0.01)),
}


@pytest.mark.parametrize('case', CASES)
@pytest.mark.parametrize('dtype', [tf.int32, tf.int64])
def test_values(case, dtype):
    build, expected = CASES[case]
    step = tf.placeholder(dtype, [])
    rate = build(step)
    assert rate.dtype is tf.float32 and rate.shape == ()
    with tf.Session() as session:
        got = [session.run(rate, {step: n}) for n in STEPS]
    np.testing.assert_allclose(got, [expected(n) for n in STEPS], rtol=2e-5, atol=1e-6)


def test_dtype_follows_the_rate():
    step = tf.constant(3)
    for build in (lambda r: tf.train.exponential_decay(r, step, 10, 0.5),
                  lambda r: tf.train.polynomial_decay(r, step, 10),
                  lambda r: tf.train.inverse_time_decay(r, step, 10, 0.5)):
        assert build(tf.constant(1.0, tf.float64)).dtype is tf.float64


@pytest.mark.slow
def test_noise_has_the_requested_variance():
    """At step n the noise has variance initial_variance / (1 + n)^variance_decay."""
    tf.set_random_seed(1)
    step = tf.placeholder(tf.int32, [])
    rates = tf.stack([tf.train.noisy_linear_cosine_decay(
        1.0, step, 100, initial_variance=0.04, variance_decay=1.0, num_periods=0.0)
        for _ in range(50)])
    with tf.Session() as session:
        for n in (0, 3):
            # No periods: the half cosine is 1, and the rate 1 - t + noise + beta.
            noise = np.array([session.run(rates, {step: n}) for _ in range(40)]) \
                - (1 - n / 100 + 0.001)
            assert abs(noise.mean()) < 0.02
            assert 0.85 < noise.var() / (0.04 / (1 + n)) < 1.15


def test_rate_in_training():
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(1.0, step, 1, 0.5)
    w = tf.Variable(10.0)
    train = tf.train.GradientDescentOptimizer(rate).minimize(w, global_step=step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        assert session.run(w) == 10.0 - 1.0 - 0.5 - 0.25


@pytest.mark.parametrize('call, message', [
    (lambda s: tf.train.exponential_decay(0.1, None, 1, 0.5), 'None values not supported'),
    (lambda s: tf.train.cosine_decay(0.1, None, 1), 'None values not supported'),
    (lambda s: tf.train.piecewise_constant(s, [1, 2], [1.0, 2.0]),
     'boundaries should be 1 less than the length of values'),
    (lambda s: tf.train.piecewise_constant(s, [1.0, 2], [1.0, 2.0, 3.0]),
     'must have the same dtype as x'),
    (lambda s: tf.train.piecewise_constant(s, [1, 2], [1.0, 2, 3]),
     'elements all with the same dtype'),
])
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call(tf.constant(0))


def test_a_cycle_ends_at_its_last_step():
    """TF's graph optimizer rounds step * (1 / 7) up past 3 at step 21, and so skips the end."""
    step = tf.placeholder(tf.int32, [])
    rate = tf.train.polynomial_decay(0.1, step, 7, 0.001, cycle=True)
    with tf.Session() as session:
        for n in (7, 14, 21, 42, 49):
            assert session.run(rate, {step: n}) == np.float32(0.001)


def test_growing_periods_by_the_closed_form():
    """The number of restarts, which TF computes by logarithms, is right around a restart."""
    step = tf.placeholder(tf.int32, [])
    rate = tf.train.cosine_decay_restarts(1.0, step, 100)
    with tf.Session() as session:
        for n in (99, 101, 299, 301, 699, 702):
            expected = restarts(n, 100, 2.0, 1.0, 0.0)
            assert abs(session.run(rate, {step: n}) - expected) < 1e-4
