"""Memory for copies of arrays, in large blocks.

To get new memory from the system takes up to five times as long as to copy an array into it. Large
blocks get large pages, which takes half as long, and what is dropped is used again.
"""
from __future__ import annotations

import weakref

import numpy as np

__all__ = ['Pool']

_BLOCK = 16 << 20
_SMALL = 32 << 10       # below, NumPy's own memory is as fast


class Pool:
    """Makes copies of arrays; the memory of those that nothing refers to any more is used again."""

    def __init__(self) -> None:
        self._block = memoryview(b'')
        self._free: dict[int, list[memoryview]] = {}

    def copy(self, array: np.ndarray) -> np.ndarray:
        """A copy, in C order."""
        size = -(-array.nbytes // 64) * 64
        if not _SMALL <= size <= _BLOCK // 4 or array.dtype.hasobject:
            return np.array(array, order='C')
        place = self._place(size)
        # Views of this array refer to it, not to the block: when it goes, its place is free.
        flat = np.frombuffer(place, array.dtype, array.size)
        weakref.finalize(flat, self._free.setdefault(size, []).append, place).atexit = False
        copy = flat.reshape(array.shape)
        np.copyto(copy, array)
        return copy

    def _place(self, size: int) -> memoryview:
        try:
            return self._free[size].pop()
        except (KeyError, IndexError):
            pass
        if len(self._block) < size:
            self._block = np.empty(_BLOCK, np.uint8).data
        place, self._block = self._block[:size], self._block[size:]
        return place
