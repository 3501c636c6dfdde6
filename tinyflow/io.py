"""tf.io: files, and what is in them."""
from tinyflow.absent import absent as _absent
from tinyflow.ops.files import matching_files, read_file, write_file
from tinyflow.ops.parsing import decode_csv, decode_raw
from tinyflow.ops.queues import PaddingFIFOQueue, PriorityQueue, QueueBase, RandomShuffleQueue
from tinyflow.train.input import match_filenames_once

__all__ = [
    'PaddingFIFOQueue', 'PriorityQueue', 'QueueBase', 'RandomShuffleQueue', 'decode_csv',
    'decode_raw', 'match_filenames_once', 'matching_files', 'read_file', 'write_file',
]

__getattr__ = _absent(__name__, __all__)
