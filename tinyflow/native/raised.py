"""A Program with native instructions in the place of those that native code computes faster."""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from tinyflow.compiler.ir import Instruction, Note, Program
from tinyflow.native import convolutions
from tinyflow.native.library import Unsupported

__all__ = ['raised']

_KERNELS: dict[str, Callable[[Instruction], Any]] = {**convolutions.KERNELS}


def raised(program: Program) -> Program:
    """The program with native kernels; the same object if there is nothing for them."""
    instructions, moved = [], Counter[str]()
    for number, instruction in enumerate(program.instructions):
        kernel = _kernel(instruction)
        if kernel is not None:
            moved[instruction.type] += 1
            instruction = _with_kernel(instruction, kernel, number)
        instructions.append(instruction)
    if not moved:
        return program
    text = ', '.join(f'{kind} ({count})' if count > 1 else kind for kind, count in moved.items())
    count = len(instructions)
    note = Note('native', f'by oneDNN: {text}', count, count, sum(moved.values()))
    return program.with_instructions(instructions, note)


def _kernel(instruction: Instruction) -> Callable[..., Any] | None:
    make = _KERNELS.get(instruction.type)
    if make is None or instruction.copy:
        return None
    try:
        return make(instruction)
    except Unsupported:
        return None


def _with_kernel(instruction: Instruction, kernel: Callable[..., Any], number: int) -> Instruction:
    """The instruction with another kernel; it takes over the outputs."""
    base: Any = instruction.definition
    definition = type(base)(base.__name__, (base,), {'native': kernel}, abstract=True)
    definition.kernel = staticmethod(kernel)
    definition.type = f'native_{base.type}_{number}'        # the kernel's name in the source
    definition.kernel_attrs = ()
    definition.emit = None
    definition.kernel_has_out = True
    return Instruction(definition, instruction.operation, instruction.inputs, instruction.outputs,
                       instruction.attrs)
