"""EagerVariableStore: get_variable finds its Variables again while ops run at once."""
from __future__ import annotations

from contextlib import contextmanager

from tinyflow.graph.defaults import get_default_graph
from tinyflow.ops.variables.variable_store import STORE, VariableStore

__all__ = ['EagerVariableStore']


class EagerVariableStore:
    """Keeps the Variables that get_variable makes inside `with store.as_default():`.

    Without one, each call of get_variable makes a new Variable, while ops run at once.
    """

    def __init__(self, store=None):
        self._store = store or VariableStore()
        self._store.keeps = True

    @contextmanager
    def as_default(self):
        """get_variable uses this store inside the block."""
        kept = get_default_graph().get_collection_ref(STORE)
        before, kept[:] = kept[:], [self._store]
        try:
            yield
        finally:
            kept[:] = before

    def variables(self):
        """All Variables, sorted by name."""
        return sorted(self._store.variables.values(), key=lambda v: v.name)

    def trainable_variables(self):
        """Those that are trained."""
        return [v for v in self.variables() if v.trainable]

    def non_trainable_variables(self):
        """Those that are not."""
        return [v for v in self.variables() if not v.trainable]

    def copy(self):
        """A store of new Variables with the same names and values."""
        twin = EagerVariableStore()
        for name, variable in self._store.variables.items():
            twin._store.variables[name] = type(variable)(
                variable.numpy(), trainable=variable.trainable, name=name)
        return twin
