"""Arrays of no dimensions that hold a Python object: a string, the handle of a queue or dataset."""
from __future__ import annotations

from typing import Any

import numpy as np


def boxed(thing: Any) -> np.ndarray:
    """An array of no dimensions with `thing` in it, which NumPy does not look into."""
    box = np.empty((), object)
    box[()] = thing
    return box


class BoxedArray:
    """An array as one entry of an array of objects: a part of a sparse tensor."""

    __slots__ = ('array',)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoxedArray) and self.array.dtype == other.array.dtype \
            and np.array_equal(self.array, other.array)

    __hash__ = None             # type: ignore[assignment]
