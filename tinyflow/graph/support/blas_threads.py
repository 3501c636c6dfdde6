"""Matrix products on as many threads of NumPy's BLAS as pay, decided for each product.

OpenBLAS uses all processors for every product of more than 2 ** 18 multiplications. Its threads
wait for each other in a loop; on processors that are busy with something else such a wait lasts for
milliseconds where the product takes microseconds. So small products run in the calling thread, and
large ones use the processors that are free (processors.py). If fewer than half are, the largest are
split into blocks, which tinyflow's own threads take in turn, each with one thread of OpenBLAS: they
get their share of the processors, and none waits for another for longer than a block takes.
Where NumPy has another BLAS than OpenBLAS, that one decides itself.

OpenBLAS has one number of threads for the process. It is set before a product only if it differs,
and set back after it, so that the program's own use of NumPy finds what it had.
"""
from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

# For how long OpenBLAS' threads spin after a product, as a power of two: 1.5 ms. By default it is a
# tenth of a second, for which they occupy processors that other threads need, tinyflow's own and
# oneDNN's; with less, steps of one product wait for them to wake. OpenBLAS reads it when NumPy
# loads it.
_numpy_has_read = 'numpy' in sys.modules and 'OPENBLAS_THREAD_TIMEOUT' not in os.environ
os.environ.setdefault('OPENBLAS_THREAD_TIMEOUT', '22')

import numpy as np  # noqa: E402 - see above

from tinyflow.graph.support.tiles import in_tiles  # noqa: E402
from tinyflow.graph.support.waits import indivisible  # noqa: E402

__all__ = ['SMALL', 'dot', 'dot_in_one_thread', 'in_tiles_of_products', 'matmul', 'threads_for']

SMALL = 1 << 18         # multiplications; OpenBLAS does up to that many in the calling thread
_SHARE = 1 << 21        # multiplications (about 40 us) that pay for one more thread
_SPLIT = 1 << 25        # multiplications of a product whose blocks are worth handing over
_BLOCK = 1 << 26        # and of a block, if that makes more than the fewest
_LARGE = 1 << 16        # elements of a result
_STACK = 1 << 26        # multiplications of a stack of small products that pay for several threads
_FEWEST_BLOCKS, _MOST_BLOCKS = 3, 16
_ALIGNED = 16           # rows or columns: OpenBLAS computes 16 at a time


def dot(a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The product of two matrices, as np.dot."""
    work = a.size * b.shape[-1]
    if work <= SMALL:
        return np.dot(a, b, out)
    # np.dot writes zeros to its whole result first. np.matmul does not, and has the same bits.
    is_large = len(a) * b.shape[-1] >= _LARGE and a.dtype.char in 'fd'
    return _multiply(np.matmul if is_large and min(*a.shape, *b.shape) > 1 else np.dot, work, a, b,
                     out)


def matmul(a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The products of the matrices in the last two axes, as np.matmul."""
    if a.shape[-1] == b.shape[-2] == 1 and a.ndim > 2:
        return np.multiply(a, b, out)           # of one column and one row each
    work = a.shape[-2] * a.shape[-1] * b.shape[-1]
    multiply = np.matmul
    if work < 2 * _SHARE and a.size * b.shape[-1] >= _STACK and a.shape[:-2] == b.shape[:-2]:
        multiply = _stack_in_tiles
    return multiply(a, b, out) if work <= SMALL else _multiply(multiply, work, a, b, out)


def in_tiles_of_products(n: int, function: Callable[[int, int], None], tile: int) -> bool:
    """As in_tiles; each np.matmul inside `function` uses one thread, that which calls it.

    False, and nothing is done, if NumPy has a BLAS that decides itself.
    """
    blas = _blas()
    if blas is None:
        return False
    blas.one_thread_each(lambda: in_tiles(n, function, tile, 1))
    return True


def dot_in_one_thread(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> bool:
    """Writes np.dot(a, b), computed by the calling thread, to `out`; False as above."""
    blas = _blas()
    if blas is None:
        return False
    blas.multiply(np.dot, 0, a, b, out)
    return True


def threads_for(work: int, free: int, products: int) -> int:
    """How many threads a product of `work` multiplications gets.

    `free` processors are shared by the `products` that are being computed. The number does not
    depend on them for small products, whose last bits are therefore always the same.
    """
    return max(1, min(work // _SHARE, free // products))


class Blas:
    """A BLAS whose number of threads can be read and set while it is used."""

    def __init__(self, get: Callable[[], int], set: Callable[[int], Any]) -> None:
        self._get, self._set = get, set
        self._load = _load()
        self._lock = threading.Lock()
        self._products = 0              # that are being computed, in several threads
        self._usual = self._now = 0     # the number of threads outside of them, and at present

    @indivisible            # an interrupt must not leave the program with another number of threads
    def multiply(self, function: Callable[..., np.ndarray], work: int, a: np.ndarray,
                 b: np.ndarray, out: np.ndarray | None) -> np.ndarray:
        """function(a, b, out) with `threads_for(work)`, but no more than the program has set."""
        free, split = 1, False
        if work >= 2 * _SHARE:
            free = self._load.processors()
            split = work >= _SPLIT and self._load.crowded(free)
        self._begin(lambda products: 1 if free == 1 or split
                    else min(self._usual, threads_for(work, free, products)))
        try:
            return (_in_blocks if split and self._usual > 1 else function)(a, b, out)
        finally:
            self._end()

    @indivisible
    def one_thread_each(self, function: Callable[[], None]) -> None:
        """Calls the function, in which products use one thread."""
        self._begin(lambda products: 1)
        try:
            function()
        finally:
            self._end()

    def _begin(self, threads_with: Callable[[int], int]) -> None:
        """Sets the number of threads, a function of the number of products that are computed."""
        with self._lock:
            if not self._products:
                self._usual = self._now = self._get()
            self._products += 1
            threads = threads_with(self._products)
            if threads != self._now:
                self._set(threads)
                self._now = threads

    def _end(self) -> None:
        with self._lock:
            self._products -= 1
            if not self._products and self._now != self._usual:
                self._set(self._usual)


def _in_blocks(a: np.ndarray, b: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    """The product of two matrices in blocks of rows or of columns."""
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        return np.matmul(a, b, out)
    rows, columns = len(a), b.shape[1]
    if out is None:
        out = np.empty((rows, columns), np.result_type(a, b))
    blocks = max(_FEWEST_BLOCKS, min(_MOST_BLOCKS, a.size * columns // _BLOCK))
    size = -(-max(rows, columns) // blocks)
    size += -size % _ALIGNED
    if rows >= columns:
        in_tiles(rows, lambda i, j: np.matmul(a[i:j], b, out[i:j]), size, 1)
    else:
        in_tiles(columns, lambda i, j: np.matmul(a, b[:, i:j], out[:, i:j]), size, 1)
    return out


def _stack_in_tiles(a: np.ndarray, b: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    """The products of two stacks of small matrices, each of which is computed by one thread."""
    if out is None:
        out = np.empty((*a.shape[:-1], b.shape[-1]), np.result_type(a, b))
    in_tiles(len(a), lambda i, j: np.matmul(a[i:j], b[i:j], out[i:j]), -(-len(a) // _MOST_BLOCKS),
             1)
    return out


def _load() -> Any:
    from tinyflow.graph.support import processors  # start-up time
    return processors


def _find(function: Callable[..., np.ndarray], work: int, *arrays: Any) -> np.ndarray:
    """The first large product: looks for the BLAS, and computes it."""
    _look()
    return _multiply(function, work, *arrays)


def _blas() -> Blas | None:
    """The BLAS whose number of threads can be set; None if NumPy has another one."""
    if _multiply is _find:
        _look()
    return getattr(_multiply, '__self__', None)         # whose method it is


def _read_environment_again() -> None:
    from tinyflow.graph.support.blas_library import read_environment_again  # start-up time
    read_environment_again()


def _look() -> None:
    """Looks for NumPy's BLAS."""
    global _multiply
    from tinyflow.graph.support.blas_library import find_openblas  # start-up time
    found = find_openblas()
    _multiply = _as_it_is if found is None else Blas(*found).multiply


def _as_it_is(function: Callable[..., np.ndarray], work: int, *arrays: Any) -> np.ndarray:
    return function(*arrays)


def _forget() -> None:
    """Looks again in a forked child, where the lock may be held by a thread that it lacks."""
    global _multiply
    _multiply = _find


_multiply: Callable[..., np.ndarray] = _find
if _numpy_has_read:
    _read_environment_again()
if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_forget)
