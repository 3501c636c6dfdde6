"""Fit a line.

Complete `fit`: train y = w·x + b on the arrays `x` and `y` [points] with gradient descent, and
return w and b as numbers. The mean squared error must fall below 0.01.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong

LEVEL, LESSON = 'training', 5

START = '''
import tinyflow as tf


def fit(x, y):
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    loss = tf.reduce_mean(tf.square(w * x + b - y))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run([w, b])
'''

HINTS = (
    '`train` is one step. How often is it run?',
    'for _ in range(...): sess.run(train)',
    'A few hundred steps are enough with the learning rate 0.1.',
)

SOLUTION = '''
import tinyflow as tf


def fit(x, y):
    w, b = tf.Variable(0.0), tf.Variable(0.0)
    loss = tf.reduce_mean(tf.square(w * x + b - y))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(500):
            sess.run(train)
        return sess.run([w, b])
'''

WRONG = (
    (START, 'run the training step'),
    (SOLUTION.replace('range(500)', 'range(10)'), 'more steps'),
    (SOLUTION.replace('Optimizer(0.1)', 'Optimizer(10.0)'), 'learning rate'),
    (SOLUTION.replace('            sess.run(train)',
                      '            sess.run(tf.global_variables_initializer())\n'
                      '            sess.run(train)'), 'initialize'),
)


def check(answer):
    random = np.random.RandomState(3)
    x = random.uniform(-1, 1, 60).astype(np.float32)
    y = (1.7 * x - 0.6 + random.normal(0, 0.02, 60)).astype(np.float32)
    steps = []
    original = tf.Session.run

    def counted(session, fetches, *args, **kwargs):
        steps.append(fetches)
        return original(session, fetches, *args, **kwargs)
    tf.Session.run = counted
    try:
        w, b = answer.fit(x, y)
    finally:
        tf.Session.run = original
    if isinstance(w, (tf.Tensor, tf.Variable)):
        raise Wrong('w and b are nodes of the graph, not numbers',
                    'return what sess.run([w, b]) gives, inside of the `with` block.')
    if np.size(w) != 1 or np.size(b) != 1:
        raise Wrong(f'w has {np.size(w)} numbers and b has {np.size(b)}: a line has one of each')
    w, b = np.ravel(w)[0], np.ravel(b)[0]
    loss = np.mean((w * x + b - y) ** 2)
    if not np.isfinite(loss):
        raise Wrong(f'w is {w}, b is {b}', 'the learning rate is too high.')
    if w == 0 and b == 0:
        raise Wrong('w and b are still 0', 'run the training step, many times.')
    if loss >= 0.01:
        initialized = sum(getattr(each, 'name', '') == 'init' or 'init' in str(each)
                          for each in steps)
        raise Wrong(f'w is {w:.3f}, b is {b:.3f}: the error is {loss:.3f}, not below 0.01',
                    'initialize once: each time, the Variables are 0 again.'
                    if initialized > 1 else 'train for more steps.')
