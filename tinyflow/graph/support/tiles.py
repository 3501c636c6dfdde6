"""Multithreaded elementwise work on large arrays, in tiles that fit in the cache.

Tiles begin at fixed positions, so a result does not depend on the number of threads. NumPy releases
the GIL inside a loop over a tile, and a thread takes it back between two loops; tiles are therefore
as large as the second-level cache allows.
"""
from __future__ import annotations

import os
import threading
from collections.abc import Callable

import numpy as np

from tinyflow.graph.support.waits import indivisible

TILE = 1 << 16          # elements
_MOST_THREADS = 4       # more would mostly wait for the GIL and for memory
_FEWEST_TILES = 8       # per thread; for less work, waking a thread costs more than it saves


@indivisible                # the other threads write to the memory of the run
def in_tiles(n: int, function: Callable[[int, int], None], tile: int = TILE,
             fewest: int | None = None) -> None:
    """Calls function(start, stop) for consecutive tiles that cover range(n).

    Calls run in several threads, in any order: tiles must not depend on one another. `tile` is the
    length of a tile, for callers that count in rows instead of elements. `fewest` is the number of
    tiles that pay for a thread.
    """
    if n <= tile:
        function(0, n)
        return
    count = -(-n // tile)
    threads = min(_MOST_THREADS, count // (fewest or _FEWEST_TILES))
    if threads > 1:
        from tinyflow.graph.support.processors import threads_for_tiles  # start-up time
        threads = min(threads, threads_for_tiles())
    starts = iter(range(0, n, tile))            # each thread takes the next one
    submit = _workers().submit if threads > 1 else None
    others = [submit(_each, starts, function, n, tile) for _ in range(threads - 1)]
    try:
        _each(starts, function, n, tile)        # the calling thread works too
    finally:
        for other in others:
            if not other.cancel():              # on a busy machine one may not have begun
                other.result()


def _each(starts, function, n, tile):
    for start in starts:
        function(start, min(start + tile, n))


def scratch(n: int, dtype: np.dtype, count: int) -> list[np.ndarray]:
    """`count` arrays of n <= TILE elements for temporary results, reused per thread.

    The next call in the same thread returns the same memory.
    """
    kept = _scratch.__dict__.get(dtype)
    if kept is None or len(kept) < count:
        kept = _scratch.__dict__[dtype] = [np.empty(TILE, dtype) for _ in range(count)]
    return [array[:n] for array in kept[:count]]


_scratch = threading.local()
_pool = None


def _workers():
    global _pool
    if _pool is None:
        from concurrent.futures import ThreadPoolExecutor  # start-up time
        _pool = ThreadPoolExecutor(_MOST_THREADS - 1, 'tinyflow-tiles', _be_quiet)
    return _pool


def _be_quiet():
    """Disables NumPy's floating point warnings, which is a per-thread setting."""
    np.seterr(all='ignore')


def _forget_workers():
    """Discards the pool in a forked child, which has the object but not the threads."""
    global _pool
    _pool = None


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_forget_workers)
