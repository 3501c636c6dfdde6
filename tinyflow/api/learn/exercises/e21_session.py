"""Your own Session.run.

Complete `run`: the value of `tensor` as an array, computed with NumPy. `values` maps placeholders
to arrays. The operations are of the types Placeholder, Add, Mul, Neg and MatMul. Each must be
computed once, however many others need it.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'inside', 7

START = '''
import numpy as np


def run(tensor, values):
    if tensor.op.type == 'Placeholder':
        return values[tensor]
    inputs = [run(each, values) for each in tensor.op.inputs]
    return ...
'''

HINTS = (
    'A dict leads from the type to the function: {"Add": np.add, ...}[tensor.op.type](*inputs)',
    'What was computed must be remembered: in a dict from tensors to values.',
    'Begin with values = dict(values); when a tensor has been computed, put it in there, too.',
)

SOLUTION = '''
import numpy as np

KERNELS = {'Add': np.add, 'Mul': np.multiply, 'Neg': np.negative, 'MatMul': np.matmul}


def run(tensor, values):
    values = dict(values)

    def value(each):
        if each not in values:
            inputs = [value(before) for before in each.op.inputs]
            values[each] = KERNELS[each.op.type](*inputs)
        return values[each]
    return value(tensor)
'''

WRONG = (
    (START, 'is ...'),
    ('''
import numpy as np
KERNELS = {'Add': np.add, 'Mul': np.multiply, 'Neg': np.negative, 'MatMul': np.matmul}
def run(tensor, values):
    if tensor.op.type == 'Placeholder':
        return values[tensor]
    return KERNELS[tensor.op.type](*[run(each, values) for each in tensor.op.inputs])
''', 'once'),
    (SOLUTION.replace("'MatMul': np.matmul", "'MatMul': np.multiply"), 'matrix product'),
    (SOLUTION.replace('    values = dict(values)\n', ''), 'second run'),
    ('''
import tinyflow as tf
def run(tensor, values):
    return tf.Session().run(tensor, values)
''', 'with NumPy'),
)


class _Counted(np.ndarray):
    """An array that counts how often it takes part in a calculation."""

    uses = 0

    def __array_ufunc__(self, function, method, *inputs, **options):
        _Counted.uses += 1
        plain = [np.asarray(each) for each in inputs]
        return getattr(function, method)(*plain, **options).view(_Counted)


def _without_session(call):
    original, used = tf.Session.run, []

    def noted(*args, **kwargs):
        used.append(args)
        return original(*args, **kwargs)
    tf.Session.run = noted
    try:
        call()
    finally:
        tf.Session.run = original
    return not used


def check(answer):
    x, w = (tf.placeholder(tf.float32, [2, 2], name=name) for name in 'xw')
    product = tf.matmul(tf.negative(x), w)
    y = product
    for _ in range(10):
        y = tf.add(y, tf.multiply(y, x))
    rows = np.array([[0.1, 0.2], [0.3, 0.1]])
    values = {x: rows.view(_Counted), w: np.array([[1., 2.], [3., 5.]]).view(_Counted)}
    _Counted.uses = 0
    if not _without_session(lambda: answer.run(product, values)):
        raise Wrong('the value comes from Session.run', 'compute it with NumPy.')
    _Counted.uses = 0
    found = np.asarray(given(answer.run(y, values), 'the result'))
    uses = _Counted.uses
    if found.dtype == object or found.shape != (2, 2):
        raise Wrong(f'the result is {found}', 'inputs are computed first, then the operation.')
    if not np.allclose(answer.run(product, values), -rows @ [[1, 2], [3, 5]]):
        raise Wrong('MatMul is the matrix product', 'np.matmul')
    with tf.Session() as session:
        feeds = {x: np.asarray(values[x]), w: np.asarray(values[w])}
        wanted = session.run(y, feeds)
    if not np.allclose(found, wanted):
        raise Wrong(f'the result is {found}, not {wanted}')
    if uses > 30:
        raise Wrong(f'22 operations were computed {uses} times, not each once',
                    'remember what was computed, in a dict.')
    again = answer.run(y, {**values, x: (rows * 2).view(_Counted)})
    other = answer.run(y, values)
    if not np.allclose(other, wanted) or np.allclose(again, wanted):
        raise Wrong('a second run gives the values of the first',
                    'begin each call with a dict of its own, not one that stays.')
    if len(values) > 2:
        raise Wrong('the dict of the caller has changed: a second run would find old values',
                    'values = dict(values)')
