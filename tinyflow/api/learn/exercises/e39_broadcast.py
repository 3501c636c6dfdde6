"""The loss falls, and the line is wrong.

`x` and `y` are placeholders of the shape [rows], `y` is about 2 x + 1. The program trains without
an error, and its loss falls; but the slope stays near 0. Repair `line`.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong

LEVEL, LESSON = 'find the bug', 5

START = '''
import tinyflow as tf


def line(x, y):
    found = tf.layers.dense(tf.reshape(x, [-1, 1]), 1)
    loss = tf.reduce_mean(tf.square(found - y))
    return loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss)
'''

HINTS = (
    'Print the shapes of found, y, and found - y.',
    '[rows, 1] minus [rows] is [rows, rows]: each prediction minus each label.',
    'found = tf.reshape(found, [-1]), or tf.squeeze(found, axis=1)',
)

SOLUTION = START.replace('    loss =', '    found = tf.squeeze(found, axis=1)\n    loss =')

WRONG = (
    (START, 'each label'),
    (START.replace('0.1', '0.5'), 'each label'),
    (SOLUTION.replace('reduce_mean', 'reduce_sum'), 'mean'),
    (SOLUTION.replace('tf.squeeze(found, axis=1)', 'tf.reduce_mean(found)'), 'slope'),
)


def check(answer):
    tf.set_random_seed(1)
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    loss, train = answer.line(x, y)
    xs = np.linspace(-1, 2, 30)
    feeds = {x: xs, y: 2 * xs + 1}
    if len(tf.trainable_variables()) != 2:
        raise Wrong(f'there are {len(tf.trainable_variables())} Variables: a line has two')
    kernel, bias = sorted(tf.trainable_variables(), key=lambda variable: -variable.shape.ndims)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first, slope, shift = session.run([loss, kernel, bias], feeds)
        slope, shift, labels = np.ravel(slope)[0], np.ravel(shift)[0], feeds[y]
        found = slope * xs + shift
        matrix = np.square(found[:, None] - labels[None]).mean()
        if np.isclose(first, matrix, rtol=1e-3):
            raise Wrong(f'the loss is {first:.3f}: the mean over each prediction minus each label, '
                        '[rows, rows]', 'both must have the shape [rows].')
        for _ in range(300):
            session.run(train, feeds)
        slope, shift = session.run([kernel, bias])
    slope, shift = np.ravel(slope)[0], np.ravel(shift)[0]
    right = np.square(found - labels).mean()
    if np.isclose(first, right * 30, rtol=1e-3):
        raise Wrong('the loss is a sum, not a mean: the steps are 30 times as long')
    if not np.allclose([slope, shift], [2, 1], atol=0.05):
        raise Wrong(f'after 300 steps the slope is {slope:.2f} and the shift {shift:.2f}, not 2 '
                    'and 1', 'the loss is the mean of the squared differences, row by row.')
