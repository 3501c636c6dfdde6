"""The explorer's document: a graph as plain data, which the page draws.

    sources     from an object, a file or a folder to a graph
    nodes       what each node is
    ties        gradients and their operations, Variables and their pieces, weights
    files       the lines of the user's program
    scopes      Keras layers, functions, repeated scopes
    rules       gradient rules
    runs        the program that fetches become, stage by stage
    weights     the values of Variables
    recorded    the programs of recorded runs, and the times of their operations
    fates       what becomes of each node in it
    changes     two graphs compared
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tinyflow.graph.support.errors import OpError, misuse
from tinyflow.graph.support.gc_pause import collector_paused
from tinyflow.inspect.explorer.document import (
    changes,
    recorded,
    rules,
    runs,
    scopes,
    sources,
    ties,
    weights,
)
from tinyflow.inspect.explorer.document.files import Files
from tinyflow.inspect.explorer.document.nodes import Nodes, short

FORMAT = 1
_MOST_COMPILED = 5000       # nodes; more are compiled only if `fetches` are given


def document(what: Any, fetches: Any = None, feed_dict: Any = None, session: Any = None,
             title: str | None = None, recordings: Sequence | Mapping = (),
             values: Any = None) -> dict[str, Any]:
    """The document of a graph or what contains one; with an account of a run of `fetches`.

    Without fetches with accounts of the recorded runs.
    """
    if changes.is_diff(what):
        with collector_paused():
            return _with_recordings(_of_diff(what, title), recordings)
    source = sources.source_of(what)
    with collector_paused():
        files = Files()
        nodes = Nodes(source.graph.get_operations() if source.operations is None
                      else source.operations, files)
        found = _of_nodes(nodes, files, title or source.title)
        made = []
        if fetches is not None:
            made = [runs.run(nodes, source.graph, fetches, feed_dict, session)]
        elif recordings and len(nodes.operations) <= _MOST_COMPILED:
            kept = recordings.values() if isinstance(recordings, Mapping) else recordings
            made = recorded.runs_of(list(kept), nodes, source.graph)
        elif source.fetches is not None and len(nodes.operations) <= _MOST_COMPILED:
            made = _run_if_possible(nodes, source)
    found = _with_recordings({**found, 'runs': made} if made else found, recordings)
    if values is not None and values is not False:
        found.setdefault('recordings', []).append(
            weights.weights(what if values is True else values, nodes))
    return found


def _with_recordings(found: dict[str, Any], recordings: Sequence | Mapping) -> dict[str, Any]:
    named = recordings if isinstance(recordings, Mapping) else {
        f'recording {n}' if len(recordings) > 1 else 'recording': r
        for n, r in enumerate(recordings, 1)}
    names = {node['n'] for node in found['nodes']} if named else set()
    for name, r in named.items():
        ran = {entry.name for step in r.steps for entry in step.entries}
        if ran and not ran & names:
            raise misuse(ValueError(
                f'explore: none of the {len(ran)} nodes of {name!r} is in this graph.\n  Hint: the '
                'page is of the graph whose runs were recorded: tf.viz.explore(sess, path, '
                'recordings=[r]).'))
    if named:
        found['recordings'] = [{**r.document(found), 'title': short(str(name))}
                               for name, r in named.items()]
    return found


def _of_nodes(nodes: Nodes, files: Files, title: str) -> dict[str, Any]:
    ties.tie(nodes)
    found: dict[str, Any] = {'format': FORMAT, 'title': short(title), 'kind': 'graph',
                             'nodes': nodes.documents}
    parts = {'files': files.fill(), 'scopes': scopes.scopes(nodes),
             'repeats': scopes.repeats(nodes), 'rules': rules.rules(nodes.operations)}
    return found | {key: part for key, part in parts.items() if part}


def _run_if_possible(nodes, source):
    try:
        return [runs.run(nodes, source.graph, source.fetches)]
    except OpError:                         # it may be impossible to run what can be shown
        return []


def _of_diff(diff: changes.Diff, title: str | None) -> dict[str, Any]:
    changes.check(diff)
    before = Nodes(diff.first_graph.get_operations(), Files())
    files = Files()
    after = Nodes(diff.second_graph.get_operations(), files)
    found = _of_nodes(after, files, title or f'{diff.first} → {diff.second}')
    changes.mark(after, diff)
    found['kind'] = 'diff'
    found['nodes'] = [*after.documents, *changes.removed(diff, before, after)]
    return found


__all__ = ['FORMAT', 'document']
