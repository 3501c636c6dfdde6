"""The names that TensorFlow 1 uses up for what a tf.cond or tf.while_loop is made of there.

There, a cond is a network of Switch and Merge nodes, a loop a cycle of Enter, Merge, Switch,
Identity, NextIteration and Exit nodes, one of each for every loop variable. Here are none of them:
results are called Merge and Exit, parameters as what brings a value in, and the other names stay
unused, so that all later nodes are called as in TensorFlow 1.
"""
from __future__ import annotations

from collections.abc import Iterable

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.graph import Graph
from tinyflow.graph.support.v1_v2_switches import ControlFlow

COND_HEAD = ('Switch', 'switch_t', 'switch_f', 'pred_id')


def reserve(names: Iterable[str]) -> None:
    """Makes the names unique in the open scope and uses them up."""
    if ControlFlow.v2_names:
        return
    graph = get_default_graph()
    for name in names:
        graph.unique_name(name)


def name_of(v1: str, v2: str) -> str:
    """What a node is called, by tf.control_flow_v2_enabled()."""
    return v2 if ControlFlow.v2_names else v1


def share(function: FuncGraph, capture_name: str) -> None:
    """Lets a function's nodes share the names of the graph around it, as in TensorFlow 1."""
    if not ControlFlow.v2_names:
        function.share_names(capture_name)


class Names:
    """The names in use in a graph, to forget those that a discarded attempt took since."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._before = len(graph._names_in_use)

    def forget(self, lasting: Graph) -> None:
        """Takes back the names since; not those of nodes in the graph `lasting`."""
        names = self._graph._names_in_use
        kept = {name.lower() for name in lasting._by_name}
        for name in list(names)[self._before:]:
            if name not in kept and not any(k.startswith(name + '/') for k in kept):
                del names[name]
