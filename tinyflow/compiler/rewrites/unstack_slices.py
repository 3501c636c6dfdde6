"""Reads the parts of an unstacked tensor as views if they are only concatenated with others.

tf.unstack copies: a step of a sequence is then an array without gaps, as matrix products want it.
But a recurrent cell concatenates the step with its state, which copies it anyway.
"""
from __future__ import annotations

from tinyflow.compiler.ir import Instruction, Note, Program, Value
from tinyflow.compiler.passes.builders import constant, new, with_replaced
from tinyflow.compiler.passes.replacement import uses_if_any
from tinyflow.graph import dtypes


def unstack_slices(program: Program) -> Program:
    """Replaces an Unpack whose results are used by ConcatV2 only by one StridedSlice per result.
    """
    joined = _joined(program)
    replacements = {i: _parts(i) for i in program.instructions
                    if _is_replaced(i, joined, program)} if joined else {}
    kept, count = with_replaced(program, replacements), len(replacements)
    return program.with_instructions(kept, Note(
        'unstack_slices', f'{count} unstacked tensors are read as slices',
        len(program.instructions), len(kept), count))


def _joined(program: Program) -> set[Value]:
    """The values that only concatenations read."""
    uses = uses_if_any(program, ('Unpack',))
    if not uses:
        return set()
    uses.subtract(v for i in program.instructions if i.type == 'ConcatV2' for v in i.inputs)
    return {v for v, others in uses.items() if not others}


def _is_replaced(instruction: Instruction, joined: set[Value], program: Program) -> bool:
    if instruction.type != 'Unpack' or instruction.copy:
        return False
    source, = instruction.inputs
    return source.known_shape and source.variable is None and len(source.sizes) > 1 \
        and all(v.known_shape for v in instruction.outputs) \
        and source.sizes[instruction.attrs['axis']] == len(instruction.outputs) \
        and instruction.operation not in program.targets \
        and all(v in joined for v in instruction.outputs)


def _parts(instruction: Instruction) -> list[Instruction]:
    """A StridedSlice for each result."""
    source = instruction.inputs[0]
    axis = instruction.attrs['axis'] % len(source.sizes)
    before = [0] * axis
    strides = constant(instruction, 'strides', [1] * (axis + 1))
    skipped = (1 << axis) - 1                   # the axes that are not indexed
    attrs = {'Index': dtypes.int32, 'begin_mask': skipped, 'end_mask': skipped,
             'ellipsis_mask': 0, 'new_axis_mask': 0, 'shrink_axis_mask': 1 << axis}
    return [new('StridedSlice', instruction,
                [source, constant(instruction, 'begin', [*before, n]),
                 constant(instruction, 'end', [*before, n + 1]), strides], part.sizes, attrs, part)
            for n, part in enumerate(instruction.outputs)]
