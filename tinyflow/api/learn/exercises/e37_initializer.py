"""Attempting to use uninitialized value.

This program stops at an error, although it runs an initializer. Repair `fit`: it must return the
weight after 50 steps of Adam on (weight - 3)^2.
"""
import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'find the bug', 5

START = '''
import tinyflow as tf


def fit():
    weight = tf.Variable(0.0)
    init = tf.global_variables_initializer()
    train = tf.train.AdamOptimizer(0.3).minimize(tf.square(weight - 3.0))
    with tf.Session() as session:
        session.run(init)
        for _ in range(50):
            session.run(train)
        return session.run(weight)
'''

HINTS = (
    'The error names a Variable that is not in this program. Who made it, and when?',
    'tf.global_variables_initializer() initialises the Variables that exist when it is *made*.',
    'Adam makes Variables, too: make `init` after `minimize`.',
)

SOLUTION = START.replace('    init = tf.global_variables_initializer()\n', '').replace(
    '    with tf', '    init = tf.global_variables_initializer()\n    with tf')

WRONG = (
    (START, 'Variable/Adam'),
    (SOLUTION.replace('            session.run(train)', '            session.run([init, train])'),
     'begin again'),
    (START.replace('AdamOptimizer', 'GradientDescentOptimizer'), 'Adam'),
    (SOLUTION.replace('        session.run(init)\n', ''), 'no value'),
)


def check(answer):
    try:
        found = float(given(answer.fit(), 'the result'))
    except tf.errors.FailedPreconditionError as error:
        raise Wrong(f'a Variable has no value: {str(error).splitlines()[0]}',
                    'make the initializer after all Variables, also those of the optimizer.'
                    ) from None
    if not any('beta1_power' in variable.name for variable in tf.global_variables()):
        raise Wrong('this is not Adam any more')
    if not 2. < found < 4.:
        raise Wrong(f'after 50 steps the weight is {found:.3f}' + (
            ': no step was made' if found == 0 else ': its values begin again and again'),
            'initialise once, before the loop.')
