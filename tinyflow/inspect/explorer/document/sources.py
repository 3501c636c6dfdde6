"""What an explorer's page is about: a graph, from an object or a file."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.inspect.viz import select

_ENDINGS = '.pb, .pbtxt or .meta'


class Source(NamedTuple):
    """A graph; `operations` are those to be shown (None: all), `fetches` what `what` was."""

    graph: Graph
    title: str
    operations: Sequence[Operation] | None = None
    fetches: Any = None


def source_of(what: Any) -> Source:
    """The graph of an object, a file or a folder. TypeError, ValueError or OSError if it has none.
    """
    if isinstance(what, (str, os.PathLike)):
        return _of_file(os.fspath(what))
    if hasattr(what, 'SerializeToString'):
        return Source(_imported(what), _kind(what))
    graph, fetched = select.subject(what)
    if graph is None:
        raise misuse(ValueError(f'explore: there is no node in {what!r}.'))
    if fetched is None or not _is_fetch(what):          # a Model is shown with all of its graph
        return Source(graph, _title(what, graph))
    return Source(graph, ', '.join(op.name for op in fetched[:3])
                  + (', …' if len(fetched) > 3 else ''),
                  sorted(select.needed(fetched), key=lambda op: op.id), what)


def _is_fetch(what):
    """True for nodes and nests of nodes, False for what contains a graph."""
    return isinstance(what, (Operation, Tensor, list, tuple, dict, set, frozenset)) \
        or isinstance(getattr(what, 'op', None), Operation) \
        or isinstance(getattr(what, 'values', None), Tensor)


def _title(what, graph):
    name = getattr(what, 'name', None)
    if isinstance(what, Graph) or what.__class__.__name__.endswith('Session'):
        return f'graph of {len(graph.get_operations())} nodes'
    return f'{type(what).__name__} {name}' if isinstance(name, str) else type(what).__name__


def _kind(message):
    return getattr(getattr(message, 'DESCRIPTOR', None), 'name', type(message).__name__)


# ---- files -----------------------------------------------------------------------------------

def _of_file(path):
    if os.path.isdir(path):
        return Source(_imported(_saved_model(path)), os.path.basename(os.path.abspath(path)))
    if not os.path.exists(path) and os.path.exists(f'{path}.meta'):      # prefix of a checkpoint
        path = f'{path}.meta'
    if not os.path.exists(path):
        raise misuse(FileNotFoundError(
            f'explore: there is no file {path!r}, and no checkpoint of that name.\n  Hint: a name '
            'of a node is not enough; graph.get_tensor_by_name(name) gives the node.'))
    return Source(_imported(_message(path)), os.path.basename(path))


def _saved_model(folder):
    from tinyflow.train.saved_model.loader import (  # start-up time
        maybe_saved_model_directory,
        read_saved_model,
    )
    if not maybe_saved_model_directory(folder):
        raise misuse(ValueError(f'explore: {folder!r} is a folder without a saved_model.pb.\n  '
                                f'Hint: a file that ends in {_ENDINGS} has a graph, too.'))
    return read_saved_model(folder).meta_graphs[0]


def _message(path):
    if path.endswith('.meta'):
        from tinyflow.formats.graphdef.meta_graph import read_meta_graph_file  # start-up time
        return read_meta_graph_file(path)
    from tinyflow.formats.protos.graph_pb2 import GraphDef  # start-up time
    from tinyflow.formats.wire.reading import read  # start-up time
    return read(path, GraphDef)


def _imported(message):
    """The graph of a GraphDef, a MetaGraphDef or a SavedModel."""
    if hasattr(message, 'meta_graphs'):
        message = message.meta_graphs[0]
    definition = getattr(message, 'graph_def', message)
    if not hasattr(definition, 'node'):
        raise misuse(TypeError(f'explore: a {_kind(message)} has no graph.'))
    from tinyflow.formats.graphdef.importing import import_graph_def  # start-up time
    graph = Graph()
    with graph.as_default():
        import_graph_def(definition, name='')
    return graph


__all__ = ['Source', 'source_of']
