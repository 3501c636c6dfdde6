"""Lifetime of the nodes of models: they are freed with the model, e.g. in a loop of models."""
from __future__ import annotations

import weakref

from keras_layer.backend.graph_state import get_graph
from tinyflow.graph.node_gc import collect_nodes, collectable, collectable_nodes, sessions_of

__all__ = ['drop_unused_models', 'model_nodes']

_NODES = 4000               # new nodes after which unreferenced ones are searched and freed
_BYTES = 32 << 20           # the same for the values of Variables

_kept = weakref.WeakKeyDictionary()         # graph -> (nodes, bytes) after the last search


class model_nodes:                          # noqa: N801 - reads as a sentence in `with`
    """Nodes made inside belong to a layer or model and are freed with it."""

    def __init__(self, graph=None):
        self._graph = graph

    def __enter__(self):
        self._open = collectable(self._graph or get_graph())
        self._open.__enter__()

    def __exit__(self, *args):
        return self._open.__exit__(*args)


def drop_unused_models(graph):
    """Frees the nodes and values of models that no longer exist, once there are enough."""
    nodes, size = _kept.get(graph, (0, 0))
    if len(collectable_nodes(graph)) > 2 * nodes + _NODES or _bytes(graph) > 2 * size + _BYTES:
        collect_nodes(graph)
        _kept[graph] = len(collectable_nodes(graph)), _bytes(graph)


def _bytes(graph):
    """The size of the values that Sessions hold for Variables of the graph."""
    return sum(cell.value.nbytes for session in list(sessions_of(graph))
               for cell in session._store.storages() if cell.value is not None)
