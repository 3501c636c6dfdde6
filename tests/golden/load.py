"""Read the recorded JSON files into NumPy arrays and plain records."""
import collections
import os
import re

from .encoding import decode, read_json

HERE = os.path.dirname(os.path.abspath(__file__))
GRADIENT_SCOPE = re.compile(r'(^|/|\^)gradients(_\d+)?(/|$)')

Node = collections.namedtuple('Node', 'name type in_gradients inputs outputs')
Node.__doc__ = """One node of a recorded graph.

`inputs` holds tensor names ('a:0'), then control inputs ('^b') in alphabetical order, since TF
gives them none; `outputs` holds pairs (dtype name, shape), where shape is a tuple with None for
an unknown size, or None for an unknown rank. Inside a gradient scope both are None. A node outside
may have inputs from inside (see `in_gradients`).
"""
Program = collections.namedtuple('Program', 'nodes runs collections last_id')
Draw = collections.namedtuple('Draw', 'size head tail total')
Draw.__doc__ = 'A flat array: its size, first 16 values, last 16 of the rest, and float64 sum.'
Random = collections.namedtuple('Random', 'seeds runs')
OpCase = collections.namedtuple('OpCase', 'outputs static gradients error')
Error = collections.namedtuple('Error', 'type message')


def load_programs():
    """{name: Program}.

    `nodes` in order of creation, as built and before any run; `runs` the fetched values of each
    run, nested as its fetches were; `collections` {name: [names of members]}; `last_id` the
    number of nodes.
    """
    return {name: _program(p) for name, p in _families('programs')}


def load_ops():
    """{key: OpCase}.

    `outputs` are arrays, `static` their (dtype name, shape) before running, `gradients` one array
    (or None) for each float input, of sum(output * weights(output)) over all float outputs; None
    as a whole where TF has no gradient. `error` is an Error where the call fails, and then the
    rest is None.
    """
    return {key: _op(c) for key, c in _families('ops')}


def _families(section):
    """(name, record) of all families of a section."""
    folder = os.path.join(HERE, 'recorded')
    for file in sorted(os.listdir(folder)):
        if file.startswith(section + '.'):
            for item in read_json(os.path.join(folder, file))[section].items():
                yield item


def load_random():
    """{key: Random}; `seeds` are the op's attributes (seed, seed2), `runs` a Draw for each run."""
    data = read_json(os.path.join(HERE, 'random.json'))
    return {key: Random(tuple(c['seeds']), [_draw(r) for r in c['runs']])
            for key, c in data['random'].items()}


def load_errors():
    """{name: Error}: the exception's class name and the message, 200 characters."""
    data = read_json(os.path.join(HERE, 'errors.json'))
    return {name: Error(e['type'], e['message']) for name, e in data['errors'].items()}


def in_gradients(name):
    """Is the node or tensor (or control input '^a') of this name inside a gradient scope?"""
    return GRADIENT_SCOPE.search(name) is not None


def _program(p):
    return Program([_node(row) for row in p['nodes']], [decode(v) for v in p['runs']],
                   p['collections'], p['last_id'])


def _node(row):
    name, kind = row[:2]
    if row[2] == 'in gradients':
        return Node(name, kind, True, None, None)
    return Node(name, kind, False, row[2], [_spec(s) for s in row[3]])


def _spec(text):
    """'float32 [2,?]' -> ('float32', (2, None)); 'float32 ?' -> ('float32', None)."""
    dtype, shape = text.split(' ')
    if shape == '?':
        return dtype, None
    sizes = shape[1:-1].split(',') if len(shape) > 2 else []
    return dtype, tuple(None if s == '?' else int(s) for s in sizes)


def _op(c):
    if 'error' in c:
        return OpCase(None, None, None, Error(c['error']['type'], c['error']['message']))
    gradients = c['gradients']
    return OpCase(decode(c['outputs']), [_spec(s) for s in c['static']],
                  None if gradients is None else decode(gradients), None)


def _draw(r):
    return Draw(r['size'], decode(r['head']), decode(r['tail']), r['total'])
