"""A loss that skips what is unknown.

Some labels are missing; they are -1. Complete `known_error(labels, found)`, both [rows, 3]: the
mean of the squared differences over all *known* labels of the batch, a scalar.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'Keras', 15

START = '''
import tinyflow as tf


def known_error(labels, found):
    return tf.reduce_mean(tf.square(labels - found))
'''

HINTS = (
    'Make a mask first: 1 where a label is known, 0 where it is -1.',
    'Multiply the squares by the mask and add them up. By what must the sum be divided?',
    'mask = tf.cast(tf.not_equal(labels, -1.), tf.float32); sum(mask * squares) / sum(mask)',
)

SOLUTION = '''
import tinyflow as tf


def known_error(labels, found):
    mask = tf.cast(tf.not_equal(labels, -1.0), tf.float32)
    squares = mask * tf.square(labels - found)
    return tf.reduce_sum(squares) / tf.reduce_sum(mask)
'''

WRONG = (
    (START, 'the missing labels count'),
    (SOLUTION.replace('tf.reduce_sum(squares) / tf.reduce_sum(mask)', 'tf.reduce_mean(squares)'),
     'divided by all'),
    (SOLUTION.replace('tf.not_equal', 'tf.equal'), 'only the missing'),
    (SOLUTION.replace('tf.reduce_sum(squares)', 'squares'), 'a scalar'),
    (SOLUTION.replace('tf.not_equal(labels, -1.0)', 'labels > 0'), '0 is a known one'),
)


def check(answer):
    labels, found = (tf.placeholder(tf.float32, [None, 3]) for _ in range(2))
    error = tf.convert_to_tensor(given(answer.known_error(labels, found), 'the result'))
    known = np.array([[1., -1., 3.], [-1., -1., 5.], [0., 2., -1.]])
    guesses = np.array([[2., 9., 3.], [7., 7., 7.], [1., 2., 4.]])
    squares, mask = np.square(known - guesses), known != -1
    with tf.Session() as session:
        value = session.run(error, {labels: known, found: guesses})
    if np.ndim(value):
        raise Wrong(f'the result has the shape {value.shape}; a loss is a scalar')
    for wrong, words in ((squares.mean(), 'the missing labels count as if they were -1'),
                         (squares[~mask].mean(), 'only the missing labels count'),
                         ((squares * mask).mean(), 'the sum is divided by all labels, also by the '
                                                   'missing ones')):
        if np.isclose(value, wrong):
            raise Wrong(f'the result is {value:.4f}: {words}', 'divide by the sum of the mask.')
    if not np.isclose(value, squares[mask].mean()):
        raise Wrong(f'the result is {value:.4f}, not {squares[mask].mean():.4f}',
                    'one mean over all known labels; 0 is a known one.')
