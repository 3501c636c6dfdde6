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
    (START.replace('first = ...', 'first = 3 * x * x - 2').replace('= ...', '= 6 * x'), 'by hand'),
    (SOLUTION.replace('    y =', '    x = tf.Variable(2.0)\n    y ='), 'do not depend on the x'),
)


def _depends_on(tensors, x):
    found, todo = set(), [tensor.op for tensor in tensors]
    while todo:
        op = todo.pop()
        if op not in found:
            found.add(op)
            todo += [each.op for each in op.inputs]
    return x.op in found


def check(answer):
    x = tf.placeholder(tf.float32, [])
    both = answer.derivative(x)
    for name, tensor in zip(('first', 'second'), both):
        if isinstance(tensor, list):
            raise Wrong(f'{name} is a list', 'tf.gradients returns one tensor for each x; [0]')
        if not isinstance(tensor, tf.Tensor):
            raise Wrong(f'{name} is not a tensor yet', 'tf.gradients(y, x)[0]')
    if not _depends_on(both, x):
        raise Wrong('the tensors do not depend on the x that the function was given',
                    'differentiate by this x; make no other one.')
    if not any('grad' in op.name.lower() for op in tf.get_default_graph().get_operations()):
        raise Wrong('there is no gradient in the graph: the formulas are written by hand',
                    'let the graph do it: tf.gradients(y, x)[0]')
    with tf.Session() as session:
        for value in (2., -1.5):
            first, second = session.run(both, {x: value})
            if not np.isclose(first, 3 * value ** 2 - 2):
                raise Wrong(f'at {value:g} the first derivative is {first:g}, not 3x² - 2',
                            'tf.gradients(y, x): of what, and then by what.')
            if not np.isclose(second, 6 * value):
                raise Wrong(f'at {value:g} the second derivative is {second:g}, not 6x',
                            'differentiate the first derivative.')
