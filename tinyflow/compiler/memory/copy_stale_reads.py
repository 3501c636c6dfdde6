"""Copies views of Variables that are used after the Variable has changed.

`reads_to_copy` in schedule.py handles the uses in the graph. A pass may add later uses of a view:
x * tile(v) becomes x * v, and the product may run after an assignment that the tile ran before.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from tinyflow.compiler.ir import Instruction, Program, Value


@dataclass(frozen=True)
class _View:
    """A value in the memory of `variable`, made after so many writes to it."""

    variable: Value
    maker: Instruction
    writes: int


def copy_stale_views(program: Program) -> Program:
    """Lets an instruction copy what it views if the Variable changes before the last use."""
    if not any(i.writes for i in program.instructions):
        return program
    stale = _stale(program)
    if not stale:
        return program
    return replace(program, instructions=tuple([
        Instruction(i.definition, i.operation, i.inputs, i.outputs, i.attrs, copy=True)
        if i in stale else i for i in program.instructions]))


def _stale(program: Program) -> set[Instruction]:
    """The makers of views that are used after a write."""
    views: dict[Value, _View] = {}
    writes: Counter[Value] = Counter()
    stale: set[Instruction] = set()

    def use(value: Value) -> None:
        view = views.get(value)
        if view is not None and writes[view.variable] > view.writes:
            stale.add(view.maker)

    for instruction in program.instructions:
        for value in instruction.inputs:
            use(value)
        for position in instruction.writes:
            writes[instruction.inputs[position]] += 1
        if instruction.definition.view and not instruction.copy and instruction.inputs:
            source = instruction.inputs[0]
            variable = source if source.variable is not None else \
                views[source].variable if source in views else None
            if variable is not None:
                views.update((v, _View(variable, instruction, writes[variable]))
                             for v in instruction.outputs)
    for fetch in program.fetches:
        if fetch is not None:
            use(fetch)
    return stale


__all__ = ['copy_stale_views']
