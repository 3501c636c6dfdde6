"""An order to run in.

Complete `schedule`: a list of the operations that `tensor` needs, each once, and each after all of
its inputs. (Control inputs do not occur here.)
"""
import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong, given

LEVEL, LESSON = 'inside', 7

START = '''
def schedule(tensor):
    order = [tensor.op]
    for each in tensor.op.inputs:
        order += schedule(each)
    return order
'''

HINTS = (
    'An operation may come as soon as all of its inputs have come. When is that, if one visits '
    'the inputs first?',
    'Write a function visit(op): visit the op of each input, and then append op, if it is new.',
    'Two steps depend on the same node? Look into the list, or a set, before you append.',
)

SOLUTION = '''
def schedule(tensor):
    order = []

    def visit(op):
        if op not in order:
            for each in op.inputs:
                visit(each.op)
            order.append(op)
    visit(tensor.op)
    return order
'''

WRONG = (
    (START, 'before its input'),
    ('''
def schedule(tensor):
    order = []
    for each in tensor.op.inputs:
        order += schedule(each)
    return order + [tensor.op]
''', 'more than once'),
    ('''
def schedule(tensor):
    return tensor.graph.get_operations()
''', 'not needed'),
    (SOLUTION.replace('return order', 'return order[:-1]'), 'is missing'),
    ('''
def schedule(tensor, order=[]):
    for each in tensor.op.inputs:
        schedule(each)
    order += [tensor.op] * (tensor.op not in order or tensor.op.name == 'z')
    return list(order)
''', 'is kept'),
)


def check(answer):
    x = tf.placeholder(tf.float32, name='x')
    y = tf.multiply(x, x, name='y')
    tf.sqrt(y, name='unused')
    z = tf.add(y, tf.negative(x, name='minus'), name='z')
    order = list(given(answer.schedule(z), 'the result'))
    if not all(isinstance(each, tf.Operation) for each in order):
        raise Wrong(f'the result has {order[0]!r}, which is no operation', 'tensor.op')
    order = [op.name for op in order]
    if [op.name for op in answer.schedule(z)] != order:
        raise Wrong('the same call gives another list the second time',
                    'a list as the default of a parameter, or outside of the function, is kept.')
    if len(set(order)) < len(order):
        twice = sorted({name for name in order if order.count(name) > 1})
        first = order.index('z') < order.index('y')
        raise Wrong(f'{order}: z is before its input y' if first else
                    f'{order}: {twice} is there more than once',
                    'visit the inputs first.' if first else 'is it in the list already?')
    if 'unused' in order:
        raise Wrong(f'{order}: unused is not needed')
    for name in ('x', 'y', 'minus', 'z'):
        if name not in order:
            raise Wrong(f'{order}: {name} is missing')
    for before, after in (('x', 'y'), ('x', 'minus'), ('y', 'z'), ('minus', 'z')):
        if order.index(after) < order.index(before):
            raise Wrong(f'{order}: {after} is before its input {before}',
                        'append an operation after its inputs.')
