"""Convolution kernels in NumPy: im2col in cache-sized chunks, and BLAS matrix products.

Any number of spatial axes, channels last: x [batch, *sizes, in], filter [*kernel, in, out],
y [batch, *positions, out]. As usual in machine learning, this is cross-correlation:
y[p] = sum over k of x[p * stride + k * rate - margin] . filter[k].

An im2col matrix (one row per window) repeats each element of x once for each kernel element. Along
one axis, the sliding one, this can be avoided: with that axis first, the rows that one kernel
element is multiplied with are contiguous, and the products for all kernel elements are summed.
"""
from __future__ import annotations

import math
import threading
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tinyflow.graph.support.blas_threads import in_tiles_of_products, matmul
from tinyflow.graph.support.tiles import in_tiles

_CHUNK = 1 << 18        # elements of the im2col matrix at a time; should fit in the cache
_LARGER = 8             # times as large a chunk if BLAS uses several threads
_PARTS = 16             # chunks; fewer are not worth small products
_FEWEST_CHUNKS = 4      # fewer are not distributed over threads: BLAS uses several itself
_GROUPS = 8             # of chunks whose sum is a part of a filter's gradient
_ROWS = 256             # of a product, at least; with fewer, BLAS mostly reads the filter
_SHORT = 16             # elements; shorter contiguous runs are not worth a separate loop
_LONG = 32              # elements; see _im2col
_SMALL = 1 << 17        # elements; larger filters have no per-thread gradients

# OpenBLAS computes a product with m * k * n <= 2 ** 18 in the calling thread, and with AVX-512
# faster than a large one, since it does not copy the matrices first. With such blocks, the chunks
# (and all the work on them) are distributed over threads.
_ONE_THREAD = 1 << 18
_FEWEST_ROWS = 8        # of a block; with fewer, the overhead of a call is too large
_DEPTH = 128            # rows summed in a block of a filter's gradient


class Windows(NamedTuple):
    """Kernel size, stride, dilation rate, padding and output positions of each spatial axis."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    rates: tuple[int, ...]
    margins: tuple[tuple[int, int], ...]
    positions: tuple[int, ...]

    def with_first(self, axis):
        """The same, with spatial axis `axis` moved to the front."""
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
        matmul(x.reshape(-1, x.shape[-1]), filter.reshape(filter.shape[-2:]),
               out.reshape(-1, out.shape[-1]))
        return out
    _im2col(x, windows, filter.shape[-1]).convolve(filter, out)
    return out


def filter_gradient(x, dy, windows, out=None):
    """The gradient of sum(dy * convolve(x, filter)) for the filter: [*kernel, in, out]."""
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
        matmul(x.reshape(-1, x.shape[-1]).T, dy.reshape(-1, dy.shape[-1]),
               out.reshape(shape[-2:]))
        return out
    _im2col(x, windows, dy.shape[-1]).filter_gradient(dy, out)
    return out


def input_gradient(filter, dy, windows, sizes, out=None):
    """The gradient of sum(dy * convolve(x, filter)) for x: [batch, *sizes, in]."""
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
        # The gradient is a convolution of dy with the reversed kernel.
        turned = filter[(slice(None, None, -1),) * len(sizes)].swapaxes(-1, -2)
        return convolve(dy, turned, Windows(windows.kernel, windows.strides, windows.rates,
                                            margins, tuple(sizes)), out)
    return _input_gradient_by_scatter(filter, dy, windows, out)


def _input_gradient_by_scatter(filter, dy, windows, out):
    """`input_gradient` by adding the contribution of each kernel element."""
    sizes, channels = out.shape[1:-1], out.shape[-1]
    matrix = np.ascontiguousarray(filter.reshape(-1, filter.shape[-1]).T)
    positions = math.prod(windows.positions)
    padded = [low + size + high for size, (low, high) in zip(sizes, windows.margins)]
    inside = tuple(slice(low, low + size) for size, (low, _) in zip(sizes, windows.margins))

    def fill(start, stop, multiply):
        part = np.ascontiguousarray(dy[start:stop])
        products = workspace('product', (part.size // part.shape[-1], matrix.shape[1]), dy.dtype)
        multiply(part.reshape(-1, part.shape[-1]), matrix, products)
        products = products.reshape(*part.shape[:-1], *windows.kernel, channels)
        whole = workspace('columns', (len(part), *padded, channels), dy.dtype)
        whole.fill(0)
        for offset in np.ndindex(*windows.kernel):
            seen = whole[(slice(None), *strided(offset, windows))]
            seen += products[(slice(None),) * len(products.shape[:-1 - len(offset)]) + offset]
        out[start:stop] = whole[(slice(None), *inside)]

    _Chunks.of(len(dy), positions, positions * matrix.shape[1], *matrix.shape).each(fill)
    return out


def strided(offset, windows):
    """For each spatial axis, the slice of the padded input that the kernel element at `offset` is
    multiplied with, over all output positions."""
    return tuple(slice(k * rate, k * rate + (count - 1) * stride + 1, stride)
                 if count else slice(0, 0) for k, stride, rate, count
                 in zip(offset, windows.strides, windows.rates, windows.positions))


def _stored(y, out):
    if out is None:
        return y
    out[...] = y
    return out


def _is_pointwise(windows):
    return (set(windows.kernel) <= {1} and set(windows.strides) <= {1}
            and all(m == (0, 0) for m in windows.margins))


# ---- im2col ------------------------------------------------------------------------------------

def _im2col(x, windows, out):
    """An im2col object for x: along all axes, or along all except a sliding axis.

    The sliding axis is the one with the largest kernel among those whose windows overlap, if there
    is one. Sliding saves copies of x, and smaller filter matrices are faster, but as many products
    must be summed as the kernel has elements along that axis. Measurements show that it pays off
    unless the rest of each window is very short.
    """
    best = None
    for axis, (k, stride) in enumerate(zip(windows.kernel, windows.strides)):
        if k > stride and (best is None or k > windows.kernel[best]):
            best = axis
    if best is not None:
        row = math.prod(windows.kernel) * x.shape[-1]
        if row // windows.kernel[best] >= _LONG:
            return _Sliding(x, windows, best, out)
    return _Full(x, windows, out)


class _Chunks(NamedTuple):
    """Ranges of images that are computed one after the other, or by several threads.

    With `small` products are computed in blocks so small that BLAS stays in the calling thread.
    """

    ranges: list[tuple[int, int]]
    small: bool

    @classmethod
    def of(cls, images, positions, per_image, row, out):
        """Chunks of images with that many positions each, and `per_image` elements of scratch, for
        products with a matrix [row, out]."""
        if max(row, _DEPTH) * out * _FEWEST_ROWS <= _ONE_THREAD:
            chunks = _split(images, _CHUNK // max(1, per_image))
            if len(chunks) >= _PARTS:
                return cls(chunks, True)
        rows = -(-_ROWS // max(1, positions))
        return cls(_split(images, max(_CHUNK // max(1, per_image), rows)), False)

    def larger(self):
        """Fewer and larger ones, for products on several threads of BLAS."""
        ranges = self.ranges
        return [(ranges[i][0], ranges[min(i + _LARGER, len(ranges)) - 1][1])
                for i in range(0, len(ranges), _LARGER)]

    def each(self, function):
        """Calls function(start, stop, multiply) for each chunk."""
        multiply = _in_blocks if self.small else np.matmul

        def some(i, j):
            for chunk in self.ranges[i:j]:
                function(*chunk, multiply)
        if not self._in_threads(len(self.ranges), some):
            for chunk in self.larger():
                function(*chunk, matmul)

    def sum(self, total, add):
        """total = the sum of what add(start, stop, total, multiply) adds for each chunk.

        Each thread sums fixed groups of chunks, so that the result does not depend on scheduling.
        """
        size = -(-len(self.ranges) // (2 * _PARTS if self.small else _GROUPS))
        groups = [self.ranges[i:i + size] for i in range(0, len(self.ranges), size)]
        multiply = _transposed_in_blocks if self.small else _transposed

        def some(i, j):
            for g in range(i, j):
                sums[g] = 0
                for chunk in groups[g]:
                    add(*chunk, sums[g], multiply)
        if total.size <= _SMALL:
            sums = workspace('sums', (len(groups), *total.shape), total.dtype)
            if self._in_threads(len(groups), some):
                np.add.reduce(sums, 0, None, total)
                return
        total.fill(0)
        for chunk in self.larger():
            add(*chunk, total, lambda a, b: matmul(a.swapaxes(-1, -2), b))

    def _in_threads(self, count, function):
        """in_tiles; False if BLAS is to use several threads instead."""
        if self.small:
            in_tiles(count, function, 1)
            return True
        return count >= _FEWEST_CHUNKS and in_tiles_of_products(count, function, 1)


def _split(images, step):
    step = max(1, step)
    return [(i, min(i + step, images)) for i in range(0, images, step)]


def _transposed(a, b):
    return np.matmul(a.swapaxes(-1, -2), b)


def _in_blocks(a, b, out):
    """a @ b in blocks of rows small enough that BLAS stays in this thread (see _ONE_THREAD).

    Shapes: a [..., m, k], b [..., k, n], out [..., m, n]
    """
    height, size = a.shape[-2], b.shape[-2] * b.shape[-1]
    rows = max(1, min(height, _ONE_THREAD // size))
    rows = max(rows // 4 * 4, min(rows, 4))
    whole = height // rows * rows
    np.matmul(_blocks(a[..., :whole, :], rows), b[..., None, :, :],
              _blocks(out[..., :whole, :], rows))
    if whole < height:
        np.matmul(a[..., whole:, :], b, out[..., whole:, :])
    return out


def _transposed_in_blocks(a, b):
    """a.T @ b likewise, as a sum over blocks of at most _DEPTH rows, all of the same size.

    Shapes: a [..., depth, m], b [depth, n] -> [..., m, n]
    """
    (depth, height), width = a.shape[-2:], b.shape[1]
    count = -(-depth // _DEPTH)
    deep = depth // count               # of one block; fewer than `count` rows remain
    rows = max(1, min(height, _ONE_THREAD // (_DEPTH * width)))
    whole, high = count * deep, height // rows * rows
    products = workspace('products', (*a.shape[:-2], count, height, width), b.dtype)
    left, right = _blocks(a[..., :whole, :], deep).swapaxes(-1, -2), _blocks(b[:whole], deep)
    np.matmul(_blocks(left[..., :high, :], rows), right[:, None],
              _blocks(products[..., :high, :], rows))
    if high < height:
        np.matmul(left[..., high:, :], right, products[..., high:, :])
    result = np.add.reduce(products, -3)
    if whole < depth:
        rest = a[..., whole:, :].swapaxes(-1, -2)
        result += _in_blocks(rest, b[whole:], np.empty_like(result))
    return result


def _blocks(a, rows):
    """A view [..., m / rows, rows, n] of a [..., m, n]."""
    return a.reshape(*a.shape[:-2], a.shape[-2] // rows, rows, a.shape[-1])


class _Full:
    """im2col along all axes: rows [images, *positions] of [*kernel, in]."""

    def __init__(self, x, windows, out):
        self.x, self.windows = x, windows
        self.row = math.prod(windows.kernel) * x.shape[-1]
        positions = math.prod(windows.positions)
        self.chunks = _Chunks.of(len(x), positions, positions * (self.row + out), self.row, out)

    def convolve(self, filter, y):
        matrix = _matrix(filter, (self.row, -1))
        self.chunks.each(lambda start, stop, multiply: multiply(
            self._rows(start, stop), matrix, y[start:stop].reshape(-1, y.shape[-1])))

    def filter_gradient(self, dy, dfilter):
        def add(start, stop, total, multiply):
            part = np.ascontiguousarray(dy[start:stop]).reshape(-1, dy.shape[-1])
            np.add(total, multiply(self._rows(start, stop), part), total)

        self.chunks.sum(dfilter.reshape(self.row, -1), add)

    def _rows(self, start, stop):
        windows, part = self.windows, self.x[start:stop]
        rows, row = (stop - start, *windows.positions), (*windows.kernel, self.x.shape[-1])
        # Copy long contiguous runs; with few channels, copy one kernel element at a time.
        by_columns = math.prod(row[-2:]) < _SHORT
        flat = workspace('columns', row + rows if by_columns else rows + row, self.x.dtype)
        copied = np.moveaxis(flat, range(len(row)), range(-len(row), 0)) if by_columns else flat

        padded = with_margins(part, windows)
        steps = padded.strides
        np.copyto(copied, as_strided(
            padded, copied.shape,
            (steps[0], *[s * stride for s, stride in zip(steps[1:], windows.strides)],
             *[s * rate for s, rate in zip(steps[1:], windows.rates)], steps[-1])))
        return flat.reshape(self.row, -1).T if by_columns else flat.reshape(-1, self.row)


class _Sliding:
    """im2col along all axes except the sliding one, which comes first in what follows.

    The copy is [phases, rows, images, *positions of the other axes, *kernel along the other axes,
    in]; row r of phase p is row r * stride + p of the images. One kernel element along the sliding
    axis is multiplied with consecutive rows of one phase: a matrix, without another copy.
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
        # Threads wait for the GIL between NumPy calls, so use few calls.
        self._together = [slice(None)] if self.phases == 1 else range(len(self.begins))
        per_image = self.columns * (self.phases * self.rows * self.run + 2 * self.count * out)
        self.chunks = _Chunks.of(len(x), self.columns * self.count, per_image, self.run, out)

    def convolve(self, filter, y):
        matrices = _matrix(np.moveaxis(filter, self.axis, 0), (-1, self.run, y.shape[-1]))
        y = np.moveaxis(y, (self.axis + 1, 0), (0, 1))

        def fill(start, stop, multiply):
            part, met = y[:, start:stop], self._operands(start, stop)
            products = workspace('total', (len(matrices), *part.shape), y.dtype)
            flat = products.reshape(len(matrices), -1, y.shape[-1])
            for some in self._together:
                multiply(met[some], matrices[some], flat[some])
            np.add.reduce(products, 0, None, part)

        self.chunks.each(fill)

    def filter_gradient(self, dy, dfilter):
        dy = np.moveaxis(dy, (self.axis + 1, 0), (0, 1))

        def add(start, stop, total, multiply):
            part, met = dy[:, start:stop], self._operands(start, stop)
            gathered = workspace('total', part.shape, dy.dtype)
            np.copyto(gathered, part)
            gathered = gathered.reshape(-1, dy.shape[-1])
            for some in self._together:
                np.add(total[some], multiply(met[some], gathered), total[some])

        sums = np.empty((len(self.begins), self.run, dy.shape[-1]), dy.dtype)
        self.chunks.sum(sums, add)
        result = np.moveaxis(dfilter, self.axis, 0)
        result[...] = sums.reshape(result.shape)

    def _operands(self, start, stop):
        """For each kernel element along the sliding axis the matrix it is multiplied with: a row of
        `run` elements for each [position, image, *other positions]. Stacked in one array if they
        are equally far apart."""
        windows, part = self.windows, self.x[start:stop]
        copied = workspace('columns', (self.phases, self.rows, stop - start,
                                       *windows.positions[1:], *windows.kernel[1:],
                                       self.x.shape[-1]), self.x.dtype)
        self._copy(part, copied)
        flat = copied.reshape(self.phases, self.rows, -1, self.run)
        if self.phases == 1:
            height, step = flat.shape[2], flat.strides[1]
            return as_strided(flat, (len(self.begins), self.count * height, self.run),
                              (step * self.windows.rates[0], *flat.strides[2:]))
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
        """x cut or padded to the rows that are used, with the padding of the other axes."""
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
    """x with its padding, contiguous."""
    shape = (len(x), *[low + size + high for size, (low, high)
                       in zip(x.shape[1:-1], windows.margins)], x.shape[-1])
    if shape == x.shape and x.flags.c_contiguous:
        return x
    inside = [slice(low, low + size) for size, (low, _) in zip(x.shape[1:-1], windows.margins)]
    return _framed(x, workspace('padded', shape, x.dtype), inside)


def _framed(x, whole, inside):
    """Writes x into `whole` at the slices `inside` of the spatial axes, with zeros around it."""
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
    """An uninitialized scratch array; each `use` has the same memory per thread."""
    size = math.prod(shape)
    key = use, dtype
    kept = _kept.__dict__.get(key)
    if kept is None or len(kept) < size:
        kept = _kept.__dict__[key] = _aligned(size, dtype)
    return kept[:size].reshape(shape)


def _aligned(size, dtype):
    """An array aligned to a cache line, which BLAS reads faster."""
    line = 64 // np.dtype(dtype).itemsize
    whole = np.empty(size + line, dtype)
    first = -whole.ctypes.data // whole.itemsize % line
    return whole[first:first + size]


def _matrix(filter, shape):
    """The filter as matrices, aligned to a cache line."""
    matrix = _aligned(filter.size, filter.dtype).reshape(filter.shape)
    np.copyto(matrix, filter)
    return matrix.reshape(shape)
