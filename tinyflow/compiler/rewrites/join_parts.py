"""Concatenates gradients of the parts of a tensor, instead of padding and adding them.

A tensor that is read in slices has the gradient pad(d1) + pad(d2) ... . Where the slices lie side
by side and leave nothing out, that is concat(d1, d2, ...), except for the sign of a zero.
"""
from __future__ import annotations

from typing import NamedTuple

from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.compiler.passes.builders import concatenated, with_replaced
from tinyflow.compiler.passes.replacement import uses_if_any


class _Part(NamedTuple):
    """A value that Pad extends along one axis: it begins at `begin`, before `after` zeros."""

    begin: int
    after: int
    axis: int
    value: Value
    pad: Instruction


def join_parts(program: Program) -> Program:
    """AddN of Pads that fill a tensor without overlap becomes ConcatV2."""
    uses = uses_if_any(program, ('Pad',))
    gone: set[Instruction] = set()
    replacements: dict[Instruction, list[Instruction]] = {}
    for instruction in program.instructions if uses else ():
        if instruction.type == 'AddN':
            parts = _parts(instruction)
            if parts and all(uses[p.pad.outputs[0]] == 1 for p in parts):
                gone.update(p.pad for p in parts)
                [total] = instruction.outputs
                replacements[instruction] = [concatenated(
                    instruction, [p.value for p in parts], parts[0].axis, total.sizes, total)]
    kept = with_replaced(program, replacements, gone)
    return program.with_instructions(kept, Note(
        'join_parts', f'{len(gone)} gradients of parts are concatenated',
        len(program.instructions), len(kept), len(gone)))


def _parts(total: Instruction) -> list[_Part]:
    """The parts that are added, from first to last; none if they overlap or leave something out."""
    found = [_part(v) for v in total.inputs]
    parts = sorted([p for p in found if p is not None], key=lambda p: p.begin)
    if len(parts) < len(found) or len({p.axis for p in parts}) > 1:
        return []
    end = 0
    for part in parts:
        if part.begin != end:
            return []
        end += part.value.sizes[part.axis]
    return [] if parts[-1].after else parts


def _part(value: Value) -> _Part | None:
    pad = value.producer
    if pad is None or pad.type != 'Pad' or pad.copy or pad.inputs[1].array is None:
        return None
    part = pad.inputs[0]
    padded = [axis for axis, sizes in enumerate(pad.inputs[1].array.tolist()) if any(sizes)]
    if len(padded) != 1 or not part.known_shape or part.variable is not None:
        return None
    begin, after = pad.inputs[1].array[padded[0]].tolist()
    return _Part(begin, after, padded[0], part, pad)
