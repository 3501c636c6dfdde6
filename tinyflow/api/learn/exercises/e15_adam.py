"""Adam, by hand.

Complete `adam`: one operation which makes a step of Adam on the Variable `weight` [2]. Keep m and v
(zeros at first) and the number of steps t in Variables. In each run, with gradient g and rate r:

    t = t + 1;   m = 0.9 m + 0.1 g;   v = 0.999 v + 0.001 g^2
    weight = weight - r * sqrt(1 - 0.999^t) / (1 - 0.9^t) * m / (sqrt(v) + 1e-8)
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'training', 5

START = '''
import tinyflow as tf


def adam(weight, gradient, rate):
    m = tf.Variable(tf.zeros([2]), trainable=False)
    v = tf.Variable(tf.zeros([2]), trainable=False)
    t = tf.Variable(0.0, trainable=False)
    return tf.assign_sub(weight, rate * gradient)
'''

HINTS = (
    'tf.assign returns a tensor: the new value. Compute with that, and the order is right.',
    'new_m = tf.assign(m, 0.9 * m + 0.1 * gradient), and new_v and new_t like it.',
    'scale = tf.sqrt(1 - 0.999 ** new_t) / (1 - 0.9 ** new_t), and then one tf.assign_sub.',
)

SOLUTION = '''
import tinyflow as tf


def adam(weight, gradient, rate):
    m = tf.Variable(tf.zeros([2]), trainable=False)
    v = tf.Variable(tf.zeros([2]), trainable=False)
    t = tf.Variable(0.0, trainable=False)
    new_t = tf.assign_add(t, 1.0)
    new_m = tf.assign(m, 0.9 * m + 0.1 * gradient)
    new_v = tf.assign(v, 0.999 * v + 0.001 * tf.square(gradient))
    scale = tf.sqrt(1.0 - 0.999 ** new_t) / (1.0 - 0.9 ** new_t)
    return tf.assign_sub(weight, rate * scale * new_m / (tf.sqrt(new_v) + 1e-8))
'''

WRONG = (
    (START, 'gradient descent'),
    (SOLUTION.replace(' * scale', ''), 'sqrt(1 - 0.999^t) / (1 - 0.9^t)'),
    (SOLUTION.replace('new_m /', 'm /').replace('tf.sqrt(new_v)', 'tf.sqrt(v)'),
     'the new m and v'),
    (SOLUTION.replace('tf.assign_add(t, 1.0)', 'tf.constant(1.0)'), 't counts'),
    ('''
import tinyflow as tf
def adam(weight, gradient, rate):
    return tf.train.AdamOptimizer(rate).apply_gradients([(gradient, weight)])
''', 'by hand'),
)


def check(answer):
    weight, gradient = tf.Variable([1., 2.]), tf.placeholder(tf.float32, [2])
    step = given(answer.adam(weight, gradient, 0.1), 'the result')
    if any(op.type.endswith('ApplyAdam') for op in tf.get_default_graph().get_operations()):
        raise Wrong('this is the Adam of tf.train', 'write its four lines by hand.')
    theirs = tf.Variable([1., 2.])
    reference = tf.train.AdamOptimizer(0.1).apply_gradients([(gradient, theirs)])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        number = 0
        for row in ([3., -4.], [0.1, 2.], [-5., 1.]):
            number += 1
            session.run([step, reference], {gradient: row})
            mine, right = session.run([weight, theirs])
            if not np.allclose(mine, right, atol=1e-5):
                break
        else:
            return
    problem = f'after step {number} the weight is {mine}, not {right}'
    if np.allclose(mine, [0.7, 2.4]):
        raise Wrong(f'{problem}: this is gradient descent', 'first compute the new m, v and t.')
    if number > 1:
        raise Wrong(problem, 't counts the steps, and m and v remember: assign them all.')
    if not np.isfinite(mine).all() or np.array_equal(mine, [1., 2.]):
        raise Wrong(problem, 'compute with the new m and v, the results of tf.assign.')
    raise Wrong(problem, 'm and v begin at 0; the factor sqrt(1 - 0.999^t) / (1 - 0.9^t) corrects '
                         'that.')
