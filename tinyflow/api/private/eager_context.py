"""tensorflow.python.eager.context: blocks with and without eager execution."""
from __future__ import annotations

from contextlib import contextmanager

from tinyflow.eager.enabling import eager_execution as eager_mode
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.graph import Graph

__all__ = ['eager_mode', 'executing_eagerly', 'graph_mode', 'in_graph_mode', 'num_gpus']


@contextmanager
def graph_mode():
    """Ops add nodes to a graph inside the block: a new one, if they run at once outside."""
    if not executing_eagerly():
        yield
        return
    with Graph().as_default():
        yield


def in_graph_mode():
    """True unless ops run at once."""
    return not executing_eagerly()


def num_gpus():
    """0: everything runs on the CPU."""
    return 0
