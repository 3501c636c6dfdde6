"""The explorer's document: a graph as plain data, which the page draws.

    sources     from an object, a file or a folder to a graph
    nodes       what each node is
    ties        gradients and their operations, Variables and their pieces, weights
    files       the lines of the user's program
    scopes      Keras layers, functions, repeated scopes
    rules       gradient rules
    runs        what became of the nodes in the compiled program, stage by stage
    changes     two graphs compared
"""
from __future__ import annotations

from typing import Any

from tinyflow.graph.support.gc_pause import collector_paused
from tinyflow.inspect.explorer.document import rules, scopes, sources, ties
from tinyflow.inspect.explorer.document.files import Files
from tinyflow.inspect.explorer.document.nodes import Nodes, short

FORMAT = 1


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
    found.update({key: part for key, part in parts.items() if part})
    return found


__all__ = ['FORMAT', 'document']
