"""A model function.

Complete `model_fn` for a line: features {"x": [rows, 1]}, labels [rows, 1]. In all modes there are
predictions {"y": ...}; with labels the loss, the mean squared error; in evaluation the metric
"distance", the mean absolute error; in training a step of gradient descent (rate 0.1) that counts
the global step.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'Estimator', 21

START = '''
import tinyflow as tf


def model_fn(features, labels, mode):
    y = tf.layers.dense(features['x'], 1)
    loss = tf.losses.mean_squared_error(labels, y)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, predictions={'y': y}, loss=loss, train_op=train_op)
'''

HINTS = (
    'In prediction `labels` is None: return early, before there is a loss.',
    'minimize has an argument global_step; tf.train.get_global_step() is the Variable.',
    "eval_metric_ops={'distance': tf.metrics.mean_absolute_error(labels, y)}",
)

SOLUTION = '''
import tinyflow as tf


def model_fn(features, labels, mode):
    y = tf.layers.dense(features['x'], 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'y': y})
    loss = tf.losses.mean_squared_error(labels, y)
    metrics = {'distance': tf.metrics.mean_absolute_error(labels, y)}
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, predictions={'y': y}, loss=loss, train_op=train_op,
                                      eval_metric_ops=metrics)
'''

WRONG = (
    (START, 'labels is None'),
    (SOLUTION.replace('global_step=tf.train.get_global_step()', ''), 'global step'),
    (SOLUTION.replace(''',
                                      eval_metric_ops=metrics''', ''), 'no metric'),
    (SOLUTION.replace('mean_absolute_error', 'mean_squared_error'), 'not the mean absolute error'),
    ('def model_fn(features, labels, mode):\n    return {"y": features["x"]}', 'an EstimatorSpec'),
    (SOLUTION.replace('minimize(\n        loss', 'minimize(\n        -loss'), 'grows'),
)


def check(answer):
    specs, sessions = {}, {}
    rows = np.array([[0.], [1.], [2.]], 'float32')
    for mode in ('infer', 'train', 'eval'):
        with tf.Graph().as_default() as graph:
            tf.train.create_global_step()
            labels = None if mode == 'infer' else tf.constant(3 * rows + 1)
            try:
                specs[mode] = given(answer.model_fn({'x': tf.constant(rows)}, labels, mode),
                                    'the result')
            except (ValueError, TypeError) as error:
                if mode != 'infer' or 'None' not in str(error) or 'positional' in str(error):
                    raise
                raise Wrong(f'in prediction labels is None: {str(error).splitlines()[0]}',
                            'if mode == tf.estimator.ModeKeys.PREDICT: return ...') from None
            if not isinstance(specs[mode], tf.estimator.EstimatorSpec):
                raise Wrong(f'the result is a {type(specs[mode]).__name__}, not an EstimatorSpec',
                            'tf.estimator.EstimatorSpec(mode, predictions=...)')
            sessions[mode] = tf.Session(graph=graph)
            sessions[mode].run([tf.global_variables_initializer(),
                                tf.local_variables_initializer()])
    for mode, spec in specs.items():
        if not isinstance(spec.predictions, dict) or 'y' not in spec.predictions:
            raise Wrong(f'in the mode {mode!r} there are no predictions {{"y": ...}}')
    if 'distance' not in (specs['eval'].eval_metric_ops or {}):
        raise Wrong('in evaluation there is no metric "distance"', 'eval_metric_ops')
    spec, session = specs['eval'], sessions['eval']
    value, update = spec.eval_metric_ops['distance']
    session.run(update)
    y, loss, distance = session.run([spec.predictions['y'], spec.loss, value])
    if np.shape(y) != rows.shape:
        raise Wrong(f'the predictions have the shape {np.shape(y)}, not [rows, 1]')
    apart = np.abs(y - 3 * rows - 1)
    if not np.isclose(loss, np.mean(apart ** 2), rtol=1e-3):
        raise Wrong(f'the loss is {loss:.4g}, not the mean squared error, '
                    f'{np.mean(apart ** 2):.4g}', 'tf.losses.mean_squared_error(labels, y)')
    if not np.isclose(distance, np.mean(apart), rtol=1e-3):
        raise Wrong(f'"distance" is {distance:.4g}, not the mean absolute error, '
                    f'{np.mean(apart):.4g}', 'tf.metrics.mean_absolute_error(labels, y)')
    spec, session = specs['train'], sessions['train']
    losses = [session.run([spec.train_op, spec.loss])[1] for _ in range(100)]
    if losses[-1] > losses[0]:
        raise Wrong(f'in training the loss grows from {losses[0]:.3g} to {losses[-1]:.3g}',
                    'minimize(loss)')
    if losses[-1] > 0.5:
        raise Wrong(f'after 100 steps the loss is still {losses[-1]:.3g}')
    with session.graph.as_default():
        step = session.run(tf.train.get_global_step())
    if step != 100:
        raise Wrong(f'after 100 steps the global step is {step}',
                    'minimize(loss, global_step=tf.train.get_global_step())')
    for each in sessions.values():
        each.close()
