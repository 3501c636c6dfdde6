"""Object-based checkpoints: which objects own which tensors, as stored next to them."""
from __future__ import annotations

from tinyflow.errors import DataLossError

KEY = '_CHECKPOINTABLE_OBJECT_GRAPH'
VALUE = '.ATTRIBUTES/VARIABLE_VALUE'


def read_graph(reader):
    """The TrackableObjectGraph of a checkpoint; None if it is not object-based."""
    from google.protobuf.message import DecodeError

    from tinyflow.formats.protos import trackable_object_graph_pb2
    if KEY not in reader:
        return None
    try:
        return trackable_object_graph_pb2.TrackableObjectGraph.FromString(reader.get(KEY)[()])
    except (DecodeError, TypeError):
        raise DataLossError(None, None, f'{reader.prefix}: the object graph ({KEY}) is not '
                            'readable') from None


def full_names_to_keys(reader):
    """{name of a Variable: the key of its value}; {} if the checkpoint is not object-based."""
    graph = read_graph(reader)
    if graph is None:
        return {}
    return {tensor.full_name: tensor.checkpoint_key
            for node in graph.nodes for tensor in node.attributes if tensor.full_name}
