"""ProgramCache: the compiled programs of a Session.

    (fetches, feeds)   stages 1 to 3   one Program each      ProgramCache
    fed shapes         stages 4 to 7   one Executable each   CacheEntry

Both levels are cached, so a program that alternates between `run(train)` and `run(loss)`, or
between full and last batches, compiles each once. A CacheEntry lives as long as its Session caches
the call.
"""
from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Sequence
from threading import RLock

import numpy as np

from tinyflow.compiler.compile import Options
from tinyflow.compiler.ir import Program
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.session.cache_entry import CacheEntry
from tinyflow.session.compiled_function import CompiledFunction
from tinyflow.session.executable import Executable
from tinyflow.session.runtime import Runtime
from tinyflow.session.store import Store


class ProgramCache:
    """The CacheEntries of a Session, by weak reference."""

    def __init__(self, store: Store, options: Options | None = None) -> None:
        self.store, self.options = store, options or Options()
        self.runtime = Runtime(store)
        self.runtime.make_function = self.make_function
        self.runtime.for_elements = self.for_elements
        self.entries: weakref.WeakValueDictionary[tuple, CacheEntry] = weakref.WeakValueDictionary()
        self._lock = RLock()

    def entry(self, fetches: tuple[Tensor | Operation, ...],
              feeds: tuple[Tensor, ...]) -> CacheEntry:
        """The CacheEntry for these fetches and feeds, created if necessary."""
        key = fetches, feeds
        with self._lock:
            entry = self.entries.get(key)
            if entry is None:
                entry = self.entries[key] = CacheEntry(fetches, feeds, self.runtime, self.options)
        return entry

    def make_function(self, graph: FuncGraph, parameters: Sequence[Tensor] | None = None,
                      wanted: Sequence[Tensor] | None = None,
                      known: dict[Tensor, np.ndarray] | None = None,
                      owned: Collection[Tensor] = ()) -> Callable[..., list]:
        """A callable for a FuncGraph, compiled at its first call; see nested.FunctionMaker."""
        return CompiledFunction(self.runtime, self.options, graph, parameters, wanted, known, owned)

    def for_elements(self, program: Program, shapes: tuple, options: Options) -> Executable | None:
        """See element_executable.py."""
        from tinyflow.session.element_executable import element_executable  # start-up time
        return element_executable(program, shapes, self.runtime, options)

    def clear(self) -> None:
        """Drops all programs and frees their memory."""
        self.entries.clear()
        self.runtime.clear()


__all__ = ['ProgramCache']
