"""variable_creator_scope: functions that make the Variables of a part of a program."""
from __future__ import annotations

from contextlib import contextmanager

from tinyflow.graph.defaults import get_default_graph

__all__ = ['creators_of', 'variable_creator_scope']


@contextmanager
def variable_creator_scope(variable_creator):
    """Lets `variable_creator(next_creator, **settings)` make the Variables inside.

    It returns a Variable, most often next_creator(**settings) with some of the settings changed;
    next_creator is the creator of the scope around, or what makes Variables without any.
    """
    creators = _creators_in(get_default_graph())
    creators.append(variable_creator)
    try:
        yield
    finally:
        creators.remove(variable_creator)


def creators_of(graph):
    """The creators that are open in `graph` and the graphs around it, the innermost last."""
    found = []
    while graph is not None:
        found[:0] = _creators_in(graph)
        graph = graph.outer_graph
    return found


def _creators_in(graph):
    return graph.annotations.setdefault('variable creators', [])
