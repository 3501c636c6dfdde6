"""A pass: two negations are none.

`graph_def` is a graph as a message: `graph_def.node` are its nodes with `name`, `op` and `input`,
a list of names. Complete `simplify`: wherever something reads a Neg of a Neg, let it read what is
below both. Change `graph_def`; a node that is not read any more may stay.
"""
import numpy as np

import tinyflow as tf
from tinyflow.api.learn.exercise import Wrong

LEVEL, LESSON = 'inside', 7

START = '''
def simplify(graph_def):
    pass
'''

HINTS = (
    'nodes = {node.name: node for node in graph_def.node} finds a node by its name.',
    'For each input: as long as it names a Neg whose input names a Neg, go two nodes down.',
    'node.input[i] = nodes[nodes[node.input[i]].input[0]].input[0], in a while loop',
)

SOLUTION = '''
def simplify(graph_def):
    nodes = {node.name: node for node in graph_def.node}

    def below(name):
        first = nodes[name]
        if first.op == 'Neg' and nodes[first.input[0]].op == 'Neg':
            return below(nodes[first.input[0]].input[0])
        return name
    for node in graph_def.node:
        node.input[:] = [below(name) for name in node.input]
'''

WRONG = (
    (START, 'still run'),
    ('''
def simplify(graph_def):
    nodes = {node.name: node for node in graph_def.node}
    for node in graph_def.node:
        for i, name in enumerate(node.input):
            while nodes[name].op == 'Neg':
                name = nodes[name].input[0]
            node.input[i] = name
''', 'an odd number'),
    (SOLUTION.replace('return below(nodes[first.input[0]].input[0])',
                      'return nodes[first.input[0]].input[0]')
     .replace('    for node in graph_def.node:', '    for node in reversed(graph_def.node):'),
     'four'),
    (SOLUTION.replace("and nodes[first.input[0]].op == 'Neg'", ''), 'If not, stop'),
)


def check(answer):
    x = tf.placeholder(tf.float32, name='x')
    for count in range(5):
        y = x
        for _ in range(count):
            y = tf.negative(y)
        tf.add(y, 1., name=f'of_{count}')
    graph_def = tf.get_default_graph().as_graph_def()
    try:
        answer.simplify(graph_def)
    except (KeyError, IndexError) as error:
        raise Wrong(f'{type(error).__name__}: {error}',
                    'is the node below a Neg a Neg, too? If not, stop.') from None
    except AttributeError as error:
        if 'Assignment not allowed' not in str(error):
            raise
        raise Wrong('`node.input` itself cannot be replaced', 'node.input[:] = [...]') from None
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name='')
        for count in range(5):
            found = session.run(f'of_{count}:0', {'x:0': 2.})
            wanted = 1. + 2. * (-1) ** count
            if not np.isclose(found, wanted):
                raise Wrong(f'with {count} negations, an odd number, 1 + -x became {found} for '
                            f'x = 2, not {wanted}' if count % 2 else
                            f'with {count} negations 1 + x became {found} for x = 2, not {wanted}',
                            'go down by two at a time.')
            node, left = graph.get_operation_by_name(f'of_{count}').inputs[0].op, 0
            while node.type == 'Neg':
                node, left = node.inputs[0].op, left + 1
            if left != count % 2:
                raise Wrong(f'of {("no", "one", "two", "three", "four")[count]} negations in a '
                            f'row, {left} still run, not {count % 2}',
                            'change graph_def itself: what is returned is not looked at.'
                            if left == count else 'after one pair there may be another.')
