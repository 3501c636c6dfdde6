"""cumsum and cumprod: cumulative sums and products along an axis."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX, NUMBERS
from tinyflow.graph.op import Op


class Scan(Op, abstract=True):
    """Base of cumulative ops along an axis; the result has the shape of x."""

    signature = 'x: T, axis: Tidx -> out: T'
    types = {'T': NUMBERS, 'Tidx': INDEX}
    attrs = {'exclusive': False, 'reverse': False, 'Tidx': dtypes.int32}
    static = {'axis': 0}

    def shape(x, axis):
        if axis is not None:
            shapes.axis(axis, len(x))
        return x


def _scan(ufunc, x, axis, out, exclusive, reverse):
    """ufunc.accumulate; exclusive leaves out each element itself, reverse starts at the end."""
    axis = shapes.axis(axis, x.ndim)
    out = np.empty(x.shape, x.dtype) if out is None else out
    source, target = np.moveaxis(x, axis, 0), np.moveaxis(out, axis, 0)
    if reverse:
        source, target = source[::-1], target[::-1]
    if not exclusive:
        ufunc.accumulate(source, 0, x.dtype, target)
    elif len(target):
        target[0] = ufunc.identity
        ufunc.accumulate(source[:-1], 0, x.dtype, target[1:])
    return out


class Cumsum(Scan):
    def kernel(x, axis, out=None, *, exclusive, reverse):
        return _scan(np.add, x, axis, out, exclusive, reverse)

    def gradient(op, dy):
        attrs = op.attrs
        return cumsum(dy, op.inputs[1], attrs['exclusive'], not attrs['reverse']), None


class Cumprod(Scan):
    def kernel(x, axis, out=None, *, exclusive, reverse):
        return _scan(np.multiply, x, axis, out, exclusive, reverse)

    def gradient(op, dy):
        # As in TF, NaN where x is 0.
        x, axis = op.inputs
        exclusive, reverse = op.attrs['exclusive'], op.attrs['reverse']
        return cumsum(op.outputs[0] * dy, axis, exclusive, not reverse) / x, None


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """Cumulative sums along `axis`: [a, b, c] -> [a, a + b, a + b + c].

    Shapes: x [*a] -> [*a]. `exclusive` gives [0, a, a + b], `reverse` sums from the end.
    """
    with name_scope(name, 'Cumsum', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        return Cumsum.apply(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """Cumulative products along `axis`: [a, b, c] -> [a, a b, a b c].

    Shapes: x [*a] -> [*a]. `exclusive` gives [1, a, a b], `reverse` multiplies from the end.
    """
    with name_scope(name, 'Cumprod', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        return Cumprod.apply(x, axis, exclusive=exclusive, reverse=reverse, name=scope)


__all__ = ['cumprod', 'cumsum']
