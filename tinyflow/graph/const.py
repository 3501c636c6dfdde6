"""Const and Pack: the two ops that convert_to_tensor itself creates."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.op import REQUIRED, Op, nodes


class Const(Op):
    """A constant; the node keeps a reference to the array, not a copy."""

    signature = '-> output: dtype'
    attrs = {'value': REQUIRED, 'dtype': REQUIRED}

    def shape(*, value):
        return value.shape

    def kernel(*, value):
        return value


class Pack(Op):
    """Stacks N tensors of one shape along a new axis."""

    signature = 'values: N*T -> output: T'
    attrs = {'axis': 0}
    partial_rank = True

    def shape(values, *, axis):
        merged = None
        for value in values:
            merged = shapes.merge(merged, value)
        if merged is None:
            return None
        axis = shapes.axis(axis, len(merged) + 1)
        return merged[:axis] + (len(values),) + merged[axis:]

    def kernel(values, out=None, *, axis):
        return np.stack(values, axis, out)

    def gradient(op, dy):
        return nodes.Unpack(dy, num=len(op.inputs), axis=op.attrs['axis'])

    def fold_partial(op, value):
        if op.outputs[0].raw_shape is None or len(op.outputs[0].raw_shape) != 1:
            return None
        if not op.outputs[0].dtype.is_integer:
            return None
        return tuple(value(t) for t in op.inputs)
