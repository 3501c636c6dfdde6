"""Feed two placeholders.

Complete `hypotenuse`: make placeholders `a` and `b` (float32, any shape), and the tensor
c = sqrt(a * a + b * b). Return the three tensors. Nothing is computed in this function.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong

LEVEL, LESSON = 'graph', 2

START = '''
import tinyflow as tf


def hypotenuse():
    a = ...
    b = ...
    c = ...
    return a, b, c
'''

HINTS = (
    'A placeholder is made by tf.placeholder(tf.float32).',
    'tf.sqrt takes a tensor; a * a is one.',
    'a = tf.placeholder(tf.float32); c = tf.sqrt(a * a + b * b)',
)

SOLUTION = '''
import tinyflow as tf


def hypotenuse():
    a = tf.placeholder(tf.float32)
    b = tf.placeholder(tf.float32)
    c = tf.sqrt(a * a + b * b)
    return a, b, c
'''

WRONG = (
    (START, 'is not a tensor'),
    ('''
import numpy as np
import tinyflow as tf
def hypotenuse():
    a, b = 3.0, 4.0
    return a, b, tf.constant(np.sqrt(a * a + b * b))
''', 'a placeholder'),
    ('''
import tinyflow as tf
def hypotenuse():
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    return a, b, tf.sqrt(a + b)
''', 'for a=3 and b=4'),
    ('''
import tinyflow as tf
def hypotenuse():
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    return a, b, tf.sqrt(a * a + b * b)
''', 'any shape'),
)


def check(answer):
    a, b, c = answer.hypotenuse()
    for name, tensor in (('a', a), ('b', b)):
        if not isinstance(tensor, tf.Tensor) or tensor.op.type != 'Placeholder':
            raise Wrong(f'{name} is {tensor!r}, not a placeholder' if tensor is not ... else
                        f'{name} is not a tensor yet', 'tf.placeholder(tf.float32)')
        if tensor.dtype != tf.float32:
            raise Wrong(f'{name} is of type {tensor.dtype.name}, not float32',
                        'tf.placeholder(tf.float32)')
        if tensor.shape.ndims is not None:
            raise Wrong(f'{name} has the shape {tensor.shape}, but should take any shape',
                        'leave the shape out.')
    if not isinstance(c, tf.Tensor):
        raise Wrong('c is not a tensor' + f': {c!r:.60}' * (c is not ...),
                    'describe it with tf.sqrt, and run nothing; what it is will be asked later.')
    with tf.Session() as session:
        for x, y, wanted in ((3., 4., 5.), ([6., 5.], [8., 12.], [10., 13.])):
            found = session.run(c, {a: x, b: y})
            if not np.allclose(found, wanted):
                raise Wrong(f'for a={x:g} and b={y:g} c is {found}, not {wanted:g}'
                            if isinstance(x, float) else f'for arrays c is {found}, not {wanted}',
                            'c = sqrt(a * a + b * b)')
