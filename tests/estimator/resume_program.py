"""The training of test_exact_resume.py and tests/kills: dropout, shuffling, Adam."""
from __future__ import annotations

import numpy as np

import tinyflow as tf


def data():
    """Two hundred points with four features, and their class, one of three."""
    x = np.random.RandomState(0).rand(200, 4).astype(np.float32)
    return x, (x.sum(1) * 1.4).astype(np.int32) % 3


def input_fn():
    x, y = data()
    numbers = tf.data.Dataset.from_tensor_slices(({'x': x}, y))
    return numbers.shuffle(64, seed=3).repeat().batch(16).prefetch(2)


def model_fn(features, labels, mode):
    net = tf.layers.dense(features['x'], 16, tf.nn.relu)
    net = tf.layers.dropout(net, 0.4, training=mode == tf.estimator.ModeKeys.TRAIN)
    logits = tf.layers.dense(net, 3)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, {'logits': logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def estimator(model_dir):
    config = tf.estimator.RunConfig(tf_random_seed=5, save_checkpoints_steps=7,
                                    save_summary_steps=50)
    return tf.estimator.Estimator(model_fn, model_dir, config)


class Report(tf.train.SessionRunHook):
    """Prints a line after each step, so that the test knows when to kill."""

    def after_run(self, run_context, run_values):
        print('step', flush=True)


def train(model_dir, steps):
    estimator(model_dir).train(input_fn, hooks=[Report()], max_steps=steps)
    print('done', flush=True)
