"""tf.io: files, records, serialized Examples and tensors, queues of the input pipeline."""
from tinyflow.api.python_io import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)
from tinyflow.formats.graphdef.graph_io import write_graph
from tinyflow.graph.support import filesystem as gfile
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.files.compression import decode_compressed
from tinyflow.ops.files.example_parsing import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    parse_example,
    parse_sequence_example,
    parse_single_example,
    parse_single_sequence_example,
)
from tinyflow.ops.files.file_ops import matching_files, read_file, write_file
from tinyflow.ops.files.parsing import decode_csv, decode_raw
from tinyflow.ops.files.serialized_tensors import parse_tensor, serialize_tensor
from tinyflow.ops.image.files import decode_image, is_jpeg
from tinyflow.ops.image.gif_bmp import decode_bmp, decode_gif
from tinyflow.ops.image.jpeg import decode_and_crop_jpeg, encode_jpeg, extract_jpeg_shape
from tinyflow.ops.image.jpeg_png import decode_jpeg, decode_png
from tinyflow.ops.queues.queues import (
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)
from tinyflow.ops.sparse.serializing import (
    deserialize_many_sparse,
    serialize_many_sparse,
    serialize_sparse,
)
from tinyflow.ops.strings.cases import decode_base64, encode_base64
from tinyflow.train.queues.input import match_filenames_once

__all__ = [
    'FixedLenFeature', 'FixedLenSequenceFeature', 'PaddingFIFOQueue', 'PriorityQueue',
    'QueueBase', 'RandomShuffleQueue', 'SparseFeature', 'TFRecordCompressionType',
    'TFRecordOptions', 'TFRecordWriter', 'VarLenFeature', 'decode_and_crop_jpeg',
    'decode_base64', 'decode_bmp', 'decode_compressed', 'decode_csv', 'decode_gif',
    'decode_image', 'decode_jpeg', 'decode_png', 'decode_raw', 'deserialize_many_sparse',
    'encode_base64', 'encode_jpeg', 'extract_jpeg_shape', 'gfile', 'is_jpeg',
    'match_filenames_once', 'matching_files', 'parse_example', 'parse_sequence_example',
    'parse_single_example', 'parse_single_sequence_example', 'parse_tensor', 'read_file',
    'serialize_many_sparse', 'serialize_sparse', 'serialize_tensor', 'tf_record_iterator',
    'write_file', 'write_graph',
]

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
