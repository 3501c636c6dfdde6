"""How many runs of a program with NumPy last as long as preparing its loops.

Estimates alone: the number must be the same each time. They err on the side of more runs; too few
would make a run wait.
"""
from __future__ import annotations

import math
from math import prod
from typing import Any

from tinyflow.compiler.ir import Instruction, Program
from tinyflow.native import loops

__all__ = ['runs_to_prepare']

_START = 0.5                # seconds: importing llvmlite, in turns with the runs
_EACH = 0.05                # to compile a loop
_INSTRUCTION = 0.0006       # to look at one and write the source, in turns of half a run
_MOST = 20_000
_CALL = 1e-6                # seconds for an instruction
_WINDOWS = 1e-4             # and for one that looks through windows or normalizes, however small
_ELEMENT = 0.35e-9          # and for an element of its result
_DEAR = {'Exp': 5, 'Log': 5, 'Sigmoid': 8, 'Softmax': 8, 'Tanh': 10,
         'RandomUniform': 8, 'ResizeBilinear': 12}      # times as much
_UPDATE = 10                # the same for an optimizer
_WINDOW = 1.5               # how much dearer a convolution is, with a window of 3x3 or less
_MULTIPLICATION = 1.2e-11   # seconds, on all processors


def runs_to_prepare(program: Program, exact: bool = False) -> int:
    """The number of runs; 0 if there are no loops to compile."""
    count = loops.about_how_many(program, exact)
    if not count:
        return 0
    step = sum(map(_seconds, program.instructions))
    seconds = _START + _EACH * count + _INSTRUCTION * len(program.instructions)
    return min(_MOST, math.ceil(seconds / step))


def _seconds(instruction: Instruction) -> float:
    """About how long an instruction takes with NumPy, on a fast machine."""
    values = instruction.outputs if not instruction.writes else instruction.inputs[:1]
    if 'Scatter' in instruction.type:
        values = instruction.inputs[2:]
    elements = max([_size(v) for v in values], default=0)
    kind = instruction.type.removeprefix('Resource')
    factor = _UPDATE if kind.startswith('Apply') else _DEAR.get(kind, 1)
    call = _WINDOWS if any(part in kind for part in ('Conv', 'Pool', 'BatchNorm')) else _CALL
    return call + factor * elements * _ELEMENT + _multiplications(instruction) * _MULTIPLICATION


def _multiplications(instruction: Instruction) -> float:
    """Of matrix products and convolutions: the elements of the three arrays say how many."""
    if 'MatMul' not in instruction.type and 'Conv' not in instruction.type:
        return 0
    sizes = [_size(v) for v in (*instruction.inputs, *instruction.outputs)]
    found = math.sqrt(prod(sorted(sizes)[-3:]))
    return found if 'MatMul' in instruction.type else _WINDOW * found


def _size(value: Any) -> int:
    """The number of elements, as far as it is known."""
    return prod([n for n in value.raw_shape or (0,) if n is not None])
