"""tf.decode_compressed: what was packed by gzip or zlib."""
from __future__ import annotations

import zlib

from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.strings.arrays import ElementwiseStringOp, map_strings

__all__ = ['decode_compressed']

# The window bits by which zlib tells the three headers.
_WINDOW = {'ZLIB': 15, 'GZIP': 31}


class DecodeCompressed(ElementwiseStringOp):
    """Each string unpacked."""

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
    """All members: gzip files may be glued together."""
    parts = []
    while text:
        unpacker = zlib.decompressobj(window)
        try:
            parts.append(unpacker.decompress(text))
        except zlib.error as error:
            raise _damaged(f'{error}: is the string packed by {kind}?') from None
        if not unpacker.eof:
            raise _damaged(f'the {kind} data ends too early, after {len(text)} bytes')
        text = unpacker.unused_data
    return b''.join(parts)


def decode_compressed(bytes, compression_type='', name=None):
    """Each string unpacked, `compression_type` being 'GZIP', 'ZLIB' or '' (not packed).

    Shapes: bytes [*a] -> [*a]. DataLossError for what is not packed so.
    """
    return DecodeCompressed.apply(bytes, compression_type=compression_type, name=name)
