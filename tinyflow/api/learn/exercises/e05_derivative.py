"""A derivative.

Complete `derivative`: for y = x³ - 2x return the tensors dy/dx and d²y/dx², made by tf.gradients.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong

LEVEL, LESSON = 'graph', 4

START = '''
import tinyflow as tf


def derivative(x):
    y = x * x * x - 2 * x
    first = ...
    second = ...
    return first, second
'''

HINTS = (
    'tf.gradients(y, x) returns a list, with one tensor for each x.',
    'A derivative is a tensor like any other: it can be differentiated.',
    'first = tf.gradients(y, x)[0]; second = tf.gradients(first, x)[0]',
)

SOLUTION = '''
import tinyflow as tf


def derivative(x):
    y = x * x * x - 2 * x
    first, = tf.gradients(y, x)
    second, = tf.gradients(first, x)
    return first, second
'''

WRONG = (
    (START, 'is not a tensor'),
    ('''
import tinyflow as tf
def derivative(x):
    y = x * x * x - 2 * x
    first = tf.gradients(y, x)
    return first, tf.gradients(first, x)
''', 'a list'),
    ('''
import tinyflow as tf
def derivative(x):
    y = x * x * x - 2 * x
    first, = tf.gradients(y, x)
    second, = tf.gradients(y, x)
    return first, second
''', 'second derivative'),
)


def check(answer):
    x = tf.placeholder(tf.float32, [])
    both = answer.derivative(x)
    for name, tensor in zip(('first', 'second'), both):
        if isinstance(tensor, list):
            raise Wrong(f'{name} is a list', 'tf.gradients returns one tensor for each x; [0]')
        if not isinstance(tensor, tf.Tensor):
            raise Wrong(f'{name} is not a tensor yet', 'tf.gradients(y, x)[0]')
    with tf.Session() as session:
        for value in (2., -1.5):
            first, second = session.run(both, {x: value})
            if not np.isclose(first, 3 * value ** 2 - 2):
                raise Wrong(f'at {value:g} the first derivative is {first:g}, not 3x² - 2')
            if not np.isclose(second, 6 * value):
                raise Wrong(f'at {value:g} the second derivative is {second:g}, not 6x',
                            'differentiate the first derivative.')
