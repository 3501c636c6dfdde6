"""Elementwise and Unary: base classes of element-by-element ops."""
from __future__ import annotations

from tinyflow.graph import shapes
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import OpFailure, why


class Elementwise(Op, abstract=True):
    """A function of corresponding elements. Shapes broadcast.

    The gradient rule may ignore that: gradients() sums over the axes that were broadcast
    (gradients/reduce_broadcast.py).
    """

    signature = 'x: T, y: T -> z: T'
    elementwise = True
    overwrites = (0, 1)

    def shape(*inputs):
        result = inputs[0]
        for other in inputs[1:]:
            try:
                result = shapes.broadcast(result, other)
            except ValueError as error:
                raise OpFailure(str(error), _suggest_broadcast(result, other)
                                + why('broadcast-shapes')) from None
        return result


class Unary(Elementwise, abstract=True):
    """A function of each element of one tensor."""

    signature = 'x: T -> y: T'
    overwrites = (0,)

    def shape(x):
        return x


def _suggest_broadcast(x, y):
    if x and y and len(x) != len(y):
        longer, shorter = (x, y) if len(x) > len(y) else (y, x)
        if longer[0] == shorter[0]:
            return ('shapes are aligned at their last axis; tf.expand_dims(t, -1) adds one to '
                    f'{shapes.text(shorter)}.')
    return ('sizes must be equal or 1 along every axis, counted from the last; check the axis '
            f'where {shapes.text(x)} and {shapes.text(y)} differ.')
