"""A loop in the graph.

`x` is a placeholder of shape []. Complete `halvings`: how often must x be halved until it is below
1? Return an int32 tensor: 0 for 0.5, 1 for 1, 4 for 10.
"""
import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'graph', 13

START = '''
import tinyflow as tf


def halvings(x):
    count = 0
    while x >= 1:
        x = x / 2
        count += 1
    return count
'''

HINTS = (
    'The loop has two variables, x and the count; both change in each turn.',
    'tf.while_loop(cond, body, [x, count]): both functions take x and count, body returns both.',
    '_, count = tf.while_loop(lambda x, n: x >= 1., lambda x, n: (x / 2., n + 1), [x, 0])',
)

SOLUTION = '''
import tinyflow as tf


def halvings(x):
    _, count = tf.while_loop(lambda x, count: x >= 1.0,
                             lambda x, count: (x / 2.0, count + 1),
                             [x, tf.constant(0)])
    return count
'''

WRONG = (
    (START, 'tf.while_loop'),
    (SOLUTION.replace('x >= 1.0', 'x < 1.0'), 'as long as'),
    (SOLUTION.replace('x >= 1.0', 'x > 1.0'), 'for 1'),
    (SOLUTION.replace('_, count = ', 'count, _ = '), 'this is x'),
    (SOLUTION.replace('_, count = ', 'count = '), 'not the count alone'),
    (SOLUTION.replace('tf.constant(0)', '0.0'), 'begins as an int32'),
)


def _value(count, x):
    with tf.Session() as session:
        return session.run(count, {x: 10.})


def check(answer):
    x = tf.placeholder(tf.float32, [])
    try:
        count = given(answer.halvings(x), 'the result')
    except (TypeError, ValueError) as error:
        raise Wrong(str(error).splitlines()[0],
                    'a Python loop cannot wait for a value: use tf.while_loop.') from None
    if isinstance(count, (list, tuple)):
        raise Wrong(f'the result is a {type(count).__name__} of {len(count)}, not the count alone',
                    'tf.while_loop returns all loop variables: x, count = tf.while_loop(...)')
    if not isinstance(count, tf.Tensor):
        raise Wrong(f'the result is {count!r}, not a tensor',
                    'Python counts while the graph is built: make the count a loop variable.')
    if count.dtype != tf.int32:
        raise Wrong(f'the result is {count.dtype.name}, not int32',
                    'this is x: tf.while_loop returns its loop variables in your order.'
                    if count.op.inputs and _value(count, x) < 1 else
                    'the count begins as an int32: tf.constant(0)')
    options = tf.RunOptions(timeout_in_ms=2000)
    with tf.Session() as session:
        for value, wanted in ((10., 4), (0.5, 0), (1., 1), (1000., 10)):
            try:
                found = session.run(count, {x: value}, options)
            except tf.errors.DeadlineExceededError:
                found = 'never known: the loop does not end'
            if found != wanted:
                raise Wrong(f'for {value:g} the result is {found}, not {wanted}',
                            'the functions of tf.while_loop are called once, to build the graph; '
                            'what they count in Python is 1.' if found == 1 < wanted else
                            'the loop runs as long as its condition is true: x >= 1.')
