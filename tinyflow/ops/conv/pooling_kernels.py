"""Pooling kernels in NumPy, over any number of spatial axes, channels last.

Shapes: x [batch, *sizes, channels], y and dy [batch, *positions, channels]; `windows` is the
`Windows` of conv_geometry. Maxima and sums of windows are computed axis by axis: k + k
steps instead of k * k. Functions that need the argmax go through the offsets within a window one
by one, in row-major order, so that the first of several equal elements is chosen, as in TF.
"""
from __future__ import annotations

import itertools
import math

import numpy as np

from tinyflow.graph.support.errors import OpFailure
from tinyflow.graph.support.tiles import in_tiles
from tinyflow.ops.conv.convolution_kernels import workspace

_PARTS = 16             # pieces of a batch that are distributed over threads
_PIECE = 1 << 17        # elements of input per piece, so that it stays in the cache


def _by_images(x, function):
    """Calls function(start, stop) for pieces of the batch."""
    per_image = math.prod(x.shape[1:])
    in_tiles(len(x), function,
             max(1, min(-(-len(x) // _PARTS), _PIECE // max(1, per_image))))


def _reached(offset, size, stride, margin, count):
    """(positions, elements): slices of the windows whose element at `offset` is inside the input,
    and of that element."""
    first = max(0, -(-(margin - offset) // stride))
    stop = min(count, (size - 1 + margin - offset) // stride + 1)
    if stop <= first:
        return slice(0, 0), slice(0, 0)
    start = first * stride + offset - margin
    return slice(first, stop), slice(start, start + (stop - first - 1) * stride + 1, stride)


def _axes(sizes, windows):
    return list(zip(sizes, windows.kernel, windows.strides,
                    [low for low, _ in windows.margins], windows.positions))


def offsets(sizes, windows):
    """(offset in the window, windows that have it inside the input, elements there), row-major."""
    axes = [[(k, *_reached(k, size, stride, margin, count)) for k in range(kernel)]
            for size, kernel, stride, margin, count in _axes(sizes, windows)]
    for combination in itertools.product(*axes):
        offset, positions, elements = zip(*combination)
        if all(p.stop > p.start for p in positions):
            yield offset, (slice(None), *positions), (slice(None), *elements)


# ---- forward -----------------------------------------------------------------------------------

def max_pool(x, windows, out):
    """The largest element of each window, NaN if it has one."""
    lowest = -np.inf if x.dtype.kind == 'f' else np.iinfo(x.dtype).min
    _by_images(x, lambda i, j: _pooled(np.maximum, lowest, x[i:j], windows, out[i:j]))
    return out


def avg_pool(x, windows, out):
    """The mean of the elements of each window that are inside the input."""
    if x.dtype.itemsize < 4:
        out[...] = avg_pool(x.astype(np.float32), windows, np.empty(out.shape, np.float32))
        return out
    share = _shares(x.shape[1:-1], windows, x.dtype)

    def some(i, j):
        _pooled(np.add, 0, x[i:j], windows, out[i:j])
        np.multiply(out[i:j], share, out[i:j])

    _by_images(x, some)
    return out


def _pooled(ufunc, start, x, windows, out):
    axes = _axes(x.shape[1:-1], windows)
    kept = [axis for axis, (size, kernel, stride, _, count) in enumerate(axes)
            if (kernel, stride, count) != (1, 1, size)]
    if not kept:
        out[...] = x
        return
    for axis in kept:
        *_, count = axes[axis]
        shape = (*x.shape[:axis + 1], count, *x.shape[axis + 2:])
        result = out if axis == kept[-1] else workspace(f'pool {axis}', shape, x.dtype)
        _pooled_along(ufunc, start, x, axis + 1, axes[axis], result)
        x = result


def _pooled_along(ufunc, start, x, axis, geometry, out):
    size, kernel, stride, margin, count = geometry
    before = (slice(None),) * axis
    reached = [_reached(k, size, stride, margin, count) for k in range(kernel)]
    # Start with the offsets that all windows have inside the input.
    reached.sort(key=lambda r: r[0].start - r[0].stop)
    whole = [elements for positions, elements in reached
             if positions.stop - positions.start == count]
    done = min(len(whole), 2)
    if len(whole) >= 2:
        ufunc(x[(*before, whole[0])], x[(*before, whole[1])], out=out)
    elif whole:
        out[...] = x[(*before, whole[0])]
    else:
        out.fill(start)
    for positions, elements in reached[done:]:
        target = out[(*before, positions)]
        ufunc(target, x[(*before, elements)], out=target)


def _shares(sizes, windows, dtype):
    """1 / (number of elements of each window inside the input): [*positions, 1], or a number."""
    counts = np.ones((1,) * len(sizes))
    for axis, (size, kernel, stride, margin, count) in enumerate(_axes(sizes, windows)):
        start = np.arange(count) * stride - margin
        inside = np.minimum(start + kernel, size) - np.maximum(start, 0)
        counts = counts * inside.reshape([-1 if i == axis else 1 for i in range(len(sizes))])
    if counts.size and counts.min() == counts.max():
        return dtype.type(1 / counts.flat[0])
    return (1 / counts).astype(dtype)[..., None]


def arg_max_pool(x, windows, out, index, with_batch):
    """The largest element of each window in `out`, and its flat index in its image in `index`
    (in the whole batch if `with_batch`)."""
    index.fill(-1)
    where = np.arange(math.prod(x.shape[1:])).reshape(x.shape[1:])[None]
    for _, positions, elements in offsets(x.shape[1:-1], windows):
        best, known, seen = out[positions], index[positions], x[elements]
        better = (seen > best) | (known < 0)
        np.copyto(best, seen, where=better)
        np.copyto(known, where[(slice(None), *elements[1:])], where=better, casting='same_kind')
    if with_batch:
        index += _batch_offsets(x.shape, index.dtype)
    return out, index


def _batch_offsets(shape, dtype):
    offsets = np.arange(shape[0]) * math.prod(shape[1:])
    return offsets.astype(dtype).reshape([-1] + [1] * (len(shape) - 1))


# ---- backward ----------------------------------------------------------------------------------

def _apart(windows):
    return all(k <= stride for k, stride in zip(windows.kernel, windows.strides))


def _covering(sizes, windows):
    """Whether windows that do not overlap cover the whole input."""
    return all(kernel == stride and count * stride >= size + margin
               for size, kernel, stride, margin, count in _axes(sizes, windows))


def max_pool_gradient(x, y, dy, windows, out):
    """Routes dy to the largest element of each window (the first of several equal ones)."""
    apart, covering = _apart(windows), _covering(x.shape[1:-1], windows)
    within = list(offsets(x.shape[1:-1], windows))

    def some(i, j):
        part = out[i:j]
        if not (apart and covering):
            part.fill(0)
        for elements, chosen, dchosen in _chosen(x[i:j], y[i:j], dy[i:j], within):
            target = part[elements]
            if apart:
                np.multiply(dchosen, chosen, out=target)
            else:
                product = workspace('product', chosen.shape, out.dtype)
                np.add(target, np.multiply(dchosen, chosen, out=product), out=target)

    _by_images(x, some)
    return out


def max_pool_gradient_gradient(x, y, ddx, windows, out):
    """The element of ddx where each window of x has its largest element."""
    within = list(offsets(x.shape[1:-1], windows))

    def some(i, j):
        part = out[i:j]
        part.fill(0)
        for elements, chosen, target in _chosen(x[i:j], y[i:j], part, within):
            np.copyto(target, ddx[i:j][elements], where=chosen)

    _by_images(x, some)
    return out


def _chosen(x, y, other, within):
    """For each offset in a window: its elements, which windows chose it, and `other` there."""
    missing = None
    for _, positions, elements in within:
        chosen = np.equal(x[elements], y[positions])
        if missing is None:
            missing = np.ones(y.shape, bool)
        todo = missing[positions]
        np.logical_and(chosen, todo, chosen)
        np.greater(todo, chosen, todo)
        yield elements, chosen, other[positions]


def avg_pool_gradient(dy, windows, out):
    """Distributes dy evenly over the elements of each window that are inside the input."""
    if dy.dtype.itemsize < 4:
        out[...] = avg_pool_gradient(dy.astype(np.float32), windows,
                                     np.empty(out.shape, np.float32))
        return out
    sizes = out.shape[1:-1]
    share = _shares(sizes, windows, dy.dtype)
    axes = _axes(sizes, windows)

    def some(i, j):
        part = np.multiply(dy[i:j], share)
        for axis, geometry in enumerate(axes):
            shape = (*part.shape[:axis + 1], geometry[0], *part.shape[axis + 2:])
            last = axis == len(axes) - 1
            spread = out[i:j] if last else workspace(f'pool {axis}', shape, dy.dtype)
            _spread_along(part, axis + 1, geometry, spread)
            part = spread

    _by_images(out, some)
    return out


def _spread_along(dy, axis, geometry, out):
    size, kernel, stride, margin, count = geometry
    before = (slice(None),) * axis
    if not (kernel == stride and count * stride >= size + margin):
        out.fill(0)
    for k in range(kernel):
        positions, elements = _reached(k, size, stride, margin, count)
        target = out[(*before, elements)]
        if kernel <= stride:
            target[...] = dy[(*before, positions)]
        else:
            target += dy[(*before, positions)]


def scattered(shape, dy, index, with_batch, dtype):
    """Adds dy at the flat indices `index`, per image or (`with_batch`) over the whole batch."""
    flat = index.astype(np.int64)
    if not with_batch:
        flat = flat + _batch_offsets(shape, np.int64)
    total = math.prod(shape)
    if flat.size and not 0 <= flat.min() <= flat.max() < total:
        raise OpFailure(f'Found an index outside of the input of {total} elements',
                        'argmax must come from max_pool_with_argmax of this input.')
    dx = np.zeros(total, dtype)
    np.add.at(dx, flat.ravel(), dy.ravel())
    return dx.reshape(shape)


def taken(ddx, index, with_batch):
    """The elements of ddx at the flat indices `index`."""
    flat = index.astype(np.int64)
    if not with_batch:
        flat = flat + _batch_offsets(ddx.shape, np.int64)
    return ddx.reshape(-1)[flat]
