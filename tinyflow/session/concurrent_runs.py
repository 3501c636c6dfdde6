"""Runs that overlap: an array of a Variable does not change while a run reads it.

A Session that runs in one thread at a time updates its Variables in place. NumPy lets other threads
run inside its large operations, so another run would read half of an update. The first two runs
that overlap, of programs that use Variables, change the Session for good: while some run holds the
array of a Variable, an update works on a copy, which becomes the Variable's value when it is
complete. A run keeps the arrays that it has looked up, so all its reads of a Variable see one
state. Without such a run, the update is in place and those that come meanwhile wait for its end: a
large table of which a few rows are updated is not copied in each step.

Generated programs serve both: updates take the array to write to from `VariableStorage.target`,
which differs here. So the change waits for updates in progress, which hold a lock, but never for
a run to end: that run may be waiting for this one.
"""
from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyflow.session.storage import VariableStorage
from tinyflow.session.store import Store

if TYPE_CHECKING:
    from tinyflow.session.runtime import Arena, Runtime

__all__ = ['SharedStorage', 'enter', 'share']


class SharedStorage(VariableStorage):
    """The storage of a Variable that several threads use."""

    __slots__ = ()

    def overwrite(self, array: np.ndarray) -> None:
        self.value = np.array(array, order='C')

    def copy(self) -> np.ndarray | None:
        with self.lock:                 # the last update of a lone run may be in progress
            value = self.value
        return None if value is None else value.copy()


_slot = VariableStorage.__dict__['value']


def _read(storage: SharedStorage) -> np.ndarray | None:
    """The array, which no update changes while the caller holds it."""
    array = _slot.__get__(storage)
    if storage.in_place:            # after the look-up, see _target
        del array
        with storage.lock:
            storage.in_place = False        # an update that failed has left it
            array = _slot.__get__(storage)
    return array


def _target(storage: SharedStorage) -> np.ndarray:
    """The array for an update: the present one if nothing else holds it, else a copy.

    Who looks it up before `in_place` is set is counted; who does it later waits.
    """
    storage.in_place = True
    array = _slot.__get__(storage)
    if sys.getrefcount(array) == _ALONE and array.base is None:
        return array
    storage.in_place = False
    return array.copy()


def _write(storage: SharedStorage, array: np.ndarray | None) -> None:
    """Ends an update."""
    _slot.__set__(storage, array)
    storage.in_place = False


def _references_of_one() -> int:
    """The references of an array that only its storage holds, as `_target` counts them."""
    storage = VariableStorage(None, threading.Lock())       # type: ignore[arg-type]
    storage.value = np.zeros(1)
    array = _slot.__get__(storage)
    return sys.getrefcount(array)


_ALONE = _references_of_one()
_ATTRIBUTES: dict[str, Any] = {'value': property(_read, _write), 'target': property(_target)}
for _name, _property in _ATTRIBUTES.items():
    setattr(SharedStorage, _name, _property)


def enter(runtime: Runtime) -> tuple[Arena | None, list[Arena]]:
    """For a run while another has `runtime.first_arena`: a free arena, and the list it returns to.
    """
    if not _is_inside(runtime):
        share(runtime.store)
        return None, runtime.variable_arenas
    free = runtime.free_arenas
    try:
        return free.pop(), free
    except IndexError:
        return None, free


def _is_inside(runtime: Runtime) -> bool:
    """True if the other run is this thread's own: a py_func in it started this one."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if 'arena' in frame.f_code.co_varnames \
                and frame.f_locals.get('arena') is runtime.first_arena:
            return True
        frame = frame.f_back
    return False


def share(store: Store) -> None:
    """Returns when updates of `store` do not change what a run reads, now and in future."""
    with store._lock:
        store._storage_type = SharedStorage
        storages = store.storages()
    for storage in storages:
        storage.__class__ = SharedStorage
    with store.update_lock:                 # an update in place may be in progress
        store.shared = True
