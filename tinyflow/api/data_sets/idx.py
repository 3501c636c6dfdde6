"""Reads the idx file format of MNIST and similar data sets.

An idx file is a header of big-endian uint32 - the magic number 2048 + number of axes, then the
length of each axis - and after it the elements, here always one unsigned byte each
(http://yann.lecun.com/exdb/mnist/, section "File formats").
"""
from __future__ import annotations

import gzip
import math
import zlib
from typing import IO

import numpy as np

UBYTE_MAGIC = 0x800


def read_idx(file: IO[bytes], axes: int) -> np.ndarray:
    """The array of bytes with `axes` axes in an open idx file, gzipped or plain.

    Raises ValueError, naming the file, when it is damaged or holds something else.
    """
    content = _uncompressed(file)
    start = 4 * (1 + axes)
    if len(content) < start:
        raise _damaged(file, f"{len(content)} bytes are too few for its {start}-byte header")
    magic, *shape = (int(n) for n in np.frombuffer(content, ">u4", 1 + axes))
    if magic != UBYTE_MAGIC + axes:
        raise _damaged(
            file, f"its magic number is {magic}, and {UBYTE_MAGIC + axes} marks {axes}-d bytes"
        )
    if len(content) - start != math.prod(shape):
        raise _damaged(
            file, f"its header promises {shape} bytes, but there are {len(content) - start}"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def _uncompressed(file):
    content = file.read()
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(file, f"gzip says: {error}") from error


def _damaged(file, reason):
    name = getattr(file, "name", file)
    return ValueError(
        f"{name} is damaged or not an idx file of this kind: {reason}. "
        "Delete it and fetch it again."
    )
