"""A learning rate that falls.

`step` is the global step, an int64 Variable. Complete `rate`: 0.1 in steps 0 to 99, 0.01 in steps
100 to 199, 0.001 from step 200 on. The graph is built once; the step changes.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'training', 5

START = '''
import tinyflow as tf


def rate(step):
    return 0.1
'''

HINTS = (
    'tf.train has functions that make a learning rate from a step; one is constant piece by piece.',
    'tf.train.piecewise_constant(step, boundaries, values): a boundary is the last of its piece.',
    'tf.train.piecewise_constant(step, [99, 199], [0.1, 0.01, 0.001])',
)

SOLUTION = '''
import tinyflow as tf


def rate(step):
    return tf.train.piecewise_constant(step, [99, 199], [0.1, 0.01, 0.001])
'''

WRONG = (
    (START, 'always'),
    (SOLUTION.replace('99, 199', '100, 200'), 'in step 100'),
    ('''
import tinyflow as tf
def rate(step):
    return 0.1 if step < 100 else 0.01 if step < 200 else 0.001
''', 'truth value'),
    ('''
import tinyflow as tf
def rate(step):
    return tf.train.exponential_decay(0.1, step, 100, 0.1)
''', 'staircase'),
)


def check(answer):
    step = tf.train.create_global_step()
    try:
        result = tf.convert_to_tensor(given(answer.rate(step), 'the result'))
    except TypeError as error:
        raise Wrong(str(error).splitlines()[0],
                    'the truth value of a tensor is not known yet: use tf.train.piecewise_constant.'
                    if 'truth' in str(error) else
                    'tf.train.piecewise_constant(step, boundaries, values)'
                    ) from None
    with tf.Session() as session:
        found = {}
        for number in (0, 50, 99, 100, 199, 200, 5000):
            step.load(number, session)
            found[number] = float(session.run(result))
    wanted = {number: 0.1 if number < 100 else 0.01 if number < 200 else 0.001 for number in found}
    if len(set(found.values())) == 1:
        raise Wrong(f'the rate is always {found[0]:g}', 'it must depend on `step`.')
    for number, value in found.items():
        if not np.isclose(value, wanted[number]):
            raise Wrong(f'in step {number} the rate is {value:.4g}, not {wanted[number]:g}',
                        'it falls in stairs: exponential_decay has staircase=True.'
                        if number == 50 else 'from step 200 on it stays.' if number == 5000 else
                        'which side does a boundary belong to?')
