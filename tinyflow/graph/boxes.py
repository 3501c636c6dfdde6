"""Arrays of no dimensions that hold a Python object: a string, the handle of a queue or dataset."""
from __future__ import annotations

from typing import Any

import numpy as np


def boxed(thing: Any) -> np.ndarray:
    """An array of no dimensions with `thing` in it, which NumPy does not look into."""
    box = np.empty((), object)
    box[()] = thing
    return box
