"""tf.decode_compressed: decompresses gzip and zlib."""
from __future__ import annotations

import zlib

from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import ElementwiseStringOp, map_strings

__all__ = ['decode_compressed']

# zlib window bits for each kind of header.
_WINDOW = {'ZLIB': 15, 'GZIP': 31}
_STEP = 1 << 14             # bytes that are unpacked at once


class DecodeCompressed(ElementwiseStringOp):
    """Decompresses each string."""

    signature = 'bytes: string -> output: string'
    attrs = {'compression_type': ''}

    def kernel(bytes, *, compression_type):
        kind = compression_type.decode() if not isinstance(compression_type, str) \
            else compression_type
        if not kind:
            return bytes.copy()
        if kind not in _WINDOW:
            raise OpFailure(f'Only ZLIB, GZIP or NONE are supported compressions, not {kind}',
                            "NONE is ''.")
        return map_strings(lambda text: _unpacked(text, _WINDOW[kind], kind), bytes)


def _damaged(problem):
    return errors.DataLossError(None, None, f'DecodeCompressed: {problem}')


def _unpacked(text, window, kind):
    """Decompresses all members: gzip files may be concatenated."""
    parts, place = [], 0
    while place < len(text):
        unpacker = zlib.decompressobj(window)
        while place < len(text) and not unpacker.eof:
            packed = text[place:place + _STEP]      # what follows a member is copied
            try:
                parts.append(unpacker.decompress(packed))
            except zlib.error as error:
                raise _damaged(f'{error}: is the string compressed by {kind}?') from None
            place += len(packed) - len(unpacker.unused_data)
        if not unpacker.eof:
            raise _damaged(f'the {kind} data ends too early, after {len(text)} bytes')
    return b''.join(parts)


def decode_compressed(bytes, compression_type='', name=None):
    """Decompresses each string; `compression_type` is 'GZIP', 'ZLIB' or '' (not compressed).

    Shapes: bytes [*a] -> [*a]. DataLossError for invalid data.
    """
    return DecodeCompressed.apply(bytes, compression_type=compression_type, name=name)
