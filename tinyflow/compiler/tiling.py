"""Stage 6b: which elementwise instructions on large arrays run together, tile by tile.

One tile goes through all instructions of a group while it is in the cache, and tiles are shared by
threads. An elementwise result does not depend on where a tile ends, so neither the tiling nor the
number of threads changes a bit.
"""
from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from tinyflow.compiler.ir import Instruction, Value
from tinyflow.compiler.memory import Plan
from tinyflow.graph import shapes
from tinyflow.tiles import TILE

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


def tile_groups(plan: Plan) -> dict[Instruction, Group]:
    """The groups of a plan, by their first instruction."""
    groups: dict[Instruction, Group] = {}
    run: list[Instruction] = []

    def close() -> None:
        if run:
            shape = run[0].outputs[0].sizes
            if prod(shape) >= (_LARGE if len(run) > 1 else _LARGE_ALONE):
                groups[run[0]] = Group(tuple(run), shape)
            run.clear()

    for instruction in plan.program.instructions:
        if plan.locations[instruction.outputs[0]].kind == 'view' if instruction.outputs else False:
            continue                    # costs nothing: it was made when the program was bound
        if not _can_be_tiled(instruction, plan):
            close()
        elif run and not _alike(instruction, run[0]):
            close()
            run.append(instruction)
        else:
            run.append(instruction)
    close()
    return groups


def _can_be_tiled(instruction: Instruction, plan: Plan) -> bool:
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
    """Same shape, and same element size: buffers reused inside a group then have the same rows."""
    a, b = instruction.outputs[0], first.outputs[0]
    return a.raw_shape == b.raw_shape and a.dtype.np.itemsize == b.dtype.np.itemsize
