"""TFRecord: a file of byte strings, each with its length and two checksums.

    uint64 length | masked crc32c of it | bytes | masked crc32c of them          (little-endian)

The file may be a GZIP or ZLIB stream.
"""
from __future__ import annotations

import io
import zlib
from struct import Struct

from tinyflow.formats.wire.crc import masked_crc32c
from tinyflow.formats.wire.files import explained
from tinyflow.graph.support import errors

_HEADER = Struct('<QI')
_LENGTH = Struct('<Q')
_CRC = Struct('<I')
_FRAME = _HEADER.size + _CRC.size
_CHUNK = 1 << 18
_STEP = 4096                    # bytes that are unpacked at once
_EITHER = 47                    # zlib finds out which of the two compressions it is

WINDOW_BITS = {'': None, 'ZLIB': 15, 'GZIP': 31}


def frame(record):
    """The encoding of the byte string `record` in a file."""
    length = _LENGTH.pack(len(record))
    return b'%b%b%b%b' % (length, _CRC.pack(masked_crc32c(length)), record,
                          _CRC.pack(masked_crc32c(record)))


class RecordWriter:
    """Writes records to a file, one after the other; `compression` is '', 'GZIP' or 'ZLIB'."""

    def __init__(self, path, compression='', level=-1, strategy=0, memory=8, window_bits=None,
                 buffer_size=_CHUNK):
        self.path = path
        bits = _window_bits(compression, window_bits)
        self._pack = bits and zlib.compressobj(level, zlib.DEFLATED, bits, memory, strategy)
        with explained(path):
            self._file = open(path, 'wb', buffering=max(buffer_size, 2))

    def write(self, record):
        """Appends one record, which is bytes."""
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, f'{self.path}: Writer is closed.')
        data = frame(record)
        try:
            self._file.write(self._pack.compress(data) if self._pack else data)
        except OSError as error:
            with explained(self.path):
                raise error from None

    def flush(self):
        """Flushes written records to the file system."""
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, f'{self.path}: Writer is closed.')
        with explained(self.path):
            if self._pack:
                self._file.write(self._pack.flush(zlib.Z_SYNC_FLUSH))
            self._file.flush()

    def close(self):
        """Ends the file; a second call does nothing."""
        file, self._file = self._file, None
        if file is not None:
            with explained(self.path), file:
                if self._pack:
                    file.write(self._pack.flush())


def _window_bits(compression, window_bits=None):
    if compression not in WINDOW_BITS:
        raise errors.misuse(ValueError(
            f"compression must be one of {sorted(WINDOW_BITS)}, not {compression!r}."))
    bits = WINDOW_BITS[compression]
    if bits is None or window_bits is None:
        return bits
    return window_bits + 16 if compression == 'GZIP' else window_bits


class RecordReader:
    """An iterator over the records of a file.

    `offset` is where the next record begins in the (uncompressed) stream; a reader can start
    there. DataLossError names the file and the offset of a damaged record; the records before it
    are valid.
    """

    def __init__(self, path, compression='', offset=0, buffer_size=None):
        self.path = path
        self.offset = 0
        self._chunk = max(buffer_size or _CHUNK, 1)
        bits = _window_bits(compression)
        self._unpack = bits and zlib.decompressobj(bits)
        with explained(path):
            self._file = open(path, 'rb', buffering=0)
        self._data, self._position = b'', 0
        self._packed, self._place = b'', 0      # compressed bytes, and how many are unpacked
        self._started = False           # whether a compressed stream has started
        self._damage = None             # the error of zlib after the last valid bytes
        if offset:
            self._skip_to(offset)

    def __iter__(self):
        return self

    def __next__(self):
        data, position = self._data, self._position
        if len(data) - position < _HEADER.size:
            if self._file is None or not self._more(_HEADER.size):
                self.close()
                raise StopIteration
            data, position = self._data, 0
        length, crc = _HEADER.unpack_from(data, position)
        if masked_crc32c(data[position:position + 8]) != crc:
            raise self._lost('corrupted record')
        end = position + _FRAME + length
        if end <= len(data):
            record, crc = data[position + _HEADER.size:end - 4], data[end - 4:end]
            self._position = end
        else:
            self._position = position + _HEADER.size
            record, crc = self._take(length), self._take(_CRC.size)
        if masked_crc32c(record) != _CRC.unpack(crc)[0]:
            raise self._lost('corrupted record')
        self.offset += _FRAME + length
        return record

    def _take(self, size):
        """The next bytes, exactly so many; a large record is in memory once."""
        found = io.BytesIO()
        found.write(memoryview(self._data)[self._position:self._position + size])
        self._position += found.tell()
        while found.tell() < size:
            part = self._read(max(self._chunk, min(size - found.tell(), 1 << 24)))
            if part is None:
                raise self._lost('truncated record')
            self._data, self._position = part, min(size - found.tell(), len(part))
            found.write(memoryview(part)[:self._position])
        return found.getvalue()

    def _more(self, needed):
        """Reads until `needed` bytes are buffered; False at a clean end of the file."""
        parts = [self._data[self._position:]]
        have = len(parts[0])
        while have < needed:
            part = self._read(max(self._chunk, min(needed - have, 1 << 24)))
            if part is None:
                if have == 0:
                    self._data, self._position = b'', 0
                    return False
                raise self._lost('truncated record')
            parts.append(part)
            have += len(part)
        self._data, self._position = b''.join(parts), 0
        return True

    def _read(self, size):
        """Some bytes of the uncompressed stream; None at its end."""
        while True:
            found = self._inflate()
            if found:
                return found
            if self._damage:
                raise self._lost(self._damage)
            with explained(self.path):
                raw = self._file.read(self._chunk if self._unpack else size)
            if not self._unpack:
                return raw or None
            if not raw:
                if self._started and not self._unpack.eof:
                    raise self._lost('truncated compressed stream')
                return None
            self._packed, self._place, self._started = raw, 0, True

    def _inflate(self):
        """About _CHUNK decompressed bytes, so that a little file cannot fill the memory.

        Damage is reported after everything before it was returned.
        """
        found, size = [], 0
        try:
            while self._place < len(self._packed) and size < _CHUNK:
                if self._unpack.eof:                # gzip files may be concatenated
                    if not self._packed[self._place:self._place + _STEP].strip(b'\0'):
                        self._place += _STEP        # or padded with zeros
                        continue
                    self._unpack = zlib.decompressobj(_EITHER)
                # In small steps: the output of a call that finds damage is lost.
                packed = self._packed[self._place:self._place + _STEP]
                found.append(self._unpack.decompress(packed, _CHUNK))
                left = self._unpack.unused_data or self._unpack.unconsumed_tail
                self._place += len(packed) - len(left)
                size += len(found[-1])
        except zlib.error as error:
            self._damage = f'damaged compressed stream ({error})'
            self._packed = b''
        return b''.join(found)

    def _skip_to(self, offset):
        if self._unpack:
            while self.offset < offset:
                next(self)
        else:
            self._file.seek(offset)
            self.offset = offset

    def _lost(self, what):
        self.close()
        return errors.DataLossError(None, None, errors.report(
            f'{self.path}: {what} at {self.offset}',
            hint='the file is damaged or not a TFRecord file; compressed ones need '
                 "compression_type='GZIP' or 'ZLIB'. Write it again."))

    def close(self):
        """Closes the file and ends the iterator."""
        file, self._file = self._file, None
        self._data, self._position, self._packed = b'', 0, b''
        if file is not None:
            file.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
