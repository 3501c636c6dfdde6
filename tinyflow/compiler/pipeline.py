"""The stages in their order, and the cache of what they made.

    (fetches, feeds)   prune -> schedule -> lower            a Program, once
    fed shapes         infer -> passes -> memory -> codegen  an Executable, once per shapes

Both are kept, so that programs that alternate between `run(train)` and `run(loss)`, or between
full and last batches, compile each once. An Entry lives as long as its Session remembers how it
was asked for. Where the fed shapes keep changing, one Executable for any size takes over.
"""
from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import Any

import numpy as np

from tinyflow.compiler.advice import warn_of_silent_broadcasting
from tinyflow.compiler.executable import Arenas, Executable, Looping
from tinyflow.compiler.infer import ListShape, infer
from tinyflow.compiler.ir import Program
from tinyflow.compiler.left_out import may_leave_out, warn_of_what_is_left_out
from tinyflow.compiler.nested import lists_read, plan_function, plan_program
from tinyflow.compiler.passes import PASSES
from tinyflow.compiler.provenance import Watched
from tinyflow.compiler.prune import prune
from tinyflow.compiler.stale import copy_stale_views
from tinyflow.compiler.store import Store
from tinyflow.compiler.unrolling import unroll
from tinyflow.garbage import collector_paused
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.shapes import Shape

_SHAPES = 16                # Executables kept per pair
_TOO_MANY_SHAPES = 12       # distinct shapes after which sizes that vary are left open


@dataclass(frozen=True)
class Options:
    """Which rewrites to do; tests switch them one by one."""

    fold: bool = True
    passes: tuple[str, ...] = tuple(PASSES)
    nan_check: bool = False         # run value by value, to tell where a NaN comes from
    unroll: int | None = 32         # runs after which loops of known length are written out


def optimise(program: Program, feed_shapes: Sequence[Shape], options: Options,
             write_out: bool | None = None) -> Program:
    """`program` specialised to feed shapes (None where a size is left open) and rewritten.

    `write_out` says whether loops of known length become straight-line code, by default if the
    options allow it at all.
    """
    program = infer(program, feed_shapes, options.fold)
    if write_out is None:
        write_out = options.unroll is not None
    if write_out and options.fold and not options.nan_check:
        unrolled = unroll(program, options.fold)
        if unrolled is not program:
            program = infer(unrolled, feed_shapes, options.fold)
    warn_of_silent_broadcasting(program)
    for name in options.passes:
        program = PASSES[name](program)
    return copy_stale_views(program)


class Entry:
    """One (fetches, feeds) pair: its Program and the Executables made from it."""

    def __init__(self, fetches: tuple[Tensor | Operation, ...], feeds: tuple[Tensor, ...],
                 arenas: Arenas, options: Options, program: Program | None = None) -> None:
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
        self._general: tuple | None = None      # the shape key with varying sizes left open
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
            made = Watched(program, self._arenas, self.program) if options.nan_check else \
                Looping(program, self._arenas, options.unroll,
                        lambda: self._write_loops_out(shapes)) \
                if options.unroll and not program.nested \
                and any(i.type == 'While' for i in program.instructions) else \
                Executable(program, self._arenas)
        self.executables[shapes] = made
        if general:
            self._general = shapes          # not before it is there: a failure leaves all as it was
        while len(self.executables) > _SHAPES:
            oldest = next(key for key in self.executables if key != self._general)
            del self.executables[oldest]
        return made

    def _write_loops_out(self, shapes: tuple) -> Executable | None:
        """Replaces the program with loops by one without; None if they must stay."""
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
    """What several shape keys agree on; a differing size, or rank, is left open."""
    merged: list[Shape] = []
    for column in zip(*keys):
        if any(s is None or len(s) != len(column[0]) for s in column):
            merged.append(None)
        else:
            merged.append(tuple(sizes[0] if len(set(sizes)) == 1 else None
                                for sizes in zip(*column)))
    return tuple(merged)


class Compiler:
    """A Session's Entries, for as long as somebody holds them."""

    def __init__(self, store: Store, options: Options | None = None) -> None:
        self.options = options or Options()
        self.arenas = Arenas(store)
        self.arenas.function = self.function
        self.entries: weakref.WeakValueDictionary[tuple, Entry] = weakref.WeakValueDictionary()
        self._lock = RLock()

    def entry(self, fetches: tuple[Tensor | Operation, ...], feeds: tuple[Tensor, ...]) -> Entry:
        """The Entry for these fetches and feeds, planned if it is new."""
        key = fetches, feeds
        with self._lock:
            entry = self.entries.get(key)
            if entry is None:
                entry = self.entries[key] = Entry(fetches, feeds, self.arenas, self.options)
        return entry

    def function(self, graph: FuncGraph, given: Sequence[Tensor] | None = None,
                 wanted: Sequence[Tensor] | None = None,
                 known: dict[Tensor, np.ndarray] | None = None,
                 owned: Collection[Tensor] = ()) -> Callable[..., list]:
        """A function's outputs, compiled when first called; see nested.FunctionMaker."""
        return _CompiledFunction(self, graph, given, wanted, known, owned)

    def clear(self) -> None:
        """Forgets all programs and their memory."""
        self.entries.clear()
        self.arenas.clear()


class _CompiledFunction:
    """A function of a graph as something to call with arrays; compiled for each of their shapes."""

    __slots__ = ('_compiler', '_arguments', '_entry', '_last', '_lists')

    def __init__(self, compiler: Compiler, *arguments: Any) -> None:
        self._compiler = compiler
        self._arguments = arguments
        self._entry: Entry | None = None
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

    def _planned(self) -> Entry:
        program = plan_function(*self._arguments)
        self._lists = lists_read(program)
        self._entry = Entry((), (), self._compiler.arenas, self._compiler.options, program)
        return self._entry

    def _with_elements(self, shapes: tuple, arrays: Sequence[np.ndarray]) -> tuple:
        """The shapes, with those of the elements of lists: what is read then has a known shape."""
        found = list(shapes)
        for i in self._lists:
            common = getattr(arrays[i][()], 'common', None)
            if type(common) is tuple:
                found[i] = ListShape.of(common)
        return tuple(found)


__all__ = ['Compiler', 'Entry', 'Options', 'optimise', 'plan_program']
