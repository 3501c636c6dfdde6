"""The graph of Keras' models while ops run at once, and the Session that runs it.

A model's Inputs are placeholders, so a model is built as nodes, and `fit` runs them; its Variables
are those of eager execution, whose values nodes and single ops share.
"""
from __future__ import annotations

from tinyflow.eager.graph import EAGER_GRAPH
from tinyflow.eager.runtime import PROGRAMS
from tinyflow.eager.tensor import EagerTensor
from tinyflow.graph import dtypes
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Tensor
from tinyflow.session.session import Session

__all__ = ['SymbolicGraph', 'is_symbolic', 'new_symbolic_graph', 'session_of', 'symbolic_graph']


class SymbolicGraph(FuncGraph):
    """A FuncGraph that keeps values as constants, and Variables as what they are."""

    builds_models = True

    def __init__(self):
        super().__init__('keras_graph', EAGER_GRAPH)
        self._collections = {}

    def capture(self, tensor):
        if type(tensor) is EagerTensor and tensor.dtype not in dtypes.HANDLES:
            with super().control_dependencies(None):
                return nodes.Const(value=tensor.array, dtype=tensor.dtype)
        return super().capture(tensor)


class SymbolicSession(Session):
    """A Session on the values of eager execution."""

    def __init__(self, graph):
        super().__init__(graph=graph)
        self._programs = PROGRAMS
        self._store = PROGRAMS.store

    def close(self):
        """Nothing: the values belong to the program."""


_graphs: list[SymbolicGraph] = []


def symbolic_graph():
    """The graph in which models are built."""
    if not _graphs:
        _graphs.append(SymbolicGraph())
    return _graphs[0]


def new_symbolic_graph():
    """Begins another graph, and the names of scopes again: K.clear_session."""
    _graphs.clear()
    EAGER_GRAPH._collections.clear()


def session_of(graph):
    """A Session for a SymbolicGraph."""
    return SymbolicSession(graph)


def is_symbolic(value):
    """True for a tensor that is a node's, and so has no value."""
    return isinstance(value, Tensor) and type(value) is not EagerTensor \
        and value.op.graph is not EAGER_GRAPH
