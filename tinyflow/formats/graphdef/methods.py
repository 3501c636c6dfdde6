"""Methods of Graph, Operation, TensorShape, DType and Variable that return protocol buffers.

These methods are added here, because tinyflow.graph does not depend on file formats; importing this
module does not load protobuf.
"""
from __future__ import annotations

from tinyflow.formats.graphdef import variable_defs
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.version import GRAPH_DEF_VERSION
from tinyflow.ops.variables.variable import Variable


def _as_graph_def(self, from_version=None, add_shapes=False):
    """The GraphDef of this graph, or of the nodes made since `version` was `from_version`.

    `add_shapes` writes the static shapes of each node's outputs as the attribute _output_shapes.
    Warns [large-constants] of constants above 32 MB. Raises ValueError above 2 GB.
    """
    from tinyflow.formats.graphdef import export  # start-up time
    return export.graph_def(self, from_version, add_shapes)


def _graph_def_versions(self):
    """The VersionDef of the GraphDefs of this graph."""
    from tinyflow.formats.protos.versions_pb2 import VersionDef  # start-up time
    return VersionDef(producer=GRAPH_DEF_VERSION)


def _container(self, container_name):
    """In a `with` block: resources made inside are in this container; see tf.container."""
    from tinyflow.graph.containers import container_of  # start-up time
    return container_of(self, container_name)


def _node_def(self):
    """The NodeDef of this node."""
    from tinyflow.formats.graphdef import export  # start-up time
    return export.node_def(self)


def _as_proto(self):
    """The TensorShapeProto of this shape."""
    from tinyflow.formats.wire.tensors import shape_proto  # start-up time
    return shape_proto(self)


def _install(owner, **members):
    for name, member in members.items():
        function = member.fget if isinstance(member, property) else member
        function.__name__, function.__qualname__ = name, f'{owner.__name__}.{name}'
        setattr(owner, name, member)


_install(Graph, as_graph_def=_as_graph_def, graph_def_versions=property(_graph_def_versions),
         container=_container)
_install(Operation, node_def=property(_node_def))
_install(TensorShape, as_proto=_as_proto)
_install(Variable, to_proto=variable_defs.to_proto)
Variable.from_proto = staticmethod(variable_defs.from_proto)
Variable.SaveSliceInfo = variable_defs.SaveSliceInfo
