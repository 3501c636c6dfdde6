"""A compiled program, ready to run: bound to memory once per thread that runs it meanwhile."""
from __future__ import annotations

import contextvars
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tinyflow.compiler.codegen.program import Source
from tinyflow.compiler.functions.nested import FunctionMaker
from tinyflow.compiler.ir import Program
from tinyflow.compiler.memory.plan import plan_memory
from tinyflow.session.failure import (
    explain_failure,
    too_large,
    uninitialized as uninitialized_error,
)
from tinyflow.session.malloc_trim import ended
from tinyflow.session.store import Store

_BYTES_PER_INSTRUCTION = 2000        # about what a node, its values and its source take


class Arena:
    """The memory in which one run at a time works; a Session has one per thread running it.

    Programs run one after the other, so they share it. `context` has NumPy's floating point
    warnings off, as TF1 has: entering it costs a tenth of entering np.errstate.
    """

    __slots__ = ('memory', 'context', 'bound')

    def __init__(self) -> None:
        self.memory = np.empty(0, np.uint8)
        self.bound: weakref.WeakSet[Executable] = weakref.WeakSet()
        self.context = contextvars.copy_context()
        self.context.run(np.seterr, all='ignore')

    def block(self, nbytes: int) -> np.ndarray:
        """At least `nbytes` of memory, beginning at a cache line.

        Where it has to grow, the programs bound to the smaller block are bound anew when they run
        next, so that an arena is as large as the largest of them and not as all together.
        """
        if self.memory.size < nbytes:
            self.free()             # first: both blocks at once might be too much
            raw = np.empty(nbytes + 64, np.uint8)
            start = -raw.ctypes.data % 64
            self.memory = raw[start:start + nbytes]
        return self.memory

    def free(self) -> None:
        """Gives up the block and the programs bound to it."""
        for executable in self.bound:
            executable.unbind(self)
        self.bound.clear()
        self.memory = np.empty(0, np.uint8)


def _no_functions(*arguments: Any, **more: Any) -> Callable[..., list]:
    raise NotImplementedError('these arenas belong to no ProgramCache, which makes functions')


class Arenas:
    """The arenas of a Session that no run is using, and the Store that its programs work on."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.free: list[Arena] = []
        self.function: FunctionMaker = _no_functions        # set by the ProgramCache
        self.most_bytes = 0         # that a program of theirs was bound to, or its nodes take

    def clear(self) -> None:
        """Frees the memory of all arenas that no run is using."""
        while self.free:
            self.free.pop().free()
        ended(self.most_bytes)

    def __del__(self) -> None:
        ended(self.most_bytes)


class Executable:
    """A Program compiled for known feed shapes. Calling it with the fed arrays gives the fetches.

    Any number of threads may call it at once, and a py_func inside it may call it again.
    """

    def __init__(self, program: Program, arenas: Arenas) -> None:
        self.program = program
        self.plan = plan_memory(program)
        self.source = Source(self.plan)
        self.runs = 0
        self.timed_source: Source | None = None      # for profiled runs
        self._arenas = arenas
        self._frames: dict[Arena, Callable[..., list]] = {}

    @contextmanager
    def arena(self) -> Iterator[Arena]:
        """An arena of the Session's for one run; `__call__` does the same without the overhead."""
        free = self._arenas.free
        arena = free.pop() if free else Arena()
        try:
            yield arena
        finally:
            free.append(arena)

    def __call__(self, feeds: Sequence[np.ndarray]) -> list:
        free = self._arenas.free
        try:
            arena = free.pop()
        except IndexError:
            arena = Arena()
        try:
            frame = self._frames.get(arena) or self._bind(arena)
            self.runs += 1
            return arena.context.run(frame, *feeds)
        except Exception as error:                      # noqa: BLE001 - reworded for the user
            raise self.explain(error, self.source) from error.__cause__
        finally:
            free.append(arena)

    def call_inside(self, feeds: Sequence[np.ndarray]) -> list:
        """As `__call__`, from inside a program that runs already (and so has its context)."""
        free = self._arenas.free
        try:
            arena = free.pop()
        except IndexError:
            arena = Arena()
        try:
            return (self._frames.get(arena) or self._bind(arena))(*feeds)
        except Exception as error:                      # noqa: BLE001 - reworded for the user
            raise self.explain(error, self.source) from error.__cause__
        finally:
            free.append(arena)

    def _bind(self, arena: Arena) -> Callable[..., list]:
        try:
            block = arena.block(self.plan.arena_bytes)
        except (MemoryError, ValueError):
            buffers = [v for v, place in self.plan.locations.items() if place.kind == 'buffer']
            raise too_large(buffers, self.plan.arena_bytes) from None
        frame = self.bind(self.source, block)
        self._arenas.most_bytes = max(
            self._arenas.most_bytes, self.plan.arena_bytes,
            _BYTES_PER_INSTRUCTION * len(self.program.instructions))
        self._frames[arena] = frame
        arena.bound.add(self)
        return frame

    def bind(self, source: Source, block: np.ndarray) -> Callable[..., list]:
        """The function of `source`, the program's own or one with a clock, working in `block`."""
        return source.bind(block, self._arenas.store, self.uninitialized, self._arenas.function)

    def unbind(self, arena: Arena) -> None:
        """Forgets the function that works in `arena`."""
        frame = self._frames.pop(arena, None)
        if frame is not None:
            frame.__globals__.clear()       # they hold the frame, and all its memory, in a circle

    def uninitialized(self) -> None:
        """Called by the program when a Variable that it reads has no value yet."""
        storages = [self._arenas.store.storage(operation) for operation in self.source.read_first]
        raise uninitialized_error([storage for storage in storages if storage.value is None])

    def explain(self, error: Exception, source: Source) -> Exception:
        """The error to raise for one that came out of `source`'s functions."""
        instruction, trace = None, error.__traceback__
        while trace is not None:                # the innermost line of ours is the node's
            if trace.tb_frame.f_code.co_filename == source.filename:
                instruction = source.lines.get(trace.tb_lineno, instruction)
            trace = trace.tb_next
        return error if instruction is None else explain_failure(instruction, error)

    @property
    def store(self) -> Store:
        """The Store that the program works on."""
        return self._arenas.store


class Looping(Executable):
    """A program with loops that, once it has run so often, is replaced by one without.

    Writing loops out takes as long as some ten to a hundred runs save.
    """

    def __init__(self, program: Program, arenas: Arenas, patience: int,
                 write_out: Callable[[], Executable | None]) -> None:
        super().__init__(program, arenas)
        self._patience = patience
        self._write_out = write_out

    def __call__(self, feeds: Sequence[np.ndarray]) -> list:
        if self.runs >= self._patience:
            self._patience = sys.maxsize        # once: if loops must stay, they stay
            instead = self._write_out()
            if instead is not None:
                instead.runs = self.runs
                return instead(feeds)
        return super().__call__(feeds)
