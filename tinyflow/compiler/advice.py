"""Warnings that need the real shapes: given once, when a program is compiled for them."""
from __future__ import annotations

import warnings

from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.errors import TinyflowWarning
from tinyflow.graph import shapes

_warned: set[tuple | None] = set()         # sites that were told already


def warn_of_silent_broadcasting(program: Program) -> None:
    """PAINS A11: [n] combined with [n, 1] gives [n, n], and a loss summed over it is wrong.

    Warns where an elementwise operation stretches both of its inputs, of different rank, and a
    scalar is computed from the result.
    """
    suspects: dict[Value, Instruction] = {}
    for instruction in program.instructions:
        if _stretches_both(instruction):
            suspects[instruction.outputs[0]] = instruction
            continue
        source = next((suspects[v] for v in instruction.inputs if v in suspects), None)
        if source is None:
            continue
        for value in instruction.outputs:
            if value.raw_shape == ():
                _warn(source)
                return
            suspects[value] = source


def _stretches_both(instruction: Instruction) -> bool:
    if not instruction.definition.elementwise or len(instruction.inputs) != 2:
        return False
    x, y = (v.raw_shape for v in instruction.inputs)
    result = instruction.outputs[0].raw_shape
    if x is None or y is None or result is None or len(x) == len(y) or not x or not y:
        return False
    return shapes.size(x) != shapes.size(result) != shapes.size(y) and _vector_and_column(x, y)


def _vector_and_column(x: tuple, y: tuple) -> bool:
    """True for [n] with [n, 1] and their like: the same sizes but for ones at the end."""
    long, short = (x, y) if len(x) > len(y) else (y, x)
    return long[:len(short)] == short and all(size == 1 for size in long[len(short):])


def _warn(instruction: Instruction) -> None:
    operation = instruction.operation
    if operation._site in _warned:
        return
    _warned.add(operation._site)
    x, y = instruction.inputs
    warnings.warn(
        f"[A11] {instruction.type} '{operation.name}' combines {shapes.text(x.raw_shape)} with "
        f'{shapes.text(y.raw_shape)}, which broadcasts to '
        f'{shapes.text(instruction.outputs[0].raw_shape)}, and a scalar is made of that.\n'
        f'  {x.name} {shapes.text(x.raw_shape)}, {y.name} {shapes.text(y.raw_shape)}\n'
        f'  built at {operation.site}\n'
        '  Mend: give both the same shape: tf.squeeze(x, -1) or tf.expand_dims(y, -1).',
        TinyflowWarning, stacklevel=6)
