"""Scalar object arrays: a Python object as a tensor's value, such as the handle of a queue."""
from __future__ import annotations

from typing import Any

import numpy as np


def boxed(value: Any) -> np.ndarray:
    """A 0-dimensional object array that holds `value`, even if it is a sequence."""
    box = np.empty((), object)
    box[()] = value
    return box


class BoxedArray:
    """An array as a single entry of an object array, e.g. a component of a sparse tensor."""

    __slots__ = ('array',)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoxedArray) and self.array.dtype == other.array.dtype \
            and np.array_equal(self.array, other.array)

    __hash__ = None             # type: ignore[assignment]
