"""Operations on images by oneDNN, the library that TensorFlow has for its convolutions.

    library.py          oneDNN by ctypes: primitives, and the arrays that they work on
    convolutions.py     convolution and its two gradients
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from tinyflow.compiler.ir import Instruction, Program
from tinyflow.native.instructions import native_instruction, note
from tinyflow.native.onednn import convolutions
from tinyflow.native.onednn.library import Unsupported, find_library

__all__ = ['found', 'raised']

# For each op a function of an instruction of known shapes: the kernel, or None.
_MAKERS: dict[str, Callable[[Instruction], Any]] = {**convolutions.KERNELS}


def found() -> bool:
    """Whether the wheel is installed."""
    return find_library() is not None


def raised(program: Program) -> Program:
    """The program with oneDNN's kernels; the same object if there is nothing for them."""
    instructions, moved = [], Counter[str]()
    for instruction in program.instructions:
        kernel = _kernel(instruction)
        if kernel is not None:
            moved[instruction.type] += 1
            instruction = native_instruction(instruction, kernel)
        instructions.append(instruction)
    if not moved:
        return program
    return program.with_instructions(instructions, note(program, instructions, 'oneDNN', moved))


def _kernel(instruction: Instruction) -> Callable[..., Any] | None:
    make = _MAKERS.get(instruction.type)
    if make is None or instruction.copy:
        return None
    try:
        return make(instruction)
    except Unsupported:
        return None
