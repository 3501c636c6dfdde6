"""Keras' state of each graph, and the graph that Keras builds in.

So a model can be used from any thread, and two graphs never share names, Sessions or Variables.
"""
from __future__ import annotations

import weakref
from collections import defaultdict

import tinyflow as tf

_STATE = 'Keras state'          # an annotation of the graph

__all__ = ['control_dependencies', 'get_graph', 'init_scope', 'name_scope']

name_scope = tf.name_scope
init_scope = tf.init_scope
control_dependencies = tf.control_dependencies


class GraphState:
    """Names in use, learning phase, Session and Variables of one graph."""

    def __init__(self):
        self.uses = defaultdict(int)            # of names of layers and models
        self.phase = None                       # a placeholder, or 0 or 1 where it was set
        self.placeholder = None
        self.session = None
        self.variables = {}                     # id -> weak reference, in order of creation
        self.assigned = weakref.WeakSet()       # Variables whose value was set by set_value


def get_graph():
    """The graph that Keras builds in: the default graph, outside of conds and loops."""
    graph = tf.get_default_graph()
    while graph.outer_graph is not None:
        graph = graph.outer_graph
    return building_graph(graph)


def building_graph(graph):
    """`graph`, or the graph of models if ops run at once there."""
    if graph.runs_at_once:
        from tinyflow.eager.symbolic import symbolic_graph  # start-up time
        return symbolic_graph()
    return graph


def graph_state(graph=None):
    """The GraphState of `graph`, by default of the graph that Keras builds in.

    It goes with the graph, whose tensors it holds: a WeakKeyDictionary would keep both alive.
    """
    graph = get_graph() if graph is None else building_graph(graph)
    state = graph.annotations.get(_STATE)
    if state is None:
        state = graph.annotations[_STATE] = GraphState()
    return state
