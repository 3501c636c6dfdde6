"""Tensors as the bytes of a checkpoint's data file.

Numbers are stored as in memory, little-endian. Strings: all lengths as varints, the masked
checksum of the lengths, all bytes. The checksum of strings is over the lengths as 4-byte (or, from
4 GiB on, 8-byte) numbers, the checksum in between, and the bytes.
"""
from __future__ import annotations

import math
from struct import pack

import numpy as np

from tinyflow.formats.wire.crc import extend, mask
from tinyflow.formats.wire.varints import put, take
from tinyflow.graph import dtypes

# A saveable variant - the position of a tf.data iterator - is a string in tinyflow's own format.
_BYTES = (dtypes.string, dtypes.variant)


def to_bytes(array, dtype):
    """(list of buffers, their size, their crc32c) of an array of that DType."""
    if dtype in _BYTES:
        return _strings_to_bytes(array)
    flat = np.ascontiguousarray(array, dtype.np.newbyteorder('<')).reshape(-1).view(np.uint8)
    return [flat], flat.nbytes, extend(0, flat)


def _strings_to_bytes(array):
    items = array.reshape(-1).tolist()
    lengths, crc = bytearray(), 0
    plain = bytearray()
    for item in items:
        put(lengths, len(item))
        plain += pack('<I' if len(item) < 1 << 32 else '<Q', len(item))
    crc = extend(crc, bytes(plain))
    check = pack('<I', mask(crc))
    data = b''.join(items)
    crc = extend(extend(crc, check), data)
    buffers = [bytes(lengths), check, data]
    return buffers, sum(map(len, buffers)), crc


def from_bytes(data, dtype, shape):
    """(array, crc32c) of bytes, as a new uint8 array.

    ValueError if the bytes are not an array of that shape.
    """
    if dtype in _BYTES:
        return _strings_from_bytes(data.tobytes(), shape)
    crc = extend(0, data)
    return data.view(dtype.np.newbyteorder('<')).astype(dtype.np, copy=False).reshape(shape), crc


def _strings_from_bytes(data, shape):
    lengths, position = [], 0
    plain = bytearray()
    try:
        for _ in range(math.prod(shape)):
            length, position = take(data, position)
            lengths.append(length)
            if length > len(data):
                raise ValueError('its strings do not fill its bytes')
            plain += pack('<I' if length < 1 << 32 else '<Q', length)
    except IndexError:
        raise ValueError('the lengths of its strings are cut off') from None
    check = data[position:position + 4]
    crc = extend(0, bytes(plain))
    if check != pack('<I', mask(crc)):
        raise ValueError('the lengths of its strings have a wrong checksum')
    position += 4
    if position + sum(lengths) != len(data):
        raise ValueError('its strings do not fill its bytes')
    crc = extend(crc, data[len(data) - sum(lengths) - 4:])
    array = np.empty(len(lengths), object)
    for i, length in enumerate(lengths):
        array[i] = data[position:position + length]
        position += length
    return array.reshape(shape), crc
