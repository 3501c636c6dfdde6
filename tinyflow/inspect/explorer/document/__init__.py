"""The explorer's document: a graph as plain data, which the page draws.

    sources     from an object, a file or a folder to a graph
    nodes       what each node is
    ties        gradients and their operations, Variables and their pieces, weights
    files       the lines of the user's program
    scopes      Keras layers, functions, repeated scopes
    rules       gradient rules
    runs        the program that fetches become, stage by stage
    fates       what becomes of each node in it
    changes     two graphs compared
"""
from __future__ import annotations

from typing import Any

from tinyflow.graph.support.errors import OpError
from tinyflow.graph.support.gc_pause import collector_paused
from tinyflow.inspect.explorer.document import rules, runs, scopes, sources, ties
from tinyflow.inspect.explorer.document.files import Files
from tinyflow.inspect.explorer.document.nodes import Nodes, short

FORMAT = 1
_MOST_COMPILED = 5000      # nodes; more are compiled only if `fetches` are given


def document(what: Any, fetches: Any = None, feed_dict: Any = None, session: Any = None,
             title: str | None = None) -> dict[str, Any]:
    """The document of a graph or what contains one; with an account of a run of `fetches`."""
    source = sources.source_of(what)
    with collector_paused():
        files = Files()
        nodes = Nodes(source.graph.get_operations() if source.operations is None
                      else source.operations, files)
        ties.tie(nodes)
        found: dict[str, Any] = {'format': FORMAT, 'title': short(title or source.title),
                                 'kind': 'graph', 'nodes': nodes.documents}
        parts = {'files': files.fill(), 'scopes': scopes.scopes(nodes),
                 'repeats': scopes.repeats(nodes), 'rules': rules.rules(nodes.operations)}
        if fetches is not None:
            parts['runs'] = [runs.run(nodes, source.graph, fetches, feed_dict, session)]
        elif source.fetches is not None and len(nodes.operations) <= _MOST_COMPILED:
            parts['runs'] = _run_if_possible(nodes, source)
    found.update({key: part for key, part in parts.items() if part})
    return found


def _run_if_possible(nodes, source):
    try:
        return [runs.run(nodes, source.graph, source.fetches)]
    except OpError:                         # it may be impossible to run what can be shown
        return []


__all__ = ['FORMAT', 'document']
