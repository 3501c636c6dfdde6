"""A row plus a column.

`x` has the shape [rows, 3]. Complete `standardize`: subtract from each column its mean and divide
by its standard deviation (of the population: the mean of the squares of the distances).
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong

LEVEL, LESSON = 'graph', 2

START = '''
import tinyflow as tf


def standardize(x):
    return x
'''

HINTS = (
    'tf.reduce_mean(x) is one number. Which argument makes it one number for each column?',
    'The means of the columns have the shape [3]; x - means repeats them for every row.',
    'means = tf.reduce_mean(x, axis=0); variance = tf.reduce_mean(tf.square(x - means), axis=0)',
)

SOLUTION = '''
import tinyflow as tf


def standardize(x):
    means = tf.reduce_mean(x, axis=0)
    variances = tf.reduce_mean(tf.square(x - means), axis=0)
    return (x - means) / tf.sqrt(variances)
'''

WRONG = (
    (START, 'the means of the columns'),
    ('''
import tinyflow as tf
def standardize(x):
    mean = tf.reduce_mean(x)
    return (x - mean) / tf.sqrt(tf.reduce_mean(tf.square(x - mean)))
''', 'axis=0'),
    ('''
import tinyflow as tf
def standardize(x):
    means = tf.reduce_mean(x, axis=0)
    return (x - means) / tf.reduce_mean(tf.square(x - means), axis=0)
''', 'square root'),
    (SOLUTION.replace('tf.reduce_mean(tf.square(x - means), axis=0)',
                      'tf.reduce_sum(tf.square(x - means), axis=0) / 49.0'), 'not by one less'),
    ('''
import tinyflow as tf
def standardize(x):
    means = tf.reduce_mean(x, axis=1, keepdims=True)
    return (x - means) / tf.sqrt(tf.reduce_mean(tf.square(x - means), axis=1, keepdims=True))
''', 'axis=0'),
)


def check(answer):
    x = tf.placeholder(tf.float32, [None, 3])
    result = tf.convert_to_tensor(answer.standardize(x))
    rows = np.random.RandomState(0).normal([1, 20, -5], [1, 5, 0.3], (50, 3))
    with tf.Session() as session:
        found = session.run(result, {x: rows})
    if found.shape != rows.shape:
        raise Wrong(f'the result has the shape {found.shape}, not that of x, {rows.shape}',
                    'tf.reduce_mean(x, axis=0) has the shape [3], and x - that has the shape of x.')
    if not np.allclose(found.mean(0), 0, atol=1e-4):
        raise Wrong(f'the means of the columns are {np.round(found.mean(0), 3)}, not 0',
                    'the mean of each column is tf.reduce_mean(x, axis=0).')
    if not np.allclose(found.std(0), 1, atol=1e-3):
        raise Wrong(f'the standard deviations of the columns are {np.round(found.std(0), 3)}, not '
                    '1', 'of the population: divide by the number of rows, not by one less.'
                    if np.allclose(found.std(0), np.sqrt(0.98), atol=1e-3) else
                    'the standard deviation is the square root of the variance.')
