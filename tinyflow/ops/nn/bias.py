"""BiasAdd: adds a vector along the channel axis; bias_add, xw_plus_b and relu_layer."""
from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import NUMBERS
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import OpFailure, misuse, report
from tinyflow.ops.array import constants
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.nn import activations
from tinyflow.ops.support.axis_sums import add_reduce, is_product


def _channel_axis(rank, data_format):
    return 1 if data_format == 'NCHW' else rank - 1


def _along_channels(bias, rank, data_format):
    """bias [channels], reshaped to broadcast along the channel axis."""
    if data_format == 'NCHW' and rank > 2:
        return bias.reshape((-1,) + (1,) * (rank - 2))
    return bias


class BiasAdd(Op):
    """value + bias, with one bias per channel."""

    signature = 'value: T, bias: T -> output: T'
    types = {'T': NUMBERS}
    attrs = {'data_format': 'NHWC'}
    overwrites = (0,)
    partial_rank = True

    def shape(value, bias, *, data_format):
        if bias is not None and len(bias) != 1:
            raise ValueError(f'Shape must be rank 1 but is rank {len(bias)}: the bias is a vector '
                             'with one number per channel')
        if value is None:
            return None
        if len(value) < 2:
            raise OpFailure(f'Shape must be at least rank 2 but is rank {len(value)}',
                            '[batch, ..., channels]; plain + adds two vectors.')
        if bias is None:
            return value
        axis = _channel_axis(len(value), data_format)
        value_channels, bias_channels = value[axis], bias[0]
        if None not in (value_channels, bias_channels) and value_channels != bias_channels:
            raise OpFailure(f'Dimensions must be equal, but are {value_channels} and '
                            f'{bias_channels}',
                            f'axis {axis} of the value has {value_channels} channels, the bias '
                            f'{bias_channels}.')
        channels = bias_channels if value_channels is None else value_channels
        return value[:axis] + (channels,) + value[axis + 1:]

    def kernel(value, bias, out=None, *, data_format):
        if bias.ndim != 1:
            raise ValueError(f'Biases must be 1D: {shapes.text(bias.shape)}')
        axis = _channel_axis(value.ndim, data_format)
        if value.ndim < 2 or value.shape[axis] != len(bias):
            raise ValueError(f'Must provide as many biases as the last dimension of the input '
                             f'tensor: {shapes.text(bias.shape)} vs. {shapes.text(value.shape)}')
        return np.add(value, _along_channels(bias, value.ndim, data_format), out)

    def emit(call):
        value, bias = call.inputs
        if call.attrs['data_format'] == 'NCHW' or not value.known_shape \
                or len(value.raw_shape) < 2 or bias.raw_shape != value.raw_shape[-1:]:
            return None
        return f'np.add({call.args[0]}, {call.args[1]}, {call.out})'

    def gradient(op, dy):
        return dy, BiasAddGrad.apply(dy, data_format=op.attrs['data_format'])


class BiasAddGrad(Op):
    """The sum over all axes except the channel axis."""

    signature = 'out_backprop: T -> output: T'
    types = {'T': NUMBERS}
    attrs = {'data_format': 'NHWC'}
    partial_rank = True

    def shape(dy, *, data_format):
        if dy is None:
            return (None,)
        if len(dy) < 2:
            raise ValueError(f'Shape must be at least rank 2 but is rank {len(dy)}')
        return (dy[_channel_axis(len(dy), data_format)],)

    def kernel(dy, out=None, *, data_format):
        if _channel_axis(dy.ndim, data_format) == dy.ndim - 1:
            return _column_sums(dy.reshape(-1, dy.shape[-1]), out)
        return np.einsum('ijk->j', dy.reshape(*dy.shape[:2], -1), out=out)

    def emit(call):
        dy, = call.inputs
        if not dy.known_shape or len(dy.sizes) != 2 or dy.sizes[1] < _NARROW \
                or math.prod(dy.sizes) <= _ONE_THREAD or is_product(dy.dtype.np, dy.sizes, 0):
            return None
        return f'np.add.reduce({call.args[0]}, 0, None, {call.out})'

    def gradient(op, ddy):
        dy, data_format = op.inputs[0], op.attrs['data_format']
        # The bias's gradient, broadcast to every position that it was added to.
        return BiasAdd.apply(constants.zeros_like(dy), ddy, data_format=data_format)


# OpenBLAS computes a product of up to this many elements in one thread. More threads would sum in
# another order, and results must not depend on the number of threads.
_ONE_THREAD = 9000
_NARROW = 128


def _column_sums(x, out):
    """x [rows, columns] -> [columns], by the fastest method for its size."""
    if x.size <= _ONE_THREAD and x.dtype.kind == 'f' and x.itemsize >= 4:
        return np.matmul(_ones(len(x), x.dtype), x, out)
    if x.shape[1] < _NARROW and not is_product(x.dtype, x.shape, 0):
        return np.einsum('ij->j', x, out=out)
    return add_reduce(x, 0, out)


@lru_cache(maxsize=64)
def _ones(count, dtype):
    return np.ones(count, dtype)


def bias_add(value, bias, data_format=None, name=None):
    """value + bias, the same bias for all positions of a channel.

    Shapes: value [batch, *a, channels], bias [channels] -> as value; with data_format 'NC...' the
    channels are axis 1. ValueError if the numbers of channels differ.
    """
    with name_scope(name, 'BiasAdd', [value, bias]) as scope:
        value = convert_to_tensor(value, name='input')
        data_format = _canonical(data_format, value)
        bias = convert_to_tensor(bias, value.dtype.base_dtype, 'bias')
        return BiasAdd.apply(value, bias, data_format=data_format, name=scope)


def _canonical(data_format, value):
    """'NHWC' or 'NCHW' for any of 'NC', 'NWC', 'NDHWC', 'NCW' ..."""
    if data_format is None or data_format in ('NHWC', 'NDHWC', 'NWC', 'NC'):
        return 'NHWC'
    if isinstance(data_format, str) and data_format.startswith('NC'):
        return 'NCHW'
    if isinstance(data_format, str) and data_format.startswith('N') and data_format.endswith('C'):
        return 'NHWC'
    raise misuse(ValueError(report(
        f'BiasAdd: data_format must be of the form `N...C` or `NC...`, not {data_format!r}.',
        inputs=[('value', value)])))


def xw_plus_b(x, weights, biases, name=None):
    """matmul(x, weights) + biases.

    Shapes: x [batch, in], weights [in, out], biases [out] -> [batch, out].
    """
    with name_scope(name, 'xw_plus_b', [x, weights, biases]) as scope:
        x = convert_to_tensor(x, name='x')
        weights = convert_to_tensor(weights, name='weights')
        biases = convert_to_tensor(biases, name='biases')
        return bias_add(matmul(x, weights), biases, name=scope)


def relu_layer(x, weights, biases, name=None):
    """relu(matmul(x, weights) + biases).

    Shapes: x [batch, in], weights [in, out], biases [out] -> [batch, out].
    """
    with name_scope(name, 'relu_layer', [x, weights, biases]) as scope:
        x = convert_to_tensor(x, name='x')
        weights = convert_to_tensor(weights, name='weights')
        biases = convert_to_tensor(biases, name='biases')
        return activations.relu(bias_add(matmul(x, weights), biases), name=scope)


__all__ = ['bias_add', 'relu_layer', 'xw_plus_b']
