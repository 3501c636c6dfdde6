"""The longest way.

However many cores a machine has, operations that depend on each other run one after another.
Complete `depth`: how many operations has the longest chain that ends in `tensor`, itself included?
"""
import sys
from collections import Counter

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'inside', 7

START = '''
def depth(tensor):
    return len(tensor.graph.get_operations())
'''

HINTS = (
    'A node without inputs has depth 1. What is the depth of a node above two of depths 3 and 5?',
    '1 + max(...) of the depths of its inputs; max has default=0.',
    'Two inputs of each node, 30 levels: 2 ** 30 ways. functools.cache on a function of op helps.',
)

SOLUTION = '''
from functools import cache


@cache
def depth(tensor):
    return 1 + max((depth(each) for each in tensor.op.inputs), default=0)
'''

WRONG = (
    (START, 'the longest chain'),
    (SOLUTION.replace('max(', 'min('), 'the shortest'),
    (SOLUTION.replace('max((', 'sum((').replace(', default=0', ''), 'the longest chain'),
    (SOLUTION.replace('1 + max', 'max'), 'is 0'),
    (SOLUTION.replace('@cache', ''), 'calls'),
    (SOLUTION.replace(', default=0', ''), 'default=0'),
)


def check(answer):
    a = tf.constant(1.)
    b = tf.negative(tf.negative(a))
    c = tf.add(a, b)
    cases = [(a, 1, 'a constant'), (b, 3, '-(-a)'), (c, 4, 'a + -(-a)')]
    for tensor, wanted, name in cases:
        try:
            found = given(answer.depth(tensor), 'the result')
        except ValueError as error:
            if 'empty' not in str(error):
                raise
            raise Wrong('a constant has no inputs, and max of nothing is an error',
                        'max(..., default=0)') from None
        if found != wanted:
            shortest = found == 2 and name == 'a + -(-a)'
            raise Wrong(f'the depth of {name} is {found}, not {wanted}'
                        + ': the shortest chain' * shortest,
                        'it is the longest chain that counts, not the number of nodes.')
    for _ in range(12):
        c = tf.add(c, c)
    calls, before = Counter(), sys.getprofile()
    sys.setprofile(lambda frame, event, _: calls.update([event]))
    try:
        found = answer.depth(c)
    finally:
        sys.setprofile(before)
    if found != 16:
        raise Wrong(f'the depth of a chain of 16 is {found}')
    if calls['call'] > 2000:
        raise Wrong(f'for a graph of 16 nodes, {calls["call"]} calls were made',
                    'remember the depth of each node: functools.cache')
