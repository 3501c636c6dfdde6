"""Relu and its gradient.

Complete `relu`: x where x is above 0, else 0; and its gradient, by hand: `tf.custom_gradient` takes
a function that returns the value and a function from the gradient behind to the gradient before.
Where x is 0, the gradient is 0.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'inside', 4

START = '''
import tinyflow as tf


@tf.custom_gradient
def relu(x):
    y = tf.maximum(x, 0.0)

    def gradient(dy):
        return dy

    return y, gradient
'''

HINTS = (
    'dy says how the loss changes with each element of y. For which elements does y change with x?',
    'tf.where(condition, a, b) chooses element by element; or multiply by 1 and 0.',
    'return dy * tf.cast(x > 0, dy.dtype)',
)

SOLUTION = '''
import tinyflow as tf


@tf.custom_gradient
def relu(x):
    y = tf.maximum(x, 0.0)

    def gradient(dy):
        return dy * tf.cast(x > 0, dy.dtype)

    return y, gradient
'''

_RIGHT = 'dy * tf.cast(x > 0, dy.dtype)'
WRONG = (
    (START, 'below 0'),
    (SOLUTION.replace(_RIGHT, 'tf.cast(x > 0, dy.dtype)'), 'chain rule'),
    (SOLUTION.replace(_RIGHT, 'tf.nn.relu(dy)'), 'below 0'),
    (SOLUTION.replace('x > 0', 'x >= 0'), 'where x is 0'),
    (SOLUTION.replace('tf.maximum(x, 0.0)', 'tf.abs(x)'), 'relu(-2)'),
    (SOLUTION.replace('@tf.custom_gradient', ''), 'stands above'),
    ('''
import tinyflow as tf
def relu(x):
    return tf.nn.relu(x)
''', 'not one of yours'),
)


def check(answer):
    x, behind = tf.placeholder(tf.float32, [5]), tf.placeholder(tf.float32, [5])
    y = given(answer.relu(x), 'the result')
    if isinstance(y, tuple):
        raise Wrong('relu returns a tensor and a function: nothing takes them apart',
                    '@tf.custom_gradient stands above it.')
    if not any(op.type == 'IdentityN' for op in tf.get_default_graph().get_operations()):
        raise Wrong('this relu has the gradient of its operations, not one of yours',
                    '@tf.custom_gradient')
    slope, = tf.gradients(y, x, grad_ys=[behind])
    given(slope, 'the gradient')
    feeds = {x: [-2., -0.5, 0., 0.5, 3.], behind: [1., -1., 1., 2., -3.]}
    with tf.Session() as session:
        value, slope = session.run([y, slope], feeds)
    if not np.allclose(value, [0, 0, 0, 0.5, 3]):
        raise Wrong(f'relu(-2), relu(-0.5), relu(0), relu(0.5), relu(3) are {value}')
    if slope[:2].any():
        raise Wrong(f'where x is below 0, y stays 0, but the gradient is {slope[:2]}',
                    'the gradient is 0 there.')
    if not np.allclose(slope[3:], [2, -3]):
        raise Wrong(f'where x is above 0, and dy is 2 and -3, the gradient is {slope[3:]}',
                    'the chain rule: dy times the slope of relu.')
    if slope[2]:
        raise Wrong('where x is 0 the gradient must be 0', 'x > 0')
