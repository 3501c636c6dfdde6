"""VariableStorage: the array of one Variable in a Session."""
from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from tinyflow.graph.operation import Operation

__all__ = ['VariableStorage']


class VariableStorage:
    """The storage of one Variable: `value` is its array, None before it is initialised.

    The array is never handed out. Runs update it in place, for as long as its shape stays and runs
    do not overlap; from then on it is a SharedStorage (concurrent_runs.py). Who writes, or reads
    outside of a run, holds `lock`, which all storages of a Session share: an update has several.
    """

    __slots__ = ('value', 'operation', 'lock', 'in_place', '__weakref__')
    target: Any             # the array that an update may change; it is the new `value` then

    def __init__(self, operation: Operation, lock: AbstractContextManager) -> None:
        self.value: np.ndarray | None = None
        self.operation = operation
        self.lock = lock
        self.in_place = False           # for SharedStorage: an update in place is in progress

    def overwrite(self, array: np.ndarray) -> None:
        """Copies an array of the present shape into the value."""
        np.copyto(self.target, array)

    def set(self, array: np.ndarray | None) -> None:
        """Sets the value to an array that nothing else uses; not in place, a run may read it."""
        with self.lock:
            self.value = array

    def copy(self) -> np.ndarray | None:
        """A copy of the value, outside of a run."""
        with self.lock:
            return None if self.value is None else self.value.copy()


VariableStorage.target = VariableStorage.__dict__['value']      # the same slot
