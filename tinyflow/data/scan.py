"""tf.data.experimental.scan: a map that carries a state from element to element."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinyflow.data.transformations import Transformation


def scan(initial_state: Any, scan_func: Callable) -> Transformation:
    """For apply(): scan_func(state, element) -> (next state, element), for each element."""
    return lambda dataset: dataset._scanned(initial_state, scan_func)


__all__ = ['scan']
