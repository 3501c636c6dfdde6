"""Executable: a compiled program with its memory; thread-safe, with an arena for each thread."""
from __future__ import annotations

import contextvars
import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tinyflow.compiler.codegen.program import ProgramSource
from tinyflow.compiler.functions.nested import FunctionMaker
from tinyflow.compiler.ir import Program
from tinyflow.compiler.memory.plan import plan_memory
from tinyflow.session.failure import (
    explain_failure,
    too_large,
    uninitialized as uninitialized_error,
)
from tinyflow.session.malloc_trim import session_ended
from tinyflow.session.store import Store

_BYTES_PER_INSTRUCTION = 2000        # about what a node, its values and its source take


class Arena:
    """The memory for one run at a time; a Session has as many as there are concurrent runs.

    Programs that run one after the other share an arena. In `context` NumPy's floating point
    warnings are off, as in TF1: entering it is ten times as fast as np.errstate.
    """

    __slots__ = ('memory', 'context', 'bound')

    def __init__(self) -> None:
        self.memory = np.empty(0, np.uint8)
        self.bound: weakref.WeakSet[Executable] = weakref.WeakSet()
        self.context = contextvars.copy_context()
        self.context.run(np.seterr, all='ignore')

    def block(self, nbytes: int) -> np.ndarray:
        """A block of at least `nbytes`, aligned to a cache line.

        If it has to grow, programs bound to the smaller block are bound again at their next run.
        So an arena is as large as the largest program needs, not as all of them together.
        """
        if self.memory.size < nbytes:
            self.free()             # first, because both blocks at once may not fit in memory
            raw = np.empty(nbytes + 64, np.uint8)
            start = -raw.ctypes.data % 64
            self.memory = raw[start:start + nbytes]
        return self.memory

    def free(self) -> None:
        """Frees the block and unbinds the programs that use it."""
        for executable in self.bound:
            executable.unbind(self)
        self.bound.clear()
        self.memory = np.empty(0, np.uint8)


def _no_functions(*arguments: Any, **more: Any) -> Callable[..., list]:
    raise NotImplementedError('compiling functions needs the ArenaPool of a ProgramCache')


class ArenaPool:
    """The free arenas of a Session, and the Store that its programs use."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.free: list[Arena] = []
        self.function: FunctionMaker = _no_functions        # set by the ProgramCache
        self.peak_bytes = 0         # the most memory that a program, or its nodes, has needed

    def clear(self) -> None:
        """Frees the memory of all arenas that are not in use."""
        while self.free:
            self.free.pop().free()
        session_ended(self.peak_bytes)

    def __del__(self) -> None:
        session_ended(self.peak_bytes)


class Executable:
    """A Program compiled for known feed shapes; calling it with the fed arrays returns the fetches.

    It may be called by several threads at once, and again by a py_func inside it.
    """

    def __init__(self, program: Program, arenas: ArenaPool) -> None:
        self.program = program
        self.plan = plan_memory(program)
        self.source = ProgramSource(self.plan)
        self.runs = 0
        self.timed_source: ProgramSource | None = None      # for profiled runs
        self._arenas = arenas
        self._frames: dict[Arena, Callable[..., list]] = {}

    @contextmanager
    def arena(self) -> Iterator[Arena]:
        """A free arena for one run; `__call__` does the same with less overhead."""
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
        """Like `__call__`, from inside a running program (which has entered the context)."""
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
            buffers = [v for v, location in self.plan.locations.items()
                       if location.kind == 'buffer']
            raise too_large(buffers, self.plan.arena_bytes) from None
        frame = self.bind(self.source, block)
        self._arenas.peak_bytes = max(
            self._arenas.peak_bytes, self.plan.arena_bytes,
            _BYTES_PER_INSTRUCTION * len(self.program.instructions))
        self._frames[arena] = frame
        arena.bound.add(self)
        return frame

    def bind(self, source: ProgramSource, block: np.ndarray) -> Callable[..., list]:
        """Binds the function of `source` (the program, or a timed variant) to memory `block`."""
        return source.bind(block, self._arenas.store, self.uninitialized, self._arenas.function)

    def unbind(self, arena: Arena) -> None:
        """Drops the function that is bound to `arena`."""
        frame = self._frames.pop(arena, None)
        if frame is not None:
            frame.__globals__.clear()       # breaks a reference cycle that keeps all the memory

    def uninitialized(self) -> None:
        """Raises the error for uninitialized Variables; called by the generated program."""
        storages = [self._arenas.store.storage(operation) for operation in self.source.read_first]
        raise uninitialized_error([storage for storage in storages if storage.value is None])

    def explain(self, error: Exception, source: ProgramSource) -> Exception:
        """Converts an error raised by generated code to one that names the node."""
        instruction, trace = None, error.__traceback__
        while trace is not None:                # the innermost line of the source is the node's
            if trace.tb_frame.f_code.co_filename == source.filename:
                instruction = source.lines.get(trace.tb_lineno, instruction)
            trace = trace.tb_next
        return error if instruction is None else explain_failure(instruction, error)

    @property
    def store(self) -> Store:
        """The Store that the program uses."""
        return self._arenas.store


class LoopExecutable(Executable):
    """A program with loops that is replaced by its unrolled form after `patience` runs.

    Unrolling costs about as much time as it saves in ten to a hundred runs.
    """

    def __init__(self, program: Program, arenas: ArenaPool, patience: int,
                 unroll: Callable[[], Executable | None]) -> None:
        super().__init__(program, arenas)
        self._patience = patience
        self._unroll = unroll

    def __call__(self, feeds: Sequence[np.ndarray]) -> list:
        if self.runs >= self._patience:
            self._patience = sys.maxsize        # try only once
            unrolled = self._unroll()
            if unrolled is not None:
                unrolled.runs = self.runs
                return unrolled(feeds)
        return super().__call__(feeds)
