"""Convolution with NumPy: windows copied side by side in cache-sized chunks, and BLAS.

Any number of spatial axes, channels last: x [batch, *sizes, in], filter [*kernel, in, out],
y [batch, *positions, out]. What is called convolution is correlation, as everywhere in this field:
y[p] = sum over k of x[p * stride + k * rate - margin] . filter[k].

A matrix with a row for each window repeats each element of x once for each element of the kernel.
Along one axis, the sliding one, that can be spared: where the rows of that axis come first, those
that one element of the kernel meets lie side by side, and the results of all of them are added up.
"""
from __future__ import annotations

import math
import threading
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tinyflow.tiles import in_tiles

_CHUNK = 1 << 18        # elements of copied windows at a time; what BLAS reads should be in cache
_PARTS = 16             # pieces of a chunk that threads may share
_SHORT = 16             # elements; runs shorter than this are not worth a loop of their own
_WORTH = 8              # see _copier


class Windows(NamedTuple):
    """Where a kernel goes: for each spatial axis its size, step, spacing, margins and places."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    rates: tuple[int, ...]
    margins: tuple[tuple[int, int], ...]
    positions: tuple[int, ...]

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
    _copier(x, windows, filter.shape[-1]).convolve(filter, out)
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
    _copier(x, windows, dy.shape[-1]).filter_gradient(dy, out)
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

def _copier(x, windows, out):
    """What copies windows over x: along all axes, or along all but the axis that slides.

    That is the one with the largest kernel among those whose windows overlap, if there is one. It
    saves copies of x, but there are sums of as many results to be made as the kernel has elements
    along it; measured, that is worth it if it saves `_WORTH` copied elements for each of `out`.
    """
    best = None
    for axis, (k, stride) in enumerate(zip(windows.kernel, windows.strides)):
        if k > stride and (best is None or k > windows.kernel[best]):
            best = axis
    if best is not None:
        row = math.prod(windows.kernel) * x.shape[-1]
        if row - row // windows.kernel[best] > _WORTH * out:
            return _Sliding(x, windows, best, out)
    return _Full(x, windows, out)


def _chunks(images, per_image):
    step = max(1, _CHUNK // max(1, per_image))
    return [(i, min(i + step, images)) for i in range(0, images, step)]


def _shared(images, function):
    """Calls function(start, stop) for pieces of some images; threads may share the work."""
    in_tiles(images, function, max(1, -(-images // _PARTS)))


class _Full:
    """Copies windows whole, to rows [images, *positions] of [*kernel, in]."""

    def __init__(self, x, windows, out):
        self.x, self.windows = x, windows
        self.row = math.prod(windows.kernel) * x.shape[-1]
        self.chunks = _chunks(len(x), math.prod(windows.positions) * (self.row + out))

    def convolve(self, filter, y):
        matrix = np.ascontiguousarray(filter.reshape(self.row, -1))
        for start, stop in self.chunks:
            np.matmul(self._rows(start, stop), matrix, y[start:stop].reshape(-1, y.shape[-1]))

    def filter_gradient(self, dy, dfilter):
        total = dfilter.reshape(self.row, -1)
        total.fill(0)
        for start, stop in self.chunks:
            part = np.ascontiguousarray(dy[start:stop]).reshape(-1, dy.shape[-1])
            np.add(total, np.matmul(self._rows(start, stop).T, part), total)

    def _rows(self, start, stop):
        windows, part = self.windows, self.x[start:stop]
        rows, row = (stop - start, *windows.positions), (*windows.kernel, self.x.shape[-1])
        # Long runs of memory are copied; of a few channels, those of one element of the kernel.
        by_columns = math.prod(row[-2:]) < _SHORT
        flat = workspace('columns', row + rows if by_columns else rows + row, self.x.dtype)
        copied = np.moveaxis(flat, range(len(row)), range(-len(row), 0)) if by_columns else flat

        def copy(i, j):
            padded = with_margins(part[i:j], windows)
            steps = padded.strides
            np.copyto(copied[i:j], as_strided(
                padded, copied[i:j].shape,
                (steps[0], *[s * stride for s, stride in zip(steps[1:], windows.strides)],
                 *[s * rate for s, rate in zip(steps[1:], windows.rates)], steps[-1])))

        _shared(stop - start, copy)
        return flat.reshape(self.row, -1).T if by_columns else flat.reshape(-1, self.row)


class _Sliding:
    """Copies windows along all axes but one, which comes first in all that follows.

    The copy is [phases, rows, images, *positions of the other axes, *kernel along the other axes,
    in]; row r of phase p is row r * stride + p of the images. What one element of the kernel along
    the sliding axis meets are consecutive rows of one phase: a matrix, without another copy.
    """

    def __init__(self, x, windows, axis, out):
        self.axis = axis
        self.x = np.moveaxis(x, axis + 1, 1)
        self.windows = windows = windows.with_first(axis)
        self.count, self.phases = windows.positions[0], windows.strides[0]
        self.columns = math.prod(windows.positions[1:])
        self.run = math.prod(windows.kernel[1:]) * x.shape[-1]
        self.begins = [divmod(k * windows.rates[0], self.phases) for k in range(windows.kernel[0])]
        self.rows = self.begins[-1][0] + self.count
        self.chunks = _chunks(len(x), self.columns * (self.phases * self.rows * self.run
                                                      + 2 * self.count * out))

    def convolve(self, filter, y):
        matrices = np.ascontiguousarray(np.moveaxis(filter, self.axis, 0)).reshape(
            -1, self.run, y.shape[-1])
        y = np.moveaxis(y, (self.axis + 1, 0), (0, 1))
        for start, stop in self.chunks:
            part, met = y[:, start:stop], self._met(start, stop)
            total, product = [workspace(use, (len(met[0]), y.shape[-1]), y.dtype)
                              for use in ('total', 'product')]
            np.matmul(met[0], matrices[0], total)
            for rows, matrix in zip(met[1:], matrices[1:]):
                np.matmul(rows, matrix, product)
                np.add(total, product, total)
            np.copyto(part, total.reshape(part.shape))

    def filter_gradient(self, dy, dfilter):
        dy = np.moveaxis(dy, (self.axis + 1, 0), (0, 1))
        sums = np.zeros((len(self.begins), self.run, dy.shape[-1]), dy.dtype)
        for start, stop in self.chunks:
            part, met = dy[:, start:stop], self._met(start, stop)
            gathered = workspace('total', part.shape, dy.dtype)
            np.copyto(gathered, part)
            gathered = gathered.reshape(-1, dy.shape[-1])
            for rows, total in zip(met, sums):
                np.add(total, np.matmul(rows.T, gathered), total)
        result = np.moveaxis(dfilter, self.axis, 0)
        result[...] = sums.reshape(result.shape)

    def _met(self, start, stop):
        """For each element of the kernel along the sliding axis what it meets: a matrix with a row
        of `run` elements for each [position, image, *other positions]."""
        windows, part = self.windows, self.x[start:stop]
        copied = workspace('columns', (self.phases, self.rows, stop - start,
                                       *windows.positions[1:], *windows.kernel[1:],
                                       self.x.shape[-1]), self.x.dtype)
        _shared(stop - start, lambda i, j: self._copy(part[i:j], copied[:, :, i:j]))
        flat = copied.reshape(self.phases, self.rows, -1, self.run)
        return [flat[phase, row:row + self.count].reshape(-1, self.run)
                for row, phase in self.begins]

    def _copy(self, x, copied):
        windows, padded = self.windows, self._spaced(x)
        steps = padded.strides
        np.copyto(copied, as_strided(
            padded, copied.shape,
            (steps[1], steps[1] * self.phases, steps[0],
             *[s * stride for s, stride in zip(steps[2:], windows.strides[1:])],
             *[s * rate for s, rate in zip(steps[2:], windows.rates[1:])], steps[-1])))

    def _spaced(self, x):
        """x with as many rows as are looked at, and the margins of the other axes."""
        before, margins = self.windows.margins[0][0], self.windows.margins[1:]
        ends = [low + size + high for size, (low, high) in zip(x.shape[2:-1], margins)]
        shape = (len(x), self.phases * self.rows, *ends, x.shape[-1])
        if not before and shape == x.shape and x.flags.c_contiguous:
            return x
        height = max(0, min(x.shape[1], shape[1] - before))
        inside = [slice(before, before + height),
                  *[slice(low, low + size) for size, (low, _) in zip(x.shape[2:-1], margins)]]
        return _framed(x[:, :height], workspace('padded', shape, x.dtype), inside)


def with_margins(x, windows):
    """x with its margins, contiguous."""
    shape = (len(x), *[low + size + high for size, (low, high)
                       in zip(x.shape[1:-1], windows.margins)], x.shape[-1])
    if shape == x.shape and x.flags.c_contiguous:
        return x
    inside = [slice(low, low + size) for size, (low, _) in zip(x.shape[1:-1], windows.margins)]
    return _framed(x, workspace('padded', shape, x.dtype), inside)


def _framed(x, whole, inside):
    """x in the middle of `whole`, at the slices `inside` of the spatial axes; zeros around it."""
    rest = whole
    for axis, part in enumerate(inside, 1):
        before = (slice(None),) * axis
        if part.start:
            rest[(*before, slice(part.start))] = 0
        if part.stop < rest.shape[axis]:
            rest[(*before, slice(part.stop, None))] = 0
        rest = rest[(*before, part)]
    rest[...] = x
    return whole


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
