"""cumulative_logsumexp: running log(sum(exp(x))), without overflow."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import FLOATS, INDEX
from tinyflow.ops.array import constants, where_onehot
from tinyflow.ops.math import logic, unary
from tinyflow.ops.math.scans import Scan


class CumulativeLogsumexp(Scan):
    """log(exp(x0)), log(exp(x0) + exp(x1)), ... along an axis."""

    types = {'T': FLOATS, 'Tidx': INDEX}

    def kernel(x, axis, *, exclusive, reverse):
        source = np.moveaxis(x, shapes.axis(axis, x.ndim), 0)
        source = source[::-1] if reverse else source
        out = np.empty_like(x)
        target = np.moveaxis(out, shapes.axis(axis, x.ndim), 0)
        target = target[::-1] if reverse else target
        with np.errstate(invalid='ignore'):
            if not exclusive:
                np.logaddexp.accumulate(source, 0, None, target)
            elif len(target):
                target[0] = np.finfo(x.dtype).min           # TF's log of an empty sum
                np.logaddexp.accumulate(source[:-1], 0, None, target[1:])
        return out

    def gradient(op, dy):
        # d out_j / d x_i = exp(x_i - out_j); the sum over j is computed in log space,
        # separately for the positive and the negative part of dy.
        x, axis = op.inputs
        exclusive, reverse = op.attrs['exclusive'], op.attrs['reverse']

        def part(sign):
            size = sign * dy
            positive = logic.greater(size, constants.zeros_like(dy))
            logs = unary.log(where_onehot.where(positive, size, constants.ones_like(dy)))
            lowest = constants.zeros_like(dy) + dy.dtype.base_dtype.min
            terms = where_onehot.where(positive, logs - op.outputs[0], lowest)
            return unary.exp(
                cumulative_logsumexp(terms, axis, exclusive, not reverse) + x)
        return part(1.0) - part(-1.0), None


def cumulative_logsumexp(x, axis=0, exclusive=False, reverse=False, name=None):
    """Running log(sum(exp(x))) along an axis: [a, b] -> [a, log(exp(a) + exp(b))].

    Shapes: x [*a] -> [*a]. `exclusive` leaves out each element itself, `reverse` starts at the end.
    """
    with name_scope(name, 'CumulativeLogsumexp', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        return CumulativeLogsumexp.apply(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


__all__ = ['cumulative_logsumexp']
