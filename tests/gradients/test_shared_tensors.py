"""Gradients where a tensor is used more than once, or was broadcast."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def test_gradient_of_shared_nodes_is_small(graph):
    """The gradient of 30 chained y + y has a few nodes for each, not 2**30."""
    x = tf.placeholder(tf.float64, [], name='x')
    y = x
    for _ in range(30):
        y = y + y
    before = len(graph.get_operations())
    g, = tf.gradients(y, x)
    assert len(graph.get_operations()) - before < 200
    with tf.Session() as session:
        assert session.run(g, {x: 1.0}) == 2.0 ** 30


def test_skip_connections():
    """Breadth-first back-propagation visits h before the long branch has reported."""
    x = tf.placeholder(tf.float64, [], name='x')
    h = x * 2.0
    long = h
    for _ in range(4):
        long = long * 3.0
    g, dh = tf.gradients(long + h * 5.0, [x, h])
    with tf.Session() as session:
        assert session.run([g, dh], {x: 1.0}) == [2.0 * (81.0 + 5.0), 81.0 + 5.0]


def test_dense_skip_connections():
    """Every layer takes all earlier ones; checked against the sum over all paths."""
    x = tf.placeholder(tf.float64, [], name='x')
    layers, paths = [x], [1]
    for _ in range(8):
        total = layers[0]
        for layer in layers[1:]:
            total = total + layer
        layers.append(total * 1.0)
        paths.append(sum(paths))
    g, = tf.gradients(layers[-1], x)
    with tf.Session() as session:
        assert session.run(g, {x: 1.0}) == paths[-1]


def test_the_same_tensor_twice_as_an_input():
    """Matmul(w, w) and w * w get the gradients of both places."""
    w = tf.placeholder(tf.float64, [2, 2], name='w')
    value = np.array([[1.0, 2.0], [3.0, 4.0]])
    dm, = tf.gradients(tf.matmul(w, w), w)
    ds, = tf.gradients(w * w, w)
    da, = tf.gradients(w + w, w)
    ones = np.ones((2, 2))
    with tf.Session() as session:
        dm, ds, da = session.run([dm, ds, da], {w: value})
    np.testing.assert_allclose(dm, ones @ value.T + value.T @ ones)
    np.testing.assert_allclose(ds, 2 * value)
    np.testing.assert_allclose(da, 2 * ones)


def test_gradients_are_summed_over_broadcast_axes_of_size_one():
    """Undoing a broadcast is not only about missing axes: [2, 1] against [2, 3]."""
    a = tf.placeholder(tf.float64, [2, 1], name='a')
    b = tf.placeholder(tf.float64, [2, 3], name='b')
    g, = tf.gradients(a * b, a)
    with tf.Session() as session:
        got = session.run(g, {a: np.ones((2, 1)), b: np.arange(6.0).reshape(2, 3)})
    assert got.tolist() == [[3.0], [12.0]]
