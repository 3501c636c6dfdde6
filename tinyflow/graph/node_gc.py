"""Garbage collection of nodes: a graph drops collectable nodes that nothing else references.

A graph normally keeps its nodes forever. That is right for nodes that the program creates itself.
A higher layer such as Keras, however, may create a hundred nodes for one line of the program,
perhaps in a loop. Nodes created inside `collectable(graph)` live as long as a Tensor, Operation or
Variable that needs them is referenced; `collect_nodes` removes the others.
"""
from __future__ import annotations

import gc
import weakref
from contextlib import contextmanager


@contextmanager
def collectable(graph):
    """Nodes created inside may be removed once only the graph references them."""
    registry = _collectable_in(graph)
    registry.depth += 1
    try:
        yield
    finally:
        registry.depth -= 1


class _CollectableNodes:
    """The nodes of one graph that were created inside `collectable`."""

    def __init__(self):
        self.operations = []
        self.depth = 0              # of open blocks

    def note(self, operation):
        if self.depth:
            self.operations.append(operation)


def _collectable_in(graph):
    registry = graph.annotations.get('collectable nodes')
    if registry is None:
        registry = graph.annotations['collectable nodes'] = _CollectableNodes()
        graph.node_observers.append(registry.note)
    return registry


def collectable_nodes(graph):
    """The nodes that `collect_nodes` may remove."""
    registry = graph.annotations.get('collectable nodes')
    return registry.operations if registry else []


def sessions_of(graph):
    """The open Sessions of a graph, as a WeakSet; each Session adds itself."""
    return graph.annotations.setdefault('sessions', weakref.WeakSet())


def collect_nodes(graph):
    """Removes the collectable nodes that only the graph references; returns how many.

    Python's garbage collector decides: the graph drops all of them, the collector runs, and those
    that survive are put back. Sessions drop the values of removed Variables and recompile what
    they run next.
    """
    with graph._lock:
        registry = _collectable_in(graph)
        operations = registry.operations
        if not operations:
            return 0
        candidates = set(operations)
        before = len(operations)
        removed = _remove(graph, candidates)
        references = [weakref.ref(op) for op in operations]
        registry.operations, operations, candidates = [], None, None
        gc.collect()
        alive = [op for op in (ref() for ref in references) if op is not None]
        registry.operations = alive
        _put_back(graph, alive, removed)
        return before - len(alive)


def _remove(graph, candidates):
    """Removes the nodes from all tables; returns what `_put_back` needs to restore survivors."""
    graph._operations = [op for op in graph._operations if op not in candidates]
    for op in candidates:
        graph._by_name.pop(op.name, None)
        for tensor in op.inputs:
            if tensor._consumers:
                tensor._consumers = [c for c in tensor._consumers if c not in candidates]
    collections, named = {}, []
    for key, items in graph._collections.items():
        if any(_node_of(item) in candidates for item in items):
            collections[key] = [(item, None) if _node_of(item) not in candidates
                                else (None, weakref.ref(item)) for item in items]
            items[:] = [item for item in items if _node_of(item) not in candidates]
    for items in graph._collections.values():
        for item in items:              # the variable store of get_variable has them by name
            table = getattr(item, 'variables', None)
            if isinstance(table, dict):
                for name in [n for n, v in table.items() if _node_of(v) in candidates]:
                    named.append((table, name, weakref.ref(table.pop(name))))
    values = []
    for session in list(sessions_of(graph)):
        session._calls.clear()
        values.append((session, _take(session._store._storages, candidates),
                       _take(session._store._states, candidates)))
    return collections, named, values


def _node_of(item):
    return getattr(item, 'op', item) if not isinstance(item, (str, bytes, int, float)) else None


def _take(table, candidates):
    """Removes the candidates' entries from a Session's table; returns (weak reference, value)."""
    taken = []
    for op in [op for op in table if op in candidates]:
        value = table.pop(op)
        if hasattr(value, 'operation'):
            value.operation = None          # a storage references its node
        taken.append((weakref.ref(op), value))
    return taken


def _put_back(graph, alive, removed):
    collections, named, values = removed
    graph._operations = sorted(graph._operations + alive, key=lambda op: op.id)
    for op in alive:
        graph._by_name[op.name] = op
        for tensor in op.inputs:
            tensor._consumers = [*(tensor._consumers or ()), op]
    for key, items in collections.items():
        survivors = [item if ref is None else ref() for item, ref in items]
        graph._collections[key][:] = [item for item in survivors if item is not None]
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
    _release_names(graph, {op.name.lower() for op in graph._operations})


def _release_names(graph, names):
    """Makes the names of removed nodes and scopes available again, except top-level names."""
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
