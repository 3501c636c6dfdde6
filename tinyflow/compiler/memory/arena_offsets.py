"""Arena offsets: packs memory blocks with known lifetimes into as little memory as possible."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

import numpy as np

_ALIGN = 64             # bytes; a cache line
_SMALL = 4096           # bytes; there are many smaller blocks, and little is lost between them


class Block:
    """So many bytes, needed from step `first` to step `last` of a program, both included.

    One that is filled little by little has `stretches` instead of a single beginning: the bytes
    from `begin` up to `end` are needed from the step stretches[begin, end] on only.
    """

    __slots__ = ('nbytes', 'first', 'last', 'offset', 'stretches')

    def __init__(self, nbytes: int, first: int, last: int) -> None:
        self.nbytes = -(-max(nbytes, 1) // _ALIGN) * _ALIGN
        self.first = first
        self.last = last
        self.offset = 0
        self.stretches: dict[tuple[int, int], int] = {}

    def needs(self) -> dict[tuple[int, int], int]:
        """(begin, end) -> the step from which on these bytes are needed, for all that ever are."""
        return self.stretches or {(0, self.nbytes): self.first}


def pack(blocks: Sequence[Block]) -> int:
    """Sets the blocks' offsets, and returns the bytes that they take together.

    No two blocks share a byte in the same step. `blocks` are in the order of their first steps.
    """
    size = _pool(b for b in blocks if b.nbytes < _SMALL)
    return _pack_large([b for b in blocks if b.nbytes >= _SMALL], size)


def _pool(blocks: Iterable[Block]) -> int:
    """Small blocks take over an ended one of the very same size."""
    size = 0
    free: dict[int, list[int]] = defaultdict(list)
    running: list[tuple[int, int, int]] = []            # a heap of (last, nbytes, offset)
    for block in blocks:
        first, nbytes = block.first, block.nbytes
        while running and running[0][0] < first:
            _, ended, offset = heappop(running)
            free[ended].append(offset)
        offsets = free[nbytes]
        if offsets:
            offset = offsets.pop()
        else:
            offset = size
            size += nbytes
        block.offset = offset
        heappush(running, (block.last, nbytes, offset))
    return size


def _pack_large(blocks: list[Block], base: int) -> int:
    """The largest blocks choose first, each the lowest offset that is free all the while.

    Greedy by size: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference",
    2020, section 5.2; smaller blocks may end where a stretch of a larger one is not yet needed.
    """
    size, n = base, 0
    first, last, start, end = np.empty((4, sum(len(b.needs()) for b in blocks)), np.int64)
    for block in sorted(blocks, key=lambda b: -b.nbytes):
        meanwhile = (first[:n] <= block.last) & (last[:n] >= block.first)
        starts, ends = start[:n][meanwhile], end[:n][meanwhile]
        offset = base
        order = np.argsort(starts)
        for taken, until in zip(starts[order].tolist(), ends[order].tolist()):
            if taken - offset >= block.nbytes:
                break
            offset = max(offset, -(-until // _ALIGN) * _ALIGN)
        block.offset = offset
        for (begin, until), since in block.needs().items():
            first[n], last[n], start[n], end[n] = since, block.last, offset + begin, offset + until
            n += 1
        size = max(size, offset + block.nbytes)
    return size


__all__ = ['Block', 'pack']
