"""PNG files (RFC 2083) of 8-bit images: grey, RGB or RGBA."""
from __future__ import annotations

import struct
import zlib

import numpy as np

_COLOR_TYPES = {1: 0, 3: 2, 4: 6}           # channels -> PNG's colour type


def encode(image):
    """The bytes of a PNG file.

    Shapes: image [height, width, channels] of uint8; channels 1, 3 or 4.
    """
    height, width, channels = image.shape
    header = struct.pack('>IIBBBBB', width, height, 8, _COLOR_TYPES[channels], 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + _chunk(b'IHDR', header) \
        + _chunk(b'IDAT', zlib.compress(_filtered(image), 6)) + _chunk(b'IEND', b'')


def _chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def _filtered(image):
    """The rows, each as its difference from a prediction, after the number of the filter.

    Of the five filters of the format, a row gets the one with the least sum of differences (taken
    as signed numbers), the heuristic that the format's specification recommends.
    """
    height, width, channels = image.shape
    padded = np.zeros((height + 1, width + 1, channels), np.int16)
    padded[1:, 1:] = image
    left, up, corner = padded[1:, :-1], padded[:-1, 1:], padded[:-1, :-1]
    guesses = (0, left, up, (left + up) >> 1, _paeth(left, up, corner))
    differences = np.stack([(image - guess).astype(np.uint8).reshape(height, -1)
                            for guess in guesses])
    sums = np.abs(differences.view(np.int8).astype(np.int16)).sum(axis=2, dtype=np.int64)
    best = sums.argmin(axis=0)
    rows = differences[best, np.arange(height)]
    return np.concatenate([best[:, None].astype(np.uint8), rows], axis=1).tobytes()


def _paeth(left, up, corner):
    """Which of the three neighbours is nearest to left + up - corner."""
    to_left, to_up = np.abs(up - corner), np.abs(left - corner)
    to_corner = np.abs(left + up - 2 * corner)
    return np.where((to_left <= to_up) & (to_left <= to_corner), left,
                    np.where(to_up <= to_corner, up, corner))
