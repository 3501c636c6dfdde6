"""Small models and data for the tests of this folder: a fitted line, a binary classifier."""
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
    """An input_fn of the points, in order."""
    def input_fn():
        rows = tf.data.Dataset.from_tensor_slices(({'x': X}, Y))
        return rows.repeat(repeat).batch(batch)
    return input_fn


def line(model_dir, params=None, **config):
    """An Estimator of line_fn."""
    config.setdefault('tf_random_seed', 3)
    return tf.estimator.Estimator(line_fn, str(model_dir), tf.estimator.RunConfig(**config),
                                  params=params or {})


def classifier(model_dir, units):
    """A DNNClassifier of two classes."""
    columns = [tf.feature_column.numeric_column('x')]
    return tf.estimator.DNNClassifier(units, columns, str(model_dir), n_classes=2)


def halves():
    """The points, with class 1 where y > 1."""
    return {'x': X[:, 0]}, (Y[:, 0] > 1).astype(np.int32)


def halves_dataset():
    """`halves` as a Dataset of batches."""
    return tf.data.Dataset.from_tensor_slices(halves()).batch(8)


def line_output(estimator, x=X):
    """The predictions of a trained `line`, computed by NumPy."""
    return x @ estimator.get_variable_value('line/kernel') + \
        estimator.get_variable_value('line/bias')


class RecordCalls(tf.train.SessionRunHook):
    """Records the order of its calls."""

    def __init__(self):
        self.calls = []

    def begin(self):
        self.calls.append('begin')

    def after_create_session(self, session, coord):
        self.calls.append('after_create_session')

    def before_run(self, run_context):
        self.calls.append('before_run')

    def after_run(self, run_context, run_values):
        self.calls.append('after_run')

    def end(self, session):
        self.calls.append('end')
