"""init_scope: builds nodes outside of all functions and control dependencies."""
from __future__ import annotations

from contextlib import contextmanager, nullcontext

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.devices import ANYWHERE, PlacedBy
from tinyflow.graph.stacks import stacks

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
        with outer.control_dependencies(None), _devices(outer, outer in stacks.graphs):
            yield
        return
    scope = inner.get_name_scope()
    with outer.as_default(), outer.control_dependencies(None), \
            outer.name_scope(scope + '/' if scope else None), _devices(outer, True, inner):
        yield


def _devices(graph, is_entered, inner=None):
    """The devices of a function's scopes hold outside, too; in a graph that was entered by
    `as_default`, also those that a colocate_with scope hides. TensorFlow has it so.
    """
    scopes = (inner or graph)._device_scopes
    if scopes is None or not is_entered:
        return nullcontext()
    devices = scopes.devices or scopes.hidden
    around = graph._device_scopes or ANYWHERE
    return PlacedBy(graph, around._replace(devices=devices)) if devices else nullcontext()
