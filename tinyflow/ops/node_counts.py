"""How many nodes TensorFlow 1 would have in a graph by now, which stands for a missing op seed.

A loop over time is a node with two functions here, and some forty nodes in TF1. Without a
correction, set_random_seed(777) would give every weight that is made inside such a loop, or after
it, other numbers than TF1 gives; dynamic_rnn therefore tells what TF1 would have made.
"""
from __future__ import annotations

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.graph import Graph


def as_in_tensorflow_1(graph: Graph) -> int:
    """The number of nodes that TF1 would have made in `graph`, as far as is known."""
    place: Graph | None = graph
    while place is not None:
        if place._loop_over_time is not None:
            return place._last_id + place._nodes_ahead + place._loop_over_time.ahead()
        place = place.outer_graph
    return graph._last_id + graph._nodes_ahead


class LoopOverTime:
    """Counts the nodes of dynamic_rnn's loop, beginning with its TensorArrays.

    `states` is the number of tensors in the state, `inputs` and `outputs` those of TensorArrays.
    """

    def __init__(self, states: int, inputs: int, outputs: int) -> None:
        variables = 2 + outputs + states        # the counter, the time, and what the cell changes
        arrays = outputs + 10 * inputs          # an array each; its unstacking takes nine nodes
        # Enter, Merge, Switch and Identity of each variable; the counter, two comparisons with what
        # they capture, LogicalAnd, LoopCond, and the counter's increment; the three of the bound.
        self._head = arrays + 4 * variables + 9 + 3
        self._tail = 2 * variables + 5 * outputs    # NextIteration and Exit; five nodes per stack
        self._outputs = outputs
        self._graph = get_default_graph()
        self._start = self._graph._last_id
        self._body: Graph = self._graph     # until it is built
        self._own = self._entered = self._body_nodes = self._left = 0

    def enter_body(self) -> None:
        """The body is about to be built; called each time that it is."""
        self._body = get_default_graph()
        self._entered = self._body._last_id
        if self._graph._loop_over_time is not self:
            self._own = self._graph._last_id - self._start
            self._graph._loop_over_time = self

    def leave_body(self) -> None:
        """The body has been built."""
        # A write captures the array's handle, too.
        self._body_nodes = self._body._last_id - self._entered + self._outputs
        self._left = self._graph._last_id

    def ahead(self) -> int:
        """While the body is built: how many more nodes TF1 would have."""
        return self._head - self._own + self._body._last_id - self._entered

    def close(self) -> None:
        """The loop is there, and its outputs are stacked."""
        self._graph._loop_over_time = None
        own = self._own + self._graph._last_id - self._left
        self._graph._nodes_ahead += self._head + self._body_nodes + self._tail - own


__all__ = ['LoopOverTime']
