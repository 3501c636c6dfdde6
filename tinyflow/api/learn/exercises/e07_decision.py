"""A decision in the graph.

`a` and `b` are placeholders of shape []. Complete `divide`: return a / b, and 0 where b is 0. The
graph is built before b is known, so a Python `if` cannot decide.
"""
import math

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'graph', 13

START = '''
import tinyflow as tf


def divide(a, b):
    if b == 0:
        return tf.constant(0.0)
    return a / b
'''

HINTS = (
    'b is a tensor: `b == 0` asks whether two Python objects are the same, and they never are.',
    'tf.cond(condition, if_true, if_false) takes two functions without arguments.',
    'return tf.cond(tf.equal(b, 0.0), lambda: 0.0, lambda: a / b)',
)

SOLUTION = '''
import tinyflow as tf


def divide(a, b):
    return tf.cond(tf.equal(b, 0.0), lambda: tf.constant(0.0), lambda: a / b)
'''

WRONG = (
    (START, 'decides when the graph is built'),
    (START.replace('b == 0', 'tf.equal(b, 0.0)'), 'tf.cond'),
    (SOLUTION.replace('tf.constant(0.0)', 'tf.constant(0)'), '0.0'),
    (SOLUTION.replace('lambda: tf.constant(0.0), lambda: a / b', 'lambda: a / b, '
                      'lambda: tf.constant(0.0)'), 'exchanged'),
    (SOLUTION.replace('tf.equal(b, 0.0)', 'b == 0'), 'tf.equal(b, 0.0) is a tensor'),
    (SOLUTION.replace('tf.equal(b, 0.0)', 'b <= 0'), '3 / -6'),
)


def check(answer):
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    try:
        result = given(answer.divide(a, b), 'the result')
    except (TypeError, ValueError) as error:
        text = str(error)
        hint = ('`b == 0` is a Python bool; tf.equal(b, 0.0) is a tensor.' if 'pred must' in text
                else 'use tf.cond.' if 'bool' in text or 'truth' in text
                else 'tf.cond takes functions: lambda: 0.0' if 'callable' in text
                else 'both branches must have one dtype: 0.0, not 0.')
        raise Wrong(str(error).splitlines()[0], hint) from None
    with tf.Session() as session:
        half, zero, below = (float(session.run(result, {a: 3., b: by})) for by in (6., 0., -6.))
    if half == 0 and zero != 0:
        raise Wrong('the two branches are exchanged', 'the first function is for True.')
    if zero != 0:
        raise Wrong(f'3 / 0 is {zero}, not 0' + ': a Python `if` decides when the graph is built'
                    * math.isinf(zero), 'tf.cond decides in each run.')
    if half != 0.5:
        raise Wrong(f'3 / 6 is {half}, not 0.5')
    if below != -0.5:
        raise Wrong(f'3 / -6 is {below}, not -0.5', 'only b = 0 is special: tf.equal(b, 0.0)')
