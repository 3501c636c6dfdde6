"""Read the recorded files into NumPy arrays and plain records."""
import collections
import os
import re

from .encoding import decode, read_json, read_spec
from .nodes import parse_nodes
from .store import names, read_parts, read_recorded

HERE = os.path.dirname(os.path.abspath(__file__))
GRADIENT_SCOPE = re.compile(r'(^|/|\^)gradients(_\d+)?(/|$)')

Node = collections.namedtuple('Node', 'name type inputs outputs groups device')
Node.__doc__ = """One node of a recorded graph, outside the scopes of gradients.

`inputs` holds tensor names ('a:0'), then control inputs ('^b') in alphabetical order, since TF
gives them none; `outputs` holds pairs (dtype name, shape), where shape is a tuple with None for
an unknown size, or None for an unknown rank; `groups` the names of the nodes in the attribute
_class. Inputs may come from a gradient scope (see
`in_gradients`).
"""


class Program(object):
    """What was recorded of a program, decoded when it is read.

    `nodes` in order of creation, as built and before any run; `runs` the fetched values of each
    run, nested as its fetches were; `collections` {name: [names of members]}.
    """

    def __init__(self, record, node_text):
        self.collections = record['collections']
        self._runs, self._decoded = record['runs'], None
        self._node_text = node_text

    @property
    def nodes(self):
        return [Node(name, kind, inputs, [read_spec(spec) for spec in outputs], groups, device)
                for name, kind, inputs, outputs, groups, device in parse_nodes(self._node_text)]

    @property
    def runs(self):
        if self._decoded is None:
            self._decoded = [decode(v) for v in self._runs]
        return self._decoded


Draw = collections.namedtuple('Draw', 'size head tail total')
Draw.__doc__ = 'A flat array: its size, first 16 values, last 16 of the rest, and float64 sum.'
KEPT_ENDS = 16
Random = collections.namedtuple('Random', 'seeds runs')
OpCase = collections.namedtuple('OpCase', 'outputs static gradients error')


def load_programs():
    """{name: Program}."""
    found = {}
    for file in names('programs'):
        records, nodes = read_parts(file)
        found.update((name, Program(record, nodes[name + '\tnodes']))
                     for name, record in records.items())
    return found


def load_ops():
    """{key: OpCase}.

    `outputs` are arrays, `static` their (dtype name, shape) before running, `gradients` one array
    (or None) for each float input, of sum(output * weights(output)) over all float outputs; None
    as a whole where TF has no gradient. `error` is the name of the exception's class where the
    call fails, and then the rest is None.
    """
    return {key: _op(c) for file in names('ops') for key, c in read_recorded(file).items()}


def load_random():
    """{key: Random}; `seeds` are the op's attributes (seed, seed2), `runs` a Draw for each run."""
    return {key: Random(tuple(c['seeds']), [_draw(r) for r in c['runs']])
            for key, c in read_json(os.path.join(HERE, 'random.json')).items()}


def load_errors():
    """{name: name of the exception's class}."""
    return read_json(os.path.join(HERE, 'errors.json'))


def in_gradients(name):
    """Is the node or tensor (or control input '^a') of this name inside a gradient scope?"""
    return GRADIENT_SCOPE.search(name) is not None


def _op(c):
    if 'error' in c:
        return OpCase(None, None, None, c['error'])
    gradients = c['gradients']
    return OpCase(decode(c['outputs']), [read_spec(s) for s in c['static']],
                  None if gradients is None else decode(gradients), None)


def _draw(r):
    ends = decode(r['ends'])
    return Draw(r['size'], ends[:KEPT_ENDS], ends[KEPT_ENDS:], r['total'])
