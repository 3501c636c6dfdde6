"""Operations on images by oneDNN, the library that TensorFlow has for its convolutions.

    library.py          oneDNN by ctypes: primitives, and the arrays that they work on
    images.py           how images and filters lie in memory, and windows over them
    convolutions.py     convolutions with their biases, and their gradients
    pooling.py          max and average pooling, and their gradients
    normalization.py    batch normalization and its gradient

Each of the last three has a table MAKERS: for an op type a function of an instruction and the
program's Uses. It returns what to put in the place of this and other instructions, None where
nothing; an empty dict if oneDNN is not to be used.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tinyflow.compiler.ir import Instruction, Program
from tinyflow.native.instructions import note
from tinyflow.native.onednn import convolutions, normalization, pooling
from tinyflow.native.onednn.library import Unsupported, find_library
from tinyflow.native.uses import Uses

__all__ = ['found', 'raised']

_Replaced = dict[Instruction, Instruction | None]
_MAKERS: dict[str, Callable[[Instruction, Uses], _Replaced]] = {
    **convolutions.MAKERS, **pooling.MAKERS, **normalization.MAKERS}


def found() -> bool:
    """Whether the wheel is installed."""
    return find_library() is not None


def raised(program: Program) -> Program:
    """The program with oneDNN's kernels; the same object if there is nothing for them."""
    uses = Uses(program)
    replaced: _Replaced = {}
    for instruction in program.instructions:
        if instruction not in replaced:
            replaced.update(_made(instruction, uses))
            uses.taken.update(replaced)
    if not replaced:
        return program
    results = [replaced.get(i, i) for i in program.instructions]
    instructions = [i for i in results if i is not None]
    moved = Counter([i.type for i in program.instructions if i in replaced])
    return program.with_instructions(instructions, note(program, instructions, 'oneDNN', moved))


def _made(instruction: Instruction, uses: Uses) -> _Replaced:
    make = _MAKERS.get(instruction.type)
    if make is None or instruction.copy:
        return {}
    try:
        return make(instruction, uses)
    except Unsupported:
        return {}
