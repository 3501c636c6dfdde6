"""No gradients provided for any variable.

The program wants as many right answers as possible, and makes that its loss. Repair `train_op`: the
network must be trainable, for the same aim. `labels` [rows] are 0, 1 or 2, `x` is [rows, 2].
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'find the bug', 4

START = '''
import tinyflow as tf


def train_op(x, labels):
    logits = tf.layers.dense(x, 3)
    wrong = tf.not_equal(tf.argmax(logits, axis=1), labels)
    loss = tf.reduce_mean(tf.cast(wrong, tf.float32))
    return tf.train.GradientDescentOptimizer(0.5).minimize(loss)
'''

HINTS = (
    'argmax gives the number of a class. If a weight changes a little, does that number change?',
    'A loss needs a slope: it must change a little when the logits change a little.',
    'loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)',
)

SOLUTION = '''
import tinyflow as tf


def train_op(x, labels):
    logits = tf.layers.dense(x, 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    return tf.train.GradientDescentOptimizer(0.5).minimize(loss)
'''

WRONG = (
    (START, 'no slope'),
    ('''
import tinyflow as tf
def train_op(x, labels):
    logits = tf.layers.dense(x, 3)
    loss = tf.losses.mean_squared_error(labels, tf.argmax(logits, axis=1))
    return tf.train.GradientDescentOptimizer(0.5).minimize(loss)
''', 'no slope'),
    (SOLUTION.replace('0.5', '-0.5'), 'are right'),
    (SOLUTION.replace('minimize(loss)', 'compute_gradients(loss)[0][0]'), 'does not change'),
    (SOLUTION.replace('(x, 3)', '(tf.layers.dense(x, 3), 3)'), 'another one'),
)


def check(answer):
    tf.set_random_seed(1)
    x, labels = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int64, [None])
    kinds = np.arange(60) % 3
    rows = np.array([[0, 2], [2, -1], [-2, -1]])[kinds] + np.random.RandomState(0).normal(
        0, 0.4, (60, 2))
    try:
        step = given(answer.train_op(x, labels), 'the result')
    except ValueError as error:
        if not str(error).startswith('No gradients'):
            raise
        raise Wrong(f'{str(error).splitlines()[0]}: the loss has no slope',
                    'argmax, counting and stop_gradient have none; the cross entropy of the '
                    'logits has.') from None
    if len(tf.trainable_variables()) != 2:
        raise Wrong(f'the network has {len(tf.trainable_variables())} Variables, not a kernel '
                    'and a bias: it is another one', 'change the loss only.')
    bias, kernel = sorted(tf.trainable_variables(), key=lambda variable: variable.shape.ndims)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(kernel)
        for _ in range(100):
            session.run(step, {x: rows, labels: kinds})
        kernel, bias = session.run([kernel, bias])
    if np.array_equal(before, kernel):
        raise Wrong('a step does not change the weights', 'return what minimize returns.')
    share = np.mean((rows @ kernel + bias).argmax(1) == kinds)
    if share < 0.95:
        raise Wrong(f'after 100 steps {share:.0%} are right',
                    'a step must make the loss smaller, and the loss must reward the right class.')
