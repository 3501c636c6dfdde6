"""Room for recursion over what the user has nested deeply."""
from __future__ import annotations

import sys

_OTHERS = 1000              # frames of the program around it


def allow_recursion(frames: int) -> None:
    """Raises Python's recursion limit if `frames` more may be needed. It is never lowered: other
    threads may be using it."""
    if sys.getrecursionlimit() < frames + _OTHERS:
        sys.setrecursionlimit(frames + _OTHERS)
