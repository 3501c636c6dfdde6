"""Runs that overlap: from then on no array of a Variable changes once a run may read it.

A Session that runs in one thread at a time updates its Variables in place. NumPy lets other threads
run inside its large operations, so another run would read half of an update. The first two runs
that overlap, of programs that use Variables, change the Session for good: an update works on a copy
of the array, which becomes the Variable's value when it is complete. A run keeps the arrays that it
has looked up, so all its reads of a Variable see one state. It costs a copy for each update (none
for an assignment), and the memory of the old array until the last run that reads it ends.

Generated programs serve both: updates take the array to write to from `VariableStorage.target`,
which differs here. So the change waits for updates in progress, which hold a lock, but never for
a run to end: that run may be waiting for this one.
"""
from __future__ import annotations

import sys
from types import FrameType
from typing import TYPE_CHECKING

import numpy as np

from tinyflow.session.storage import VariableStorage
from tinyflow.session.store import Store

if TYPE_CHECKING:
    from tinyflow.session.runtime import Arena, Runtime

__all__ = ['SharedStorage', 'enter', 'share']

class SharedStorage(VariableStorage):
    """The storage of a Variable that several threads use: its array never changes."""

    __slots__ = ()

    def overwrite(self, array: np.ndarray) -> None:
        self.value = np.array(array, order='C')

    def copy(self) -> np.ndarray | None:
        with self.lock:                     # the last update in place may be in progress
            value = self.value
        return None if value is None else value.copy()


SharedStorage.target = property(lambda storage: storage.value.copy())


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
    """Returns when no Variable of `store` is, or will be, updated in place."""
    with store._lock:
        store._storage_type = SharedStorage
        storages = store.storages()
    for storage in storages:
        storage.__class__ = SharedStorage
    with store.update_lock:                 # an update in place may be in progress
        store.shared = True
