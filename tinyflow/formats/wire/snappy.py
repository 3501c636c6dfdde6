"""Snappy, decompression only: what blocks of old checkpoints may be packed with.

Source: the format description in the snappy project, format_description.txt.
"""
from __future__ import annotations

from tinyflow.formats.wire.varints import take


class DamagedStream(ValueError):
    """The bytes are not a whole snappy stream."""


def decompress(data):
    """The bytes that were compressed into `data`. DamagedStream if they cannot be had again."""
    try:
        size, position = take(data, 0)
        out = bytearray()
        while position < len(data):
            position = _element(data, position, out)
            if len(out) > size:
                raise DamagedStream('longer than it says')
    except IndexError:
        raise DamagedStream('it is cut off') from None
    if len(out) != size:
        raise DamagedStream('shorter than it says')
    return bytes(out)


def _element(data, position, out):
    """Appends what the element at `position` stands for; the position after it."""
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
        raise DamagedStream('it is cut off')
    out += data[position:end]
    return end


def _copy(out, offset, length):
    """Appends `length` bytes that begin `offset` before the end; they may reach into themselves."""
    start = len(out) - offset
    if not offset or start < 0:
        raise DamagedStream('it refers to bytes before its start')
    piece = bytes(out[start:start + length])
    while len(piece) < length:
        piece += piece
    out += piece[:length]
