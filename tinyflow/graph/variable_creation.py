"""tf.variable_creator_scope: functions that intercept the creation of Variables."""
from __future__ import annotations

from contextlib import contextmanager

from tinyflow.graph.defaults import get_default_graph

__all__ = ['creators_of', 'variable_creator_scope']


@contextmanager
def variable_creator_scope(variable_creator):
    """Variables inside are created by `variable_creator(next_creator, **kwargs)`.

    It returns a Variable, usually next_creator(**kwargs) with some of the arguments changed;
    next_creator is the creator of the enclosing scope, or the default one.
    """
    creators = _creators_in(get_default_graph())
    creators.append(variable_creator)
    try:
        yield
    finally:
        creators.remove(variable_creator)


def creators_of(graph):
    """The active creators of `graph` and its enclosing graphs, innermost last."""
    creators = []
    while graph is not None:
        creators[:0] = _creators_in(graph)
        graph = graph.outer_graph
    return creators


def _creators_in(graph):
    return graph.annotations.setdefault('variable creators', [])
