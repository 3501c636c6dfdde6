"""The gradients of weight matrices: products a^T b that are larger than their factors.

Such a product is short of arithmetic: it mostly writes its result. Gradient descent, which only
subtracts it from the weights, lets oneDNN subtract it as it is computed, without a result.
"""
from __future__ import annotations

from math import prod

import numpy as np

from tinyflow.compiler.ir import Instruction, Value
from tinyflow.native.instructions import native_instruction, result, stored, whole
from tinyflow.native.onednn.library import load, multiply_transposed
from tinyflow.native.uses import Uses

__all__ = ['MAKERS']

_LEAST = 1 << 16            # elements of the result
_LONGEST = 512              # rows of the factors; with more, NumPy's BLAS is as fast
_SUBTRACTIONS = ('AssignSub', 'AssignSubVariableOp')


def _product(instruction: Instruction,
             uses: Uses) -> dict[Instruction, Instruction | None]:
    a, b = instruction.inputs
    out = instruction.outputs[0]
    if not instruction.attrs['transpose_a'] or instruction.attrs['transpose_b'] \
            or out.dtype.np != np.float32 or not all(v.known_shape for v in (a, b, out)) \
            or prod(out.sizes) < _LEAST or a.sizes[0] > _LONGEST:
        return {}
    load()
    step = uses.only_user(out)
    if step is not None and step.type in _SUBTRACTIONS and step.inputs[1] is out \
            and step not in uses.taken and step.inputs[0].raw_shape == out.raw_shape \
            and all(_is_kept(v) for v in (a, b)):
        inputs = (step.inputs[0], a, b)
        return {instruction: None, step: native_instruction(step, _subtracted, inputs)}
    shape = out.sizes

    def kernel(a, b, out=None):
        made = result(out, shape)
        multiply_transposed(whole(a), whole(b), made, 1.0, 0.0)
        return stored(made, out)
    return {instruction: native_instruction(instruction, kernel)}


def _is_kept(value: Value) -> bool:
    """Whether a value that was computed does not change: it is no view of a Variable."""
    while value.variable is None and value.producer is not None \
            and value.producer.definition.view:
        value = value.producer.inputs[0]
    return value.variable is None


def _subtracted(variable: np.ndarray, a: np.ndarray, b: np.ndarray,
                out: None = None) -> np.ndarray:
    if variable.flags.c_contiguous:
        multiply_transposed(whole(a), whole(b), variable, -1.0, 1.0)
    else:
        variable -= a.T @ b
    return variable


MAKERS = {'MatMul': _product}
