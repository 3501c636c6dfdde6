"""The messages that TensorFlow 1 programs know by name: tf.GraphDef, tf.NodeDef, tf.train.Example.

Looked up when first asked for, as the modules behind them load google.protobuf.
"""
from __future__ import annotations

# Public name below tf -> module of tinyflow.formats.protos.
MESSAGES = {
    'AttrValue': 'attr_value', 'Event': 'event', 'GraphDef': 'graph', 'HistogramProto': 'summary',
    'LogMessage': 'event', 'MetaGraphDef': 'meta_graph', 'NameAttrList': 'attr_value',
    'NodeDef': 'node_def', 'OpDef': 'op_def', 'SessionLog': 'event', 'Summary': 'summary',
    'SummaryMetadata': 'summary', 'TensorInfo': 'meta_graph', 'TensorProto': 'tensor',
}

def lazy(table):
    """Public name -> the module that has it, of a table above."""
    return {name: f'tinyflow.formats.protos.{module}_pb2' for name, module in table.items()}
