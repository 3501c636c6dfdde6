"""Snappy, decompression only: the compression of blocks in old checkpoints.

Source: the format description in the snappy project, format_description.txt.
"""
from __future__ import annotations

from tinyflow.formats.wire.varints import take


class DamagedStream(ValueError):
    """The bytes are not a complete snappy stream."""


def decompress(data):
    """The bytes that were compressed into `data`. DamagedStream if that is not possible."""
    try:
        size, position = take(data, 0)
        out = bytearray()
        while position < len(data):
            position = _element(data, position, out)
            if len(out) > size:
                raise DamagedStream('longer than declared')
    except IndexError:
        raise DamagedStream('it is truncated') from None
    if len(out) != size:
        raise DamagedStream('shorter than declared')
    return bytes(out)


def _element(data, position, out):
    """Appends the decoded element at `position`; returns the position after it."""
    tag = data[position]
    kind, position = tag & 3, position + 1
    if kind == 0:
        return _literal(data, position, tag >> 2, out)
    if kind == 1:
        length, offset = (tag >> 2 & 7) + 4, tag >> 5 << 8 | data[position]
        position += 1
    else:
        width = 2 if kind == 2 else 4
        length, offset = (tag >> 2) + 1, int.from_bytes(data[position:position + width], 'little')
        position += width
    _copy(out, offset, length)
    return position


def _literal(data, position, length, out):
    if length >= 60:
        width = length - 59
        length = int.from_bytes(data[position:position + width], 'little')
        position += width
    end = position + length + 1
    if end > len(data):
        raise DamagedStream('it is truncated')
    out += data[position:end]
    return end


def _copy(out, offset, length):
    """Appends `length` bytes that begin `offset` before the end; they may overlap themselves."""
    start = len(out) - offset
    if not offset or start < 0:
        raise DamagedStream('it refers to bytes before its start')
    piece = bytes(out[start:start + length])
    while len(piece) < length:
        piece += piece
    out += piece[:length]
