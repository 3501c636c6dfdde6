"""extract_image_patches and extract_volume_patches: each patch flattened into channels."""
from __future__ import annotations

from functools import lru_cache
from math import prod

import numpy as np

from tinyflow.graph.dtypes import REAL
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.ops.array import constants, diagonals, shaping
from tinyflow.ops.conv import conv_geometry
from tinyflow.ops.conv.convolution import Conv2DBackpropInput, Conv3DBackpropInputV2
from tinyflow.ops.conv.convolution_functions import integers
from tinyflow.ops.conv.convolution_kernels import strided, with_margins
from tinyflow.ops.support.arguments import renamed


@lru_cache(maxsize=256)
def _result(input, ksizes, strides, rates, padding):
    """(output shape, `Windows` or None) for the shape of the input."""
    rank = len(ksizes) if len(ksizes) > 3 else 4
    data_format = 'NHWC' if rank == 4 else 'NDHWC'
    conv_geometry.check_padding(padding)
    conv_geometry.check_rank('input', input, rank)
    kernel = conv_geometry.spatial(ksizes, data_format, 'ksizes', rank)
    strides = conv_geometry.spatial(strides, data_format, 'strides', rank)
    rates = conv_geometry.spatial(rates, data_format, 'rates', rank)
    input = (None,) * rank if input is None else input
    positions = conv_geometry.positions(input[1:-1], kernel, strides, rates, padding,
                                        label='a patch')
    geometry = None
    if None not in input[1:-1]:
        geometry = conv_geometry.windows(input[1:-1], kernel, strides, rates, padding)
    depth = None if input[-1] is None else input[-1] * prod(kernel)
    return (input[0], *positions, depth), geometry


def _patches(x, shape, geometry):
    patches = np.empty((*shape[:-1], prod(geometry.kernel), x.shape[-1]), x.dtype)
    padded = with_margins(x, geometry)
    for i, offset in enumerate(np.ndindex(*geometry.kernel)):
        patches[..., i, :] = padded[(slice(None), *strided(offset, geometry))]
    return patches.reshape(shape)


def _gradient(backward, x, dpatches, ksizes, **attrs):
    """The gradient: extracting patches is a convolution with an identity filter."""
    channels = constants.shape(x)[-1]
    kernel = ksizes[1:-1]
    depth = channels * prod(kernel)
    identity = shaping.reshape(diagonals.eye(depth, dtype=x.dtype), [*kernel, channels, depth])
    return backward.apply(constants.shape(x), identity, dpatches, **attrs)


class ExtractImagePatches(Op):
    """[batch, rows, columns, ksize * ksize * channels]: the patches of each image."""

    signature = 'images: T -> patches: T'
    types = {'T': REAL}
    attrs = {'ksizes': REQUIRED, 'strides': REQUIRED, 'rates': REQUIRED, 'padding': REQUIRED}
    partial_rank = True

    def shape(images, *, ksizes, strides, rates, padding):
        return _result(images, ksizes, strides, rates, padding)[0]

    def kernel(images, *, ksizes, strides, rates, padding):
        return _patches(images, *_result(images.shape, ksizes, strides, rates, padding))

    def gradient(op, dpatches):
        attrs = op.attrs
        return _gradient(Conv2DBackpropInput, op.inputs[0], dpatches, attrs['ksizes'],
                         strides=attrs['strides'], dilations=attrs['rates'],
                         padding=attrs['padding'])


class ExtractVolumePatches(Op):
    """[batch, planes, rows, columns, ksize^3 * channels]: the patches of each volume."""

    signature = 'input: T -> patches: T'
    types = {'T': REAL}
    attrs = {'ksizes': REQUIRED, 'strides': REQUIRED, 'padding': REQUIRED}
    partial_rank = True

    def shape(input, *, ksizes, strides, padding):
        return _result(input, ksizes, strides, (1,) * len(ksizes), padding)[0]

    def kernel(input, *, ksizes, strides, padding):
        return _patches(input, *_result(input.shape, ksizes, strides, (1,) * len(ksizes), padding))

    def gradient(op, dpatches):
        attrs = op.attrs
        return _gradient(Conv3DBackpropInputV2, op.inputs[0], dpatches, attrs['ksizes'],
                         strides=attrs['strides'], padding=attrs['padding'])


def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None,
                          sizes=None):
    """Patches of images, each flattened into the channels of one position.

    Shapes: images [batch, height, width, channels], ksizes [1, h, w, 1] -> [batch, rows, columns,
    h * w * channels]. strides are between patches, rates between the elements of one. `sizes` is
    the newer name of ksizes.
    """
    ksizes = renamed('sizes', sizes, 'ksizes', ksizes)
    return ExtractImagePatches.apply(
        images, ksizes=integers(ksizes, 'ksizes'), strides=integers(strides, 'strides'),
        rates=integers(rates, 'rates'), padding=padding, name=name)


def extract_patches(images, sizes, strides, rates, padding, name=None):
    """extract_image_patches by its newer name and arguments.

    Shapes: images [batch, height, width, channels], sizes [1, h, w, 1] -> [batch, rows, columns,
    h * w * channels].
    """
    return extract_image_patches(images, sizes, strides, rates, padding, name)


def extract_volume_patches(input, ksizes, strides, padding, name=None):
    """Patches of volumes, each flattened into the channels of one position.

    Shapes: input [batch, depth, height, width, channels], ksizes [1, d, h, w, 1] -> [batch, planes,
    rows, columns, d * h * w * channels].
    """
    return ExtractVolumePatches.apply(input, ksizes=integers(ksizes, 'ksizes'),
                                      strides=integers(strides, 'strides'), padding=padding,
                                      name=name)


__all__ = ['extract_image_patches', 'extract_patches', 'extract_volume_patches']
