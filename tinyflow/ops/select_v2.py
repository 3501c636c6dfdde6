"""tf.where_v2: tf.where with NumPy's broadcasting."""
from __future__ import annotations

import numpy as np

from tinyflow.errors import worded
from tinyflow.graph import shapes
from tinyflow.graph.op import Op
from tinyflow.ops import constants, masking


class SelectV2(Op):
    """t where the condition holds, e elsewhere; all three are broadcast."""

    signature = 'condition: bool, t: T, e: T -> output: T'
    elementwise = True
    partial_rank = True

    def shape(condition, t, e):
        if None in (condition, t, e):
            return None
        return shapes.broadcast(shapes.broadcast(condition, t), e)

    def kernel(condition, t, e):
        return np.where(condition, t, e)

    def gradient(op, dy):
        condition = op.inputs[0]
        zeros = constants.zeros_like(dy)
        return (None, SelectV2.apply(condition, dy, zeros),
                SelectV2.apply(condition, zeros, dy))


def where_v2(condition, x=None, y=None, name=None):
    """x where the condition holds, y elsewhere, broadcast; with a condition alone, where it holds.

    Shapes: condition [*c], x [*a], y [*b] -> [*broadcast(a, b, c)]; condition [*a] alone ->
    [number of true elements, rank of a]. ValueError for only one of x and y.
    """
    if x is None and y is None:
        return masking.where(condition, name=name)
    if x is None or y is None:
        raise worded(ValueError('x and y must both be non-None or both be None.'))
    return SelectV2.apply(condition, x, y, name=name)


__all__ = ['where_v2']
