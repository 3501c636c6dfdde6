"""What a run needs.

Complete `needed`: the set of the names of all operations that `session.run(tensor)` has to run.
Begin with `tensor.op`; an operation has `inputs` (tensors) and `control_inputs` (operations). Run
nothing.
"""
import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'inside', 7

START = '''
def needed(tensor):
    return {op.name for op in tensor.graph.get_operations()}
'''

HINTS = (
    'Keep a list of operations still to be looked at, and a set of those that are found.',
    'From an operation lead on: the `op` of each of its inputs, and its control inputs.',
    'todo = [tensor.op]; while todo: op = todo.pop(); if it is new, note it and add both kinds',
)

SOLUTION = '''
def needed(tensor):
    found, todo = set(), [tensor.op]
    while todo:
        op = todo.pop()
        if op.name not in found:
            found.add(op.name)
            todo += [each.op for each in op.inputs] + list(op.control_inputs)
    return found
'''

WRONG = (
    (START, 'unused'),
    (SOLUTION.replace(' + list(op.control_inputs)', ''), 'control_inputs'),
    ('''
def needed(tensor):
    return {tensor.op.name} | {each.op.name for each in tensor.op.inputs}
''', 'inputs of inputs'),
    ('''
def needed(tensor):
    return {each.op.name for each in tensor.op.inputs}
''', 'itself'),
    (SOLUTION.replace('found.add(op.name)', 'found.add(op)')
     .replace('op.name not in', 'op not in'), 'op.name'),
)


def check(answer):
    a = tf.constant(1., name='a')
    b = tf.negative(a, name='b')
    first = tf.no_op(name='first')
    with tf.control_dependencies([first]):
        c = tf.add(b, a, name='c')
    d = tf.exp(c, name='d')
    tf.sqrt(d, name='unused')
    found = set(given(answer.needed(d), 'the result'))
    if not all(isinstance(each, str) and ':' not in each for each in found):
        raise Wrong(f'the result has {next(iter(found))!r}, which is no name of an operation',
                    'op.name; a tensor has one with :0.')
    if 'unused' in found:
        raise Wrong("'unused' is in the result, but d does not need it",
                    'begin at d and go against the edges.')
    if 'd' not in found:
        raise Wrong('d itself is not in the result')
    if not {'a', 'b', 'c'} <= found:
        raise Wrong(f'{sorted({"a", "b", "c"} - found)} are missing',
                    'the inputs of inputs are needed, too.')
    if 'first' not in found:
        raise Wrong("'first' is missing: c waits for it", 'look at op.control_inputs as well.')
    if found != {'a', 'b', 'c', 'd', 'first'}:
        raise Wrong(f'{sorted(map(str, found - {"a", "b", "c", "d", "first"}))} are no names of '
                    'operations', 'op.name')
