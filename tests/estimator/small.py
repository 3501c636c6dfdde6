"""A small model for the tests of this folder: a line through points, or three classes."""
from __future__ import annotations

import numpy as np

import tinyflow as tf

X = np.linspace(-1, 1, 40, dtype=np.float32)[:, None]
Y = 2 * X + 1
KEYS = tf.estimator.ModeKeys


def line_fn(features, labels, mode, params):
    """y = x w + b."""
    x = features['x'] if isinstance(features, dict) else features
    y = tf.layers.dense(x, 1, name='line')
    if mode == KEYS.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'y': y, 'twice': 2 * y})
    loss = tf.losses.mean_squared_error(labels, y)
    if mode == KEYS.EVAL:
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, eval_metric_ops={'mae': tf.metrics.mean_absolute_error(labels, y)})
    train_op = tf.train.GradientDescentOptimizer(params.get('rate', 0.1)).minimize(
        loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def points(repeat=None, batch=8):
    """An input_fn of the points in order."""
    def input_fn():
        rows = tf.data.Dataset.from_tensor_slices(({'x': X}, Y))
        return rows.repeat(repeat).batch(batch)
    return input_fn


def line(model_dir, params=None, **config):
    """An Estimator of line_fn."""
    config.setdefault('tf_random_seed', 3)
    return tf.estimator.Estimator(line_fn, str(model_dir), tf.estimator.RunConfig(**config),
                                  params=params or {})
