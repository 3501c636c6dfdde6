"""Datasets of the lines, records and pieces of files."""
from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Sequence
from typing import Any, BinaryIO

from tinyflow.data.runtime.base import Cursor, Element, Source, State, invalid
from tinyflow.formats.wire.records import RecordReader
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import abstract
from tinyflow.ops.files.file_ops import explained

_COMPRESSIONS = ('', 'GZIP', 'ZLIB')


def open_bytes(path: str, compression: str, offset: int = 0, buffer_size: int = 0) -> BinaryIO:
    """A file opened for reading its (uncompressed) bytes from `offset` on.

    NotFoundError and similar errors name the file; DataLossError for another compression.
    """
    with explained(path):
        if compression == 'GZIP':
            file: Any = gzip.open(path, 'rb')
        elif compression == 'ZLIB':
            with open(path, 'rb') as packed:
                file = io.BytesIO(_inflated(path, packed.read()))
        else:
            file = open(path, 'rb', buffering=buffer_size if buffer_size > 1 else -1)
        if offset:
            file.seek(offset)
    return file


def _inflated(path: str, data: bytes) -> bytes:
    try:
        return zlib.decompress(data)
    except zlib.error as error:
        raise errors.DataLossError(None, None, f'{path}: not ZLIB data: {error}') from None


class FilesCursor(Cursor):
    """A pass over several files, one after the other; `offset` is the position in the current one.

    A subclass opens a file at an offset and reads from it.
    """

    file: Any = None

    def __init__(self, source: Any) -> None:
        super().__init__(source)
        self.number = 0
        self.offset = 0

    def __next__(self) -> Element:
        while self.number < len(self.source.paths):
            if self.file is None:
                self.path = self.source.paths[self.number]
                self.file = self.open_at(self.offset)
            element = self.read()
            if element is not None:
                return element
            self.end_file()
        raise StopIteration

    def end_file(self) -> None:
        self.close()
        self.number += 1
        self.offset = 0

    def open_at(self, offset: int) -> Any:
        return open_bytes(self.path, self.source.compression, offset, self.source.buffer_size)

    def read(self) -> Element | None:
        """The next element of the current file; None at its end."""
        raise abstract(self)

    def get_state(self) -> State:
        return {'number': self.number, 'offset': self.offset}

    def set_state(self, state: State) -> None:
        self.close()
        self.number, self.offset = state['number'], state['offset']

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None

    def __del__(self) -> None:
        self.close()                        # a pass that was not closed


class Files(Source):
    """The contents of files with a compression: '', 'GZIP' or 'ZLIB'."""

    def __init__(self, paths: Sequence[str], compression: str, buffer_size: int) -> None:
        if compression not in _COMPRESSIONS:
            raise invalid(f"Unsupported compression_type: '{compression}'.",
                          "it is '' (none), 'GZIP' or 'ZLIB'.")
        self.paths = [os.fspath(p) for p in paths]
        self.compression, self.buffer_size = compression, buffer_size


class _LinesCursor(FilesCursor):
    def read(self) -> Element | None:
        try:
            line = self.file.readline()
        except (OSError, EOFError, zlib.error) as error:
            raise errors.DataLossError(None, None, f'{self.path}: {error}') from None
        if not line:
            return None
        self.offset += len(line)
        if line[-1:] == b'\n':
            line = line[:-1]
        return (boxed(line[:-1] if line[-1:] == b'\r' else line),)


class Lines(Files):
    """The lines of text files, without line ends."""

    pass_class = _LinesCursor


class _RecordsCursor(FilesCursor):
    def open_at(self, offset: int) -> Any:
        with explained(self.path):
            os.stat(self.path)
        return RecordReader(self.path, self.source.compression, offset,
                            self.source.buffer_size or None)

    def read(self) -> Element | None:
        for record in self.file:
            self.offset = self.file.offset
            return (boxed(record),)
        return None


class Records(Files):
    """The records of TFRecord files."""

    pass_class = _RecordsCursor


class _PiecesCursor(FilesCursor):
    def open_at(self, offset: int) -> Any:
        source = self.source
        if source.compression:
            with open_bytes(self.path, source.compression) as whole:
                file: Any = io.BytesIO(whole.read())
            size = len(file.getbuffer())
        else:
            file = super().open_at(0)
            size = os.fstat(file.fileno()).st_size
        self.end = size - source.footer
        body = self.end - source.header
        if body < 0 or body % source.length:
            file.close()
            raise invalid(
                f'Excluding the header ({source.header} bytes) and footer ({source.footer} bytes), '
                f'input file "{self.path}" has body length {body} bytes, which is not an exact '
                f'multiple of the record length ({source.length} bytes).')
        self.offset = offset or source.header
        file.seek(self.offset)
        return file

    def read(self) -> Element | None:
        if self.offset >= self.end:
            return None
        record = self.file.read(self.source.length)
        self.offset += len(record)
        return (boxed(record),)


class Pieces(Files):
    """Records of `length` bytes, between a header and a footer that are skipped."""

    pass_class = _PiecesCursor

    def __init__(self, paths: Sequence[str], header: int, length: int, footer: int,
                 buffer_size: int, compression: str) -> None:
        super().__init__(paths, compression, buffer_size)
        self.header, self.length, self.footer = header, length, footer
