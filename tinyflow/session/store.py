"""What a Session owns: the values of Variables, and the states of stateful ops."""
from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

import numpy as np

from tinyflow.graph.operation import Operation
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import OpError, misuse
from tinyflow.session.interrupts import for_each
from tinyflow.session.storage import VariableStorage


def full_name(operation: Operation) -> str:
    """A name that is equal in every process that builds the same graph."""
    function = getattr(operation.graph, 'name', None)       # only functions have one
    return f'{function}/{operation.name}' if function else operation.name


class Store:
    """The storage of each Variable and the state of each stateful operation, made when needed.

    `shared` is True after two runs have overlapped in time; see concurrent_runs.py.
    """

    def __init__(self) -> None:
        self.shared = False
        self.update_lock = threading.RLock()
        self._storage_type = VariableStorage
        self._storages: dict[Operation, VariableStorage] = {}
        self._states: dict[Operation, Any] = {}
        self._shared: dict[Any, Any] = {}           # state shared by nodes with one shared_name
        self._lock = threading.Lock()
        self._resumed: dict[str, Any] = {}          # positions of states that are not made yet

    def storage(self, operation: Operation) -> VariableStorage:
        """The storage of a VariableV2 or VarHandleOp operation."""
        try:
            return self._storages[operation]
        except KeyError:
            with self._lock:
                return self._storages.setdefault(
                    operation, self._storage_type(operation, self.update_lock))

    def values(self, variables: Iterable[Any]) -> list[np.ndarray | None]:
        """Copies of the Variables' values; None where there is none."""
        return [self.storage(v.op).copy() for v in variables]

    def set_values(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Sets the values of Variables, from (variable, array) pairs.

        Raises ValueError if a shape does not match; then nothing is changed.
        """
        checked = []
        for variable, value in pairs:
            array = np.array(value, dtype=variable.dtype.base_dtype.as_numpy_dtype, order='C')
            if not variable.shape.is_compatible_with(array.shape):
                raise misuse(ValueError(f"Variable '{variable.name}' has shape {variable.shape}, "
                                        f'the new value {array.shape}.'))
            checked.append((self.storage(variable.op), array))
        for_each(VariableStorage.set, checked)

    def state(self, operation: Operation) -> Any:
        """The state of a stateful operation, such as a random stream's position."""
        try:
            return self._states[operation]
        except KeyError:
            with self._lock:
                if operation not in self._states:
                    definition = operation.definition
                    state = definition.state(operation, self._shared) \
                        if definition.state_of_node else definition.state(operation.attrs)
                    # Another node of one shared_name has resumed the state that they share.
                    if self._resumed and not any(s is state for s in self._states.values()):
                        self._resume(operation, state)
                    self._states[operation] = state
                return self._states[operation]

    def _resume(self, operation: Operation, state: Any) -> None:
        saved = self._resumed.pop(full_name(operation), self)
        if saved is not self:                       # self: there is none
            try:
                state.set_state(saved)
            except (AttributeError, KeyError, TypeError):       # that of another kind of node
                logging.warning("The node '%s' is not the one whose position was saved: it starts "
                                'again.', full_name(operation))

    def positions(self) -> tuple[dict[str, Any], dict[str, str]]:
        """The positions of random streams and iterators, as plain data by operation name.

        The second dict has the states that cannot be saved, with the reason.
        """
        found, lost = dict(self._resumed), {}
        states = list(self._states.items())
        with ExitStack() as held:                   # no thread computes ahead meanwhile
            for _, state in states:
                if hasattr(state, 'hold'):
                    state.hold(held)
            for operation, state in states:
                name = full_name(operation)
                if not hasattr(state, 'get_state'):
                    lost[name] = f'the state of a {operation.type} cannot be saved'
                    continue
                try:
                    found[name] = state.get_state()
                except OpError as error:
                    lost[name] = error.message
        return found, lost

    def set_positions(self, positions: Any) -> None:
        """Sets the positions; a state that does not exist yet gets its position when made."""
        from tinyflow.session.positions import as_positions  # start-up time
        with self._lock:
            self._resumed = as_positions(positions)
        for operation, state in list(self._states.items()):     # no lock: may call functions
            self._resume(operation, state)

    def storages(self) -> list[VariableStorage]:
        """All storages made so far."""
        return list(self._storages.values())

    def clear(self) -> None:
        """Forgets everything, when the Session is closed; wakes threads that wait in a state."""
        for state in list(self._states.values()):
            cancel = getattr(state, 'cancel', None)
            if cancel is not None:
                cancel()
        self._storages.clear()
        self._states.clear()
        self._shared.clear()
