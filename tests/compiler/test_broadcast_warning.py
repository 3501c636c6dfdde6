"""Warnings of the engine: each once per cause, with an id and the user's line."""
import warnings

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def _loss(x_shape, y_shape):
    x = tf.placeholder(tf.float32, x_shape, name='x')
    y = tf.placeholder(tf.float32, y_shape, name='y')
    loss = tf.reduce_mean(tf.square(x - y))
    feed = {x: np.ones([d or 5 for d in x_shape]), y: np.ones([d or 5 for d in y_shape])}
    return loss, feed


@pytest.mark.parametrize('shapes', [([None], [None, 1]), ([None, 1], [None]), ([5], [5, 1])])
def test_silent_broadcasting_gives_a_warning(shapes):
    from tinyflow.compiler.warnings import broadcast_warning as advice
    advice._warned.clear()
    loss, feed = _loss(*shapes)
    with tf.Session() as sess:
        with pytest.warns(tf.errors.TinyflowWarning) as seen:
            sess.run(loss, feed)
        text = str(seen[0].message)
        for part in ('[silent-broadcast]', "'sub'", '[5]', '[5, 1]', '[5, 5]',
                     'test_broadcast_warning.py',
                     'Hint:'):
            assert part in text
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            sess.run(loss, feed)
            sess.run([loss], feed)


@pytest.mark.parametrize('shapes', [([None], [None]), ([5, 3], [3]), ([5, 1], [1, 5]), ([5], [])])
def test_intended_broadcasting_gives_no_warning(shapes):
    loss, feed = _loss(*shapes)
    with tf.Session() as sess, warnings.catch_warnings():
        warnings.simplefilter('error')
        sess.run(loss, feed)


def test_is_seen_in_a_run_of_only_the_train_op():
    from tinyflow.compiler.warnings import broadcast_warning as advice
    advice._warned.clear()
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, tf.Variable(tf.zeros([2, 1]))) - y))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with pytest.warns(tf.errors.TinyflowWarning, match='silent-broadcast') as seen:
            sess.run(train, {x: np.ones((5, 2)), y: np.ones(5)})
    assert seen[0].filename == __file__


def test_results_too_large_for_memory_are_named():
    huge = tf.reduce_sum(tf.zeros([10 ** 6, 10 ** 6]) * tf.placeholder(tf.float32, [], 'x') + 1.0)
    with tf.Session() as sess:
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            sess.run(huge, {'x:0': 1.0})
        for part in ('out of memory', '[1000000, 1000000]', 'test_broadcast_warning.py', 'Hint:'):
            assert part in str(caught.value)
        assert sess.run(tf.constant(1.0)) == 1.0


def test_only_on_the_way_to_a_scalar():
    x = tf.placeholder(tf.float32, [4])
    y = tf.placeholder(tf.float32, [4, 1])
    with tf.Session() as sess, warnings.catch_warnings():
        warnings.simplefilter('error')
        assert sess.run(x * y, {x: np.ones(4), y: np.ones((4, 1))}).shape == (4, 4)


def test_seeds_by_name_do_not_move():
    def draws(extra):
        with tf.Graph().as_default():
            tf.set_random_seed(1, by_name=True)
            for _ in range(extra):
                tf.constant(0.0)
            w = tf.random_normal([3], name='w')
            with tf.Session() as sess:
                return sess.run(w)
    np.testing.assert_array_equal(draws(0), draws(7))
    with tf.Graph().as_default():
        tf.set_random_seed(1, by_name=True)
        a, b = tf.random_normal([3]), tf.random_normal([3])
        with tf.Session() as sess:
            assert (sess.run(a) != sess.run(b)).any()
