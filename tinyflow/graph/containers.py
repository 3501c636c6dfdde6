"""tf.container: a name under which a server keeps Variables, queues and tables together."""
from __future__ import annotations

from contextlib import contextmanager

from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.graph import check_is_string

__all__ = ['container', 'container_of']


def container(container_name):
    """In a `with` block: resources made inside are in this container, of the default graph."""
    return container_of(get_default_graph(), container_name)


@contextmanager
def container_of(graph, container_name):
    """The same for `graph`. `tf.Session.reset(target, [name])` forgets what is in a container."""
    check_is_string(container_name)

    def put(operation):
        if operation.attrs.get('container') == '' and put is _innermost(graph):
            operation.attrs['container'] = container_name
    put.is_container = True
    graph.node_observers.append(put)
    try:
        yield container_name
    finally:
        graph.node_observers.remove(put)


def _innermost(graph):
    return next(f for f in reversed(graph.node_observers) if hasattr(f, 'is_container'))
