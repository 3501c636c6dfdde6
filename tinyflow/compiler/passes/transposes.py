"""Folds a transpose of a matrix into the MatMul that uses it."""
from __future__ import annotations

from tinyflow.compiler.infer import static_of
from tinyflow.compiler.ir import Instruction, Program
from tinyflow.compiler.passes.replacement import Replacement

_DONE = 'transposes are folded into MatMuls'
_FLAGS = {'MatMul': ('transpose_a', 'transpose_b')}


def fold_transposes(program: Program) -> Program:
    """MatMul(Transpose(a), b) becomes MatMul(a, b) with transpose_a flipped."""
    kept, count = [], 0
    if program.types.isdisjoint(_FLAGS):
        return Replacement().finish(program, program.instructions, 'transposes', 0, _DONE)
    for instruction in program.instructions:
        flags = _FLAGS.get(instruction.type)
        if flags:
            folded = _fold(instruction, flags)
            count += folded is not instruction
            instruction = folded
        kept.append(instruction)
    return Replacement().finish(program, kept, 'transposes', count, _DONE)


def _fold(instruction: Instruction, flags: tuple[str, ...]) -> Instruction:
    inputs, attrs = list(instruction.inputs), dict(instruction.attrs)
    for i, flag in enumerate(flags):
        producer = inputs[i].producer
        if producer is not None and producer.type == 'Transpose' and not producer.copy \
                and static_of(producer.inputs[1]) == (1, 0):
            inputs[i] = producer.inputs[0]
            attrs[flag] = not attrs[flag]
    if attrs == instruction.attrs:
        return instruction
    return Instruction(instruction.definition, instruction.operation, tuple(inputs),
                       instruction.outputs, attrs, instruction.copy)
