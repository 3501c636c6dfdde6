"""Convolutions of sequences, images and volumes, their transposes and separable ones.

`x` is [batch, *space, channels], or [batch, channels, *space] with data_format 'channels_first',
which is transposed before and after the op.
"""
from __future__ import annotations

import tinyflow as tf
from keras_layer.backend.channels import (
    are_channels_first,
    from_channels_last,
    to_channels_last,
    upper_padding,
)
from keras_layer.backend.shaping import temporal_padding
from tinyflow.graph.support.errors import misuse

__all__ = ['conv1d', 'conv2d', 'conv2d_transpose', 'conv3d', 'conv3d_transpose',
           'depthwise_conv2d', 'separable_conv1d', 'separable_conv2d']

_FORMATS = {1: 'NWC', 2: 'NHWC', 3: 'NDHWC'}


def _convolved(x, kernel, rank, strides, padding, first, dilation_rate):
    padding = upper_padding(padding)
    x = tf.nn.convolution(
        input=to_channels_last(x, rank, first), filter=kernel, padding=padding, strides=strides,
        dilation_rate=dilation_rate, data_format=_FORMATS[rank])
    return from_channels_last(x, rank, first)


def conv1d(x, kernel, strides=1, padding='valid', data_format=None, dilation_rate=1):
    """A convolution of sequences; with padding 'causal', of the present and the past only.

    Shapes: x [batch, steps, channels], kernel [width, channels, filters] ->
    [batch, windows, filters].
    """
    first = are_channels_first(data_format)
    if padding == 'causal':
        # As in TF 1.15, the middle axis is padded, whichever axis the channels are.
        x = temporal_padding(x, (dilation_rate * (kernel.shape.as_list()[0] - 1), 0))
        padding = 'valid'
    return _convolved(x, kernel, 1, strides, padding, first, dilation_rate)


def conv2d(x, kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)):
    """A convolution of images.

    Shapes: x [batch, height, width, channels], kernel [rows, columns, channels, filters] ->
    [batch, new height, new width, filters].
    """
    first = are_channels_first(data_format)
    return _convolved(x, kernel, 2, strides, padding, first, dilation_rate)


def conv3d(x, kernel, strides=(1, 1, 1), padding='valid', data_format=None,
           dilation_rate=(1, 1, 1)):
    """A convolution of volumes.

    Shapes: x [batch, depth, height, width, channels], kernel [planes, rows, columns, channels,
    filters] -> [batch, new depth, new height, new width, filters].
    """
    first = are_channels_first(data_format)
    return _convolved(x, kernel, 3, strides, padding, first, dilation_rate)


# ---- transposed --------------------------------------------------------------------------


def conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding='valid', data_format=None,
                     dilation_rate=(1, 1)):
    """Transposed convolution of images.

    Shapes: x [batch, height, width, channels], kernel [rows, columns, filters, channels] ->
    `output_shape`, whose batch may be None. ValueError for two different dilation rates.
    """
    first = are_channels_first(data_format)
    x = to_channels_last(x, 2, first)
    sizes = _output_sizes(x, output_shape, first)
    padding = upper_padding(padding)
    if tuple(dilation_rate) == (1, 1):
        x = tf.nn.conv2d_transpose(x, kernel, sizes, (1, *strides, 1), padding=padding)
    elif dilation_rate[0] != dilation_rate[1]:
        raise misuse(ValueError('conv2d_transpose needs the same dilation rate for rows and '
                                f'columns, not {tuple(dilation_rate)}.'))
    else:
        x = tf.nn.atrous_conv2d_transpose(x, kernel, sizes, rate=dilation_rate[0], padding=padding)
    return from_channels_last(x, 2, first)


def conv3d_transpose(x, kernel, output_shape, strides=(1, 1, 1), padding='valid',
                     data_format=None):
    """Transposed convolution of volumes.

    Shapes: x [batch, depth, height, width, channels], kernel [planes, rows, columns, filters,
    channels] -> `output_shape`, whose batch may be None.
    """
    first = are_channels_first(data_format)
    x = to_channels_last(x, 3, first)
    sizes = _output_sizes(x, output_shape, first)
    x = tf.nn.conv3d_transpose(x, kernel, sizes, (1, *strides, 1), padding=upper_padding(padding))
    return from_channels_last(x, 3, first)


def _output_sizes(x, output_shape, first):
    """The output shape as a tensor, channels last; an unknown batch size is that of x."""
    if not isinstance(output_shape, (tuple, list)):
        if not first:
            return output_shape
        output_shape = tf.unstack(output_shape)
    batch, *rest = output_shape
    if first:
        rest = [*rest[1:], rest[0]]
    return tf.stack([tf.shape(x)[0] if batch is None else batch, *rest])


# ---- depthwise ---------------------------------------------------------------------------


def depthwise_conv2d(x, depthwise_kernel, strides=(1, 1), padding='valid', data_format=None,
                     dilation_rate=(1, 1)):
    """Depthwise convolution of images: one filter per channel.

    Shapes: x [batch, height, width, channels], depthwise_kernel [rows, columns, channels,
    multiplier] -> [batch, new height, new width, channels * multiplier].
    """
    first = are_channels_first(data_format)
    x = tf.nn.depthwise_conv2d(to_channels_last(x, 2, first), depthwise_kernel,
                               strides=(1, *strides, 1), padding=upper_padding(padding),
                               rate=dilation_rate)
    return from_channels_last(x, 2, first)


def separable_conv2d(x, depthwise_kernel, pointwise_kernel, strides=(1, 1), padding='valid',
                     data_format=None, dilation_rate=(1, 1)):
    """`depthwise_conv2d`, then a convolution of single points across the channels.

    Shapes: pointwise_kernel [1, 1, channels * multiplier, filters] ->
    [batch, new height, new width, filters]. ValueError unless there are two strides.
    """
    first = are_channels_first(data_format)
    if len(strides) != 2:
        raise misuse(ValueError('`strides` must be a tuple of 2 integers.'))
    x = tf.nn.separable_conv2d(to_channels_last(x, 2, first), depthwise_kernel, pointwise_kernel,
                               strides=(1, *strides, 1), padding=upper_padding(padding),
                               rate=dilation_rate)
    return from_channels_last(x, 2, first)


def separable_conv1d(x, depthwise_kernel, pointwise_kernel, strides=1, padding='valid',
                     data_format=None, dilation_rate=1):
    """A separable convolution of sequences, made as one of images of height 1.

    Shapes: x [batch, steps, channels], depthwise_kernel [width, channels, multiplier],
    pointwise_kernel [1, channels * multiplier, filters] -> [batch, windows, filters].
    """
    first = are_channels_first(data_format)
    stride, = (strides,) if isinstance(strides, int) else strides
    rate, = (dilation_rate,) if isinstance(dilation_rate, int) else dilation_rate
    x = tf.expand_dims(to_channels_last(x, 1, first), 1)
    # The kernel needs equal strides; along the height of 1 the stride makes no difference.
    x = tf.nn.separable_conv2d(
        x, tf.expand_dims(depthwise_kernel, 0), tf.expand_dims(pointwise_kernel, 0),
        strides=(1, stride, stride, 1), padding=upper_padding(padding), rate=(1, rate))
    return from_channels_last(tf.squeeze(x, [1]), 1, first)
