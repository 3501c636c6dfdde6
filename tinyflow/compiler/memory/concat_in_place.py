"""Concatenation and split without copying: the parts are slices of the whole's memory.

A concatenation copies what was computed just before. Where a part is a result that lives in the
arena, its memory can be that stretch of the whole's buffer from the beginning. A stretch along the
first axis is contiguous; along another one it has gaps between its rows, which elementwise kernels
do not mind, and matrix products do.

What is split lies in the arena already; its parts are views of it.
"""
from __future__ import annotations

from math import prod

from tinyflow.compiler.infer import static_of
from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.compiler.memory.location import Location, Part
from tinyflow.graph.support.tiles import TILE

_LARGE = 4 * TILE       # elements; larger results are made tile by tile, which needs buffers


def find_parts(program: Program, locations: dict[Value, Location]) -> dict[Value, Part]:
    """The values that can be computed in place, from the last concatenation to the first."""
    if not any(i.type == 'ConcatV2' for i in program.instructions):
        return {}
    made = {v: i for i in program.instructions for v in i.outputs}
    viewed = {i.inputs[0] for i in program.instructions if i.definition.view and i.inputs}
    viewed |= {i.inputs[_SPLITS[i.type]] for i in program.instructions if i.type in _SPLITS}
    found: dict[Value, Part] = {}
    with_gaps: set[Value] = set()
    for instruction in reversed(program.instructions):
        if instruction.type != 'ConcatV2' or locations[instruction.outputs[0]].kind != 'buffer':
            continue
        whole = instruction.outputs[0]
        for value, part in _stretches(instruction):
            gaps = part.axis > 0 or whole in with_gaps
            if value in found or value not in made or locations[value].kind != 'buffer' \
                    or instruction.inputs.count(value) != 1 or prod(value.sizes) >= _LARGE \
                    or gaps and (value in viewed or not _takes_gaps(made[value])):
                continue
            found[value] = part
            if gaps:
                with_gaps.add(value)
    return found


_SPLITS = {'Split': 1, 'SplitV': 0}     # op type -> position of what is split


def split_source(instruction: Instruction) -> Value | None:
    """What a splitting instruction splits; None for any other instruction."""
    position = _SPLITS.get(instruction.type)
    return None if position is None or instruction.copy else instruction.inputs[position]


def split_parts(instruction: Instruction) -> list[Part]:
    """Where the results of a splitting instruction lie in its source; [] if it is not known."""
    source = split_source(instruction)
    axis = static_of(instruction.inputs[2 if instruction.type == 'SplitV' else 0])
    if source is None or not isinstance(axis, int) or not source.known_shape or \
            any(not v.known_shape for v in instruction.outputs):
        return []
    axis %= len(source.sizes)
    parts, start = [], 0
    for value in instruction.outputs:
        parts.append(Part(source, axis, start, start + value.sizes[axis]))
        start += value.sizes[axis]
    return parts if start == source.sizes[axis] else []


def _stretches(instruction: Instruction) -> list[tuple[Value, Part]]:
    """(value, its Part) for the values that a concatenation joins."""
    *values, axis_value = instruction.inputs
    axis, whole = static_of(axis_value), instruction.outputs[0]
    if not isinstance(axis, int) or any(not v.known_shape for v in values):
        return []
    axis %= len(whole.sizes)
    found, start = [], 0
    for value in values:
        stop = start + value.sizes[axis]
        found.append((value, Part(whole, axis, start, stop)))
        start = stop
    return found


def copied_parts(instruction: Instruction, parts: dict[Value, Part]) -> list[tuple[Value, Part]]:
    """(value, its Part) of a concatenation for the values that are not made in place."""
    return [(value, part) for value, part in _stretches(instruction) if parts.get(value) != part]


def _takes_gaps(producer: Instruction) -> bool:
    """True if the kernel may write into an array with gaps between its rows."""
    return producer.definition.elementwise or producer.definition.takes_gaps


__all__ = ['copied_parts', 'find_parts', 'split_parts', 'split_source']
