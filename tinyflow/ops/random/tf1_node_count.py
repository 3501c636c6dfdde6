"""How many nodes TensorFlow 1 would have in a graph by now, which stands for a missing op seed.

A choice or a loop is one node with two functions here; TF1 builds it into the graph itself, between
Switch and Merge nodes, and a loop between Enter, Merge, Switch, NextIteration and Exit nodes too.
Without a correction, set_random_seed(777) would give every weight that is made inside or after a
tf.cond, a tf.while_loop or a dynamic_rnn other numbers than TF1 gives. All functions of a choice or
a loop therefore share one count with the graph around them, and each builder sets it to what TF1
would have there.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor

CHOICE_HEAD = 4         # a Switch of the predicate, an Identity of both sides and of the predicate
_COUNT, _CONTEXT = 'TF1 node count', 'TF1 control flow context'


class _NodeCount:
    """How many nodes TF1 would have in a graph: those made here, and the difference.

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
        """A node was made in a function that shares this count."""
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
def standing_for(nodes: int) -> Iterator[None]:
    """What is made inside the block counts as `nodes` nodes."""
    count = _count_of(get_default_graph())
    before = count.nodes
    yield
    count.nodes = before + nodes


class MadeAgain:
    """Nodes that are made once here, but anew by each use in TF1."""

    def __init__(self) -> None:
        self._nodes = 0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """What is made inside the block is what TF1 makes anew."""
        count = _count_of(get_default_graph())
        before = count.nodes
        yield
        self._nodes += count.nodes - before

    def again(self) -> None:
        """TF1 makes it all anew here."""
        add(self._nodes)


class Context:
    """What TF1 calls a control flow context: a branch, or the condition and body of one loop.

    A value from outside enters it by a node of its own, once, and enters first what is around it.
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
        """The placeholder of a capture is no node of TF1's, which has nodes that let it enter."""
        self.count.nodes -= 1
        self.enter(tensor, tensor.op.graph)

    def knows(self, key: Any) -> bool:
        """True if the value has entered already."""
        return key in self._known

    def entered(self, key: Any, home: Graph) -> int:
        """How many nodes bring a value of the graph `home` here; none the second time."""
        nodes, place = 0, self
        while place is not None and home not in place._graphs and key not in place._known:
            place._known.add(key)
            nodes, place = nodes + 1, place.outer
        return nodes

    def enter(self, key: Any, home: Graph) -> None:
        """Counts the nodes that bring a value here."""
        self.count.nodes += self.entered(key, home)

    def memory(self) -> list[tuple[Context, set]]:
        """What has entered the contexts from this one outwards, to be handed to `restore`."""
        place, found = self, []
        while place is not None:
            found.append((place, set(place._known)))
            place = place.outer
        return found


def restore(memory: Iterable[tuple[Context, set]]) -> None:
    """Forgets what has entered since."""
    for context, known in memory:
        context._known = set(known)


def enter_here(key: Any, home: Graph) -> None:
    """Counts the nodes that bring a value of `home` into the function that is being built."""
    context = _context_of(get_default_graph())
    if context is not None:
        context.enter(key, home)


class Loop:
    """Counts the nodes of a loop: `begin`, `condition`, `body` and `end`, in this order.

    `variables` are the loop variables as TF1 has them but for the counter, which it makes only if
    there is a `limit` of iterations.
    """

    def __init__(self, variables: list[Tensor], limit: Tensor | None) -> None:
        self._graph = get_default_graph()
        self._variables = variables
        self._limit = limit
        self._size = len(variables) + (limit is not None)
        self._outside = _outermost(self._graph)
        self._count = _count_of(self._graph)
        self._start = self._count.nodes
        self._lifted = self._outside.version
        context = _context_of(self._graph)
        self._memory = context.memory() if context else []
        self.context = Context(self._graph)

    def begin(self) -> Context:
        """The functions are about to be built, perhaps not for the first time."""
        # Variables that an earlier attempt made outside stay.
        lifted = self._outside.version - self._lifted
        restore(self._memory)
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
