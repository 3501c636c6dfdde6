"""What eager execution owns: the values of its Variables, and the functions that it compiles."""
from __future__ import annotations

import weakref

from tinyflow.graph.operation import Operation
from tinyflow.graph.variable_refs import handle_variable
from tinyflow.session.concurrent_runs import SharedStorage, share
from tinyflow.session.program_cache import ProgramCache
from tinyflow.session.store import Store

__all__ = ['PROGRAMS', 'RUNTIME', 'storage_of']


class EagerStore(Store):
    """A Store that keeps a value only as long as its Variable is in use.

    Tensors are views of the values, so an update works on a copy where one is still held.
    """

    def __init__(self):
        super().__init__()
        share(self)
        self._storages = weakref.WeakKeyDictionary()

    def storage(self, operation):
        storage = self._storages.get(operation)
        if storage is None:
            twin = Operation(operation.graph, operation.definition, operation.name, (),
                             operation.attrs, (), None)     # not the key itself: it would stay
            storage = self._storages.setdefault(operation, SharedStorage(twin, self.update_lock))
        return storage


PROGRAMS = ProgramCache(EagerStore())
RUNTIME = PROGRAMS.runtime


def storage_of(handle):
    """The storage of the variable behind a handle."""
    return RUNTIME.store.storage(handle_variable(handle))
