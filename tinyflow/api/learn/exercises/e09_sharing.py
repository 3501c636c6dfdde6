"""One layer, used twice.

Complete `compare`: put `left` and `right`, both [rows, 3], through the *same* dense layer of 2
units, and return the squared distance of the two results, [rows]. There must be one kernel and one
bias, not two of each.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'graph', 9

START = '''
import tinyflow as tf


def compare(left, right):
    a = tf.layers.dense(left, 2)
    b = tf.layers.dense(right, 2)
    return tf.reduce_sum(tf.square(a - b), axis=1)
'''

HINTS = (
    'Two calls without a name make two layers, dense and dense_1.',
    'The same name finds the same Variables, if it is allowed: reuse=...',
    "tf.layers.dense(left, 2, name='layer', reuse=tf.AUTO_REUSE), and the same for right",
)

SOLUTION = '''
import tinyflow as tf


def compare(left, right):
    a = tf.layers.dense(left, 2, name='layer', reuse=tf.AUTO_REUSE)
    b = tf.layers.dense(right, 2, name='layer', reuse=tf.AUTO_REUSE)
    return tf.reduce_sum(tf.square(a - b), axis=1)
'''

WRONG = (
    (START, '4 Variables'),
    (START.replace(', 2)', ", 2, name='layer')"), 'reuse'),
    (SOLUTION.replace('dense(right', 'dense(left'), 'does not depend on `right`'),
    (SOLUTION.replace(', axis=1', ''), 'each row'),
)


def check(answer):
    left, right = (tf.placeholder(tf.float32, [None, 3]) for _ in range(2))
    try:
        distance = given(answer.compare(left, right), 'the result')
    except ValueError as error:
        raise Wrong(str(error).splitlines()[0],
                    'reuse=tf.AUTO_REUSE makes the Variables in the first call, and finds them in '
                    'the second.') from None
    count = len(tf.trainable_variables())
    if count != 2:
        raise Wrong(f'the graph has {count} Variables, not 2: the layer is not shared',
                    'one name for both, and reuse=tf.AUTO_REUSE')
    rows = np.random.RandomState(0).normal(size=(2, 5, 3))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        apart = session.run(distance, {left: rows[0], right: rows[1]})
        same = session.run(distance, {left: rows[0], right: rows[0]})
        kernel = max(session.run(tf.trainable_variables()), key=np.ndim)
    if apart.shape != (5,):
        raise Wrong(f'the result has the shape {apart.shape}, not [rows]: one distance for each '
                    'row', 'axis=1, without keepdims' if apart.shape == (5, 1) else 'axis=1')
    if not apart.any():
        raise Wrong('the result does not depend on `right`')
    if same.any():
        raise Wrong('equal rows have a distance')
    if not np.allclose(apart, np.square((rows[0] - rows[1]) @ kernel).sum(1), rtol=1e-3):
        raise Wrong('the result is not the squared distance',
                    'tf.reduce_sum(tf.square(a - b), axis=1)')
