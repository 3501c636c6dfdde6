"""A counter.

Complete `counter`: return a Variable that begins at 0 (int32), and an operation that adds 1 to it
each time it is run.
"""
import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong

LEVEL, LESSON = 'graph', 3

START = '''
import tinyflow as tf


def counter():
    count = tf.Variable(0)
    add = count + 1
    return count, add
'''

HINTS = (
    '`count + 1` computes a number and forgets it. What writes to a Variable?',
    'tf.assign(variable, value) is an operation that writes when it is run.',
    'add = tf.assign_add(count, 1)',
)

SOLUTION = '''
import tinyflow as tf


def counter():
    count = tf.Variable(0)
    add = tf.assign_add(count, 1)
    return count, add
'''

WRONG = (
    (START, 'stays 0'),
    ('''
import tinyflow as tf
def counter():
    count = tf.Variable(0.)
    return count, tf.assign_add(count, 1.)
''', 'int32'),
    ('''
import tinyflow as tf
def counter():
    count = tf.Variable(0)
    return count, tf.assign(count, 1)
''', 'after 3 runs'),
    ('''
import tinyflow as tf
def counter():
    count = 0
    count += 1
    return count, count
''', 'a Variable'),
)


def check(answer):
    count, add = answer.counter()
    if not hasattr(count, 'initializer'):
        raise Wrong(f'the first result is {count!r}, not a Variable', 'tf.Variable(0)')
    if count.dtype.base_dtype != tf.int32:
        raise Wrong(f'the Variable is of type {count.dtype.base_dtype.name}, not int32',
                    'its type is that of its initial value: 0, not 0.0')
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = []
        for _ in range(3):
            session.run(add)
            found.append(int(session.run(count)))
    if found == [0, 0, 0]:
        raise Wrong('the Variable stays 0', 'an operation that writes to it: tf.assign_add')
    if found != [1, 2, 3]:
        raise Wrong(f'after 3 runs the Variable was {found}, not [1, 2, 3]',
                    'each run must add 1 to the value that is there.')
