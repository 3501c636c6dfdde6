"""Programs that take elements of iterators: compiled for the shapes of what they have taken."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np

from tinyflow.compiler.compile import Options, optimise
from tinyflow.compiler.ir import Program
from tinyflow.compiler.memory.plan import MemoryPlan
from tinyflow.compiler.split_elements import split_elements
from tinyflow.graph.shapes import Shape
from tinyflow.session.cache_entry import CacheEntry
from tinyflow.session.executable import Executable
from tinyflow.session.interrupts import finished_first
from tinyflow.session.runtime import Runtime

__all__ = ['ElementExecutable', 'element_executable']

_OFTEN = 4              # runs with a shape after which it has a program of its own
_SPECIAL = 6            # programs for a shape each; other shapes share one


class ElementExecutable(Executable):
    """Takes the elements, then runs the program that is compiled for their shapes.

    `make` compiles the program as a whole, for runs with RunOptions or observers. Elements stay
    taken when the rest of a run fails.
    """

    take: Executable

    def __init__(self, take: Executable, rest: _RestEntry, runtime: Runtime,
                 make: Callable[[], Executable]) -> None:
        self.take, self.rest = take, rest
        self.runs = 0
        self.timed_source = None
        self._runtime = runtime
        self._free = runtime.variable_arenas
        self._functions = {}
        self._make = make
        self._made: Executable | None = None
        self._last: Executable | None = None
        self._lock = Lock()

    @finished_first
    def __call__(self, feeds: Sequence[np.ndarray]) -> list:
        elements = self.take(feeds)
        self.runs += 1
        return self.for_elements(elements)([*feeds, *elements])

    def for_elements(self, elements: Sequence[np.ndarray]) -> Executable:
        """The program for elements of these shapes."""
        executable = self._last = self.rest.executable(tuple([a.shape for a in elements]))
        return executable

    def compiled(self) -> Executable:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    @property
    def shown(self) -> Executable:
        return self._last or self.compiled()

    @property
    def program(self) -> Program:               # type: ignore[override]
        return self.compiled().program

    @property
    def plan(self) -> MemoryPlan:               # type: ignore[override]
        return self.compiled().plan

    @property
    def source(self) -> Any:                    # type: ignore[override]
        return self.compiled().source


class _RestEntry(CacheEntry):
    """The programs for elements of some shapes, and one for all others.

    `fed` are the shapes of the fed arrays, which may be partly unknown. The first shape of elements
    is mostly that of all batches but the last one.
    """

    def __init__(self, program: Program, fed: tuple[Shape, ...], runtime: Runtime,
                 options: Options) -> None:
        super().__init__((), (), runtime, options, program)
        self._fed = fed
        self._any = tuple([value.raw_shape for value in program.feeds[len(fed):]])
        self._shapes = runtime.trainings.shapes_of(program, fed)

    def executable(self, shapes: tuple) -> Executable:
        """The program for elements of these shapes."""
        found = self.executables.get(self._fed + shapes)
        if found is not None:
            return found
        with self._lock:
            if not self._shapes.special_after(shapes, _OFTEN, _SPECIAL):
                shapes = self._any
            executable = self.executables.get(self._fed + shapes) or self._add(self._fed + shapes)
            if shapes is not self._any:
                self._shapes.add(shapes)    # only after success: an error must change nothing
            return executable


def element_executable(program: Program, shapes: tuple, runtime: Runtime,
                       options: Options) -> ElementExecutable | None:
    """The ElementExecutable of a program, for feeds of these shapes; None if it has no elements."""
    split = split_elements(program)
    if split is None:
        return None
    take = Executable(optimise(split.take, shapes, options), runtime)
    return ElementExecutable(take, _RestEntry(split.rest, shapes, runtime, options), runtime,
                             lambda: Executable(optimise(program, shapes, options, False), runtime))
