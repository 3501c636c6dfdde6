"""Depthwise convolution: each channel has its own filters, and channels are not mixed.

The kernels therefore use no matrix products but sums of products of rows, which einsum accumulates
without storing the products, in cache-sized pieces.
"""
from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import FLOATS
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.graph.support.tiles import in_tiles
from tinyflow.ops.array import constants
from tinyflow.ops.conv import conv_geometry
from tinyflow.ops.conv.convolution_functions import integers
from tinyflow.ops.conv.convolution_kernels import with_margins, workspace

_ATTRS = {'strides': REQUIRED, 'padding': REQUIRED, 'data_format': 'NHWC',
          'dilations': (1, 1, 1, 1)}
_FILTER_AXES = 'height, width, channels, multiplier'
_PIECE = 1 << 16        # elements of the result processed at a time


@lru_cache(maxsize=1024)
def _result(input, filter, strides, padding, data_format, dilations):
    """(output shape, `Windows` or None) for the shapes of input and filter."""
    conv_geometry.check_format(data_format, 4)
    conv_geometry.check_padding(padding)
    strides = conv_geometry.spatial(strides, data_format, 'strides', 4)
    rates = conv_geometry.spatial(dilations, data_format, 'dilations', 4)
    conv_geometry.check_rank('input', input, 4)
    conv_geometry.check_rank('filter', filter, 4, _FILTER_AXES)
    input = (None,) * 4 if input is None else conv_geometry.last_shape(input, data_format)
    filter = (None,) * 4 if filter is None else filter
    if None not in (input[-1], filter[2]) and input[-1] != filter[2]:
        raise OpFailure(f'Dimensions must be equal, but are {input[-1]} and {filter[2]}: the '
                        f'input has {input[-1]} channels, and the filter takes {filter[2]}',
                        f'the filter is [{_FILTER_AXES}].')
    sizes, kernel = input[1:-1], filter[:2]
    positions = conv_geometry.positions(sizes, kernel, strides, rates, padding, label='a kernel')
    geometry = None
    if None not in sizes + kernel:
        geometry = conv_geometry.windows(sizes, kernel, strides, rates, padding)
    channels = input[-1] if filter[2] is None else filter[2]
    out = None if None in (channels, filter[3]) else channels * filter[3]
    return conv_geometry.from_last_shape((input[0], *positions, out), data_format), geometry


def _geometry(dy, input, filter, *attrs):
    expected, geometry = _result(input, filter, *attrs)
    if not shapes.compatible(dy, expected):
        raise ValueError(f'Size of out_backprop does not match: it is {shapes.text(dy)}, and the '
                         f'convolution of an input {shapes.text(input)} with a filter '
                         f'{shapes.text(filter)} gives {shapes.text(expected)}')
    return geometry


# ---- kernels, channels last --------------------------------------------------------------------

def _by_pieces(y, function):
    """Calls function(start, stop) for pieces of the batch of y."""
    per_image = max(1, y.size // max(1, len(y)))
    in_tiles(len(y), function, max(1, min(-(-len(y) // 16), _PIECE // per_image)))


def _repeated(x, multiplier):
    """x with each channel repeated `multiplier` times."""
    return x if multiplier == 1 else np.repeat(x, multiplier, -1)


def _convolve(x, filter, geometry, out):
    rows = filter.reshape(*filter.shape[:2], -1)

    def some(i, j):
        padded = with_margins(_repeated(x[i:j], filter.shape[-1]), geometry)
        _slide(padded, rows, geometry, out[i:j])

    _by_pieces(out, some)
    return out


def _slide(padded, rows, geometry, out):
    """Sums over windows of `padded` times rows [height, width, channels], into `out`."""
    seen = _windows(padded, geometry)
    if geometry.strides[1] == 1 and out.flags.c_contiguous:
        # A kernel element is then multiplied with one contiguous run per image row.
        count = out.shape[2]
        rows = np.tile(rows, (1, 1, count))
        seen = as_strided(seen, (*seen.shape[:4], rows.shape[-1]),
                          (*seen.strides[:4], seen.itemsize))
        np.einsum('nhijx,ijx->nhx', seen, rows, out=out.reshape(*out.shape[:2], -1))
    else:
        np.einsum('nhijwc,ijc->nhwc', seen, rows, out=out)


def _windows(padded, geometry):
    """A view [images, height, *kernel, width, channels] of `padded`."""
    (height, width), (down, right) = geometry.positions, padded.strides[1:3]
    strides, rates = geometry.strides, geometry.rates
    return as_strided(
        padded, (len(padded), height, *geometry.kernel, width, padded.shape[-1]),
        (padded.strides[0], down * strides[0], down * rates[0], right * rates[1],
         right * strides[1], padded.strides[-1]))


def _to_input(filter, dy, geometry, out):
    # Like the convolution, with strides as gaps in dy and the kernel reversed.
    multiplier, sizes = filter.shape[-1], out.shape[1:-1]
    rows = filter.reshape(*filter.shape[:2], -1)[::-1, ::-1]
    reach = [(k - 1) * rate for k, rate in zip(geometry.kernel, geometry.rates)]
    backward = geometry._replace(strides=(1, 1), positions=tuple(sizes))
    gaps = tuple(slice(first, first + (count - 1) * stride + 1, stride)
                 for first, count, stride in zip(
                     [r - low for r, (low, _) in zip(reach, geometry.margins)],
                     geometry.positions, geometry.strides))

    def some(i, j):
        whole = workspace('padded', (j - i, *[size + r for size, r in zip(sizes, reach)],
                                     dy.shape[-1]), dy.dtype)
        whole.fill(0)
        whole[(slice(None), *gaps)] = dy[i:j]
        if multiplier == 1:
            _slide(whole, rows, backward, out[i:j])
            return
        each = workspace('product', (j - i, *sizes, dy.shape[-1]), dy.dtype)
        _slide(whole, rows, backward, each)
        np.sum(each.reshape(*each.shape[:-1], -1, multiplier), -1, out=out[i:j])

    _by_pieces(out, some)
    return out


def _to_filter(x, dy, geometry, out):
    multiplier = out.shape[-1]
    total = np.zeros((*out.shape[:2], dy.shape[-1]), dy.dtype)
    step = max(1, _PIECE * len(dy) // max(1, dy.size))
    for i in range(0, len(dy), step):
        seen = _windows(with_margins(_repeated(x[i:i + step], multiplier), geometry), geometry)
        part = dy[i:i + step]
        if geometry.strides[1] == 1 and part.flags.c_contiguous:
            part = part.reshape(*part.shape[:2], -1)
            seen = as_strided(seen, (*seen.shape[:4], part.shape[-1]),
                              (*seen.strides[:4], seen.itemsize))
            for offset in np.ndindex(*geometry.kernel):
                sums = np.einsum('nhx,nhx->x', seen[(slice(None), slice(None), *offset)], part)
                total[offset] += sums.reshape(-1, dy.shape[-1]).sum(0)
        else:
            total += np.einsum('nhijwc,nhwc->ijc', seen, part)
    out[...] = total.reshape(out.shape)
    return out


def _run(function, a, b, geometry, shape, out, data_format=None):
    """Runs function(a, b, geometry, result), half precision in single; returns the op's output."""
    if a.dtype.itemsize < 4:
        y = _run(function, a.astype(np.float32), b.astype(np.float32), geometry, shape, None,
                 data_format)
        if out is None:
            return y.astype(a.dtype)
        out[...] = y
        return out
    result = np.empty(shape, a.dtype) if out is None else out
    target = conv_geometry.channels_last(result, data_format) if data_format else result
    function(a, b, geometry, target)
    return result


class DepthwiseConv2dNative(Op):
    """Convolves each channel of images with its own filters."""

    signature = 'input: T, filter: T -> output: T'
    types = {'T': FLOATS}
    attrs = _ATTRS
    partial_rank = True

    def shape(input, filter, *, strides, padding, data_format, dilations):
        return _result(input, filter, strides, padding, data_format, dilations)[0]

    def kernel(input, filter, out=None, *, strides, padding, data_format, dilations):
        shape, geometry = _result(input.shape, filter.shape, strides, padding, data_format,
                                  dilations)
        return _run(_convolve, conv_geometry.channels_last(input, data_format), filter, geometry,
                    shape, out, data_format)

    def gradient(op, dy):
        x, filter = op.inputs
        return (DepthwiseConv2dNativeBackpropInput.apply(constants.shape(x), filter, dy,
                                                         **op.attrs),
                DepthwiseConv2dNativeBackpropFilter.apply(x, constants.shape(filter), dy,
                                                          **op.attrs))


class DepthwiseConv2dNativeBackpropInput(Op):
    """The gradient for the input."""

    signature = 'input_sizes: int32, filter: T, out_backprop: T -> output: T'
    types = {'T': FLOATS}
    attrs = _ATTRS
    static = {'input_sizes': 1}
    partial_rank = True

    def shape(input_sizes, filter, out_backprop, *, strides, padding, data_format, dilations):
        _geometry(out_backprop, input_sizes, filter, strides, padding, data_format,
                  dilations)
        return (None,) * 4 if input_sizes is None else input_sizes

    def kernel(input_sizes, filter, out_backprop, out=None, *, strides, padding, data_format,
               dilations):
        geometry = _geometry(out_backprop.shape, input_sizes, filter.shape, strides, padding,
                             data_format, dilations)
        return _run(_to_input, filter, conv_geometry.channels_last(out_backprop, data_format),
                    geometry, input_sizes, out, data_format)

    def gradient(op, ddx):
        _, filter, dy = op.inputs
        return (None, DepthwiseConv2dNativeBackpropFilter.apply(ddx, constants.shape(filter), dy,
                                                                **op.attrs),
                DepthwiseConv2dNative.apply(ddx, filter, **op.attrs))


class DepthwiseConv2dNativeBackpropFilter(Op):
    """The gradient for the filter."""

    signature = 'input: T, filter_sizes: int32, out_backprop: T -> output: T'
    types = {'T': FLOATS}
    attrs = _ATTRS
    static = {'filter_sizes': 1}
    partial_rank = True

    def shape(input, filter_sizes, out_backprop, *, strides, padding, data_format, dilations):
        _geometry(out_backprop, input, filter_sizes, strides, padding, data_format,
                  dilations)
        return (None,) * 4 if filter_sizes is None else filter_sizes

    def kernel(input, filter_sizes, out_backprop, out=None, *, strides, padding, data_format,
               dilations):
        geometry = _geometry(out_backprop.shape, input.shape, filter_sizes, strides, padding,
                             data_format, dilations)
        return _run(_to_filter, conv_geometry.channels_last(input, data_format),
                    conv_geometry.channels_last(out_backprop, data_format), geometry,
                    filter_sizes, out)

    def gradient(op, dfilter):
        x, _, dy = op.inputs
        return (DepthwiseConv2dNativeBackpropInput.apply(constants.shape(x), dfilter, dy,
                                                         **op.attrs), None,
                DepthwiseConv2dNative.apply(x, dfilter, **op.attrs))


# ---- public functions ----------------------------------------------------------------------

def depthwise_conv2d_native(input, filter, strides, padding, data_format='NHWC',
                            dilations=[1, 1, 1, 1], name=None):  # noqa: B006 - TF's signature
    """Convolves each channel of images with its own filters (strides need not be equal).

    Shapes: input [batch, height, width, channels], filter [height, width, channels, multiplier] ->
    [batch, height, width, channels * multiplier].
    """
    return DepthwiseConv2dNative.apply(
        input, filter, strides=integers(strides, 'strides'), padding=padding,
        data_format='NHWC' if data_format is None else data_format,
        dilations=integers(dilations, 'dilations'), name=name)


def depthwise_conv2d_native_backprop_input(input_sizes, filter, out_backprop, strides, padding,
                                           data_format='NHWC',
                                           dilations=[1, 1, 1, 1],  # noqa: B006 - TF's signature
                                           name=None):
    """The gradient of sum(out_backprop * depthwise_conv2d_native(x, filter)) for x.

    Shapes: input_sizes [4], filter [height, width, channels, multiplier], out_backprop [batch,
    height, width, channels * multiplier] -> input_sizes.
    """
    return DepthwiseConv2dNativeBackpropInput.apply(
        input_sizes, filter, out_backprop, strides=integers(strides, 'strides'), padding=padding,
        data_format=data_format, dilations=integers(dilations, 'dilations'), name=name)


def depthwise_conv2d_native_backprop_filter(input, filter_sizes, out_backprop, strides, padding,
                                            data_format='NHWC',
                                            dilations=[1, 1, 1, 1],  # noqa: B006 - TF's signature
                                            name=None):
    """The gradient of sum(out_backprop * depthwise_conv2d_native(input, filter)) for the filter.

    Shapes: input [batch, height, width, channels], filter_sizes [4], out_backprop [batch, height,
    width, channels * multiplier] -> filter_sizes.
    """
    return DepthwiseConv2dNativeBackpropFilter.apply(
        input, filter_sizes, out_backprop, strides=integers(strides, 'strides'), padding=padding,
        data_format=data_format, dilations=integers(dilations, 'dilations'), name=name)


depthwise_conv2d_backprop_input = depthwise_conv2d_native_backprop_input
depthwise_conv2d_backprop_filter = depthwise_conv2d_native_backprop_filter

__all__ = ['depthwise_conv2d_backprop_filter', 'depthwise_conv2d_backprop_input',
           'depthwise_conv2d_native', 'depthwise_conv2d_native_backprop_filter',
           'depthwise_conv2d_native_backprop_input']
