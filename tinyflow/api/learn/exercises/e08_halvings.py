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
    (SOLUTION.replace('_, count = ', 'count, _ = '), 'int32'),
)


def check(answer):
    x = tf.placeholder(tf.float32, [])
    try:
        count = given(answer.halvings(x), 'the result')
    except (TypeError, ValueError) as error:
        raise Wrong(str(error).splitlines()[0],
                    'a Python loop cannot wait for a value: use tf.while_loop.') from None
    if tf.convert_to_tensor(count).dtype != tf.int32:
        raise Wrong(f'the result is {tf.convert_to_tensor(count).dtype.name}, not int32',
                    'tf.while_loop returns its loop variables in your order.')
    options = tf.RunOptions(timeout_in_ms=2000)
    with tf.Session() as session:
        for value, wanted in ((10., 4), (0.5, 0), (1., 1), (1000., 10)):
            try:
                found = session.run(count, {x: value}, options)
            except tf.errors.DeadlineExceededError:
                found = 'never known: the loop does not end'
            if found != wanted:
                raise Wrong(f'for {value:g} the result is {found}, not {wanted}',
                            'the loop runs as long as its condition is true: x >= 1.')
