"""tf.io.write_graph: a graph as a file."""
from __future__ import annotations

import os

from tinyflow.formats.graphdef.graph_text import graph_text
from tinyflow.formats.wire import reading
from tinyflow.formats.wire.files import write_atomically
from tinyflow.graph.graph import Graph


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a Graph, or a GraphDef (or another message), to the file `logdir`/`name`; its path.

    The directory is created if necessary. The file is written atomically.
    """
    message = graph_or_graph_def.as_graph_def() if isinstance(graph_or_graph_def, Graph) \
        else graph_or_graph_def
    if logdir:
        os.makedirs(logdir, exist_ok=True)
    path = os.path.join(logdir, name)
    if as_text and message.DESCRIPTOR.name == 'GraphDef':
        write_atomically(path, graph_text(message))
    else:
        reading.write(path, message, as_text)
    return path
