"""init_scope: builds nodes outside of all functions and control dependencies."""
from __future__ import annotations

from contextlib import contextmanager

from tinyflow.graph import devices
from tinyflow.graph.defaults import get_default_graph

__all__ = ['init_scope']


@contextmanager
def init_scope():
    """Lifts nodes out of control dependencies and functions, as initial values require.

    Inside the function of a cond or a loop the nodes go to the outermost graph, where Variables
    live.
    """
    inner = outer = get_default_graph()
    while outer.outer_graph is not None:
        outer = outer.outer_graph
    if outer is inner:
        with outer.control_dependencies(None):
            yield
        return
    scope = inner.get_name_scope()
    with outer.as_default(), outer.control_dependencies(None), \
            devices.taken_over(outer, inner), outer.name_scope(scope + '/' if scope else None):
        yield
