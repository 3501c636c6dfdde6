"""Locally connected convolutions: a separate kernel for each output position."""
from __future__ import annotations

from itertools import product

from keras_layer.backend.channels import are_channels_first
from keras_layer.backend.products import batch_dot
from keras_layer.backend.shaping import concatenate, permute_dimensions, reshape
from keras_layer.backend.tensor_info import int_shape

__all__ = ['local_conv', 'local_conv1d', 'local_conv2d']


def local_conv(inputs, kernel, kernel_size, strides, output_shape, data_format=None):
    """The window at each position of `output_shape`, times the kernel of that position.

    Shapes: inputs [batch, *space, channels], kernel [positions, window elements * channels,
    filters] -> [batch, *output_shape, filters]; channels second with 'channels_first'.
    """
    first = are_channels_first(data_format)
    _, features, filters = int_shape(kernel)
    rank = len(output_shape)
    windows = []
    for position in product(*map(range, output_shape)):
        space = [slice(at * stride, at * stride + size)
                 for at, stride, size in zip(position, strides, kernel_size)]
        every = slice(None)
        window = inputs[(every, every, *space) if first else (every, *space, every)]
        windows.append(reshape(window, (1, -1, features)))
    positions_first = batch_dot(concatenate(windows, axis=0), kernel)
    outputs = reshape(positions_first, (*output_shape, -1, filters))
    axes = [*range(rank)]
    return permute_dimensions(outputs, [rank, rank + 1, *axes] if first
                              else [rank, *axes, rank + 1])


def local_conv1d(inputs, kernel, kernel_size, strides, data_format=None):
    """`local_conv` of sequences; the kernel determines the number of positions.

    Shapes: inputs [batch, steps, channels], kernel [positions, width * channels, filters] ->
    [batch, positions, filters].
    """
    positions = int_shape(kernel)[0]
    return local_conv(inputs, kernel, kernel_size, strides, (positions,), data_format)


def local_conv2d(inputs, kernel, kernel_size, strides, output_shape, data_format=None):
    """`local_conv` of images.

    Shapes: inputs [batch, height, width, channels], kernel [rows * columns, window elements *
    channels, filters] -> [batch, rows, columns, filters] with (rows, columns) = output_shape.
    """
    return local_conv(inputs, kernel, kernel_size, strides, output_shape, data_format)
