"""The document of a graph_diff: the second graph, with marks, and what only the first has."""
from __future__ import annotations

from typing import Any, Protocol

from tinyflow.graph.support.errors import misuse
from tinyflow.inspect.explorer.document.nodes import Nodes, short

ADDED, REMOVED, CHANGED, RENAMED = 'added', 'removed', 'changed', 'renamed'


class Diff(Protocol):
    """A GraphDiff; that module is not imported, since it draws itself with this package."""

    first: str
    second: str
    added: list[str]
    removed: list[str]
    renamed: list[tuple[str, str]]
    changed: list[Any]
    first_graph: Any
    second_graph: Any


def is_diff(what: Any) -> bool:
    """True for what `tf.graph_diff` returns."""
    return all(hasattr(what, name) for name in Diff.__annotations__)


def mark(nodes: Nodes, diff: Diff) -> None:
    """Writes "m", and what has changed, into the nodes of the second graph."""
    named = dict(zip(nodes.names, nodes.documents))
    for line in diff.added:
        _mark(named.get(_name(line)), ADDED)
    new_names = dict(diff.renamed)
    for old, new in diff.renamed:
        _mark(named.get(new), RENAMED, 'was called', old)
    for change in diff.changed:
        _mark(named.get(new_names.get(change.name, change.name)), CHANGED,
              f'{change.what} was', change.before)


def _mark(node, kind, what='', text=''):
    if node is not None:
        node.setdefault('m', kind)
        if what:
            node['a'] = [*node.get('a', ()), [what, short(text)]]


def removed(diff: Diff, before: Nodes, after: Nodes) -> list[dict[str, Any]]:
    """The nodes that only the first graph has, to be put behind those of the second."""
    gone = {_name(line) for line in diff.removed}
    named = {name: n for n, name in enumerate(after.names)}
    new_names = dict(diff.renamed)
    kept = [n for n, op in enumerate(before.operations)
            if op.name in gone and op not in before.inside.prefix]
    place = {n: len(after.documents) + k for k, n in enumerate(kept)}
    for n, name in enumerate(before.names):
        if n not in place and new_names.get(name, name) in named:
            place[n] = named[new_names.get(name, name)]
    found = []
    for n in kept:
        node = {**before.documents[n], 'm': REMOVED}
        for key in ('v', 'g', 's'):
            node.pop(key, None)
        node['i'] = [[place[i], k] for i, k in node.get('i', ()) if i in place]
        node['c'] = [place[i] for i in node.get('c', ()) if i in place]
        found.append(node)
    return found


def check(diff: Diff) -> None:
    """Raises ValueError if the diff did not come from two graphs."""
    if diff.first_graph is None or diff.second_graph is None:
        raise misuse(ValueError('This comparison cannot be drawn: a page needs two graphs, and '
                                'programs and checkpoints have none.\n  Hint: print(diff).'))


def _name(line: str) -> str:
    return line.split(':')[0]


__all__ = ['Diff', 'check', 'is_diff', 'mark', 'removed']
