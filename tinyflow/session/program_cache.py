"""ProgramCache: the compiled programs of a Session.

    (fetches, feeds)   stages 1 to 3   one Program each
    fed shapes         stages 4 to 7   one Executable each

Both levels are cached, so a program that alternates between `run(train)` and `run(loss)`, or
between full and last batches, compiles each once. A CacheEntry lives as long as its Session caches
the call. If the fed shapes keep changing, one Executable for varying sizes replaces the others.
"""
from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from threading import RLock
from typing import Any

import numpy as np

from tinyflow.compiler.compile import Options, optimise
from tinyflow.compiler.functions.nested import lists_read, plan_function
from tinyflow.compiler.graph_to_program import plan_program
from tinyflow.compiler.infer import ListShape
from tinyflow.compiler.ir import Program
from tinyflow.compiler.prune import prune
from tinyflow.compiler.warnings.unrun_warnings import may_leave_out, warn_of_what_is_left_out
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.shapes import Shape
from tinyflow.graph.support.gc_pause import collector_paused
from tinyflow.session.executable import ArenaPool, Executable, LoopExecutable
from tinyflow.session.nan_check import NanCheckedExecutable
from tinyflow.session.store import Store

_SHAPES = 16                # Executables kept per pair
_TOO_MANY_SHAPES = 12       # distinct shapes after which varying sizes become unknown


class CacheEntry:
    """One (fetches, feeds) pair: its Program and the Executables made from it."""

    def __init__(self, fetches: tuple[Tensor | Operation, ...], feeds: tuple[Tensor, ...],
                 arenas: ArenaPool, options: Options, program: Program | None = None) -> None:
        self.fetches = fetches
        self.feeds = feeds
        if program is None:
            with collector_paused():
                program = plan_program(fetches, feeds)
            if may_leave_out(fetches):
                warn_of_what_is_left_out(prune(fetches, feeds))
        self.program = program
        self.executables: OrderedDict[tuple, Executable] = OrderedDict()
        self._arenas = arenas
        self._options = options
        self._general: tuple | None = None      # the shape key with None for varying sizes
        self._seen = 0
        self._lock = RLock()

    def executable(self, shapes: tuple) -> Executable:
        """The Executable for these fed shapes, compiled if need be."""
        found = self.executables.get(shapes)
        if found is not None:
            return found
        with self._lock:
            if self._general is not None and _fits(self._general, shapes):
                return self.executables[self._general]
            return self.executables.get(shapes) or self._compile(shapes)

    def _compile(self, shapes: tuple) -> Executable:
        self._seen += 1
        general = self._seen > _TOO_MANY_SHAPES
        if general:
            shapes = _common([*self.executables, shapes])
        options = self._options
        with collector_paused():
            program = optimise(self.program, shapes, options, options.unroll == 0)
            executable = self._executable_of(program, shapes)
        self.executables[shapes] = executable
        if general:
            self._general = shapes          # only after success: an error must change nothing
        while len(self.executables) > _SHAPES:
            oldest = next(key for key in self.executables if key != self._general)
            del self.executables[oldest]
        return executable

    def _executable_of(self, program: Program, shapes: tuple) -> Executable:
        options = self._options
        if options.nan_check:
            return NanCheckedExecutable(program, self._arenas, self.program)
        if options.unroll and not program.nested \
                and any(i.type == 'While' for i in program.instructions):
            return LoopExecutable(program, self._arenas, options.unroll,
                                  lambda: self._unroll_loops(shapes))
        return Executable(program, self._arenas)

    def _unroll_loops(self, shapes: tuple) -> Executable | None:
        """Replaces the program with loops by its unrolled form; None if that is impossible."""
        with self._lock, collector_paused():
            program = optimise(self.program, shapes, self._options)
            if any(i.type == 'While' for i in program.instructions):
                return None
            self.executables[shapes] = Executable(program, self._arenas)
            return self.executables[shapes]


def _fits(general: Sequence[Shape], shapes: Sequence[tuple]) -> bool:
    return all(g is None or len(g) == len(s) and all(i is None or i == j for i, j in zip(g, s))
               for g, s in zip(general, shapes))


def _common(keys: Sequence[tuple]) -> tuple[Shape, ...]:
    """The most specific key that covers all `keys`; sizes (or ranks) that differ become None."""
    merged: list[Shape] = []
    for column in zip(*keys):
        if any(s is None or len(s) != len(column[0]) for s in column):
            merged.append(None)
        else:
            merged.append(tuple(sizes[0] if len(set(sizes)) == 1 else None
                                for sizes in zip(*column)))
    return tuple(merged)


class ProgramCache:
    """The CacheEntries of a Session, by weak reference."""

    def __init__(self, store: Store, options: Options | None = None) -> None:
        self.options = options or Options()
        self.arenas = ArenaPool(store)
        self.arenas.function = self.function
        self.entries: weakref.WeakValueDictionary[tuple, CacheEntry] = weakref.WeakValueDictionary()
        self._lock = RLock()

    def entry(self, fetches: tuple[Tensor | Operation, ...],
              feeds: tuple[Tensor, ...]) -> CacheEntry:
        """The CacheEntry for these fetches and feeds, created if necessary."""
        key = fetches, feeds
        with self._lock:
            entry = self.entries.get(key)
            if entry is None:
                entry = self.entries[key] = CacheEntry(fetches, feeds, self.arenas, self.options)
        return entry

    def function(self, graph: FuncGraph, given: Sequence[Tensor] | None = None,
                 wanted: Sequence[Tensor] | None = None,
                 known: dict[Tensor, np.ndarray] | None = None,
                 owned: Collection[Tensor] = ()) -> Callable[..., list]:
        """A callable for a FuncGraph, compiled at its first call; see nested.FunctionMaker."""
        return _CompiledFunction(self, graph, given, wanted, known, owned)

    def clear(self) -> None:
        """Drops all programs and frees their memory."""
        self.entries.clear()
        self.arenas.clear()


class _CompiledFunction:
    """A FuncGraph as a callable on arrays; compiled for each combination of shapes."""

    __slots__ = ('_cache', '_arguments', '_entry', '_last', '_lists')

    def __init__(self, cache: ProgramCache, *arguments: Any) -> None:
        self._cache = cache
        self._arguments = arguments
        self._entry: CacheEntry | None = None
        self._lists: list[int] = []         # positions of lists of which elements are read
        self._last: tuple = (None, None)    # shapes of the last call, and what runs for them

    def __call__(self, *arrays: np.ndarray) -> list:
        entry = self._entry or self._planned()
        shapes = tuple([a.shape for a in arrays])
        if self._lists:
            shapes = self._with_elements(shapes, arrays)
        last, executable = self._last       # one attribute: several threads may call this
        if shapes != last:
            executable = entry.executable(shapes)
            self._last = shapes, executable
        return executable.call_inside(arrays)

    def _planned(self) -> CacheEntry:
        program = plan_function(*self._arguments)
        self._lists = lists_read(program)
        self._entry = CacheEntry((), (), self._cache.arenas, self._cache.options, program)
        return self._entry

    def _with_elements(self, shapes: tuple, arrays: Sequence[np.ndarray]) -> tuple:
        """The shapes, where those of lists include the shape of their elements."""
        found = list(shapes)
        for i in self._lists:
            common = getattr(arrays[i][()], 'common', None)
            if type(common) is tuple:
                found[i] = ListShape.of(common)
        return tuple(found)


__all__ = ['CacheEntry', 'ProgramCache']
