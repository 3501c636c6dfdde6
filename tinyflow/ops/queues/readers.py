"""tf.TextLineReader, TFRecordReader and other readers: records of files named by a queue.

A reader takes a file name from the queue, reads its records one by one, then takes the next name.
A Session keeps one reader for each reader node.
"""
from __future__ import annotations

import threading
from collections import namedtuple

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.queues.nodes import queue_in, resource_name
from tinyflow.ops.queues.readers_state import (
    ReaderState,
    fixed_records,
    identity,
    text_lines,
    tf_records,
    whole_file,
)
from tinyflow.ops.support.arguments import refusal

__all__ = ['FixedLengthRecordReader', 'IdentityReader', 'ReaderBase', 'TFRecordReader',
           'TextLineReader', 'WholeFileReader']

ReaderRead = namedtuple('ReaderRead', ['key', 'value'])
ReaderReadUpTo = namedtuple('ReaderReadUpTo', ['keys', 'values'])


# ---- nodes ----------------------------------------------------------------------------------

class _LazyReader:
    """The state of a reader node in a Session: the reader, created when the node first runs."""

    def __init__(self, operation, shared):
        self.operation = operation
        self.shared = shared
        self.handle = None
        self._lock = threading.Lock()

    def get(self, records, one_record_per_file=False):
        with self._lock:
            if self.handle is None:
                attrs = self.operation.attrs
                key = 'reader', attrs['container'], attrs['shared_name']
                handle = self.shared.get(key) if attrs['shared_name'] else None
                if handle is None:
                    handle = boxed(ReaderState(self.operation, records, one_record_per_file,
                                               resource_name(self.operation)))
                if attrs['shared_name']:
                    handle = self.shared.setdefault(key, handle)
                self.handle = handle
        return self.handle


class _Reader(Op, abstract=True):
    """Returns the handle of the Session's reader."""

    signature = '-> reader_handle: resource'
    attrs = {'container': '', 'shared_name': ''}
    pure = False
    state = _LazyReader
    state_of_node = True
    gradient = NOT_DIFFERENTIABLE

    def shape():
        return ()


class TextLineReaderV2(_Reader):
    """Lines of text files."""

    attrs = {'skip_header_lines': 0, **_Reader.attrs}

    def kernel(holder, *, skip_header_lines):
        return holder.get(lambda path: text_lines(path, skip_header_lines))


class FixedLengthRecordReaderV2(_Reader):
    """Records of a fixed number of bytes."""

    attrs = {'header_bytes': 0, 'record_bytes': REQUIRED, 'footer_bytes': 0, 'hop_bytes': 0,
             'encoding': '', **_Reader.attrs}

    def kernel(holder, *, header_bytes, record_bytes, footer_bytes, hop_bytes, encoding):
        return holder.get(lambda path: fixed_records(
            path, record_bytes, header_bytes, footer_bytes, hop_bytes, encoding))


class TFRecordReaderV2(_Reader):
    """Records of TFRecord files."""

    attrs = {'compression_type': '', **_Reader.attrs}

    def kernel(holder, *, compression_type):
        return holder.get(lambda path: tf_records(path, compression_type))


class WholeFileReaderV2(_Reader):
    """Whole files."""

    def kernel(holder):
        return holder.get(whole_file, one_record_per_file=True)


class IdentityReaderV2(_Reader):
    """The names themselves."""

    def kernel(holder):
        return holder.get(identity, one_record_per_file=True)


def _reader(handle):
    reader = handle.item() if isinstance(handle, np.ndarray) else handle
    if not isinstance(reader, ReaderState):
        raise ValueError('the handle is not that of a reader')
    return reader


def _names_in(handle):
    queue = queue_in(handle)
    if tuple(queue.types) != (dtypes.string,):
        raise OpFailure('Expected queue with single string component',
                        'a queue of file names: tf.train.string_input_producer([...]).')
    return queue


class _ReaderOp(Op, abstract=True):
    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(reader_handle):
        return ()


class ReaderReadV2(_ReaderOp):
    """The next record."""

    signature = 'reader_handle: resource, queue_handle: resource -> key: string, value: string'

    def shape(reader_handle, queue_handle):
        return (), ()

    def kernel(reader_handle, queue_handle):
        key, value = _reader(reader_handle).read(_names_in(queue_handle))
        return boxed(key), boxed(value)


class ReaderReadUpToV2(_ReaderOp):
    """The next records of one file."""

    signature = ('reader_handle: resource, queue_handle: resource, num_records: int64 '
                 '-> keys: string, values: string')
    static = {'num_records': 0}

    def shape(reader_handle, queue_handle, num_records):
        return (None,), (None,)

    def kernel(reader_handle, queue_handle, num_records):
        pairs = _reader(reader_handle).read_up_to(_names_in(queue_handle), num_records)
        columns = np.empty((2, len(pairs)), object)
        for i, pair in enumerate(pairs):
            columns[:, i] = pair
        return columns[0].copy(), columns[1].copy()


class ReaderNumRecordsProducedV2(_ReaderOp):
    """The number of records read so far."""

    signature = 'reader_handle: resource -> records_produced: int64'

    def kernel(reader_handle):
        return np.array(_reader(reader_handle).produced, np.int64)


class ReaderNumWorkUnitsCompletedV2(_ReaderOp):
    """The number of files read to the end."""

    signature = 'reader_handle: resource -> units_completed: int64'

    def kernel(reader_handle):
        return np.array(_reader(reader_handle).work_finished, np.int64)


class ReaderSerializeStateV2(_ReaderOp):
    """The reader's position as bytes."""

    signature = 'reader_handle: resource -> state: string'

    def kernel(reader_handle):
        return boxed(_reader(reader_handle).serialize())


class ReaderRestoreStateV2(_ReaderOp):
    """Restores the reader to a serialized position."""

    signature = 'reader_handle: resource, state: string ->'

    def shape(reader_handle, state):
        return None

    def kernel(reader_handle, state):
        _reader(reader_handle).restore(state.item())


class ReaderResetV2(_ReaderOp):
    """Resets the reader to its initial state."""

    signature = 'reader_handle: resource ->'

    def shape(reader_handle):
        return None

    def kernel(reader_handle):
        _reader(reader_handle).reset()


# ---- public classes --------------------------------------------------------------------------

class ReaderBase:
    """Base of all readers. Records are (key, value) pairs of strings."""

    def __init__(self, reader_ref, supports_serialize=False):
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self):
        """The handle tensor of the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self):
        return self._supports_serialize

    def read(self, queue, name=None):
        """The next record, as (key, value); takes names of files from `queue` as needed.

        Shapes: -> [], []. OutOfRangeError once the queue is closed and all is read.
        """
        return ReaderRead(*ReaderReadV2.apply(self._reader_ref, _ref(queue), name=name))

    def read_up_to(self, queue, num_records, name=None):
        """Up to `num_records` records of one file, at least one, as (keys, values).

        Shapes: -> [records], [records]. OutOfRangeError once the queue is closed and all is read.
        """
        return ReaderReadUpTo(*ReaderReadUpToV2.apply(self._reader_ref, _ref(queue), num_records,
                                                      name=name))

    def num_records_produced(self, name=None):
        """How many records were given so far. Shapes: -> [], int64."""
        return ReaderNumRecordsProducedV2.apply(self._reader_ref, name=name)

    def num_work_units_completed(self, name=None):
        """How many files are finished. Shapes: -> [], int64."""
        return ReaderNumWorkUnitsCompletedV2.apply(self._reader_ref, name=name)

    def serialize_state(self, name=None):
        """The reader's position as bytes. Shapes: -> []. UnimplementedError for most readers."""
        return ReaderSerializeStateV2.apply(self._reader_ref, name=name)

    def restore_state(self, state, name=None):
        """An Operation that restores a result of `serialize_state`. Shapes: state []."""
        return ReaderRestoreStateV2.apply(self._reader_ref, state, name=name)

    def reset(self, name=None):
        """An Operation that resets the reader to its initial state."""
        return ReaderResetV2.apply(self._reader_ref, name=name)


def _ref(queue):
    return queue if isinstance(queue, Tensor) else queue.queue_ref


class TextLineReader(ReaderBase):
    """Reads lines of text files; the key of a line is 'file:number'."""

    def __init__(self, skip_header_lines=None, name=None):
        super().__init__(TextLineReaderV2.apply(skip_header_lines=skip_header_lines or 0,
                                                name=name))


class WholeFileReader(ReaderBase):
    """Reads whole files; the key is the file's name."""

    def __init__(self, name=None):
        super().__init__(WholeFileReaderV2.apply(name=name), supports_serialize=True)


class IdentityReader(ReaderBase):
    """Returns the strings of the queue themselves, as key and value."""

    def __init__(self, name=None):
        super().__init__(IdentityReaderV2.apply(name=name), supports_serialize=True)


class TFRecordReader(ReaderBase):
    """Reads the records of TFRecord files; the key is 'file:offset'."""

    def __init__(self, name=None, options=None):
        super().__init__(TFRecordReaderV2.apply(compression_type=_compression(options), name=name))


class FixedLengthRecordReader(ReaderBase):
    """Reads records of `record_bytes` bytes between a header and a footer; key 'file:number'."""

    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None,
                 name=None, encoding=None):
        if record_bytes <= 0:
            raise refusal(ValueError, 'FixedLengthRecordReaderV2: record_bytes must be > 0, not '
                          f'{record_bytes}')
        if encoding not in (None, '', 'ZLIB'):
            raise refusal(ValueError, f'FixedLengthRecordReaderV2: encoding {encoding!r} is not '
                          "known; it is '' or 'ZLIB'")
        super().__init__(FixedLengthRecordReaderV2.apply(
            record_bytes=record_bytes, header_bytes=header_bytes or 0,
            footer_bytes=footer_bytes or 0, hop_bytes=hop_bytes or 0, encoding=encoding or '',
            name=name))


def _compression(options):
    """'', 'ZLIB' or 'GZIP' of a TFRecordOptions, of a TFRecordCompressionType, or unchanged."""
    kind = getattr(options, 'compression_type', options)
    return {None: '', 0: '', 1: 'ZLIB', 2: 'GZIP'}.get(kind, kind)
