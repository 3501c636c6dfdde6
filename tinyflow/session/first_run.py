"""The first run of a long program: node by node, since many such programs run only once.

To plan a program's memory and to compile its source takes longer than dozens of its runs, so that
is done when it runs again. The values are the same, bit for bit. A program is compiled at once if
it waits for other code, runs functions, or both reads Variables and writes some: a training step.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any

import numpy as np

from tinyflow.compiler.codegen.results import as_result, is_fresh
from tinyflow.compiler.codegen.variable_uses import may_wait, variables_read
from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.memory.plan import MemoryPlan
from tinyflow.graph.support.gc_pause import collector_paused
from tinyflow.session.executable import Executable
from tinyflow.session.failure import explain_failure
from tinyflow.session.interrupts import finished_first, steps_through
from tinyflow.session.runtime import Runtime
from tinyflow.session.store import Store

__all__ = ['FirstRun', 'goes_by_steps']

_BYTES_PER_INSTRUCTION = 500            # approximate memory of a node and its values


def goes_by_steps(program: Program) -> bool:
    """Whether nothing but its time tells the program's first run from one that is compiled."""
    one_of_each = {i.definition: i for i in program.instructions}.values()
    return not program.nested and all(map(_is_simple, one_of_each)) \
        and not (variables_read(program) and any(i.writes for i in program.instructions))


def _is_simple(instruction: Instruction) -> bool:
    definition = instruction.definition
    return not (definition.functions or definition.bind or definition.keeps
                or definition.calls_user_code or may_wait(instruction))


class FirstRun(Executable):
    """A Program that runs once by steps; `make` compiles it for all later runs."""

    def __init__(self, program: Program, runtime: Runtime, make: Callable[[], Executable],
                 replace: Callable[[Executable], None]) -> None:
        self.program = program
        self.runs = 0
        self.timed_source = None
        self._runtime = runtime
        self._read = variables_read(program)
        has_variables = program.reads or any(i.writes for i in program.instructions)
        self._free = runtime.variable_arenas if has_variables else runtime.free_arenas
        self._functions = {}
        self._make, self._replace = make, replace
        self._made: Executable | None = None
        self._lock = Lock()

    def __call__(self, feeds: Sequence[np.ndarray]) -> list:
        with self._lock:
            first = not self.runs and self._made is None and self._is_initialized()
            self.runs += first
        if first:
            return self._run(feeds)
        made = self.compiled()
        self._replace(made)
        return made(feeds)

    def _is_initialized(self) -> bool:
        """Whether all Variables that the program reads have values; the error is left to others."""
        return all(self.store.storage(v).value is not None for v in self.program.reads)

    @finished_first
    def _run(self, feeds: Sequence[np.ndarray]) -> list:
        runtime, program = self._runtime, self.program
        runtime.peak_bytes = max(runtime.peak_bytes,
                                 _BYTES_PER_INSTRUCTION * len(program.instructions))
        with self.arena() as arena, collector_paused():
            return arena.context.run(_results, program, feeds, self._read, self.store)

    def compiled(self) -> Executable:
        """The Executable of all later runs, made when it is first needed."""
        with self._lock, collector_paused():
            if self._made is None:
                self._made = self._make()
                self._made.runs = self.runs
            return self._made

    @property
    def plan(self) -> MemoryPlan:               # type: ignore[override]
        return self.compiled().plan

    @property
    def source(self) -> Any:                    # type: ignore[override]
        return self.compiled().source


@steps_through
def _results(program: Program, feeds: Sequence[np.ndarray], read: set[Value],
             store: Store) -> list:
    """The fetched values, which the caller may keep."""
    env: dict[Value, Any] = dict(zip(program.feeds, feeds))
    env.update((v, store.storage(v.variable).value) for v in read if v.variable is not None)
    last: dict[Value | None, Instruction | None] = {        # the last use of each value
        v: i for i in program.instructions for v in i.inputs}
    last.update(dict.fromkeys(program.fetches))             # needed to the end
    for instruction in program.instructions:
        arguments = [env[v] if v in env else v.array if v.variable is None
                     else store.storage(v.variable) for v in instruction.inputs]
        try:
            outputs = _outputs(instruction, arguments, store)
        except Exception as error:                      # noqa: BLE001 - reported with the node
            raise explain_failure(instruction, error, arguments) from error.__cause__
        for value, output in zip(instruction.outputs, outputs):
            if value in last:
                env[value] = np.array(output) if instruction.copy else output
        for value in instruction.inputs:
            if last[value] is instruction:
                env.pop(value, None)
    return list(_fetched(program, env))


def _outputs(instruction: Instruction, arguments: list[Any], store: Store) -> tuple:
    definition = instruction.definition
    first = () if definition.state is None else (store.state(instruction.operation),)
    if not instruction.writes:
        return definition.call(instruction.attrs, arguments, first)
    with store.update_lock:
        return definition.call(instruction.attrs, arguments, first)


def _fetched(program: Program, env: dict[Value, Any]) -> Iterator[Any]:
    returned: set[Value | None] = {None}
    for value in program.fetches:
        if value is None:
            yield None
            continue
        is_constant = value.array is not None
        yield as_result(value.array if is_constant else env[value],
                        is_fresh(value) and not is_constant and value not in returned)
        returned.add(value)
