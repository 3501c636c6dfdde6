"""What several modules of arithmetic need: a place for the result, operands of one dtype."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope


def room(out, *inputs):
    """`out`, or where there is none a new array for an elementwise result of `inputs`."""
    if out is not None:
        return out
    return np.empty(np.broadcast_shapes(*[x.shape for x in inputs]), inputs[0].dtype)


def same_dtype(x, y, name, default_name):
    """Both operands as tensors of the first one's dtype, and the scope of the node to make."""
    with name_scope(name, default_name, [x, y]) as scope:
        x = convert_to_tensor(x, name='x')
        y = convert_to_tensor(y, x.dtype.base_dtype, 'y')
    return x, y, scope


def holds_nan(x):
    """Whether some element is not a number: then, and only then, the sum of squares is none."""
    if x.dtype.kind != 'f' or not x.size:
        return False
    squares = np.vdot(x, x)
    return squares != squares
