"""First this, then that.

`a` and `b` are Variables: two accounts. Complete `transfer`: return one tensor that, in each run,
first moves `amount` from `a` to `b`, and is then b - a, the difference *after* the transfer.
"""
import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'graph', 3

START = '''
import tinyflow as tf


def transfer(a, b, amount):
    tf.assign_sub(a, amount)
    tf.assign_add(b, amount)
    return b - a
'''

HINTS = (
    'An operation runs only if it is fetched or needed by what is fetched. Who needs the two '
    'assignments?',
    'with tf.control_dependencies([...]): what is made in the block runs after what is listed.',
    'Make both assignments; in the block return tf.identity(b) - tf.identity(a).',
)

SOLUTION = '''
import tinyflow as tf


def transfer(a, b, amount):
    moved = [tf.assign_sub(a, amount), tf.assign_add(b, amount)]
    with tf.control_dependencies(moved):
        return tf.identity(b) - tf.identity(a)
'''

WRONG = (
    (START, 'nothing needs the assignments'),
    (SOLUTION.replace('    moved = [', '    difference = tf.identity(b) - tf.identity(a)\n    with '
                      'tf.control_dependencies([difference]):\n        moved = [')
     .replace('return tf.identity(b) - tf.identity(a)', 'return tf.identity(difference)'),
     'before the transfer'),
    (SOLUTION.replace('(moved)', '(moved[:1])'), 'b is 0'),
)


def check(answer):
    a, b = tf.Variable(10, name='a'), tf.Variable(0, name='b')
    result = given(answer.transfer(a, b, 3), 'the result')
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        if isinstance(result, (list, tuple)):
            raise Wrong(f'the result is a {type(result).__name__}, not one tensor',
                        'return the difference alone, and let it wait for the assignments.')
        found, left, right = session.run(result), *session.run([a, b])
        if left == 10:
            raise Wrong('a is still 10 after a run: nothing needs the assignments',
                        'tf.control_dependencies makes what is *made* in its block wait for them.')
        if (left, right) != (7, 3):
            raise Wrong(f'after a transfer of 3 from 10, a is {left} and b is {right}',
                        'list both assignments in tf.control_dependencies([...]).')
        if found != -4:
            raise Wrong(f'the result is {found}, not -4' + ', the difference before the transfer'
                        * bool(found == -10), 'read the Variables in the block: tf.identity(b).')
        if session.run(result) != 2:
            raise Wrong('a second run must move the amount again')
