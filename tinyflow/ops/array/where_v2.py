"""tf.where_v2: tf.where with NumPy's broadcasting."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, where_onehot
from tinyflow.ops.support.choice import BITS, choose, drop, keep


def _is_zero(x):
    """True for a scalar all of whose bits are 0, so not for -0.0."""
    return not x.ndim and not any(x.tobytes())


class SelectV2(Op):
    """t where the condition holds, e elsewhere; all three are broadcast."""

    signature = 'condition: bool, t: T, e: T -> output: T'
    elementwise = True
    partial_rank = True
    overwrites = (1, 2)

    def shape(condition, t, e):
        if None in (condition, t, e):
            return None
        return shapes.broadcast(shapes.broadcast(condition, t), e)

    def kernel(condition, t, e, out=None):
        if condition.shape == t.shape and t.dtype in BITS and _is_zero(e):
            return keep(t, condition, out)
        if condition.shape == e.shape and e.dtype in BITS and _is_zero(t):
            return drop(e, condition, out)
        if condition.shape == t.shape == e.shape:
            return choose(condition, t, e, out)
        result = np.where(condition, t, e)
        if out is None:
            return result
        np.copyto(out, result)
        return out

    def gradient(op, dy):
        condition = op.inputs[0]
        zeros = constants.zeros_like(dy)
        return (None, SelectV2.apply(condition, dy, zeros),
                SelectV2.apply(condition, zeros, dy))


def where_v2(condition, x=None, y=None, name=None):
    """x where the condition holds, y elsewhere, broadcast; with a condition alone, its indices.

    Shapes: condition [*c], x [*a], y [*b] -> [*broadcast(a, b, c)]; condition [*a] alone ->
    [number of true elements, rank of a]. ValueError for only one of x and y.
    """
    if x is None and y is None:
        return where_onehot.where(condition, name=name)
    if x is None or y is None:
        raise misuse(ValueError('x and y must both be non-None or both be None.'))
    return SelectV2.apply(condition, x, y, name=name)


__all__ = ['where_v2']
