"""Convolution with NumPy: windows copied side by side in cache-sized chunks, and BLAS.

Any number of spatial axes, channels last: x [batch, *sizes, in], filter [*kernel, in, out],
y [batch, *positions, out]. What is called convolution is correlation, as everywhere in this field:
y[p] = sum over k of x[p * stride + k * rate - margin] . filter[k].

A matrix with a row for each window would repeat each element of x once for each element of the
kernel. Along one axis, the `sliding` one, that can be spared: where the rows of that axis lie side
by side in memory, so do those of each window. A matrix may not have rows that overlap, hence the
windows are taken in rounds: those that start at row 0, R, 2R, ... do not overlap if R * stride is
at least the kernel's size; then those from 1, R + 1, ...; each round is a matrix for BLAS.
"""
from __future__ import annotations

import math
import threading
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tinyflow.tiles import in_tiles

_CHUNK = 1 << 20        # elements of copied windows at a time; what BLAS reads should be in cache
_PARTS = 16             # pieces of a chunk that threads may share
_SHORT = 16             # elements; runs shorter than this are not worth a loop of their own


class Windows(NamedTuple):
    """Where a kernel goes: for each spatial axis its size, step, spacing, margins and places."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    rates: tuple[int, ...]
    margins: tuple[tuple[int, int], ...]
    positions: tuple[int, ...]

    def with_axis(self):
        """The same with one more, trivial, spatial axis in front."""
        return Windows((1, *self.kernel), (1, *self.strides), (1, *self.rates),
                       ((0, 0), *self.margins), (1, *self.positions))

    def with_first(self, axis):
        """The same with spatial axis `axis` moved to the front."""
        return Windows(*[(f[axis], *f[:axis], *f[axis + 1:]) for f in self])


def convolve(x, filter, windows, out=None):
    """The convolution of x [batch, *sizes, in] with filter [*kernel, in, out].

    Half precision is computed in single precision, and rounded once.
    """
    shape = (len(x), *windows.positions, filter.shape[-1])
    if x.dtype.itemsize < 4:
        y = convolve(x.astype(np.float32), filter.astype(np.float32), windows)
        return _stored(y.astype(x.dtype), out)
    if out is None or not out.flags.c_contiguous:
        return _stored(convolve(x, filter, windows, np.empty(shape, x.dtype)), out)
    if not out.size or not x.size or not filter.size:
        out.fill(0)
        return out
    if _is_pointwise(windows) and x.flags.c_contiguous:
        np.matmul(x.reshape(-1, x.shape[-1]), filter.reshape(filter.shape[-2:]),
                  out.reshape(-1, out.shape[-1]))
        return out
    copy = _Copy(x, windows)
    matrix = copy.as_matrix(filter)
    y = copy.oriented(out)
    for start, stop in copy.chunks:
        rounds = copy.rounds(start, stop)
        if copy.count == 1:
            np.matmul(rounds[0], matrix, out[start:stop].reshape(-1, out.shape[-1]))
            continue
        products = workspace('product', (*rounds.shape[:2], matrix.shape[1]), x.dtype)
        np.matmul(rounds, matrix, products)
        _spread(products, y[start:stop], copy)
    return out


def filter_gradient(x, dy, windows, out=None):
    """The derivative of sum(dy * convolve(x, filter)) at the filter: [*kernel, in, out]."""
    shape = (*windows.kernel, x.shape[-1], dy.shape[-1])
    if x.dtype.itemsize < 4:
        dfilter = filter_gradient(x.astype(np.float32), dy.astype(np.float32), windows)
        return _stored(dfilter.astype(x.dtype), out)
    if out is None or not out.flags.c_contiguous:
        return _stored(filter_gradient(x, dy, windows, np.empty(shape, x.dtype)), out)
    if not dy.size or not x.size or not out.size:
        out.fill(0)
        return out
    if _is_pointwise(windows) and x.flags.c_contiguous and dy.flags.c_contiguous:
        np.matmul(x.reshape(-1, x.shape[-1]).T, dy.reshape(-1, dy.shape[-1]),
                  out.reshape(shape[-2:]))
        return out
    copy = _Copy(x, windows)
    dmatrix = np.zeros((copy.row, dy.shape[-1]), x.dtype)
    dy = copy.oriented(dy)
    for start, stop in copy.chunks:
        rounds = copy.rounds(start, stop)
        gathered = _gathered(dy[start:stop], copy, rounds.shape[1])
        for product in np.matmul(rounds.swapaxes(1, 2), gathered):
            np.add(dmatrix, product, dmatrix)
    out[...] = copy.as_filter(dmatrix, shape)
    return out


def input_gradient(filter, dy, windows, sizes, out=None):
    """The derivative of sum(dy * convolve(x, filter)) at x: [batch, *sizes, in]."""
    shape = (len(dy), *sizes, filter.shape[-2])
    if dy.dtype.itemsize < 4:
        dx = input_gradient(filter.astype(np.float32), dy.astype(np.float32), windows, sizes)
        return _stored(dx.astype(dy.dtype), out)
    if out is None or not out.flags.c_contiguous:
        return _stored(input_gradient(filter, dy, windows, sizes, np.empty(shape, dy.dtype)), out)
    if not dy.size or not out.size:
        out.fill(0)
        return out
    reach = [(k - 1) * rate for k, rate in zip(windows.kernel, windows.rates)]
    margins = tuple((r - low, r - high) for r, (low, high) in zip(reach, windows.margins))
    if set(windows.strides) == {1} and min(min(m) for m in margins) >= 0:
        # Each element of x is met by the kernel's elements in reversed order.
        turned = filter[(slice(None, None, -1),) * len(sizes)].swapaxes(-1, -2)
        return convolve(dy, turned, Windows(windows.kernel, windows.strides, windows.rates,
                                            margins, tuple(sizes)), out)
    return _scattered(filter, dy, windows, out)


def _scattered(filter, dy, windows, out):
    """`input_gradient` by adding up what each element of the kernel contributes."""
    sizes, channels = out.shape[1:-1], out.shape[-1]
    matrix = np.ascontiguousarray(filter.reshape(-1, filter.shape[-1]).T)
    per_image = math.prod(windows.positions) * matrix.shape[1]
    step = max(1, _CHUNK // max(1, per_image))
    padded = [low + size + high for size, (low, high) in zip(sizes, windows.margins)]
    inside = tuple(slice(low, low + size) for size, (low, _) in zip(sizes, windows.margins))
    for start in range(0, len(dy), step):
        part = np.ascontiguousarray(dy[start:start + step])
        products = workspace('product', (part.size // part.shape[-1], matrix.shape[1]), dy.dtype)
        np.matmul(part.reshape(-1, part.shape[-1]), matrix, products)
        products = products.reshape(*part.shape[:-1], *windows.kernel, channels)
        whole = workspace('columns', (len(part), *padded, channels), dy.dtype)
        whole.fill(0)
        for place in np.ndindex(*windows.kernel):
            seen = whole[(slice(None), *strided(place, windows))]
            seen += products[(slice(None),) * len(products.shape[:-1 - len(place)]) + place]
        out[start:start + step] = whole[(slice(None), *inside)]
    return out


def strided(place, windows):
    """For each spatial axis, the slice of the padded input that the kernel's element `place` meets
    as the kernel goes over all positions."""
    return tuple(slice(k * rate, k * rate + (count - 1) * stride + 1, stride)
                 if count else slice(0, 0) for k, stride, rate, count
                 in zip(place, windows.strides, windows.rates, windows.positions))


def _stored(y, out):
    if out is None:
        return y
    out[...] = y
    return out


def _is_pointwise(windows):
    return (set(windows.kernel) <= {1} and set(windows.strides) <= {1}
            and all(m == (0, 0) for m in windows.margins))


# ---- copying windows ---------------------------------------------------------------------------

class _Copy:
    """How the windows over x are copied, some images at a time.

    The copy of some images is [images, *positions of the other axes, rows of the sliding axis,
    *kernel along the other axes, in]. `count` rounds of windows start `lines` rows apart.
    """

    def __init__(self, x, windows):
        axis = _sliding_axis(windows)
        if axis is None:
            self.x, self.windows, self.axis = x[:, None], windows.with_axis(), None
        else:
            self.x, self.windows, self.axis = (np.moveaxis(x, axis + 1, 1),
                                               windows.with_first(axis), axis)
        kernel, stride = self.windows.kernel, self.windows.strides[0]
        self.run = math.prod(kernel[1:]) * x.shape[-1]              # one row of a window
        self.row = kernel[0] * self.run                             # one window
        self.count = -(-kernel[0] // stride)
        self.lines = self.count * stride
        positions = self.windows.positions
        needed = (positions[0] - 1) * stride + kernel[0]
        self.per_round = max(-(-positions[0] // self.count), -(-needed // self.lines))
        self.height = self.per_round * self.lines
        per_image = math.prod(positions[1:]) * self.height * self.run
        step = max(1, _CHUNK // max(1, per_image))
        self.chunks = [(i, min(i + step, len(x))) for i in range(0, len(x), step)]

    def rounds(self, start, stop):
        """The windows of some images: a stack of `count` matrices [windows, elements]."""
        n, positions = stop - start, self.windows.positions[1:]
        size = n * math.prod(positions) * self.height * self.run
        # Windows that begin at the last rows, and whose products nobody reads, end behind them.
        flat = workspace('columns', (size + self.row,), self.x.dtype)
        flat[size:] = 0
        copied = flat[:size].reshape(n, *positions, self.height, *self.windows.kernel[1:],
                                     self.x.shape[-1])
        part = self.x[start:stop]
        in_tiles(n, lambda i, j: self._copy(part[i:j], copied[i:j]), max(1, -(-n // _PARTS)))
        step = flat.strides[0]
        return as_strided(flat, (self.count, size // (self.lines * self.run), self.row),
                          (self.windows.strides[0] * self.run * step,
                           self.lines * self.run * step, step))

    def _copy(self, x, copied):
        windows = self.windows
        padded = with_margins(x, windows, self.height)
        kernel, rest = windows.kernel[1:], len(windows.kernel) - 1
        if rest and self.run < _SHORT:
            for place in np.ndindex(*kernel):
                seen = padded[(slice(None), slice(None), *strided((0, *place), windows)[1:])]
                copied[(..., *place, slice(None))] = np.moveaxis(seen, 1, -2)
            return
        steps = padded.strides
        np.copyto(copied, as_strided(
            padded, copied.shape,
            (steps[0], *[s * stride for s, stride in zip(steps[2:-1], windows.strides[1:])],
             steps[1], *[s * rate for s, rate in zip(steps[2:-1], windows.rates[1:])], steps[-1])))

    def as_matrix(self, filter):
        """The filter as [elements of a window, out], in the order in which windows are copied."""
        if self.axis:
            filter = np.moveaxis(filter, self.axis, 0)
        return np.ascontiguousarray(filter.reshape(self.row, filter.shape[-1]))

    def as_filter(self, matrix, shape):
        """The inverse of `as_matrix`."""
        if not self.axis:
            return matrix.reshape(shape)
        first = (shape[self.axis], *shape[:self.axis], *shape[self.axis + 1:])
        return np.moveaxis(matrix.reshape(first), 0, self.axis)

    def oriented(self, y):
        """A view of y as [batch, *positions of the other axes, positions of the sliding one,
        out]."""
        if self.axis is None:
            return y[..., None, :]
        return np.moveaxis(y, self.axis + 1, -2)


def _sliding_axis(windows):
    """The axis of the largest kernel among those whose windows overlap; None if there is none."""
    best = None
    for axis, (k, stride, rate) in enumerate(zip(windows.kernel, windows.strides, windows.rates)):
        if rate == 1 and k > stride and (best is None or k > windows.kernel[best]):
            best = axis
    return best


def with_margins(x, windows, height=None):
    """x with its margins, contiguous; the first axis filled up, or cut down, to `height`."""
    ends = [low + size + high for size, (low, high) in zip(x.shape[1:-1], windows.margins)]
    shape = (len(x), ends[0] if height is None else height, *ends[1:], x.shape[-1])
    height = shape[1]
    if not any(map(any, windows.margins)) and shape == x.shape and x.flags.c_contiguous:
        return x
    whole = workspace('padded', shape, x.dtype)
    if whole.shape != x.shape:
        whole.fill(0)
    low = windows.margins[0][0]
    rows = min(x.shape[1], height - low)
    inside = [slice(m[0], m[0] + size) for m, size in zip(windows.margins[1:], x.shape[2:-1])]
    whole[(slice(None), slice(low, low + rows), *inside)] = x[:, :rows]
    return whole


def _spread(products, y, copy):
    """What the rounds gave, put where it belongs; y is `oriented`."""
    shape = (copy.count, *y.shape[:-2], copy.per_round, y.shape[-1])
    products = products.reshape(shape)

    def some(start, stop):
        for i, round in enumerate(products):
            target = y[start:stop, ..., i::copy.count, :]
            target[...] = round[start:stop, ..., :target.shape[-2], :]

    in_tiles(len(y), some, max(1, -(-len(y) // _PARTS)))


def _gathered(dy, copy, rows):
    """The inverse of `_spread`, with zeros for the windows that nobody asked for."""
    if copy.count == 1:
        return np.ascontiguousarray(dy).reshape(1, rows, dy.shape[-1])
    gathered = workspace('product', (copy.count, *dy.shape[:-2], copy.per_round, dy.shape[-1]),
                         dy.dtype)

    def some(start, stop):
        for i, round in enumerate(gathered):
            source = dy[start:stop, ..., i::copy.count, :]
            round[start:stop, ..., :source.shape[-2], :] = source
            round[start:stop, ..., source.shape[-2]:, :] = 0

    in_tiles(len(dy), some, max(1, -(-len(dy) // _PARTS)))
    return gathered.reshape(copy.count, rows, dy.shape[-1])


# ---- memory kept between calls -----------------------------------------------------------------

_kept = threading.local()


def workspace(use, shape, dtype):
    """An array for passing results, of any contents; the same memory for each `use` per thread."""
    size = math.prod(shape)
    key = use, dtype
    kept = _kept.__dict__.get(key)
    if kept is None or len(kept) < size:
        kept = _kept.__dict__[key] = np.empty(size, dtype)
    return kept[:size].reshape(shape)
