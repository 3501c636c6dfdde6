"""Eager execution's place in the graph layer: a hook that is None until it is enabled.

While the default graph is the one of tinyflow/eager/graph.py, `make_node` runs each op at once
instead of adding a node. In every other graph nodes are made as always.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.graph import Graph
from tinyflow.graph.support.errors import misuse

# tinyflow.eager sets it: execute(definition, inputs, attrs) -> the operation with its results, or
# None if a graph is being built.
execute: Callable[..., Any] | None = None
# The classes of tensors, Variables and GradientTapes meanwhile.
tensor_type: type | None = None
variable_type: type | None = None
tape_type: type | None = None
# What functions with tf.custom_gradient do meanwhile.
call_with_own_gradient: Callable[..., Any] | None = None
# The graph of eager execution, whose ops run at once.
graph: Graph | None = None
_of_sessions: Graph | None = None


def executing_eagerly() -> bool:
    """True if ops run as they are called: eager execution is enabled and no graph is being built.
    """
    return get_default_graph().runs_at_once


def graph_of_sessions() -> Graph:
    """The graph of a Session that is given none: the default one; with eager execution a graph for
    all such Sessions, so that nodes are made inside of `with tf.Session():`.
    """
    global _of_sessions
    if not executing_eagerly():
        return get_default_graph()
    if _of_sessions is None:
        _of_sessions = Graph()
    return _of_sessions


def refuse(what: str, instead: str = '') -> None:
    """RuntimeError if ops run at once: `what` needs a graph."""
    if executing_eagerly():
        raise misuse(RuntimeError(f'{what} when eager execution is enabled. {instead}'.rstrip()))


def variables_have_values() -> bool:
    """True if a Variable made now has its value at once: also inside a tf.function."""
    graph: Any = get_default_graph()
    while graph.outer_graph is not None:
        graph = graph.outer_graph
    return graph.runs_at_once


__all__ = ['executing_eagerly', 'graph_of_sessions', 'refuse', 'variables_have_values']
