"""tf.io: files, records, serialized Examples and tensors, queues of the input pipeline."""
from tinyflow import files as gfile
from tinyflow.absent import absent as _absent
from tinyflow.graphdef.graph_io import write_graph
from tinyflow.ops.compression import decode_compressed
from tinyflow.ops.example_parsing import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    parse_example,
    parse_sequence_example,
    parse_single_example,
    parse_single_sequence_example,
)
from tinyflow.ops.files import matching_files, read_file, write_file
from tinyflow.ops.parsing import decode_csv, decode_raw
from tinyflow.ops.queues import PaddingFIFOQueue, PriorityQueue, QueueBase, RandomShuffleQueue
from tinyflow.ops.serialized_tensors import parse_tensor, serialize_tensor
from tinyflow.ops.sparse_serializing import (
    deserialize_many_sparse,
    serialize_many_sparse,
    serialize_sparse,
)
from tinyflow.ops.string_cases import decode_base64, encode_base64
from tinyflow.python_io import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)
from tinyflow.train.input import match_filenames_once

__all__ = [
    'FixedLenFeature', 'FixedLenSequenceFeature', 'PaddingFIFOQueue', 'PriorityQueue',
    'QueueBase', 'RandomShuffleQueue', 'SparseFeature', 'TFRecordCompressionType',
    'TFRecordOptions', 'TFRecordWriter', 'VarLenFeature', 'decode_base64',
    'decode_compressed', 'decode_csv', 'decode_raw', 'deserialize_many_sparse',
    'encode_base64', 'gfile', 'match_filenames_once', 'matching_files',
    'parse_example', 'parse_sequence_example', 'parse_single_example',
    'parse_single_sequence_example', 'parse_tensor', 'read_file', 'serialize_many_sparse',
    'serialize_sparse', 'serialize_tensor', 'tf_record_iterator', 'write_file', 'write_graph',
]

__getattr__ = _absent(__name__, __all__)


def __dir__():
    return __all__
