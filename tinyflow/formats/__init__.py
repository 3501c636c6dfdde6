"""TensorFlow's own bytes: protocol buffers, tensors, TFRecord, checkpoints.

    protos/             the messages (*_pb2): TensorFlow's fields under a package of their own
    messages.py         the messages by their public names: tf.GraphDef, tf.NodeDef ...
    tensors.py          arrays <-> TensorProto; shapes; numbers of dtypes
    reading.py          files of one protocol buffer, binary or text
    crc.py, records.py  checksums; TFRecord
    files.py            files written whole or not at all
    table.py, bundle.py checkpoints
"""
