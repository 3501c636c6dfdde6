"""Returns the memory of closed Sessions to the operating system, with glibc's malloc_trim.

The C library keeps freed memory for later allocations, and cannot shrink the heap below memory that
is still in use. So a program that trains one large model after another would hold the sum of their
peaks, most of it in gaps. malloc_trim releases the gaps.
"""
from __future__ import annotations

import ctypes
import sys
from functools import lru_cache
from typing import Any

_LARGE = 4 << 20        # bytes; trimming costs milliseconds, too much for small Sessions

_pending = False


def session_ended(nbytes: int) -> None:
    """Records the end of a Session which used `nbytes`; not all of them may be free yet."""
    global _pending
    _pending = _pending or nbytes >= _LARGE


def trim_memory() -> None:
    """Releases unused heap memory if a large Session has ended since the last call."""
    global _pending
    if _pending:
        _pending = False
        trim = _malloc_trim()
        if trim is not None:
            trim(0)


@lru_cache(maxsize=1)
def _malloc_trim() -> Any:
    """The C library's malloc_trim; None if it does not have it."""
    if not sys.platform.startswith('linux'):
        return None
    return getattr(ctypes.CDLL(None), 'malloc_trim', None)


__all__ = ['session_ended', 'trim_memory']
