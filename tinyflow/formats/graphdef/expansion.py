"""How many nodes the functions of a GraphDef become, so that a small file is not a huge graph.

A call is replaced by the function's nodes, and a branch or a loop has a graph of its own. Forty
functions that call the next one twice would become 2^39 nodes.
"""
from __future__ import annotations

import math
from collections import Counter

from tinyflow.graph.support.errors import misuse

_ALWAYS, _PER_NODE = 5_000, 50


class Budget:
    """The nodes that functions may become: some for each node of the file, and some always."""

    def __init__(self, nodes, library):
        self._limit = _ALWAYS + _PER_NODE * (len(nodes) + sum(len(f.nodes)
                                                              for f in library.values()))
        self._spent = 0
        if library:
            self.check(_expanded(nodes, library) - len(nodes))

    def spend(self, count):
        """Counts nodes that a function became. ValueError above the limit."""
        self._spent += count
        self.check(self._spent)

    def check(self, count):
        """ValueError if `count` nodes are too many."""
        if count > self._limit:
            raise misuse(ValueError(
                'The functions of the GraphDef call each other so often that they would become '
                f'{_readable(count)} nodes; at most {self._limit} are made for a GraphDef of this '
                'size.\n  Hint: if it is no damaged or hostile file, import its parts by '
                'tf.graph_util.extract_sub_graph.'))


def _readable(count):
    return str(count) if count < 10 ** 9 else f'10^{int(math.log10(count))}'


def _expanded(nodes, library):
    """The number of nodes after all calls are replaced; a recursive call counts as one."""
    sizes: dict[str, int] = {}
    calls: dict[str, Counter] = {}          # of each function: how often it calls each other one
    own = _calls(nodes, library)
    waiting = list(own)
    while waiting:
        name = waiting[-1]
        if name not in calls:
            calls[name] = _calls(library[name].nodes, library)
            waiting += [one for one in calls[name] if one not in calls]
        else:
            waiting.pop()
            if name not in sizes:
                sizes[name] = len(library[name].nodes) + _sum(calls[name], sizes)
    return len(nodes) + _sum(own, sizes)


def _calls(nodes, library):
    return Counter(name for node in nodes for name in _called(node, library))


def _sum(calls, sizes):
    return sum(count * sizes.get(name, 0) for name, count in calls.items())


def _called(node, library):
    """The names of the functions of the library that a node calls, by its op type or attributes."""
    found = [node.op] if node.op in library else []
    for value in node.attrs.values():
        kind = value.WhichOneof('value') if hasattr(value, 'WhichOneof') else None
        if kind == 'func':
            found.append(value.func.name)
        elif kind == 'list' and value.list.func:
            found += [function.name for function in value.list.func]
    return [name for name in found if name in library]
