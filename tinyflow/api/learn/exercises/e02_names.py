"""Name what you make.

Complete `build`: the constants 2.0 and 3.0 are named `two` and `three`, their sum is `sum`, and all
three are in the name scope `numbers`. Return the sum.
"""
import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'graph', 1

START = '''
import tinyflow as tf


def build():
    two = tf.constant(2.0)
    three = tf.constant(3.0)
    return two + three
'''

HINTS = (
    'Every function that makes a node takes name=...; `+` does not, tf.add does.',
    'with tf.name_scope("numbers"): puts "numbers/" before the names of what is made inside.',
    'with tf.name_scope("numbers"): ... return tf.add(two, three, name="sum")',
)

SOLUTION = '''
import tinyflow as tf


def build():
    with tf.name_scope('numbers'):
        two = tf.constant(2.0, name='two')
        three = tf.constant(3.0, name='three')
        return tf.add(two, three, name='sum')
'''

WRONG = (
    (START, 'numbers/sum'),
    ('''
import tinyflow as tf
def build():
    two, three = tf.constant(2.0, name='two'), tf.constant(3.0, name='three')
    with tf.name_scope('numbers'):
        return tf.add(two, three, name='sum')
''', 'numbers/two'),
    ('''
import tinyflow as tf
def build():
    with tf.name_scope('numbers'):
        return tf.add(tf.constant(2.0, name='two'), tf.constant(2.0, name='three'), name='sum')
''', '5'),
)


def check(answer):
    result = answer.build()
    operation = tf.get_default_graph().get_operation_by_name
    names = {op.name for op in tf.get_default_graph().get_operations()}
    for name in ('sum', 'two', 'three'):
        if f'numbers/{name}' not in names:
            raise Wrong(f"there is no node 'numbers/{name}', but: {', '.join(sorted(names))}",
                        'the scope was entered twice: the second time it is numbers_1. '
                        'Make all three in one block.' if f'numbers_1/{name}' in names else
                        'make it inside the scope: with tf.name_scope(...):' if name in names else
                        'make it inside the scope, with name=...')
        if name != 'sum' and operation(f'numbers/{name}').type != 'Const':
            raise Wrong(f"'numbers/{name}' is no constant but a "
                        f"{operation(f'numbers/{name}').type}", 'tf.constant')
    given(result, 'the result')
    with tf.Session() as session:
        if session.run(result) != 5:
            raise Wrong(f'the sum is {session.run(result)}, not 5')
