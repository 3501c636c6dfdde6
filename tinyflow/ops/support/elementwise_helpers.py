"""Shared helpers of elementwise ops: output buffer, operands of one dtype, test for NaN."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope


def output_buffer(out, *inputs):
    """`out` if given, else a new array for the elementwise result of `inputs`."""
    if out is not None:
        return out
    return np.empty(np.broadcast_shapes(*[x.shape for x in inputs]), inputs[0].dtype)


def same_dtype(x, y, name, default_name):
    """Both operands as tensors of the first one's dtype, and the name scope for the new node."""
    with name_scope(name, default_name, [x, y]) as scope:
        x = convert_to_tensor(x, name='x')
        y = convert_to_tensor(y, x.dtype.base_dtype, 'y')
    return x, y, scope


def holds_nan(x):
    """True if x has a NaN. One pass: the sum of squares is NaN then, and only then."""
    if x.dtype.kind != 'f' or not x.size:
        return False
    squares = np.vdot(x, x)
    return squares != squares
