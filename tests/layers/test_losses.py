"""tf.losses: weights, reductions, collections and refusals; the graphs are golden programs."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.ops.nn.weights_broadcast import assert_broadcastable, broadcast_weights

pytestmark = pytest.mark.usefixtures('graph')
REDUCTION = tf.losses.Reduction


def placeholder(*shape, dtype=tf.float32):
    return tf.placeholder(dtype, list(shape))


@pytest.mark.parametrize(('how', 'wanted'), [
    (REDUCTION.NONE, [[1., 4.], [0., 0.]]), (REDUCTION.SUM, 5.), (REDUCTION.MEAN, 5. / 2),
    (REDUCTION.SUM_OVER_BATCH_SIZE, 5. / 4), (REDUCTION.SUM_BY_NONZERO_WEIGHTS, 5. / 2)])
def test_reductions(session, how, wanted):
    loss = tf.losses.mean_squared_error(
        tf.zeros([2, 2]), tf.constant([[1., 2.], [3., 4.]]), [[1., 1.], [0., 0.]],
        reduction=how)
    np.testing.assert_allclose(session.run(loss), wanted)


def test_no_weight_at_all_gives_zero(session):
    """0 / 0 is 0: an empty batch does not make the total loss NaN."""
    loss = tf.losses.absolute_difference(tf.zeros([2]), tf.ones([2]), tf.zeros([2]))
    assert session.run(loss) == 0
    x = placeholder(None, 2)
    loss = tf.losses.mean_squared_error(x, x)
    assert session.run(loss, {x: np.zeros([0, 2])}) == 0


def test_losses_are_collected_and_summed(session):
    a = tf.losses.mean_squared_error(tf.zeros([2]), tf.ones([2]))
    b = tf.losses.absolute_difference(tf.zeros([2]), tf.ones([2]), weights=3., scope='second')
    tf.losses.log_loss(tf.zeros([2]), tf.zeros([2]), loss_collection=None)
    assert tf.losses.get_losses() == [a, b] and tf.losses.get_losses('second') == [b]
    own = tf.constant(10.)
    tf.losses.add_loss(own)
    tf.layers.dense(tf.ones([1, 1]), 1, kernel_initializer='ones',
                    kernel_regularizer=lambda w: 100. * tf.reduce_sum(w))
    total, without = tf.losses.get_total_loss(), tf.losses.get_total_loss(False)
    session.run(tf.global_variables_initializer())
    assert session.run([total, without]) == [114., 14.]


def test_gradient_of_a_weighted_loss(session):
    x = tf.constant([1., 2., 3.])
    loss = tf.losses.mean_squared_error(tf.zeros([3]), x, weights=[1., 0., 2.])
    np.testing.assert_allclose(session.run(tf.gradients(loss, x)[0]), [1., 0., 6.])


def test_shapes_that_would_broadcast_are_refused():
    """(n, 1) against (n,) would give (n, n) losses."""
    with pytest.raises(ValueError, match=r'incompatible(\n.*){3}\n  Hint: tf.squeeze\(labels') as e:
        tf.losses.mean_squared_error(placeholder(None, 1), placeholder(None))
    assert e.value.raised_by_tinyflow
    with pytest.raises(ValueError, match=r'incompatible(\n.*){3}\n  Hint: tf.squeeze\(logits'):
        tf.losses.sigmoid_cross_entropy(placeholder(None), placeholder(None, 1))
    with pytest.raises(ValueError, match='incompatible'):
        tf.losses.softmax_cross_entropy(placeholder(None, 3), placeholder(None, 4))


@pytest.mark.parametrize(('values', 'weights'), [((3,), (2,)), ((3, 2), (2,)), ((3, 2), (3, 3))])
def test_weights_that_do_not_fit_are_refused(values, weights):
    with pytest.raises(ValueError, match='weights can not be broadcast to values.*\n  values:'):
        tf.losses.absolute_difference(tf.zeros(values), tf.ones(values), tf.ones(weights))


@pytest.mark.parametrize('weights', [3., [[1., 2.]], [[1.], [2.]], [[1., 2.], [3., 4.]]])
def test_weights_of_unknown_shape_that_fit(session, weights):
    w = tf.placeholder(tf.float32)
    wide = broadcast_weights(w, tf.zeros([2, 2]))
    np.testing.assert_array_equal(session.run(wide, {w: weights}),
                                  np.broadcast_to(weights, [2, 2]))


@pytest.mark.parametrize('weights', [[1., 2.], [[1., 2., 3.]], [[[1.]]]])
def test_weights_of_unknown_shape_that_do_not_fit(session, weights):
    w = tf.placeholder(tf.float32)
    check = assert_broadcastable(w, tf.zeros([2, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match='weights can not be broadcast'):
        session.run(check, {w: weights})


def test_arguments_that_are_missing_or_unknown():
    with pytest.raises(ValueError, match='labels must not be None'):
        tf.losses.huber_loss(None, placeholder(3))
    with pytest.raises(ValueError, match='Invalid Reduction Key mean'):
        tf.losses.hinge_loss(placeholder(3), placeholder(3), reduction='mean')
    with pytest.raises(ValueError, match="must specify 'axis'"):
        tf.losses.cosine_distance(placeholder(3), placeholder(3))


def test_labels_of_unknown_rank_lose_their_last_axis(session):
    labels, logits = tf.placeholder(tf.int32), placeholder(None, 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    values = np.eye(3)[:2]
    column, row = (session.run(loss, {labels: given, logits: values})
                   for given in ([[0], [2]], [0, 2]))
    wanted = np.mean([np.log(np.e + 2) - 1, np.log(np.e + 2)])
    np.testing.assert_allclose([column, row], wanted, rtol=1e-6)
