"""Dilated (atrous) convolution and pooling by space_to_batch; tf.nn.convolution, pool, ...

A kernel dilated by `rate` uses only every rate-th pixel. Those pixels form a smaller image, so a
dilated convolution equals a plain one of rate * rate such images. TF builds its graphs in this way,
and the nodes here are the same.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, joining, shaping
from tinyflow.ops.conv import space_to_batch
from tinyflow.ops.conv.convolution import Conv2DBackpropInput, Conv3D
from tinyflow.ops.conv.convolution_functions import (
    channels_first,
    conv1d,
    conv2d,
    conv2d_transpose,
    for_each_axis,
    integers,
)
from tinyflow.ops.conv.depthwise import depthwise_conv2d_native
from tinyflow.ops.conv.pooling_functions import avg_pool, avg_pool3d, max_pool, max_pool3d
from tinyflow.ops.support.arguments import renamed

# ---- space to batch, op, batch to space --------------------------------------------------------

def with_space_to_batch(input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None,
                        data_format=None):
    """op(x, number of spatial axes, padding), on sub-images of every dilation_rate-th pixel.

    Shapes: input [batch, *a], dilation_rate [n], filter_shape [n or more] -> the results of op, in
    the order of the input's pixels. spatial_dims are the n axes, 1 to n if not given; filter_shape
    is needed for padding 'SAME'. ValueError for a rate below 1.
    """
    input = convert_to_tensor(input, name='input')
    rates = convert_to_tensor(dilation_rate, dtypes.int32, 'dilation_rate')
    if not shapes.known(rates.raw_shape) or len(rates.raw_shape) != 1:
        raise misuse(ValueError('rate must be rank 1, and its length be known while the graph is '
                                'built'))
    axes = rates.raw_shape[0]
    spatial_dims = _spatial_dims(spatial_dims, axes, data_format)
    if input.raw_shape is not None and len(input.raw_shape) <= spatial_dims[-1]:
        raise misuse(ValueError(report(
            f'Shape {shapes.text(input.raw_shape)} must have rank at least {spatial_dims[-1] + 1}',
            inputs=[('input', input)])))
    known = constant_value(rates)
    if known is not None and (known < 1).any():
        raise misuse(ValueError('dilation_rate must be positive'))
    if known is not None and (known == 1).all():
        return op(input, axes, padding)
    base = _base_paddings(padding, filter_shape, axes, rates if known is None else known)
    paddings, crops = space_to_batch.required_space_to_batch_paddings(
        _sizes(input, spatial_dims), rates, base)
    rates, paddings, crops = (_for_all_axes(v, fill, spatial_dims)
                              for v, fill in ((rates, 1), (paddings, 0), (crops, 0)))
    result = op(space_to_batch.space_to_batch_nd(input, rates, paddings), axes, 'VALID')
    return space_to_batch.batch_to_space_nd(result, rates, crops)


def _spatial_dims(given, axes, data_format):
    start = 2 if channels_first(data_format) else 1
    if given is None:
        return list(range(start, start + axes))
    dims = [int(d) for d in given]
    if dims != sorted(set(dims)) or any(d < 1 for d in dims):
        raise misuse(ValueError('spatial_dims must be a monotonically increasing sequence of '
                                f'positive integers, not {list(given)}'))
    return dims


def _base_paddings(padding, filter_shape, axes, rates):
    """The padding that 'SAME' adds for a dilated kernel; none for 'VALID'."""
    if padding == 'VALID':
        return np.zeros([axes, 2], np.int32)
    if padding != 'SAME':
        raise misuse(ValueError(f"Invalid padding method {padding!r}: 'SAME' or 'VALID'"))
    if filter_shape is None:
        raise misuse(ValueError('filter_shape must be specified for SAME padding'))
    kernel = convert_to_tensor(filter_shape, name='filter_shape')
    known = constant_value(kernel)
    extra = ((kernel if known is None else known)[:axes] - 1) * rates
    before = extra // 2
    after = extra - before
    return joining.stack([[before[i], after[i]] for i in range(axes)])


def _sizes(input, spatial_dims):
    """The sizes of the spatial axes: numbers if all are known, else a tensor."""
    if input.raw_shape is not None:
        sizes = [input.raw_shape[d] for d in spatial_dims]
        if None not in sizes:
            return sizes
    sizes = constants.shape(input)
    return joining.stack([sizes[d] for d in spatial_dims])


def _for_all_axes(values, fill, spatial_dims):
    """Entries for the spatial axes, with `fill` for the other axes between them.

    An array if the values are known; space_to_batch takes entries from axis 1 on.
    """
    known = constant_value(values)
    values = values if known is None else known
    rest = list(values.shape[1:]) if known is not None else list(values.raw_shape[1:])
    parts, previous, i = [], 0, 0
    while i < len(spatial_dims):
        start = i
        if spatial_dims[start] > 1:
            parts.append(np.full([spatial_dims[start] - 1 - previous, *rest], fill, np.int32))
        while i + 1 < len(spatial_dims) and spatial_dims[i + 1] == spatial_dims[i] + 1:
            i += 1
        parts.append(values[start:i + 1])
        previous = spatial_dims[i]
        i += 1
    return joining.concat(parts, 0) if known is None else np.concatenate(parts)


# ---- convolutions ------------------------------------------------------------------------------

def convolution(input, filter=None, padding=None, strides=None, dilation_rate=None, name=None,
                data_format=None, filters=None, dilations=None):
    """N-D convolution of sequences, images or volumes, by the rank of the filter.

    Shapes: input [batch, *sizes, in], filter [*kernel, in, out] -> [batch, *positions, out];
    data_format 'NC...' has the channels as axis 1. Strides and dilation rates, one for each
    spatial axis, must not both be larger than 1. `filters` and `dilations` are the newer names of
    filter and dilation_rate.
    """
    filter = renamed('filters', filters, 'filter', filter)
    dilation_rate = renamed('dilations', dilations, 'dilation_rate', dilation_rate)
    with name_scope(name, 'convolution', [input, filter]) as scope:
        input = convert_to_tensor(input, name='input')
        filter = convert_to_tensor(filter, name='filter')
        axes = _number_of_axes(input, filter)
        first = channels_first(data_format)
        strides = for_each_axis(strides, axes, first, 'strides')
        rates = for_each_axis(dilation_rate, axes, first, 'dilation_rate')
        if min(rates) < 1:
            raise misuse(ValueError('all values of dilation_rate must be positive'))
        if set(rates) == {1}:
            return _plain(input, filter, axes, strides, padding, data_format, scope)
        if max(strides) > 1:
            raise misuse(ValueError(
                'strides > 1 not supported in conjunction with dilation_rate > 1'))
        rates = rates[2:] if first else rates[1:-1]
        return with_space_to_batch(
            input, np.array(rates, np.int32), padding,
            lambda x, _, padding: _plain(x, filter, axes, strides, padding, data_format, scope),
            _sizes_of(filter), data_format=data_format)


def _sizes_of(filter):
    """The sizes of a filter: numbers if they are known, else nodes."""
    known = filter.raw_shape
    return np.array(known, np.int32) if shapes.known(known) else constants.shape(filter)


def _number_of_axes(input, filter):
    for tensor in (filter, input):
        if tensor.raw_shape is not None:
            axes = len(tensor.raw_shape) - 2
            if axes not in (1, 2, 3):
                raise misuse(ValueError(report(
                    f'input tensor must have rank 3, 4, or 5, not {axes + 2}',
                    inputs=[('input', input), ('filter', filter)])))
            return axes
    raise misuse(ValueError(report('rank of input or filter must be known',
                                   inputs=[('input', input), ('filter', filter)])))


def _plain(input, filter, axes, strides, padding, data_format, name):
    """A convolution without dilation, by the op for that number of spatial axes."""
    if axes == 1:
        return conv1d(input, filter, strides, padding, data_format=data_format, name=name)
    if axes == 2:
        return conv2d(input, filter, strides, padding, data_format=data_format or 'NHWC',
                      name=name)
    return Conv3D.apply(input, filter, strides=strides, padding=padding,
                        data_format=data_format or 'NDHWC', name=name)


def atrous_conv2d(value, filters, rate, padding, name=None):
    """Atrous convolution: a filter whose elements are `rate` pixels apart.

    Shapes: value [batch, height, width, in], filters [height, width, in, out] -> [batch, height,
    width, out], less (kernel - 1) * rate for padding 'VALID'.
    """
    return convolution(value, filters, padding,
                       dilation_rate=np.broadcast_to(rate, (2,)).tolist(), name=name)


def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """Transposed `atrous_conv2d` (its gradient for the value).

    Shapes: value [batch, height, width, in], filters [height, width, out, in], output_shape [4] ->
    output_shape.
    """
    with name_scope(name, 'atrous_conv2d_transpose', [value, filters, output_shape]):
        value = convert_to_tensor(value, name='value')
        filters = convert_to_tensor(filters, name='filters')
        if rate < 1:
            raise misuse(ValueError(f'rate {rate} cannot be less than one'))
        if rate == 1:
            return conv2d_transpose(value, filters, output_shape, [1, 1, 1, 1], padding)
        _check_channels(value, filters)
        output_shape = convert_to_tensor(output_shape, name='output_shape')
        kernel = filters.raw_shape
        if not shapes.known(kernel):
            raise misuse(ValueError(report('The sizes of the filters must be known.',
                                           inputs=[('filters', filters)])))
        if padding not in ('SAME', 'VALID'):
            raise misuse(ValueError(f"padding must be either VALID or SAME: {padding!r}"))
        return _transposed_atrous(value, filters, output_shape, rate, padding == 'SAME')


def _check_channels(value, filters):
    value_channels = value.raw_shape and value.raw_shape[-1]
    filter_channels = filters.raw_shape and filters.raw_shape[-1]
    if None not in (value_channels, filter_channels) and value_channels != filter_channels:
        raise misuse(ValueError(report(
            'value\'s input channels does not match filters\' input channels, '
            f'{value_channels} != {filter_channels}',
            inputs=[('value', value), ('filters', filters)])))


def _transposed_atrous(value, filters, output_shape, rate, same):
    extra = [(k - 1) * (rate - 1) + k - 1 for k in filters.raw_shape[:2]]
    before = [e // 2 if same else 0 for e in extra]
    after = [e - b if same else 0 for e, b in zip(extra, before)]
    known = constant_value(output_shape)
    sizes = output_shape if known is None else known.tolist()
    padded = [sizes[1 + i] + before[i] + after[i] for i in range(2)]
    missing = [(rate - size % rate) % rate for size in padded]
    parts = space_to_batch.space_to_batch_nd(
        value, np.array([rate, rate], np.int32),
        [[0, missing[0]], [0, missing[1]]])
    input_sizes = [rate * rate * sizes[0], (padded[0] + missing[0]) // rate,
                   (padded[1] + missing[1]) // rate, sizes[3]]
    result = Conv2DBackpropInput.apply(input_sizes, filters, parts, strides=(1, 1, 1, 1),
                                       padding='VALID')
    crops = [[before[i], after[i] + missing[i]] for i in range(2)]
    return space_to_batch.batch_to_space_nd(result, np.array([rate, rate], np.int32), crops)


# ---- depthwise ---------------------------------------------------------------------------------

def _depthwise(input, filter, strides, padding, rate, data_format, name):
    """A depthwise convolution with filters dilated by `rate`."""
    rate = [1, 1] if rate is None else rate
    return with_space_to_batch(
        input, rate, padding,
        lambda x, _, padding: depthwise_conv2d_native(x, filter, strides, padding, data_format,
                                                      name=name),
        constants.shape(filter), data_format=data_format)


def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None,
                     dilations=None):
    """Convolves each channel of images with its own filters.

    Shapes: input [batch, height, width, channels], filter [height, width, channels, multiplier] ->
    [batch, height, width, channels * multiplier]. `dilations` is the newer name of rate.
    """
    rate = renamed('dilations', dilations, 'rate', rate)
    with name_scope(name, 'depthwise', [input, filter]) as scope:
        input = convert_to_tensor(input, name='tensor_in')
        filter = convert_to_tensor(filter, name='filter_in')
        return _depthwise(input, filter, strides, padding, rate, data_format, scope)


def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, rate=None,
                     name=None, data_format=None, dilations=None):
    """A depthwise convolution followed by a pointwise (1x1) one that mixes the channels.

    Shapes: input [batch, height, width, channels], depthwise_filter [height, width, channels,
    multiplier], pointwise_filter [1, 1, channels * multiplier, out] -> [batch, height, width, out].
    `dilations` is the newer name of rate.
    """
    rate = renamed('dilations', dilations, 'rate', rate)
    with name_scope(name, 'separable_conv2d', [input, depthwise_filter, pointwise_filter]) as scope:
        input = convert_to_tensor(input, name='tensor_in')
        depthwise_filter = convert_to_tensor(depthwise_filter, name='depthwise_filter')
        pointwise_filter = convert_to_tensor(pointwise_filter, name='pointwise_filter')
        if not shapes.compatible(pointwise_filter.raw_shape, (1, 1, None, None)):
            raise misuse(ValueError(report(
                'pointwise_filter must be [1, 1, channels * multiplier, out].',
                inputs=[('pointwise_filter', pointwise_filter)])))
        apart = _depthwise(input, depthwise_filter, strides, padding, rate, data_format,
                           'depthwise')
        return conv2d(apart, pointwise_filter, [1, 1, 1, 1], 'VALID',
                      data_format=data_format, name=scope)


# ---- pooling -----------------------------------------------------------------------------------

_POOLS = {('MAX', 1): max_pool, ('MAX', 2): max_pool, ('MAX', 3): max_pool3d,
          ('AVG', 1): avg_pool, ('AVG', 2): avg_pool, ('AVG', 3): avg_pool3d}


def pool(input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None,
         data_format=None, dilations=None):
    """Max or average pooling of sequences, images or volumes, with optional dilation.

    Shapes: input [batch, *sizes, channels], window_shape [n] -> [batch, *positions, channels];
    data_format 'NC...' has the channels as axis 1. `dilations` is the newer name of dilation_rate.
    """
    rates = renamed('dilations', dilations, 'dilation_rate', dilation_rate)
    with name_scope(name, f'{pooling_type.lower()}_pool', [input]) as scope:
        input = convert_to_tensor(input, name='input')
        axes = len(window_shape)
        if not 1 <= axes <= 3:
            raise misuse(ValueError('It is required that 1 <= num_spatial_dims <= 3.'))
        if input.raw_shape is not None and len(input.raw_shape) != axes + 2:
            raise misuse(ValueError(report(
                f'Shape {shapes.text(input.raw_shape)} must have rank {axes + 2}',
                inputs=[('input', input)], hint='window_shape has an entry for each axis between '
                                                'the batch and the channels.')))
        strides = _entries(strides, axes, 'strides')
        rates = _entries(rates, axes, 'dilation_rate')
        _check_pool(window_shape, padding, strides, rates)
        if (pooling_type, axes) not in _POOLS:
            raise misuse(ValueError(f"{axes}-D {pooling_type} pooling is not supported; 'MAX' and "
                                    "'AVG' are."))
        function = _POOLS[pooling_type, axes]
        return with_space_to_batch(
            input, np.array(rates, np.int32), padding,
            lambda x, _, padding: _one_pool(function, x, axes, window_shape, strides, padding,
                                            data_format, scope),
            window_shape, range(2, axes + 2) if channels_first(data_format) else range(1, axes + 1))


def _entries(values, axes, label):
    values = [1] * axes if values is None else list(integers(values, label))
    if len(values) != axes:
        raise misuse(ValueError(f'len({label})={len(values)} but should be {axes}'))
    if min(values) < 1:
        raise misuse(ValueError(f'all values of {label} must be positive'))
    return values


def _check_pool(window_shape, padding, strides, rates):
    if max(rates) > 1 and max(strides) > 1:
        raise misuse(ValueError('strides > 1 not supported in conjunction with dilation_rate > 1'))
    if padding == 'SAME' and max(rates) > 1:
        raise misuse(ValueError(
            'pooling with SAME padding is not implemented for dilation_rate > 1'))
    if any(s > w for s, w in zip(strides, window_shape)):
        raise misuse(ValueError('strides > window_shape not supported due to inconsistency between '
                                'CPU and GPU implementations'))


def _one_pool(function, input, axes, window_shape, strides, padding, data_format, name):
    """Pooling without dilation; sequences are pooled as images of height 1."""
    first = channels_first(data_format)
    ksize, steps = ([1, 1, *v] if first else [1, *v, 1] for v in (window_shape, strides))
    if axes > 1:
        formats = {2: ('NHWC', 'NCHW'), 3: ('NDHWC', 'NCDHW')}[axes]
        return function(input, ksize, steps, padding, data_format or formats[first], name=name)
    axis = 2 if first else 1
    images = shaping.expand_dims(input, axis)
    result = function(images, [1, *ksize], [1, *steps], padding, 'NCHW' if first else 'NHWC',
                      name=name)
    return shaping.squeeze(result, [axis])


__all__ = ['atrous_conv2d', 'atrous_conv2d_transpose', 'convolution', 'depthwise_conv2d', 'pool',
           'separable_conv2d', 'with_space_to_batch']
