"""tf.contrib.slim.learning: what a training op does, and the loop with its checkpoints."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

slim = tf.contrib.slim


def loss_of(v):
    return tf.reduce_sum(tf.square(v))


def sgd(rate=0.25):
    return tf.train.GradientDescentOptimizer(rate)


def test_updates_run_before_the_loss_and_the_step_after_it(session):
    v, seen = tf.Variable([1.0, 2.0]), tf.Variable(0.0, trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, seen.assign_add(1.0))
    train_op = slim.learning.create_train_op(loss_of(v), sgd())
    session.run(tf.global_variables_initializer())
    assert session.run(train_op) == 5.0
    assert session.run(v).tolist() == [0.5, 1.0] and session.run(seen) == 1.0
    assert session.run(tf.train.get_global_step()) == 1
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP)[-1] is train_op


def test_gradients_are_multiplied_clipped_and_summarized(session):
    a, b = tf.Variable([3.0, 4.0], name='a'), tf.Variable([1.0], name='b')
    train_op = slim.learning.create_train_op(
        loss_of(a) + loss_of(b), sgd(1.0), global_step=None, gradient_multipliers={'b': 0.1},
        clip_gradient_norm=1, summarize_gradients=True)
    session.run(tf.global_variables_initializer())
    session.run(train_op)
    np.testing.assert_allclose(session.run(a), [2.4, 3.2], rtol=1e-6)
    np.testing.assert_allclose(session.run(b), [0.8], rtol=1e-6)
    names = [s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    assert names == ['summarize_grads/a_gradient', 'summarize_grads/b_gradient']


def test_a_loss_that_is_not_a_number_is_an_error(session):
    v = tf.Variable(0.0)
    train_op = slim.learning.create_train_op(tf.log(v - 1.0), sgd())
    session.run(tf.global_variables_initializer())
    with pytest.raises(tf.errors.InvalidArgumentError, match='LossTensor is inf or nan'):
        session.run(train_op)


def test_training_goes_on_from_its_checkpoint(tmp_path):
    def train(number_of_steps):
        with tf.Graph().as_default():
            v = tf.get_variable('v', initializer=[1.0, 2.0])
            tf.summary.scalar('loss', loss_of(v))
            train_op = slim.learning.create_train_op(loss_of(v), sgd())
            return slim.learning.train(train_op, str(tmp_path), number_of_steps=number_of_steps)

    assert train(2) == 5.0 / 4
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith('model.ckpt-2')
    assert train(3) == 5.0 / 16


def test_the_end_of_a_queue_ends_the_training(graph):
    data = tf.train.slice_input_producer([[1.0, 2.0, 4.0]], num_epochs=2, shuffle=False)[0]
    v = tf.Variable(0.0)
    train_op = slim.learning.create_train_op(tf.square(v - data), sgd(0.5))
    assert slim.learning.train(train_op, None) == 4.0


@pytest.mark.parametrize('settings, error, match', [
    ({'train_op': None}, ValueError, 'train_op cannot be None'),
    ({'summary_op': 'x'}, ValueError, 'Cannot provide summary_op because logdir=None'),
    ({'trace_every_n_steps': 3}, NotImplementedError, 'trace_every_n_steps=.* is not in tinyflow'),
])
def test_refusals(graph, settings, error, match):
    with pytest.raises(error, match=match):
        slim.learning.train(**{'train_op': tf.constant(1.0), 'logdir': None, **settings})


def test_variables_to_train_are_trainable(graph):
    fixed = tf.Variable(1.0, trainable=False)
    with pytest.raises(ValueError, match='is not trainable'):
        slim.learning.create_train_op(loss_of(fixed), sgd(), variables_to_train=[fixed])
