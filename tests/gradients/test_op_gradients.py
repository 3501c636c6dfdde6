"""Gradients of single ops: ties, infinities, statistics, second derivatives of fused ops."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.api.testing import check_gradient

pytestmark = pytest.mark.usefixtures('graph')


@pytest.mark.parametrize('loss', [
    lambda z: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=tf.constant([[0., 1., 0.]], tf.float64), logits=z),
    lambda z: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=z),
    lambda z: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=tf.constant([[0., 1., 0.]], tf.float64), logits=z),
    lambda z: tf.nn.fused_batch_norm(tf.reshape(tf.cast(tf.tile(z, [4, 1]) * tf.constant(
        [[1.], [2.], [-1.], [.5]], tf.float64), tf.float64), [4, 1, 1, 3]),
        tf.ones([3], tf.float64), tf.zeros([3], tf.float64))[0],
])
def test_second_derivatives_of_fused_ops(loss):
    """In TF the second derivative of the fused loss is silently wrong."""
    z = tf.placeholder(tf.float64, [1, 3])
    check_gradient(loss(z), [z], {z: [[.3, -.7, 1.1]]}, order=2, tol=1e-4)


@pytest.mark.parametrize('choose', [tf.maximum, tf.minimum])
def test_the_gradient_of_maximum_is_a_choice_not_a_product(choose):
    """Infinity arrives at the chosen input alone; the other gets 0, as in TF, not infinity * 0."""
    x, y = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [3])
    dx, dy = tf.gradients(choose(x, y), [x, y], grad_ys=tf.constant([np.inf, -np.inf, np.nan]))
    low, high = np.float32([1, 1, 1]), np.float32([2, 2, 2])
    chosen = np.float32([np.inf, -np.inf, np.nan])
    with tf.Session() as sess:
        feeds = {x: high, y: low} if choose is tf.maximum else {x: low, y: high}
        for got, wanted in zip(sess.run([dx, dy], feeds), (chosen, np.zeros(3))):
            np.testing.assert_array_equal(got, wanted)
        feeds = {x: feeds[y], y: feeds[x]}
        for got, wanted in zip(sess.run([dx, dy], feeds), (np.zeros(3), chosen)):
            np.testing.assert_array_equal(got, wanted)
        # Equal values: all goes to the first, as in TF.
        for got, wanted in zip(sess.run([dx, dy], {x: low, y: low}), (chosen, np.zeros(3))):
            np.testing.assert_array_equal(got, wanted)


def test_nothing_goes_through_the_statistics_of_batch_normalisation():
    """TF gives zeros for what only the mean and the variance depend on; and adds nothing else."""
    x = tf.placeholder(tf.float32, [2, 2, 2, 3])
    y, mean, variance = tf.nn.fused_batch_norm(x, tf.ones([3]), tf.zeros([3]))
    of_statistics, = tf.gradients(tf.reduce_sum(mean) + tf.reduce_sum(variance), x)
    alone, = tf.gradients(tf.reduce_sum(y * y * y), x)
    both, = tf.gradients(tf.reduce_sum(y * y * y) + tf.reduce_sum(mean * variance), x)
    value = np.random.default_rng(0).normal(size=(2, 2, 2, 3)).astype(np.float32)
    with tf.Session() as sess:
        zeros, one, two = sess.run([of_statistics, alone, both], {x: value})
    assert not zeros.any() and one.any()
    np.testing.assert_array_equal(one, two)
