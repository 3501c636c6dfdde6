"""Sums over the first or the last axes as products with ones."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.graph.support import blas_threads
from tinyflow.ops.support.axis_sums import add_reduce, is_product

SHAPES = [
    # shape, axes, whether it is a product
    ((300, 128), 0, True), ((300, 128), -1, True), ((300, 128), (1,), True),
    ((20, 30, 8, 16), (0, 1, 2), True), ((20, 30, 8, 16), (2, 3), True),
    ((20, 30, 8, 16), (-1, -2), True), ((20, 30, 8, 16), (1, 0), True),
    ((20, 30, 8, 16), (0, 2), False), ((20, 30, 8, 16), (1, 2), False),
    ((20, 30, 8, 16), (0, 1, 2, 3), False),             # NumPy adds up pairs of pairs
    ((40000, 4), 0, False), ((4, 40000), 1, False), ((16, 4096), 1, False), ((30, 128), 0, False),
    ((0, 40000), 0, False), ((40000, 0), 0, False), ((40000,), 0, False)]


@pytest.mark.parametrize('dtype', ['f', 'd'])
@pytest.mark.parametrize('shape, axes, product', SHAPES)
def test_sums(shape, axes, product, dtype):
    x = np.random.default_rng(1).normal(size=shape).astype(dtype)
    assert is_product(x.dtype, shape, axes) == product
    for keep in (False, True):
        expected = np.add.reduce(x.astype('d'), axes, keepdims=keep)
        found = add_reduce(x, axes, None, keep)
        assert found.shape == expected.shape and found.dtype == x.dtype
        np.testing.assert_allclose(found, expected, rtol=2e-4 if dtype == 'f' else 1e-12, atol=1e-4)
        out = np.full_like(found, np.nan)
        assert add_reduce(x, axes, out, keep) is out or not out.ndim
        assert out.tobytes() == found.tobytes()


def test_arrays_with_gaps_and_integers_are_left_to_numpy():
    x = np.arange(2 * 300 * 128, dtype='f').reshape(300, 256)[:, ::2]
    np.testing.assert_allclose(add_reduce(x, 0), x.sum(0), rtol=1e-6)
    out = np.zeros(256, 'f')[::2]
    add_reduce(np.ascontiguousarray(x), 0, out)
    np.testing.assert_allclose(out, x.sum(0), rtol=1e-5)
    whole = np.full((300, 128), 100, np.int8)
    assert not is_product(whole.dtype, whole.shape, 0)
    assert (add_reduce(whole, 0) == 30000).all()


def test_nan_and_infinity_stay_in_their_sum():
    x = np.ones((400, 128), 'f')
    x[3, 5], x[4, 6] = np.nan, np.inf
    for axes, size in ((0, 400), (1, 128)):
        found = add_reduce(x, axes)
        assert np.isnan(found).sum() == np.isinf(found).sum() == 1
        assert (found == size).sum() == found.size - 2


def test_without_openblas_numpy_sums(monkeypatch):
    monkeypatch.setattr(blas_threads, '_multiply', blas_threads._as_it_is)
    x = np.random.default_rng(1).normal(size=(300, 128)).astype('f')
    assert add_reduce(x, 0).tobytes() == np.add.reduce(x, 0).tobytes()


@pytest.mark.usefixtures('graph')
@pytest.mark.parametrize('reduce', [tf.reduce_sum, tf.reduce_mean])
@pytest.mark.parametrize('shape', [[400, 128], [None, 128], None])
def test_reductions_in_a_program(reduce, shape):
    x = tf.placeholder(tf.float32, shape)
    fetches = [reduce(x, 0), reduce(x, -1, keepdims=True), reduce(x)]
    fed = np.random.default_rng(1).normal(size=(400, 128)).astype('f')
    function = np.sum if reduce is tf.reduce_sum else np.mean
    with tf.Session() as session:
        found = session.run(fetches, {x: fed})
        again = session.run(fetches, {x: fed})
    expected = function(fed, 0), function(fed, -1, keepdims=True), function(fed)
    for a, b, c in zip(found, again, expected):
        assert a.shape == c.shape and a.tobytes() == b.tobytes()
        np.testing.assert_allclose(a, c, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures('graph')
@pytest.mark.parametrize('channels', [8, 64, 256])
def test_the_gradient_of_a_bias(channels):
    value, bias = tf.placeholder(tf.float32, [16, 12, 12, channels]), tf.zeros([channels])
    gradient, = tf.gradients(tf.nn.bias_add(value, bias) ** 2, bias)
    fed = np.random.default_rng(1).normal(size=(16, 12, 12, channels)).astype('f')
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(gradient, {value: fed}),
                                   2 * fed.astype('d').sum((0, 1, 2)), rtol=1e-3, atol=1e-3)
