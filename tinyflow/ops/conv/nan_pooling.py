"""Max pooling, also of inputs that hold NaN or -inf, as TensorFlow computes it on CPUs.

The maximum skips NaN and begins at the lowest finite number; windows of three axes begin at -inf
unless they reach over the edge. The gradient of two axes goes to the element that is found with
`>` from the window's first one on, which is not the maximum if that is NaN; that of three axes to
the first maximum above the lowest number, if there is any.
"""
from __future__ import annotations

import math

import numpy as np

from tinyflow.ops.conv import pooling_kernels as kernels


def _special(x):
    """True if an element is NaN, or not above the lowest finite number."""
    return x.dtype.kind == 'f' and x.size > 0 and not x.min() > np.finfo(x.dtype).min


def max_pool(x, windows, out):
    """The largest element of each window that is no NaN."""
    kernels.max_pool(x, windows, out)
    if not _special(out):
        return
    out[...] = _start(x, windows, out.shape)
    for _, positions, elements in kernels.offsets(x.shape[1:-1], windows):
        np.fmax(out[positions], x[elements], out=out[positions])


def max_pool_gradient(x, y, dy, windows, out):
    """Routes dy to one element of each window."""
    if not _special(x):
        kernels.max_pool_gradient(x, y, dy, windows, out)
        return
    index = np.empty(dy.shape, np.int64)
    if len(windows.kernel) == 2:
        kernels.arg_max_pool(x, windows, np.empty(dy.shape, x.dtype), index, False)
        known = np.ones(dy.shape, bool)
    else:
        best = np.full(dy.shape, np.finfo(x.dtype).min, x.dtype)
        where = np.arange(math.prod(x.shape[1:])).reshape(x.shape[1:])[None]
        index[...], known = 0, np.zeros(dy.shape, bool)
        for _, positions, elements in kernels.offsets(x.shape[1:-1], windows):
            better = x[elements] > best[positions]
            np.copyto(best[positions], x[elements], where=better)
            np.copyto(index[positions], where[(slice(None), *elements[1:])], where=better)
            known[positions] |= better
    out[...] = kernels.scattered(x.shape, np.where(known, dy, 0), index, False, out.dtype)


def _start(x, windows, shape):
    lowest = np.finfo(x.dtype).min
    if len(windows.kernel) == 2:
        return lowest
    inside = np.zeros(shape, np.int64)
    for _, positions, _ in kernels.offsets(x.shape[1:-1], windows):
        inside[positions] += 1
    return np.where(inside < math.prod(windows.kernel), lowest, -np.inf)
