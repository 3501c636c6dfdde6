"""Executable: a compiled program with its memory; thread-safe, with an arena for each thread."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from tinyflow.compiler.codegen.program import ProgramSource
from tinyflow.compiler.ir import Program
from tinyflow.compiler.memory.plan import plan_memory
from tinyflow.session.failure import (
    explain_failure,
    too_large,
    uninitialized as uninitialized_error,
)
from tinyflow.session.interrupts import finished_first
from tinyflow.session.runtime import Arena, Runtime
from tinyflow.session.store import Store

_BYTES_PER_INSTRUCTION = 2000        # approximate memory of a node, its values and its source


class Executable:
    """A Program compiled for known feed shapes; calling it with the fed arrays returns the fetches.

    It may be called by several threads at once, and again by a py_func inside it.
    """

    take: Executable | None = None          # takes elements before the rest of a run

    def __init__(self, program: Program, runtime: Runtime) -> None:
        self.program = program
        self.plan = plan_memory(program)
        self.source = ProgramSource(self.plan)
        self.runs = 0
        self.timed_source: ProgramSource | None = None      # for profiled runs
        self._runtime = runtime
        self._free = runtime.variable_arenas if self.source.storage_operations \
            else runtime.free_arenas
        self._functions: dict[Arena, Callable[..., list]] = {}   # bound to each arena

    def compiled(self) -> Executable:
        """The program as one Executable, with its source and memory."""
        return self

    @property
    def shown(self) -> Executable:
        """What the last run was, for profiles and explanations."""
        return self

    @contextmanager
    def arena(self) -> Iterator[Arena]:
        """A free arena for one run; `__call__` does the same with less overhead."""
        free = self._free
        try:
            arena = free.pop()
        except IndexError:
            arena, free = self._runtime.another_arena(free)
        try:
            yield arena
        finally:
            free.append(arena)

    @finished_first
    def __call__(self, feeds: Sequence[np.ndarray]) -> list:
        free = self._free
        try:
            arena = free.pop()
        except IndexError:
            arena, free = self._runtime.another_arena(free)
        try:
            function = self._functions.get(arena) or self._bind_to(arena)
            self.runs += 1
            return arena.context.run(function, *feeds)
        except Exception as error:                      # noqa: BLE001 - reported with the node
            raise self.explain(error, self.source) from error.__cause__
        finally:
            free.append(arena)

    def call_inside(self, feeds: Sequence[np.ndarray]) -> list:
        """Like `__call__`, from inside a running program (which has entered the context)."""
        free = self._runtime.free_arenas
        try:
            arena = free.pop()
        except IndexError:
            arena = Arena()
        try:
            return (self._functions.get(arena) or self._bind_to(arena))(*feeds)
        except Exception as error:                      # noqa: BLE001 - reported with the node
            raise self.explain(error, self.source) from error.__cause__
        finally:
            free.append(arena)

    def _bind_to(self, arena: Arena) -> Callable[..., list]:
        try:
            block = arena.block(self.plan.arena_bytes)
        except (MemoryError, ValueError):
            buffers = [v for v, location in self.plan.locations.items()
                       if location.kind == 'buffer']
            raise too_large(buffers, self.plan.arena_bytes) from None
        function = self.bind(self.source, block)
        self._runtime.peak_bytes = max(
            self._runtime.peak_bytes, self.plan.arena_bytes,
            _BYTES_PER_INSTRUCTION * len(self.program.instructions))
        self._functions[arena] = function
        arena.bound.add(self)
        return function

    def bind(self, source: ProgramSource, block: np.ndarray) -> Callable[..., list]:
        """Binds the function of `source` (the program, or a timed variant) to memory `block`."""
        return source.bind(block, self._runtime.store, self.uninitialized,
                           self._runtime.make_function)

    def unbind(self, arena: Arena) -> None:
        """Drops the function that is bound to `arena`."""
        function = self._functions.pop(arena, None)
        if function is not None:
            function.__globals__.clear()       # breaks a reference cycle that keeps all the memory

    def uninitialized(self) -> None:
        """Raises the error for uninitialized Variables; called by the generated program."""
        storages = [self._runtime.store.storage(operation) for operation in self.source.read_first]
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
        return self._runtime.store


__all__ = ['Executable']
