"""Garbage collection of nodes: a graph drops loose nodes that nothing else references.

A graph keeps its nodes for ever. That is right for what a program builds itself, and wrong for a
library above that builds a model of a hundred nodes for one line of the user's, perhaps in a loop.
Nodes made inside `loosely(graph)` live as long as somebody holds a Tensor, Operation or Variable
that needs them; `forget_unused` removes the others.
"""
from __future__ import annotations

import gc
import weakref
from contextlib import contextmanager


@contextmanager
def loosely(graph):
    """Nodes made inside are loose: they go once nothing but the graph references them."""
    loose = _loose_in(graph)
    loose.depth += 1
    try:
        yield
    finally:
        loose.depth -= 1


class _LooseNodes:
    """The nodes of one graph that were made inside `loosely`."""

    def __init__(self):
        self.operations = []
        self.depth = 0              # of open blocks

    def note(self, operation):
        if self.depth:
            self.operations.append(operation)


def _loose_in(graph):
    loose = graph.annotations.get('loose nodes')
    if loose is None:
        loose = graph.annotations['loose nodes'] = _LooseNodes()
        graph.node_observers.append(loose.note)
    return loose


def loose_nodes(graph):
    """The nodes that the graph would let go of."""
    loose = graph.annotations.get('loose nodes')
    return loose.operations if loose else []


def sessions_of(graph):
    """The open Sessions of a graph, as a WeakSet; each adds itself."""
    return graph.annotations.setdefault('sessions', weakref.WeakSet())


def forget_unused(graph):
    """Removes the loose nodes that nothing but the graph itself holds; returns how many.

    Python's garbage collector decides: the graph drops all of them, the collector runs, and those
    that are still there are put back. Sessions drop the values of Variables that are gone, and
    compile again what they run next.
    """
    with graph._lock:
        table = _loose_in(graph)
        operations = table.operations
        if not operations:
            return 0
        loose = set(operations)
        before = len(operations)
        held = _let_go(graph, loose)
        waiting = [weakref.ref(op) for op in operations]
        table.operations, operations, loose = [], None, None
        gc.collect()
        alive = [op for op in (ref() for ref in waiting) if op is not None]
        table.operations = alive
        _put_back(graph, alive, held)
        return before - len(alive)


def _let_go(graph, loose):
    """Takes the nodes out of all tables; what is needed to put living ones back."""
    graph._operations = [op for op in graph._operations if op not in loose]
    for op in loose:
        graph._by_name.pop(op.name, None)
        for tensor in op.inputs:
            if tensor._consumers:
                tensor._consumers = [c for c in tensor._consumers if c not in loose]
    collections, named = {}, []
    for key, items in graph._collections.items():
        if any(_node_of(item) in loose for item in items):
            collections[key] = [(item, None) if _node_of(item) not in loose
                                else (None, weakref.ref(item)) for item in items]
            items[:] = [item for item in items if _node_of(item) not in loose]
    for items in graph._collections.values():
        for item in items:              # the store of get_variable keeps them by name
            table = getattr(item, 'variables', None)
            if isinstance(table, dict):
                for name in [n for n, v in table.items() if _node_of(v) in loose]:
                    named.append((table, name, weakref.ref(table.pop(name))))
    values = []
    for session in list(sessions_of(graph)):
        session._calls.clear()
        values.append((session, _take(session._store._storages, loose),
                       _take(session._store._states, loose)))
    return collections, named, values


def _node_of(item):
    return getattr(item, 'op', item) if not isinstance(item, (str, bytes, int, float)) else None


def _take(table, loose):
    """The entries of the loose nodes, taken out of a Session's table, by weak reference."""
    taken = []
    for op in [op for op in table if op in loose]:
        value = table.pop(op)
        if hasattr(value, 'operation'):
            value.operation = None          # the storage knows its node
        taken.append((weakref.ref(op), value))
    return taken


def _put_back(graph, alive, held):
    collections, named, values = held
    graph._operations = sorted(graph._operations + alive, key=lambda op: op.id)
    for op in alive:
        graph._by_name[op.name] = op
        for tensor in op.inputs:
            tensor._consumers = [*(tensor._consumers or ()), op]
    for key, items in collections.items():
        found = [item if ref is None else ref() for item, ref in items]
        graph._collections[key][:] = [item for item in found if item is not None]
    for table, name, ref in named:
        if ref() is not None:
            table[name] = ref()
    for session, *tables in values:
        for table, taken in zip((session._store._storages, session._store._states), tables):
            for ref, value in taken:
                op = ref()
                if op is None:
                    continue
                if hasattr(value, 'operation'):
                    value.operation = op
                table[op] = value
    _forget_names(graph, {op.name.lower() for op in graph._operations})


def _forget_names(graph, names):
    """Names of nodes and scopes that are gone are free; counters of top-level names stay."""
    scopes = set()
    for name in names:
        while '/' in name:
            name = name.rpartition('/')[0]
            scopes.add(name)
    for name in list(graph._names_in_use):
        if '/' in name and name not in names and name not in scopes:
            del graph._names_in_use[name]
    for scope in list(graph._scope_sites):
        if '/' in scope and scope.lower() not in scopes:
            del graph._scope_sites[scope]
