"""Max and average pooling ops in two and three dimensions, and their gradients."""
from __future__ import annotations

from functools import lru_cache

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.dtypes import FLOATS, INDEX, REAL
from tinyflow.graph.op import REQUIRED, Op, nodes
from tinyflow.ops.array import constants
from tinyflow.ops.conv import conv_geometry, nan_pooling, pooling_kernels

_ATTRS_2D = {'ksize': REQUIRED, 'strides': REQUIRED, 'padding': REQUIRED, 'data_format': 'NHWC'}
_ATTRS_3D = {**_ATTRS_2D, 'data_format': 'NDHWC'}


@lru_cache(maxsize=1024)
def _result(input, ksize, strides, padding, data_format, over_channels=False):
    """(output shape, `Windows` or None) for the shape of the input.

    With `over_channels` windows may span channels, which then count as one more spatial axis. The
    length of `ksize` must be the rank of the data. ValueError if the sizes are incompatible.
    """
    rank = 5 if 'D' in data_format else 4
    conv_geometry.check_format(data_format, rank)
    conv_geometry.check_padding(padding)
    kernel = conv_geometry.spatial(ksize, data_format, 'ksize', rank, over_channels)
    steps = conv_geometry.spatial(strides, data_format, 'strides', rank, over_channels)
    conv_geometry.check_rank('input', input, rank)
    input = (None,) * rank if input is None else conv_geometry.last_shape(input, data_format)
    sizes, channels = input[1:-1], input[-1]
    if over_channels and _pools_channels(ksize, strides, data_format):
        axis = 1 if conv_geometry.channels_first(data_format) else -1
        kernel, steps, sizes = (*kernel, ksize[axis]), (*steps, strides[axis]), (*sizes, channels)
    ones = (1,) * len(kernel)
    positions = conv_geometry.positions(sizes, kernel, steps, ones, padding, label='a window')
    geometry = None if None in sizes else conv_geometry.windows(sizes, kernel, steps, ones, padding)
    result = (input[0], *positions, channels)[:rank]
    return conv_geometry.from_last_shape(result, data_format), geometry


def _pools_channels(ksize, strides, data_format):
    axis = 1 if conv_geometry.channels_first(data_format) else -1
    return (ksize[axis], strides[axis]) != (1, 1)


def _to_kernel_layout(x, geometry, data_format):
    """x with channels last; if windows span channels, these become a spatial axis, followed by a
    new channel axis of size 1."""
    x = conv_geometry.channels_last(x, data_format)
    return x[..., None] if x is not None and len(geometry.kernel) == x.ndim - 1 else x


def _run(function, arrays, shape, geometry, data_format, out):
    """Runs function(*arrays, geometry, out), channels last; returns the op's data format."""
    arrays = [_to_kernel_layout(a, geometry, data_format) for a in arrays]
    result = out
    if out is None:
        result = np.empty(shape, arrays[-1].dtype)
    function(*arrays, geometry, _to_kernel_layout(result, geometry, data_format))
    return result


def _check_same(label, shape, expected):
    if not shapes.compatible(shape, expected):
        raise ValueError(f'{label} must have the shape {shapes.text(expected)}, not '
                         f'{shapes.text(shape)}')


def _attrs(op, *names):
    return {k: op.attrs[k] for k in ('ksize', 'strides', 'padding', 'data_format', *names)
            if k in op.attrs}


# ---- max pooling -------------------------------------------------------------------------------

class _MaxPool(Op, abstract=True):
    signature = 'input: T -> output: T'
    types = {'T': REAL}
    partial_rank = True

    def shape(input, *, ksize, strides, padding, data_format):
        return _result(input, ksize, strides, padding, data_format, True)[0]

    def kernel(input, out=None, *, ksize, strides, padding, data_format):
        shape, geometry = _result(input.shape, ksize, strides, padding, data_format, True)
        return _run(nan_pooling.max_pool, [input], shape, geometry, data_format, out)

    def gradient(op, dy):
        backward = getattr(nodes, op.type + 'Grad')
        return backward(op.inputs[0], op.outputs[0], dy, **_attrs(op))


class _MaxPoolGrad(Op, abstract=True):
    signature = 'orig_input: T, orig_output: T, grad: T -> output: T'
    types = {'T': REAL}
    partial_rank = True

    def shape(orig_input, orig_output, grad, *, ksize, strides, padding, data_format):
        pools = _result(orig_input, ksize, strides, padding, data_format, True)[0]
        _check_same('orig_output', orig_output, pools)
        _check_same('grad', grad, pools)
        return orig_input

    def kernel(orig_input, orig_output, grad, out=None, *, ksize, strides, padding, data_format):
        pools, geometry = _result(orig_input.shape, ksize, strides, padding, data_format, True)
        _check_same('orig_output', orig_output.shape, pools)
        _check_same('grad', grad.shape, pools)
        return _run(nan_pooling.max_pool_gradient, [orig_input, orig_output, grad],
                    orig_input.shape, geometry, data_format, out)

    def gradient(op, ddx):
        # The argmax does not depend on small changes of the input.
        x, y, _ = op.inputs
        backward = getattr(nodes, op.type + 'Grad')
        return (constants.zeros_like(x), constants.zeros_like(y),
                backward(x, y, ddx, **_attrs(op)))


class _MaxPoolGradGrad(Op, abstract=True):
    signature = 'orig_input: T, orig_output: T, grad: T -> output: T'
    types = {'T': REAL}
    partial_rank = True

    def shape(orig_input, orig_output, grad, *, ksize, strides, padding, data_format):
        pools = _result(orig_input, ksize, strides, padding, data_format, True)[0]
        _check_same('orig_output', orig_output, pools)
        _check_same('grad', grad, orig_input)
        return shapes.merge(pools, orig_output)

    def kernel(orig_input, orig_output, grad, out=None, *, ksize, strides, padding, data_format):
        pools, geometry = _result(orig_input.shape, ksize, strides, padding, data_format, True)
        _check_same('orig_output', orig_output.shape, pools)
        _check_same('grad', grad.shape, orig_input.shape)
        return _run(pooling_kernels.max_pool_gradient_gradient, [orig_input, orig_output, grad],
                    pools, geometry, data_format, out)

    def gradient(op, dddy):
        x, y, _ = op.inputs
        backward = getattr(nodes, op.type[:-len('Grad')])
        return (constants.zeros_like(x), constants.zeros_like(y),
                backward(x, y, dddy, **_attrs(op)))


class MaxPool(_MaxPool):
    """The largest element of each window of images."""

    attrs = _ATTRS_2D


class MaxPoolGrad(_MaxPoolGrad):
    attrs = _ATTRS_2D


class MaxPoolGradGrad(_MaxPoolGradGrad):
    attrs = _ATTRS_2D


class MaxPool3D(_MaxPool):
    """The largest element of each window of volumes."""

    types = {'T': FLOATS}
    attrs = _ATTRS_3D


class MaxPool3DGrad(_MaxPoolGrad):
    signature = 'orig_input: TInput, orig_output: TInput, grad: T -> output: T'
    types = {'T': FLOATS, 'TInput': FLOATS}
    attrs = _ATTRS_3D


class MaxPool3DGradGrad(_MaxPoolGradGrad):
    attrs = _ATTRS_3D


# ---- max pooling with argmax -------------------------------------------------------------------

_ATTRS_ARGMAX = {'ksize': REQUIRED, 'strides': REQUIRED, 'padding': REQUIRED,
                 'include_batch_in_index': False}


class MaxPoolWithArgmax(Op):
    """The largest element of each window, and its position in the flat image (or batch)."""

    signature = 'input: T -> output: T, argmax: Targmax'
    types = {'T': REAL, 'Targmax': INDEX}
    attrs = {**_ATTRS_ARGMAX, 'Targmax': dtypes.int64}
    partial_rank = True

    def shape(input, *, ksize, strides, padding):
        return [_result(input, ksize, strides, padding, 'NHWC')[0]] * 2

    def kernel(input, *, ksize, strides, padding, include_batch_in_index, Targmax):  # noqa: N803
        shape, geometry = _result(input.shape, ksize, strides, padding, 'NHWC')
        return pooling_kernels.arg_max_pool(
            input, geometry, np.empty(shape, input.dtype), np.empty(shape, Targmax.np),
            include_batch_in_index)

    def gradient(op, dy, dargmax):
        return MaxPoolGradWithArgmax.apply(op.inputs[0], dy, op.outputs[1],
                                           **_attrs(op, 'include_batch_in_index'))


class MaxPoolGradWithArgmax(Op):
    signature = 'input: T, grad: T, argmax: Targmax -> output: T'
    types = {'T': REAL, 'Targmax': INDEX}
    attrs = _ATTRS_ARGMAX
    partial_rank = True

    def shape(input, grad, argmax, *, ksize, strides, padding):
        pools = _result(input, ksize, strides, padding, 'NHWC')[0]
        _check_same('grad', grad, pools)
        _check_same('argmax', argmax, pools)
        return input

    def kernel(input, grad, argmax, *, ksize, strides, padding, include_batch_in_index):
        pools = _result(input.shape, ksize, strides, padding, 'NHWC')[0]
        _check_same('grad', grad.shape, pools)
        _check_same('argmax', argmax.shape, pools)
        return pooling_kernels.scattered(input.shape, grad, argmax, include_batch_in_index,
                                         grad.dtype)

    def gradient(op, ddx):
        x, _, argmax = op.inputs
        return (constants.zeros_like(x),
                MaxPoolGradGradWithArgmax.apply(x, ddx, argmax,
                                                **_attrs(op, 'include_batch_in_index')), None)


class MaxPoolGradGradWithArgmax(Op):
    signature = 'input: T, grad: T, argmax: Targmax -> output: T'
    types = {'T': REAL, 'Targmax': INDEX}
    attrs = _ATTRS_ARGMAX
    partial_rank = True

    def shape(input, grad, argmax, *, ksize, strides, padding):
        pools = _result(input, ksize, strides, padding, 'NHWC')[0]
        _check_same('grad', grad, input)
        _check_same('argmax', argmax, pools)
        return pools

    def kernel(input, grad, argmax, *, include_batch_in_index):
        return pooling_kernels.taken(grad, argmax, include_batch_in_index)

    def gradient(op, dddy):
        x, _, argmax = op.inputs
        return (constants.zeros_like(x),
                MaxPoolGradWithArgmax.apply(x, dddy, argmax,
                                            **_attrs(op, 'include_batch_in_index')), None)


# ---- average pooling----------------------------------------------------------------------------

class _AvgPool(Op, abstract=True):
    types = {'T': FLOATS}
    partial_rank = True

    def gradient(op, dy):
        backward = getattr(nodes, op.type + 'Grad')
        return backward(constants.shape(op.inputs[0]), dy, **_attrs(op))


class _AvgPoolGrad(Op, abstract=True):
    signature = 'orig_input_shape: int32, grad: T -> output: T'
    types = {'T': FLOATS}
    static = {'orig_input_shape': 1}
    partial_rank = True

    def shape(orig_input_shape, grad, *, ksize, strides, padding, data_format):
        rank = 5 if 'D' in data_format else 4
        if orig_input_shape is None:
            return (None,) * rank
        pools = _result(orig_input_shape, ksize, strides, padding, data_format)[0]
        _check_same('grad', grad, pools)
        return orig_input_shape

    def kernel(orig_input_shape, grad, out=None, *, ksize, strides, padding, data_format):
        pools, geometry = _result(orig_input_shape, ksize, strides, padding, data_format)
        _check_same('grad', grad.shape, pools)
        return _run(pooling_kernels.avg_pool_gradient, [grad], orig_input_shape, geometry,
                    data_format, out)

    def gradient(op, ddx):
        backward = getattr(nodes, op.type[:-len('Grad')])
        return None, backward(ddx, **_attrs(op))


class AvgPool(_AvgPool):
    """The mean of each window of images, counting only elements inside."""

    signature = 'value: T -> output: T'
    attrs = _ATTRS_2D

    def shape(value, *, ksize, strides, padding, data_format):
        return _result(value, ksize, strides, padding, data_format)[0]

    def kernel(value, out=None, *, ksize, strides, padding, data_format):
        shape, geometry = _result(value.shape, ksize, strides, padding, data_format)
        return _run(pooling_kernels.avg_pool, [value], shape, geometry, data_format, out)


class AvgPoolGrad(_AvgPoolGrad):
    attrs = _ATTRS_2D


class AvgPool3D(_AvgPool):
    """The mean of each window of volumes, counting only elements inside."""

    signature = 'input: T -> output: T'
    attrs = _ATTRS_3D

    def shape(input, *, ksize, strides, padding, data_format):
        return _result(input, ksize, strides, padding, data_format)[0]

    def kernel(input, out=None, *, ksize, strides, padding, data_format):
        shape, geometry = _result(input.shape, ksize, strides, padding, data_format)
        return _run(pooling_kernels.avg_pool, [input], shape, geometry, data_format, out)


class AvgPool3DGrad(_AvgPoolGrad):
    attrs = _ATTRS_3D


__all__: list[str] = []
