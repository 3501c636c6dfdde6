"""Creates the arrays of a memory plan, once for each arena that a program is bound to."""
from __future__ import annotations

import numpy as np

from tinyflow.compiler.ir import Instruction, Value
from tinyflow.compiler.memory.concat_in_place import split_parts, split_source
from tinyflow.compiler.memory.plan import MemoryPlan


def arrays_in(plan: MemoryPlan, arena: np.ndarray) -> dict[str, np.ndarray]:
    """Buffers in `arena` (uint8 [plan.arena_bytes]), their parts, and views, by Location's name."""
    arrays: dict[Value, np.ndarray] = {}
    names: dict[str, np.ndarray] = {}
    for value, location in plan.locations.items():
        if location.kind == 'buffer':
            arrays[value] = names[location.name] = _carve(arena, location.offset, value)
        elif value.array is not None:
            arrays[value] = value.array
    for value in plan.parts:
        names[plan.locations[value].name] = _part(value, plan, arrays)
    for instruction in plan.program.instructions:
        if instruction.outputs and plan.locations[instruction.outputs[0]].kind == 'view':
            for value, array in zip(instruction.outputs, _views(instruction, arrays)):
                arrays[value] = names[plan.locations[value].name] = array
    return names


def _part(value: Value, plan: MemoryPlan, arrays: dict[Value, np.ndarray]) -> np.ndarray:
    """The array of a value that is made inside a concatenation, which may be inside another."""
    if value not in arrays:
        part = plan.parts[value]
        arrays[value] = _part(part.whole, plan, arrays)[part.slices]
    return arrays[value]


def _carve(arena: np.ndarray, offset: int, value: Value) -> np.ndarray:
    return arena[offset:offset + value.nbytes].view(value.dtype.np).reshape(value.sizes)


def _views(instruction: Instruction, arrays: dict[Value, np.ndarray]) -> list[np.ndarray]:
    """The results, made once when the program is bound, of an instruction that only looks."""
    source = split_source(instruction)
    if source is not None:
        return [arrays[source][part.slices] for part in split_parts(instruction)]
    arguments = [arrays[instruction.inputs[0]], *[v.array for v in instruction.inputs[1:]]]
    return [instruction.definition.call(instruction.attrs, arguments)[0]]


__all__ = ['arrays_in']
