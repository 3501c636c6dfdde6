"""The memory of ended Sessions goes back to the system.

The C library keeps freed memory for what is allocated next, and what lives on above a gap keeps it
from shrinking. A program that trains one large model after another would so hold the sum of what
they needed at the worst moment each, most of it in gaps. glibc gives gaps back when asked to.
"""
from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

_LARGE = 4 << 20        # bytes; walking over the gaps costs milliseconds, so it must be worth it

_owed = False


def ended(nbytes: int) -> None:
    """A Session that worked in so many bytes has ended; they may not all be free yet."""
    global _owed
    _owed = _owed or nbytes >= _LARGE


def give_back() -> None:
    """Gives gaps back to the system if a large Session has ended since the last time."""
    global _owed
    if _owed:
        _owed = False
        trim = _malloc_trim()
        if trim is not None:
            trim(0)


@lru_cache(maxsize=1)
def _malloc_trim() -> Any:
    """The C library's function; None where it has none and gives memory back in its own way."""
    if not sys.platform.startswith('linux'):
        return None
    import ctypes
    return getattr(ctypes.CDLL(None), 'malloc_trim', None)


__all__ = ['ended', 'give_back']
