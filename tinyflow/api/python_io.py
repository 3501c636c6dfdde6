"""tf.python_io: TFRecord files, written and read without a graph."""
from __future__ import annotations

from tinyflow.api.compat import as_bytes as _as_bytes
from tinyflow.formats.wire.records import (
    RecordReader as _RecordReader,
    RecordWriter as _RecordWriter,
)
from tinyflow.graph.support.errors import (
    FailedPreconditionError as _FailedPreconditionError,
    misuse as _misuse,
)
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['TFRecordCompressionType', 'TFRecordOptions', 'TFRecordWriter', 'tf_record_iterator']


class TFRecordCompressionType:
    """How a TFRecord file is compressed (deprecated: '', 'ZLIB' and 'GZIP')."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


class TFRecordOptions:
    """How a TFRecord file is written: its compression, with zlib's settings.

    Raises ValueError for a compression other than '', 'ZLIB', 'GZIP' and their numbers.
    """

    compression_type_map = {TFRecordCompressionType.ZLIB: 'ZLIB',
                            TFRecordCompressionType.GZIP: 'GZIP', TFRecordCompressionType.NONE: ''}

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None,
                 output_buffer_size=None, window_bits=None, compression_level=None,
                 compression_method=None, mem_level=None, compression_strategy=None):
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options):
        """'', 'ZLIB' or 'GZIP' for options, such a string, or its number."""
        if not options:
            return ''
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, TFRecordCompressionType):
            return cls.compression_type_map[options]
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return options
        raise _misuse(ValueError(f'Not a valid compression_type: "{options}"'))


class TFRecordWriter:
    """Writes records, which are bytes, to a TFRecord file; `with` closes it at the end.

    `options` is a TFRecordOptions or a compression. NotFoundError for a missing directory.
    """

    def __init__(self, path, options=None):
        given = options
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=given)
        self._writer = _RecordWriter(
            path, TFRecordOptions.get_compression_type_string(options),
            level=_or(options.compression_level, -1), memory=_or(options.mem_level, 8),
            strategy=_or(options.compression_strategy, 0), window_bits=options.window_bits)
        self._closed = False

    def write(self, record):
        """Appends one record. TypeError unless it is bytes."""
        if not isinstance(record, bytes):
            raise _misuse(TypeError(
                f'expected bytes, {type(record).__name__} found\n  Hint: '
                'example.SerializeToString(), or text.encode().'))
        self._check_open()
        self._writer.write(record)

    def flush(self):
        """Flushes written records to the file system."""
        self._check_open()
        self._writer.flush()

    def close(self):
        """Ends the file."""
        self._closed = True
        self._writer.close()

    def _check_open(self):
        if self._closed:
            raise _FailedPreconditionError(None, None,
                                           'Writer not initialized or previously closed')

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def _or(value, default):
    return default if value is None else value


def tf_record_iterator(path, options=None):
    """The records of a TFRecord file, one after the other.

    NotFoundError without a file; DataLossError names the offset of a damaged record.
    """
    compression = TFRecordOptions.get_compression_type_string(options)
    with _RecordReader(_as_bytes(path).decode(), compression) as reader:
        yield from reader


__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
