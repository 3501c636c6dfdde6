"""NaN.

The entropy of a distribution p is -sum(p * log(p)), where 0 * log(0) counts as 0. With a 0 in p the
program gives NaN. Repair `entropy`: neither its value nor its gradient for p may be NaN or
infinite. (The first repair that comes to mind has a NaN in its gradient.)
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'find the bug', 13

START = '''
import tinyflow as tf


def entropy(p):
    return -tf.reduce_sum(p * tf.log(p))
'''

HINTS = (
    'log(0) is minus infinity, 0 times infinity is NaN. tf.where chooses element by element.',
    'tf.where(p > 0, p * tf.log(p), 0) is right. But its gradient is 0 * infinity again.',
    'Put the tf.where inside of the logarithm: tf.log(tf.where(p > 0, p, tf.ones_like(p)))',
)

SOLUTION = '''
import tinyflow as tf


def entropy(p):
    safe = tf.where(p > 0, p, tf.ones_like(p))
    return -tf.reduce_sum(p * tf.log(safe))
'''

WRONG = (
    (START, 'the entropy is nan'),
    ('''
import tinyflow as tf
def entropy(p):
    return -tf.reduce_sum(tf.where(p > 0, p * tf.log(p), tf.zeros_like(p)))
''', 'the gradient'),
    (START.replace('tf.log(p)', 'tf.log(tf.maximum(p, 0.25))'), 'not 1.0297'),
    (START.replace('tf.log(p)', 'tf.log(p + 0.1)'), 'not 0.6931'),
    (START.replace('tf.log(p)', 'tf.stop_gradient(tf.log(tf.maximum(p, 1e-30)))'),
     'not that of the entropy'),
)


def check(answer):
    p = tf.placeholder(tf.float32, [3])
    result = given(answer.entropy(p), 'the result')
    slope = given(tf.gradients(result, p)[0], 'the gradient')
    with tf.Session() as session:
        for row, wanted in (([0.5, 0.5, 0.], 0.6931), ([1., 0., 0.], 0.),
                            ([0.2, 0.3, 0.5], 1.0297)):
            value, slopes = session.run([result, slope], {p: row})
            if np.isnan(value) or not np.isclose(value, wanted, atol=1e-3):
                raise Wrong(f'for {row} the entropy is {value:.4g}, not {wanted}',
                            '0 * log(0) counts as 0, and nothing else changes.')
            known = np.array(row) > 0
            if not np.isnan(slopes).any() and not np.allclose(
                    slopes[known], -np.log(np.array(row)[known]) - 1, atol=1e-3):
                raise Wrong(f'for {row} the value is right, and the gradient {slopes} is not that '
                            'of the entropy, -log(p) - 1', 'no stop_gradient.')
            if not np.isfinite(slopes).all():
                raise Wrong(f'for {row} the value is right, and the gradient is {slopes}',
                            'choose before the logarithm: tf.where(p > 0, p, 1).')
