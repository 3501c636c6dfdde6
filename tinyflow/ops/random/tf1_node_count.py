"""Counts the nodes that TensorFlow 1 would have in a graph: the default op seed of random ops.

Here, a cond or a loop is one node with two functions. TF1 builds it into the graph itself, between
Switch and Merge nodes, and a loop between Enter, NextIteration and Exit nodes too. Without a
correction, after set_random_seed(777) all weights made inside or after a tf.cond, a tf.while_loop
or a dynamic_rnn would have other initial values than in TF1. Therefore all functions of a cond or a
loop share one count with the graph around them, and each builder sets it to what TF1 would have
there.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor

COND_HEAD = 4           # a Switch of the predicate, an Identity of both sides and of the predicate
_COUNT, _CONTEXT = 'TF1 node count', 'TF1 control flow context'


class _NodeCount:
    """How many nodes TF1 would have in a graph: those made here, plus the difference.

    The functions of conds and loops share the count of the graph around them.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._difference = 0

    @property
    def nodes(self) -> int:
        return self._graph.version + self._difference

    @nodes.setter
    def nodes(self, nodes: int) -> None:
        self._difference = nodes - self._graph.version

    def note(self, operation: Operation) -> None:
        """Called when a node is created in a function that shares this count."""
        self._difference += 1


def _count_of(graph: Graph) -> _NodeCount:
    count = graph.annotations.get(_COUNT)
    if count is None:
        count = graph.annotations[_COUNT] = _NodeCount(graph)
    return count


def _context_of(graph: Graph) -> Context | None:
    return graph.annotations.get(_CONTEXT)


def as_in_tensorflow_1(graph: Graph) -> int:
    """The number of nodes that TF1 would have made in `graph`, as far as is known."""
    return _count_of(graph).nodes


def add(nodes: int) -> None:
    """TF1 would have made `nodes` more than were made here."""
    _count_of(get_default_graph()).nodes += nodes


@contextmanager
def counted_as(nodes: int) -> Iterator[None]:
    """All nodes made inside the block count as `nodes` nodes."""
    count = _count_of(get_default_graph())
    before = count.nodes
    yield
    count.nodes = before + nodes


class RepeatedNodes:
    """Nodes that are made once here, but by each use in TF1."""

    def __init__(self) -> None:
        self._nodes = 0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Counts the nodes made inside the block, which TF1 makes in each use."""
        count = _count_of(get_default_graph())
        before = count.nodes
        yield
        self._nodes += count.nodes - before

    def again(self) -> None:
        """Another use, where TF1 makes the nodes again."""
        add(self._nodes)


class Context:
    """What TF1 calls a control flow context: a branch, or the condition and body of one loop.

    A value from outside enters it by one node, once, after entering the contexts around it.
    """

    def __init__(self, outer: Graph) -> None:
        self.outer: Context | None = _context_of(outer)
        self.count = _count_of(outer)
        self._graphs: set[Graph] = set()
        self._known: set[Any] = set()

    def function(self, name: str) -> FuncGraph:
        """A FuncGraph of this context."""
        graph = FuncGraph(name)
        graph.annotations.update({_CONTEXT: self, _COUNT: self.count})
        graph.node_observers.append(self.count.note)
        graph.capture_observers.append(self._captured)
        self._graphs.add(graph)
        return graph

    def _captured(self, tensor: Tensor) -> None:
        """TF1 has no placeholder for a captured tensor, but nodes that bring it in."""
        self.count.nodes -= 1
        self.enter(tensor, tensor.op.graph)

    def knows(self, key: Any) -> bool:
        """True if the value has entered already."""
        return key in self._known

    def entered(self, key: Any, home: Graph) -> int:
        """The number of nodes that bring a value of the graph `home` here; 0 the second time."""
        nodes, context = 0, self
        while context is not None and home not in context._graphs and key not in context._known:
            context._known.add(key)
            nodes, context = nodes + 1, context.outer
        return nodes

    def enter(self, key: Any, home: Graph) -> None:
        """Counts the nodes that bring a value here."""
        self.count.nodes += self.entered(key, home)

    def snapshot(self) -> list[tuple[Context, set]]:
        """The values that have entered this context and the outer ones, for `restore`."""
        context, entered = self, []
        while context is not None:
            entered.append((context, set(context._known)))
            context = context.outer
        return entered


def restore(snapshot: Iterable[tuple[Context, set]]) -> None:
    """Forgets the values that have entered since the snapshot."""
    for context, known in snapshot:
        context._known = set(known)


def enter_here(key: Any, home: Graph) -> None:
    """Counts the nodes that bring a value of `home` into the function that is being built."""
    context = _context_of(get_default_graph())
    if context is not None:
        context.enter(key, home)


class Loop:
    """Counts the nodes of a loop: `begin`, `condition`, `body` and `end`, in this order.

    `variables` are the loop variables as in TF1, except the counter, which TF1 makes only if
    there is a `limit` of iterations.
    """

    def __init__(self, variables: list[Tensor], limit: Tensor | None) -> None:
        self._graph = get_default_graph()
        self._variables = variables
        self._limit = limit
        self._size = len(variables) + (limit is not None)
        self.outside = _outermost(self._graph)
        self._count = _count_of(self._graph)
        self._start = self._count.nodes
        self._lifted = self.outside.version
        context = _context_of(self._graph)
        self._snapshot = context.snapshot() if context else []
        self.context = Context(self._graph)

    def begin(self) -> Context:
        """The functions are about to be built, perhaps not for the first time."""
        # Variables that an earlier attempt made outside stay.
        lifted = self.outside.version - self._lifted
        restore(self._snapshot)
        self.context = Context(self._graph)
        self._count.nodes = self._start + lifted
        for variable in self._variables:
            enter_here(variable, variable.op.graph)
        self._count.nodes += 2 * self._size              # Enter, Merge
        return self.context

    def condition(self) -> None:
        """The user's condition is about to be called, by the function that is the default graph."""
        count = self.context.count
        if self._limit is not None:
            self.context.enter(self._limit, self._limit.op.graph)
            count.nodes += 1                                    # the comparison with it

    def body(self) -> None:
        """The body is about to be called."""
        self.context.count.nodes += 1 + 2 * self._size          # LoopCond; Switch, Identity
        if self._limit is not None:
            self.context.count.nodes += 2                       # the counter's increment

    def end(self) -> None:
        """The body is built."""
        self.context.count.nodes += 2 * self._size              # NextIteration, Exit


def _outermost(graph: Graph) -> Graph:
    while graph.outer_graph is not None and _count_of(graph.outer_graph) is _count_of(graph):
        graph = graph.outer_graph
    return graph


__all__ = ['Context', 'Loop']
