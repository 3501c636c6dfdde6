"""The values and states of one task, found by name: every graph that knows a name shares them."""
from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.operation import Operation
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import op_error
from tinyflow.graph.variable_refs import storage_dtype, storage_shape
from tinyflow.session.concurrent_runs import SharedStorage
from tinyflow.session.storage import VariableStorage
from tinyflow.session.store import Store

__all__ = ['Containers', 'NamedStore', 'key_of']

_OF_SESSION = frozenset(('IteratorV2', 'OneShotIterator'))


def key_of(operation: Operation) -> tuple[str, str]:
    """(container, name) under which a Variable or another resource is shared."""
    attrs = operation.attrs
    return attrs.get('container') or '', attrs.get('shared_name') or operation.name


class Containers:
    """What a task keeps between sessions: Variables, queues, tables, accumulators, by name.

    Updates hold `update_lock`. Runs of several sessions overlap at any time, so every Variable has
    a SharedStorage, whose array does not change while a run reads it.
    """

    def __init__(self) -> None:
        self.update_lock = threading.RLock()
        self._lock = threading.RLock()
        self._storages: dict[tuple[str, str], VariableStorage] = {}
        self._states: dict[tuple, Any] = {}             # (container, name, type) -> state
        self._shared: dict[Any, Any] = {}               # for nodes with one shared_name
        self._makers: dict[tuple[str, str], str] = {}   # for errors: whose graph made a storage

    def storage(self, operation: Operation, who: str = 'this session') -> VariableStorage:
        """The storage of a Variable. InvalidArgumentError if that name has another dtype, shape.

        `who` is the task whose graph has the operation.
        """
        key = key_of(operation)
        with self._lock:
            found = self._storages.get(key)
            if found is None:
                found = self._storages[key] = SharedStorage(operation, self.update_lock)
                self._makers[key] = who
        known = found.operation
        if known is not operation and not (
                storage_dtype(known) is storage_dtype(operation)
                and shapes.compatible(storage_shape(known), storage_shape(operation))):
            raise op_error(
                errors.InvalidArgumentError,
                f"The Variable '{key[1]}' is {_kind(operation)} in this graph of {who}, but "
                f'{_kind(known)} in the graph of {self._makers[key]} that used it first',
                'tasks share Variables by name, so all must build the same graph; '
                'tf.Session.reset(target) forgets the Variables of an earlier program.')
        return found

    def state(self, operation: Operation, make: Callable[[dict], Any]) -> Any:
        """The state of a resource, such as a queue; `make(shared)` creates it."""
        key = (*key_of(operation), operation.type)
        with self._lock:
            if key not in self._states:
                self._states[key] = make(self._shared)
            return self._states[key]

    def named(self, names: Iterable[tuple[str, str]]) -> list[np.ndarray | None]:
        """Copies of the values of Variables, by (container, name); None where there is none."""
        found = [self._storages.get(name) for name in names]
        return [None if storage is None else storage.copy() for storage in found]

    def set_named(self, pairs: Iterable[tuple[tuple[str, str], np.ndarray]]) -> None:
        """Sets values by (container, name); NotFoundError for a Variable no program has used."""
        found = []
        for name, array in pairs:
            storage = self._storages.get(name)
            if storage is None:
                raise errors.NotFoundError(None, None, f"There is no Variable '{name[1]}'.")
            found.append((storage, array))
        for storage, array in found:
            storage.set(array)

    def reset(self, containers: Iterable[str] = ()) -> None:
        """Forgets what is in these containers; in all of them if none is given."""
        chosen = frozenset('' if name == 'localhost' else name for name in containers)
        with self._lock:
            storages = [key for key in self._storages if not chosen or key[0] in chosen]
            states = [key for key in self._states if not chosen or key[0] in chosen]
            for key in storages:
                self._storages.pop(key).set(None)
            cancelled = [self._states.pop(key) for key in states]
            if not chosen:
                self._shared.clear()
            for key in [k for k in self._shared if isinstance(k, tuple) and k[1] in chosen]:
                del self._shared[key]
        for state in cancelled:
            cancel = getattr(state, 'cancel', None)
            if cancel is not None:
                cancel()


def _kind(variable: Operation) -> str:
    return f'{storage_dtype(variable).name} {shapes.text(storage_shape(variable))}'


class SessionStates:
    """What a task keeps for one session: positions of random streams, iterators, by node name."""

    def __init__(self) -> None:
        self._states: dict[tuple[str, str], Any] = {}
        self._lock = threading.RLock()

    def state(self, name: str, operation: Operation, make: Callable[[], Any]) -> Any:
        key = name, operation.type
        with self._lock:
            if key not in self._states:
                self._states[key] = make()
            return self._states[key]


class NamedStore(Store):
    """The Store of the programs of one graph on a task."""

    def __init__(self, containers: Containers, states: SessionStates,
                 who: str = 'this session') -> None:
        super().__init__()
        self._who = who
        self._containers, self._of_session = containers, states
        self.shared = True
        self.update_lock = containers.update_lock
        self._storage_type = SharedStorage

    def storage(self, operation: Operation) -> VariableStorage:
        try:
            return self._storages[operation]
        except KeyError:
            found = self._containers.storage(operation, self._who)
            self._storages[operation] = found
            return found

    def state(self, operation: Operation) -> Any:
        try:
            return self._states[operation]
        except KeyError:
            with self._lock:
                state = self._states[operation] = self._found(operation)
            return state

    def _found(self, operation: Operation) -> Any:
        definition = operation.definition

        def make(shared: dict) -> Any:
            state = definition.state(operation, shared) if definition.state_of_node \
                else definition.state(operation.attrs)
            if self._resumed:
                self._resume(operation, state)
            return state

        if is_shared(operation):
            return self._containers.state(operation, make)
        function = getattr(operation.graph, 'name', None)
        name = f'{function}/{operation.name}' if function else operation.name
        return self._of_session.state(name, operation,
                                      lambda: make(self._containers._shared))

    def clear(self) -> None:
        """Forgets what this graph has found; the task keeps its values."""
        self._storages.clear()
        self._states.clear()


def is_shared(operation: Operation) -> bool:
    """True if sessions share the operation's state: that of a queue, a table, an accumulator."""
    outputs = operation.outputs
    return operation.type not in _OF_SESSION and len(outputs) == 1 \
        and outputs[0].dtype is dtypes.resource
