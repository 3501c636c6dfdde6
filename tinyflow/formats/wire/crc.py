"""CRC-32C, the checksum of TFRecords and checkpoints, and TensorFlow's masked form of it.

Files hold the masked form, because the checksum of bytes that contain their own checksum says
little. Source: RFC 3720 appendix B.4 (the polynomial); LevelDB's log format (the mask).
"""
from __future__ import annotations

import numpy as np

_DELTA = 0xa282ead8
_ALL = 0xffffffff


def _extend(crc, data):
    """The library's function, which replaces this one at first use."""
    global _extend
    from google_crc32c import extend as _extend  # start-up time
    return _extend(crc, data)


def extend(crc, data):
    """Extends the checksum `crc` by `data` (bytes, or a contiguous array)."""
    if type(data) is not bytes:
        # The library takes read-only buffers only; an array is converted to one without a copy.
        data = np.frombuffer(data, np.uint8) if not isinstance(data, np.ndarray) else data.view()
        data.flags.writeable = False
    return _extend(crc, data)


def crc32c(data):
    """The checksum of `data`: bytes, any contiguous buffer, or a contiguous array."""
    return extend(0, data)


def mask(crc):
    """The stored form of a checksum."""
    return ((crc >> 15 | crc << 17) + _DELTA) & _ALL


def unmask(masked):
    """The checksum that was stored as `masked`."""
    rotated = (masked - _DELTA) & _ALL
    return (rotated >> 17 | rotated << 15) & _ALL


def masked_crc32c(data):
    """mask(crc32c(data)) of bytes, without the calls: there are two to a record."""
    crc = _extend(0, data)
    return ((crc >> 15 | crc << 17) + _DELTA) & _ALL
