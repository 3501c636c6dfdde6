"""Protocol buffer messages by their public names: tf.GraphDef, tf.NodeDef, tf.train.Example.

Imported at first use, as the modules behind them load google.protobuf.
"""
from __future__ import annotations

_OF = {         # public name in tf -> module of tinyflow.formats.protos
    'AttrValue': 'attr_value', 'Event': 'event', 'GraphDef': 'graph', 'HistogramProto': 'summary',
    'LogMessage': 'event', 'MetaGraphDef': 'meta_graph', 'NameAttrList': 'attr_value',
    'NodeDef': 'node_def', 'OpDef': 'op_def', 'SessionLog': 'event', 'Summary': 'summary',
    'SummaryMetadata': 'summary', 'TensorInfo': 'meta_graph', 'TensorProto': 'tensor',
}

MESSAGES = {name: f'tinyflow.formats.protos.{module}_pb2' for name, module in _OF.items()}
