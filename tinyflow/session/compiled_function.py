"""Functions inside programs: branches of a cond, the body of a loop, a map of tf.data."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinyflow.compiler.codegen.variable_uses import first_uses
from tinyflow.compiler.compile import Options
from tinyflow.compiler.functions.list_shape import ListShape
from tinyflow.compiler.functions.nested import function_to_program, lists_read
from tinyflow.graph.support.errors import OpFailure
from tinyflow.session.cache_entry import CacheEntry
from tinyflow.session.runtime import Runtime
from tinyflow.session.store import Store


class CompiledFunction:
    """A FuncGraph as a callable on arrays; compiled for each combination of shapes."""

    __slots__ = ('_runtime', '_options', '_arguments', '_entry', '_last', '_lists')

    def __init__(self, runtime: Runtime, options: Options, *arguments: Any) -> None:
        self._runtime = runtime
        self._options = options
        self._arguments = arguments             # of function_to_program
        self._entry: CacheEntry | None = None
        self._lists: list[int] = []         # positions of lists whose elements are read
        self._last: tuple = (None, None)    # shapes of the last call, and the program for them

    def __call__(self, *arrays: np.ndarray) -> list:
        entry = self._entry or self._planned(len(arrays))
        shapes = tuple([a.shape for a in arrays])
        if self._lists:
            shapes = self._with_elements(shapes, arrays)
        last, executable = self._last       # one attribute: several threads may call this
        if shapes != last:
            executable = entry.executable(shapes)
            self._last = shapes, executable
        return executable.call_inside(arrays)

    @property
    def store(self) -> Store:
        """The Store that the function uses."""
        return self._runtime.store

    def _planned(self, given: int) -> CacheEntry:
        program = function_to_program(*self._arguments)
        if len(program.feeds) != given:         # in a GraphDef that no one checked
            raise OpFailure(f'its function has {len(program.feeds)} parameters, not {given}')
        self._lists = lists_read(program)
        if self._arguments[1] is None and first_uses(program):
            from tinyflow.session.concurrent_runs import share  # start-up time
            share(self._runtime.store)          # a function of tf.data: threads of its own call it
        self._entry = CacheEntry((), (), self._runtime, self._options, program)
        return self._entry

    def _with_elements(self, shapes: tuple, arrays: Sequence[np.ndarray]) -> tuple:
        """The shapes; those of lists include the shape of their elements."""
        found = list(shapes)
        for i in self._lists:
            common = getattr(arrays[i][()], 'common', None)
            if type(common) is tuple:
                found[i] = ListShape.of(common)
        return tuple(found)


__all__ = ['CompiledFunction']
