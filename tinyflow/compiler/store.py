"""What a Session owns: the values of Variables, and the states of stateful ops."""
from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tinyflow.graph.operation import Operation


class Cell:
    """The place of one Variable: `value` is its array, None before it is initialised.

    The array is updated in place for as long as its shape stays; it is never handed out.
    """

    __slots__ = ('value', 'operation', 'lock', '__weakref__')

    def __init__(self, operation: Operation) -> None:
        self.value: np.ndarray | None = None
        self.operation = operation
        self.lock = threading.Lock()


class Store:
    """Cells by VariableV2 operation and states by stateful operation, made when first needed."""

    def __init__(self) -> None:
        self._cells: dict[Operation, Cell] = {}
        self._states: dict[Operation, Any] = {}
        self._shared: dict[Any, Any] = {}           # what nodes with one shared_name have in common
        self._lock = threading.Lock()

    def cell(self, operation: Operation) -> Cell:
        """The Cell of a VariableV2 operation."""
        try:
            return self._cells[operation]
        except KeyError:
            with self._lock:
                return self._cells.setdefault(operation, Cell(operation))

    def state(self, operation: Operation) -> Any:
        """The state of a stateful operation, such as a random stream's position."""
        try:
            return self._states[operation]
        except KeyError:
            with self._lock:
                if operation not in self._states:
                    definition = operation.definition
                    self._states[operation] = definition.state(operation, self._shared) \
                        if definition.state_of_node else definition.state(operation.attrs)
                return self._states[operation]

    def cells(self) -> list[Cell]:
        """All cells so far."""
        return list(self._cells.values())

    def clear(self) -> None:
        """Forgets everything; for a closed Session. Whoever waits inside a state is woken."""
        for state in list(self._states.values()):
            cancel = getattr(state, 'cancel', None)
            if cancel is not None:
                cancel()
        self._cells.clear()
        self._states.clear()
        self._shared.clear()
