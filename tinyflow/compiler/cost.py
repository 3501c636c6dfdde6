"""About how long an instruction takes with NumPy: an estimate that is the same on all machines.

When a program is replaced by a faster one depends on it, and so do the bits of results.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from math import prod

from tinyflow.compiler.ir import Instruction, Value
from tinyflow.graph.shapes import Shape

__all__ = ['numpy_seconds']

_CALL = 1e-6                # seconds for an instruction
_WINDOWS = 1e-4             # and for one that looks through windows or normalizes, however small
_ELEMENT = 0.35e-9          # and for an element of its result
_DEAR = {'Exp': 5, 'Log': 5, 'Sigmoid': 8, 'Softmax': 8, 'Tanh': 10,
         'RandomUniform': 8, 'ResizeBilinear': 12}      # times as much
_UPDATE = 10                # the same for an optimizer
_WINDOW = 1.5               # how much dearer a convolution is, with a window of 3x3 or less
_MULTIPLICATION = 1.2e-11   # seconds, on all processors


def numpy_seconds(instruction: Instruction) -> float:
    """About how long an instruction takes with NumPy, on a fast machine."""
    elements = max(map(_size, _written(instruction)), default=0)
    kind = instruction.type.removeprefix('Resource')
    factor = _UPDATE if kind.startswith('Apply') else _DEAR.get(kind, 1)
    call = _WINDOWS if any(part in kind for part in ('Conv', 'Pool', 'BatchNorm')) else _CALL
    return call + factor * elements * _ELEMENT + _multiplications(instruction) * _MULTIPLICATION


def _written(instruction: Instruction) -> Sequence[Value]:
    """Arrays, the largest of which is as large as what is written."""
    if not instruction.writes:
        return instruction.outputs
    inputs = instruction.inputs
    if 'Scatter' in instruction.type:
        return inputs[2:]
    if 'Sparse' in instruction.type:                    # the rows are given before their indices
        return [rows for rows, indices in pairwise(inputs) if indices.dtype.is_integer]
    return inputs[:1]


def _multiplications(instruction: Instruction) -> float:
    """Of matrix products and convolutions: the elements of the three arrays say how many."""
    shapes = [v.raw_shape or (0,) for v in (*instruction.inputs, *instruction.outputs)]
    if 'Conv' in instruction.type:
        return _WINDOW * _product_of_three(shapes)
    if 'MatMul' not in instruction.type:
        return 0
    return _elements(shapes[-1][:-2]) * _product_of_three([shape[-2:] for shape in shapes])


def _product_of_three(shapes: Sequence[Shape]) -> float:
    """mkn, from the sizes mk, kn and mn of the three largest arrays."""
    return math.sqrt(prod(sorted(map(_elements, shapes))[-3:]))


def _size(value: Value) -> int:
    return _elements(value.raw_shape or (0,))


def _elements(shape: Shape) -> int:
    """The number of elements, as far as it is known."""
    return prod([n for n in shape or () if n is not None])
