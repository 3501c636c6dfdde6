"""Greyscale dilation and erosion of images: a convolution with max and + for + and *."""
from __future__ import annotations

from functools import lru_cache

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import REAL
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import shaping
from tinyflow.ops.conv import conv_geometry
from tinyflow.ops.conv.convolution_functions import integers
from tinyflow.ops.conv.convolution_kernels import strided
from tinyflow.ops.math import arithmetic
from tinyflow.ops.support.arguments import renamed

_ATTRS = {'strides': REQUIRED, 'rates': REQUIRED, 'padding': REQUIRED}


@lru_cache(maxsize=256)
def _result(input, filter, strides, rates, padding):
    """(output shape, `Windows` or None) for the shapes of input and filter."""
    conv_geometry.check_padding(padding)
    conv_geometry.check_rank('input', input, 4)
    conv_geometry.check_rank('filter', filter, 3, 'height, width, channels')
    strides = conv_geometry.spatial(strides, 'NHWC', 'strides', 4)
    rates = conv_geometry.spatial(rates, 'NHWC', 'rates', 4)
    input, filter = input or (None,) * 4, filter or (None,) * 3
    if None not in (input[-1], filter[-1]) and input[-1] != filter[-1]:
        raise OpFailure(f'Dimensions must be equal, but are {input[-1]} and {filter[-1]}: the '
                        f'input has {input[-1]} channels, and the filter {filter[-1]}',
                        'the filter is [height, width, channels].')
    sizes, kernel = input[1:-1], filter[:-1]
    positions = conv_geometry.positions(sizes, kernel, strides, rates, padding, label='a filter')
    geometry = None
    if None not in sizes + kernel:
        geometry = conv_geometry.windows(sizes, kernel, strides, rates, padding)
    channels = input[-1] if filter[-1] is None else filter[-1]
    return (input[0], *positions, channels), geometry


def _lowest(dtype):
    return -np.inf if dtype.kind == 'f' else np.iinfo(dtype).min


def _framed(x, geometry):
    """x padded with the lowest value, which never is the maximum."""
    return np.pad(x, ((0, 0), *geometry.margins, (0, 0)), constant_values=_lowest(x.dtype))


def _inside(geometry, sizes):
    return (slice(None), *[slice(low, low + size)
                           for size, (low, _) in zip(sizes, geometry.margins)])


def _first_inside(x, geometry, shape):
    """The index of the first filter element that meets the input, for each position."""
    inside = np.zeros((1, *(size + low + high for size, (low, high) in zip(
        x.shape[1:-1], geometry.margins)), 1), bool)
    inside[_inside(geometry, x.shape[1:-1])] = True
    met = [inside[(slice(None), *strided(offset, geometry))]
           for offset in np.ndindex(*geometry.kernel)]
    return np.broadcast_to(np.argmax(met, 0), shape).astype(np.int32)


def _best(x, filter, geometry):
    """The largest sum for each position, and the index of the filter element it came from."""
    framed, best = _framed(x, geometry), None
    if x.dtype.kind == 'f':             # TensorFlow's maximum is never below this, and skips NaN
        first = framed[(slice(None), *strided((0, 0), geometry))] + filter[0, 0]
        best = np.full(first.shape, np.finfo(x.dtype).min, first.dtype)
        chosen = _first_inside(x, geometry, best.shape)
    for n, offset in enumerate(np.ndindex(*geometry.kernel)):
        seen = framed[(slice(None), *strided(offset, geometry))]
        total = seen + filter[offset]
        if x.dtype.kind != 'f':                         # the lowest integer must stay the lowest
            total = np.where(seen == _lowest(x.dtype), seen, total)
        if best is None:
            best, chosen = total, np.zeros(total.shape, np.int32)
            continue
        better = total > best
        np.copyto(best, total, where=better)
        chosen[better] = n
    return best, chosen


class Dilation2D(Op):
    """max over k of input[p * stride + k * rate] + filter[k]."""

    signature = 'input: T, filter: T -> output: T'
    types = {'T': REAL}
    attrs = _ATTRS
    partial_rank = True

    def shape(input, filter, *, strides, rates, padding):
        return _result(input, filter, strides, rates, padding)[0]

    def kernel(input, filter, *, strides, rates, padding):
        geometry = _result(input.shape, filter.shape, strides, rates, padding)[1]
        return _best(input, filter, geometry)[0]

    def gradient(op, dy):
        x, filter = op.inputs
        return (Dilation2DBackpropInput.apply(x, filter, dy, **op.attrs),
                Dilation2DBackpropFilter.apply(x, filter, dy, **op.attrs))


class _Backprop(Op, abstract=True):
    types = {'T': REAL}
    attrs = _ATTRS
    partial_rank = True


def _geometry(input, filter, dy, *attrs):
    expected, geometry = _result(input, filter, *attrs)
    if not shapes.compatible(dy, expected):
        raise ValueError(f'out_backprop must have the shape {shapes.text(expected)}, not '
                         f'{shapes.text(dy)}')
    return geometry


class Dilation2DBackpropInput(_Backprop):
    """Routes dy to the input element that each maximum came from."""

    signature = 'input: T, filter: T, out_backprop: T -> in_backprop: T'

    def shape(input, filter, out_backprop, *, strides, rates, padding):
        _geometry(input, filter, out_backprop, strides, rates, padding)
        return input

    def kernel(input, filter, out_backprop, *, strides, rates, padding):
        geometry = _geometry(input.shape, filter.shape, out_backprop.shape, strides, rates, padding)
        _, chosen = _best(input, filter, geometry)
        dx = np.pad(np.zeros_like(input), ((0, 0), *geometry.margins, (0, 0)))
        for n, offset in enumerate(np.ndindex(*geometry.kernel)):
            dx[(slice(None), *strided(offset, geometry))] += out_backprop * (chosen == n)
        return np.ascontiguousarray(dx[_inside(geometry, input.shape[1:-1])])


class Dilation2DBackpropFilter(_Backprop):
    """Adds dy to the filter element that each maximum came from."""

    signature = 'input: T, filter: T, out_backprop: T -> filter_backprop: T'

    def shape(input, filter, out_backprop, *, strides, rates, padding):
        _geometry(input, filter, out_backprop, strides, rates, padding)
        return filter

    def kernel(input, filter, out_backprop, *, strides, rates, padding):
        geometry = _geometry(input.shape, filter.shape, out_backprop.shape, strides, rates, padding)
        _, chosen = _best(input, filter, geometry)
        dfilter = np.empty_like(filter)
        for n, offset in enumerate(np.ndindex(*geometry.kernel)):
            dfilter[offset] = (out_backprop * (chosen == n)).sum((0, 1, 2), dtype=filter.dtype)
        return dfilter


def dilation2d(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None,
               dilations=None):
    """Greyscale dilation: max over k of input[p * stride + k * rate] + filter[k].

    Shapes: input [batch, height, width, channels], filter [height, width, channels] -> [batch,
    height / stride, width / stride, channels]. `filters` and `dilations` are the newer names of
    filter and rates.
    """
    filter = renamed('filters', filters, 'filter', filter)
    rates = renamed('dilations', dilations, 'rates', rates)
    return Dilation2D.apply(input, filter, strides=integers(strides, 'strides'),
                            rates=integers(rates, 'rates'), padding=padding, name=name)


def erosion2d(value, kernel, strides, rates, padding, name=None):
    """Greyscale erosion: min over k of value[p * stride + k * rate] - kernel[k].

    Shapes: value [batch, height, width, channels], kernel [height, width, channels] -> [batch,
    height / stride, width / stride, channels].
    """
    with name_scope(name, 'erosion2d', [value, kernel]) as scope:
        dilated = dilation2d(arithmetic.negative(value), shaping.reverse_v2(kernel, [0, 1]),
                             strides, rates, padding, name=scope)
        return arithmetic.negative(dilated)


__all__ = ['dilation2d', 'erosion2d']
