"""Gradients that are not too long.

Complete `train`: an operation of gradient descent (rate 1) on `loss`. If the gradients of all
Variables *together* are a vector longer than `most`, they are shortened to that length, and their
direction stays.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'training', 5

START = '''
import tinyflow as tf


def train(loss, most):
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    return optimizer.minimize(loss)
'''

HINTS = (
    'minimize is two calls: compute_gradients and apply_gradients. Clip between them.',
    'compute_gradients returns pairs (gradient, Variable): gradients, variables = zip(*pairs)',
    'gradients, _ = tf.clip_by_global_norm(gradients, most)',
)

SOLUTION = '''
import tinyflow as tf


def train(loss, most):
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, _ = tf.clip_by_global_norm(gradients, most)
    return optimizer.apply_gradients(zip(gradients, variables))
'''

_CLIP = 'gradients, _ = tf.clip_by_global_norm(gradients, most)'
WRONG = (
    (START, 'not clipped'),
    (SOLUTION.replace(_CLIP, 'gradients = [tf.clip_by_value(g, -most, most) for g in gradients]'),
     'direction'),
    (SOLUTION.replace(_CLIP, 'gradients = [tf.clip_by_norm(g, most) for g in gradients]'),
     'each for itself'),
    (SOLUTION.replace(_CLIP, _CLIP.replace('most', '1.0')), '`most`'),
)


def check(answer):
    a, b = tf.Variable([0., 0.], name='a'), tf.Variable(0., name='b')
    loss = tf.reduce_sum(a * [2., 3.]) + 6. * b             # the gradient is 2, 3, 6: length 7
    steps = [given(answer.train(loss, most), 'the result') for most in (3.5, 100.)]
    found = []
    with tf.Session() as session:
        for step in steps:
            session.run(tf.global_variables_initializer())
            session.run(step)
            found.append(-np.append(*session.run([a, b])))
    clipped, free = found
    if not np.allclose(free, [2, 3, 6]):
        raise Wrong(f'gradients 2, 3, 6 of length 7 became {free}, though `most` is 100',
                    'too long ones are shortened, the others stay.')
    if np.allclose(clipped, [2, 3, 6]):
        raise Wrong('the gradients are not clipped: their length is 7, and `most` is 3.5',
                    'clip between compute_gradients and apply_gradients.')
    if np.allclose(np.sqrt(np.square(clipped[:2]).sum()), 3.5):
        raise Wrong('the gradients of each Variable are clipped each for itself',
                    'tf.clip_by_global_norm takes all of them.')
    if not np.allclose(clipped, [1, 1.5, 3]):
        raise Wrong(f'gradients 2, 3, 6 became {clipped}, not 1, 1.5, 3: their direction or length '
                    'is wrong', 'tf.clip_by_global_norm(gradients, most)')
