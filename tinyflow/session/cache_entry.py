"""CacheEntry: what a Session has compiled for one pair of fetches and feeds.

If the fed shapes keep changing, one Executable for varying sizes serves all further shapes.
"""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import RLock

from tinyflow.compiler.compile import Options, optimise
from tinyflow.compiler.functions.unrolling import unrolling_cost
from tinyflow.compiler.graph_to_program import graph_to_program
from tinyflow.compiler.ir import Program
from tinyflow.compiler.prune import prune
from tinyflow.compiler.warnings.unrun_warnings import may_leave_out, warn_of_what_is_left_out
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.shapes import Shape
from tinyflow.graph.support.gc_pause import collector_paused
from tinyflow.session.executable import Executable
from tinyflow.session.loop_executable import LoopExecutable
from tinyflow.session.runtime import Runtime
from tinyflow.session.tiers import executable_of

_SHAPES = 16                # Executables kept per pair
_TOO_MANY_SHAPES = 12       # distinct shapes after which varying sizes become unknown


class CacheEntry:
    """One (fetches, feeds) pair: its Program and the Executables made from it."""

    def __init__(self, fetches: tuple[Tensor | Operation, ...], feeds: tuple[Tensor, ...],
                 runtime: Runtime, options: Options, program: Program | None = None) -> None:
        self.fetches = fetches
        self.feeds = feeds
        if program is None:
            with collector_paused():
                program = graph_to_program(fetches, feeds)
            if may_leave_out(fetches):
                warn_of_what_is_left_out(prune(fetches, feeds))
        self.program = program
        self.executables: OrderedDict[tuple, Executable] = OrderedDict()
        self._runtime = runtime
        self._options = options
        self._general: tuple | None = None      # the shape key with None for varying sizes
        self._seen = 0
        self._lock = RLock()

    def executable(self, shapes: tuple) -> Executable:
        """The Executable for these fed shapes, compiled if necessary."""
        found = self.executables.get(shapes)
        if found is not None:
            return found
        with self._lock:
            if self._general is not None and _fits(self._general, shapes):
                return self.executables[self._general]
            return self.executables.get(shapes) or self._compile(shapes)

    def _compile(self, shapes: tuple) -> Executable:
        self._seen += 1
        if self._seen <= _TOO_MANY_SHAPES:
            return self._add(shapes)
        general = _common([*self.executables, shapes])
        executable = self._add(general)
        self._general = general             # only after success: an error must change nothing
        return executable

    def _add(self, shapes: tuple) -> Executable:
        with collector_paused():
            executable = self._make(shapes)
        self.executables[shapes] = executable
        while len(self.executables) > _SHAPES:
            oldest = next(key for key in self.executables if key != self._general)
            del self.executables[oldest]
        return executable

    def _make(self, shapes: tuple) -> Executable:
        options = self._options
        if not options.nan_check and any('IteratorGetNext' in t for t in self.program.types):
            found = self._runtime.for_elements(self.program, shapes, options)
            if found is not None:
                return found
        program = optimise(self.program, shapes, options, options.unroll == 0)
        return self._executable_of(program, shapes)

    def _executable_of(self, program: Program, shapes: tuple) -> Executable:
        options = self._options
        if options.nan_check:
            from tinyflow.session.nan_check import NanCheckedExecutable  # start-up time
            return NanCheckedExecutable(program, self._runtime, self.program)
        if options.unroll and not program.nested and 'While' in program.types:
            return LoopExecutable(program, self._runtime, options.unroll,
                                  lambda: unrolling_cost(self.program, shapes, options.fold),
                                  lambda: optimise(self.program, shapes, options),
                                  lambda program: self._in_tiers(program, shapes),
                                  lambda executable: self._replace(shapes, executable))
        return self._in_tiers(program, shapes)

    def _in_tiers(self, program: Program, shapes: tuple) -> Executable:
        return executable_of(program, self._runtime,
                             lambda executable: self._replace(shapes, executable))

    def _replace(self, shapes: tuple, executable: Executable) -> None:
        if shapes in self.executables:
            self.executables[shapes] = executable


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


__all__ = ['CacheEntry']
