"""The graph of eager execution: it gives names and scopes, and keeps no node."""
from __future__ import annotations

import random
import threading
from contextlib import nullcontext

from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys

__all__ = ['EAGER_GRAPH', 'EagerGraph']

# What TensorFlow adds to a graph by itself; nothing is added while ops run at once.
_OF_GRAPHS = frozenset(['iterators', *[value for name, value in vars(GraphKeys).items()
                                       if name.isupper() and name != 'GLOBAL_STEP']])


class _ThreadsScope(threading.local):
    def __init__(self):
        self.name = ''


class EagerGraph(Graph):
    """The default graph once eager execution is enabled: make_node runs an op and adds nothing.

    Names need not differ here, and the open name scope belongs to the thread, as in TensorFlow.
    """

    runs_at_once = True

    def __init__(self):
        self._scope = _ThreadsScope()
        self._seed, self._seeds = None, None
        self.random_states = {}         # of random ops, by type and attributes
        super().__init__()

    @property
    def seed(self):
        return self._seed

    @seed.setter
    def seed(self, seed):
        """Random ops begin again; those without a seed of their own draw one from TF's stream."""
        self._seed, self._seeds = seed, random.Random(seed)
        self.random_states.clear()

    def next_seed(self):
        """The seed of a random op that has none."""
        return self._seeds.randint(0, 2 ** 31 - 1)

    @property
    def _name_stack(self):
        return self._scope.name

    @_name_stack.setter
    def _name_stack(self, name):
        self._scope.name = name

    def add(self, operation):
        self._last_id += 1
        operation.id = self._last_id

    def unique_name(self, name, mark_as_used=True):
        outer = self._scope.name
        return f'{outer}/{name}' if outer else name

    def name_scope(self, name):
        return _NameScope(self._scope, name)

    def add_to_collection(self, name, value):
        if name not in _OF_GRAPHS:
            super().add_to_collection(name, value)

    def get_collection_ref(self, name):
        return [] if name in _OF_GRAPHS else super().get_collection_ref(name)

    def control_dependencies(self, control_inputs):
        """Nothing: what is called first has run."""
        return nullcontext()

    def colocate_with(self, op, ignore_existing=False):
        """Nothing: everything is on the CPU."""
        return nullcontext()

    def __str__(self):
        return 'eager execution'


class _NameScope:
    """As Graph.name_scope, in a third of the time."""

    __slots__ = ('_scope', '_name', '_outer')

    def __init__(self, scope, name):
        self._scope = scope
        self._name = name

    def __enter__(self):
        outer, name = self._scope.name, self._name
        self._outer = outer
        if not name:
            self._scope.name = ''
            return ''
        if name[-1] != '/':
            name = f'{outer}/{name}/' if outer else f'{name}/'
        self._scope.name = name[:-1]
        return name

    def __exit__(self, *error):
        self._scope.name = self._outer


EAGER_GRAPH = EagerGraph()
