"""Part of stage 7: elementwise instructions on large arrays are run together, tile by tile.

One tile goes through all instructions of a group while it is in the cache, and tiles are shared by
threads. An elementwise result does not depend on where a tile ends, so neither the tiling nor the
number of threads changes a bit.
"""
from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from tinyflow.compiler.ir import Instruction, Value
from tinyflow.compiler.memory.plan import MemoryPlan
from tinyflow.graph import shapes
from tinyflow.graph.support.tiles import TILE

_LARGE = 4 * TILE           # elements; below, starting threads costs more than it saves
_LARGE_ALONE = 16 * TILE    # elements; for a group of one


@dataclass(frozen=True)
class Group:
    """Consecutive instructions with results of one shape, and how many rows a tile has."""

    instructions: tuple[Instruction, ...]
    shape: tuple[int, ...]

    @property
    def rows_per_tile(self) -> int:
        return max(1, TILE // max(1, prod(self.shape[1:])))

    def sliced(self, value: Value) -> bool:
        """True if a tile needs its own rows of `value`; False if every tile needs all of it."""
        shape = value.raw_shape
        return shape is not None and len(shape) == len(self.shape) and shape[0] == self.shape[0]


class _Run:
    """Instructions that may become a group, and the memory that they touch.

    While one tile is through, another has not begun; so what a tile reads must not have been
    changed by another. Rows that it reads of an array of the group's own shape are changed by no
    other tile. Anything else, such as a transposed view or a row for all, must lie in memory that
    no instruction of the group writes to.
    """

    def __init__(self, plan: MemoryPlan) -> None:
        self.plan = plan
        self.members: list[Instruction] = []
        self.written: set[_Span] = set()
        self.read_by_rows: set[_Span] = set()
        self.read_otherwise: set[_Span] = set()

    def add(self, instruction: Instruction) -> bool:
        """Takes an instruction in, unless it does not go together with the others."""
        output = instruction.outputs[0]
        if self.members and not _alike(instruction, self.members[0]):
            return False
        by_rows: set[_Span] = set()
        otherwise: set[_Span] = set()
        for value in instruction.inputs:
            span = self._span(self.plan.roots[value])
            if span is not None:
                aligned = value is self.plan.roots[value] and value.raw_shape == output.raw_shape \
                    and value.dtype.size == output.dtype.size
                (by_rows if aligned else otherwise).add(span)
        written = {s for s in [self._span(output)] if s is not None}
        # Only pairs with the new one: earlier members have been compared with each other.
        if any(w.clashes(r) for w in self.written | written for r in otherwise) \
                or any(w.clashes(r) for w in written for r in self.read_otherwise) \
                or any(w.clashes(r) and w.start != r.start
                       for w in self.written | written for r in by_rows) \
                or any(w.clashes(r) and w.start != r.start
                       for w in written for r in self.read_by_rows):
            return False
        self.members.append(instruction)
        self.written |= written
        self.read_by_rows |= by_rows
        self.read_otherwise |= otherwise
        return True

    def _span(self, value: Value) -> _Span | None:
        location = self.plan.locations[value]
        if location.kind != 'buffer':
            return None
        return _Span(location.offset, location.offset + value.nbytes)

    def group(self) -> Group | None:
        """The group, if it is worth it."""
        if not self.members:
            return None
        shape = self.members[0].outputs[0].sizes
        least = _LARGE if len(self.members) > 1 else _LARGE_ALONE
        return Group(tuple(self.members), shape) if prod(shape) >= least else None


class _Span(NamedTuple):
    """A stretch of the arena, in bytes."""

    start: int
    end: int

    def clashes(self, other: _Span) -> bool:
        return self.start < other.end and other.start < self.end


def tile_groups(plan: MemoryPlan) -> dict[Instruction, Group]:
    """The groups of a plan, by their first instruction."""
    runs = [_Run(plan)]
    for instruction in plan.program.instructions:
        if instruction.outputs and plan.locations[instruction.outputs[0]].kind == 'view':
            continue                    # costs nothing: it was made when the program was bound
        if not _can_be_tiled(instruction, plan):
            runs.append(_Run(plan))
        elif not runs[-1].add(instruction):
            runs.append(_Run(plan))
            runs[-1].add(instruction)
    groups = [run.group() for run in runs]
    return {group.instructions[0]: group for group in groups if group is not None}


def _can_be_tiled(instruction: Instruction, plan: MemoryPlan) -> bool:
    definition, outputs = instruction.definition, instruction.outputs
    if not definition.elementwise or len(outputs) != 1 or instruction.copy \
            or not definition.kernel_has_out or definition.static_positions:
        return False
    if definition.has_lists or not definition.pure:
        return False
    shape = outputs[0].raw_shape
    return shapes.known(shape) and bool(shape) and prod(shape) >= _LARGE \
        and outputs[0].dtype.np.kind != 'O' \
        and plan.locations[outputs[0]].kind in ('buffer', 'local') \
        and all(v.known_shape for v in instruction.inputs) \
        and (isinstance(definition.kernel, np.ufunc) or bool(definition.overwrites))


def _alike(instruction: Instruction, first: Instruction) -> bool:
    """Same shape and element size: buffers reused inside a group then have the same rows."""
    a, b = instruction.outputs[0], first.outputs[0]
    return a.raw_shape == b.raw_shape and a.dtype.np.itemsize == b.dtype.np.itemsize
