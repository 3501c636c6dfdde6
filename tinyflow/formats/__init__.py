"""TensorFlow's own bytes: protocol buffers, graphs, SavedModels, TFRecord, checkpoints.

    protos/         the messages (*_pb2), TensorFlow's fields under a package of their own
    messages.py     the messages by their public names: tf.GraphDef, tf.NodeDef ...
    tensors.py      arrays <-> TensorProto; dtypes and shapes
    attributes.py   attributes of nodes <-> AttrValue
    export.py       Graph -> GraphDef
    importing.py    GraphDef -> nodes of a Graph
    reading.py      files of protocol buffers, binary or text
    meta_graph.py   a Graph with its collections <-> MetaGraphDef
    crc.py, records.py, files.py    checksums, TFRecord, files written whole or not at all
    table.py, bundle.py             checkpoints
"""
