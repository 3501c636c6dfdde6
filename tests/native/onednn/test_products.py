"""Gradients of weight matrices, and gradient descent that subtracts them as they are computed."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.native.onednn.library import find_library


def test_the_gradient_of_a_weight_matrix(both_tiers):
    def build(x, w):
        return [tf.matmul(x, w)]
    assert 'native_MatMul_' in both_tiers(build, (40, 300), (300, 256))
    assert 'native' not in both_tiers(build, (40, 30), (30, 20))          # too small
    assert 'native' not in both_tiers(build, (600, 300), (300, 256))      # many rows


def test_factors_with_gaps(both_tiers):
    def build(x, w):
        return [tf.matmul(x[::2, 10:], w, transpose_a=False)]
    assert 'native_MatMul_' in both_tiers(build, (80, 310), (300, 256))


def trained(mode, monkeypatch, resource=False, fetch_gradient=False, optimizer=None, steps=3):
    """(the weights after some steps, the program's source)"""
    if find_library() is None:
        pytest.skip('needs the extra "fast"')
    monkeypatch.setenv('TINYFLOW_NATIVE', mode)
    rng = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [32, 300])
        w = tf.Variable(rng.normal(size=(300, 256)).astype('f') / 20, use_resource=resource)
        v = tf.Variable(rng.normal(size=(256, 300)).astype('f') / 20, use_resource=resource)
        loss = tf.reduce_mean(tf.square(tf.matmul(tf.tanh(tf.matmul(x, w)), v) - x))
        optimizer = optimizer or tf.train.GradientDescentOptimizer(0.5)
        pairs = optimizer.compute_gradients(loss)
        fetches = [optimizer.apply_gradients(pairs), pairs[0][0] if fetch_gradient else loss]
        session.run(tf.global_variables_initializer())
        feed = {x: rng.normal(size=(32, 300))}
        values = [session.run(fetches, feed)[1] for _ in range(steps)]
        return [*session.run([w, v]), *values], tf.explain(fetches, feed, session, runs=0).source


@pytest.mark.parametrize('resource', [False, True])
def test_gradient_descent_has_no_gradient_in_memory(resource, monkeypatch):
    plain, _ = trained('off', monkeypatch, resource)
    native, source = trained('always', monkeypatch, resource)
    assert source.count('native_AssignSub') == 2 and 'native_MatMul' not in source
    for a, b in zip(plain, native):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_a_gradient_that_is_fetched_is_computed(monkeypatch):
    plain, _ = trained('off', monkeypatch, fetch_gradient=True)
    native, source = trained('always', monkeypatch, fetch_gradient=True)
    assert source.count('native_AssignSub') == 1 and source.count('native_MatMul') == 1
    for a, b in zip(plain, native):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_other_optimizers_get_the_product(monkeypatch):
    plain, _ = trained('off', monkeypatch, optimizer=tf.train.MomentumOptimizer(0.1, 0.9))
    native, source = trained('always', monkeypatch, optimizer=tf.train.MomentumOptimizer(0.1, 0.9))
    assert source.count('native_MatMul') == 2
    for a, b in zip(plain, native):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize('transposed', [False, True])
def test_a_factor_that_is_a_variable_is_read_before_it_changes(transposed, monkeypatch):
    """The two updates use each other's Variables, one of them through a view."""
    def run(mode):
        monkeypatch.setenv('TINYFLOW_NATIVE', mode)
        with tf.Graph().as_default(), tf.Session() as session:
            rng = np.random.RandomState(0)
            a = tf.Variable(rng.normal(size=(300, 300)).astype('f'))
            b = tf.Variable(rng.normal(size=(300, 300)).astype('f'))
            factor = tf.transpose(a) if transposed else a
            loss = tf.reduce_sum(tf.matmul(factor, b, transpose_a=True) * 1e-3)
            step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
            session.run(tf.global_variables_initializer())
            for _ in range(2):
                session.run(step)
            return session.run([a, b])
    for x, y in zip(run('off'), run('always')):
        np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-4)


def test_nan_spreads_as_in_numpy(both_tiers):
    def some_nan(rng, shape):
        x = rng.normal(size=shape)
        x[0, 0] = np.nan
        return x
    assert 'native_MatMul_' in both_tiers(lambda x, w: [tf.matmul(x, w)], (40, 300), (300, 256),
                                          make=some_nan)
