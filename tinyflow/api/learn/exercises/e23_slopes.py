"""Is the gradient right?

Complete `slopes`: the gradient of the scalar tensor `y` for the placeholder `x` at the array
`where`, without tf.gradients: for each element (y(x + h) - y(x - h)) / 2h, with h = 0.01.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'inside', 4

START = '''
import numpy as np


def slopes(session, y, x, where):
    h = 0.01
    up = session.run(y, {x: where + h})
    down = session.run(y, {x: where - h})
    return (up - down) / (2 * h)
'''

HINTS = (
    'Each element needs two runs of its own, in which only this element is moved.',
    'np.ndindex(where.shape) gives the places of all elements. Copy `where` before you change it.',
    'moved = np.array(where, float); moved[at] += h; up = session.run(y, {x: moved})',
)

SOLUTION = '''
import numpy as np


def slopes(session, y, x, where):
    h, found = 0.01, np.zeros(np.shape(where))
    for at in np.ndindex(found.shape):
        up, down = np.array(where, float), np.array(where, float)
        up[at] += h
        down[at] -= h
        found[at] = (session.run(y, {x: up}) - session.run(y, {x: down})) / (2 * h)
    return found
'''

WRONG = (
    (START, 'the shape of x'),
    (SOLUTION.replace('down[at] -= h', 'pass').replace('(2 * h)', 'h'), 'both sides'),
    (SOLUTION.replace('up, down = np.array(where, float), np.array(where, float)',
                      'up = down = where'), 'a copy'),
    (SOLUTION.replace('(2 * h)', 'h'), 'twice'),
    (SOLUTION.replace('/ (2 * h)', '/ 2 * h'), 'multiplies by h'),
    ('''
import tinyflow as tf
def slopes(session, y, x, where):
    return session.run(tf.gradients(y, x)[0], {x: where})
''', 'measure'),
)


def check(answer):
    x = tf.placeholder(tf.float32, [2, 2])
    y = tf.reduce_sum(x ** 3) + x[0, 0] * x[1, 1]
    where = np.array([[1., 2.], [0.5, 3.]])
    right = 3 * where ** 2 + [[3, 0], [0, 1]]
    with tf.Session() as session:
        found = np.asarray(given(answer.slopes(session, y, x, where.copy()), 'the result'))
    if any('grad' in op.name.lower() for op in tf.get_default_graph().get_operations()):
        raise Wrong('this asks tf.gradients', 'measure: run y at both sides of x.')
    if found.shape != (2, 2):
        raise Wrong(f'the result has the shape {found.shape}, not the shape of x, (2, 2)',
                    'found.reshape(where.shape)' if found.size == 4 else
                    'one slope for each element: move one at a time.')
    if np.allclose(found, 2 * right, rtol=0.02):
        raise Wrong('all slopes are twice as large as they should be', 'divide by 2 h.')
    if np.allclose(found, 1e-4 * right, rtol=0.05):
        raise Wrong('all slopes are 10000 times too small',
                    '/ 2 * h divides by 2 and multiplies by h: / (2 * h)')
    if not found.any():
        raise Wrong('all slopes are 0: up and down are the same array', 'change a copy.')
    if not np.allclose(found, right, atol=0.01):
        raise Wrong(f'the slopes are {found.round(3).tolist()}, not {right.tolist()}',
                    'step to both sides of x: (y(x + h) - y(x - h)) / 2h.'
                    if np.allclose(found, right, atol=0.3) else 'change a copy of `where`.')
