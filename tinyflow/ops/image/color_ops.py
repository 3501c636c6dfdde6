"""Ops of contrast, hue and saturation; RGB to HSV and back.

Hue, saturation and value are those of A. R. Smith, Color Gamut Transform Pairs (1978).
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.dtypes import FLOATS
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import gathering, ranking, where_onehot
from tinyflow.ops.math import division, reduction

__all__ = ['hsv_to_rgb', 'rgb_to_hsv']


def _check_scalar(name, shape):
    if shape:
        raise ValueError(f'Shape must be rank 0 but is rank {len(shape)}: {name} is a scalar')


def _check_rgb(images, running=False):
    if images is None:
        return
    if len(images) < 3:
        raise OpFailure(f'Shape must be at least rank 3 but is rank {len(images)}',
                        'images are [..., height, width, 3].')
    if running and images[-1] != 3:
        raise OpFailure(f'input must have 3 channels but instead has {images[-1]} channels',
                        'tf.image.grayscale_to_rgb converts one channel to three.')


def to_hsv(rgb):
    """Hue (0 to 1), saturation and value of colours [..., 3]."""
    value, low = rgb.max(-1), rgb.min(-1)
    extent = value - low
    red, green, blue = np.moveaxis(rgb, -1, 0)
    with np.errstate(divide='ignore', invalid='ignore'):
        saturation = np.where(value > 0, extent / value, 0)
        hue = np.where(red == value, (green - blue) / extent,
                       np.where(green == value, 2 + (blue - red) / extent,
                                4 + (red - green) / extent)) / 6
    hue = np.where(extent > 0, np.where(hue < 0, hue + 1, hue), 0)
    return np.stack([hue, saturation, value], -1).astype(rgb.dtype)


def to_rgb(hsv):
    """The inverse of `to_hsv`."""
    hue, saturation, value = np.moveaxis(hsv, -1, 0)
    sixth = hue[..., None] * 6
    pure = np.concatenate([np.abs(sixth - 3) - 1, 2 - np.abs(sixth - 2), 2 - np.abs(sixth - 4)], -1)
    mixed = 1 - saturation[..., None] * (1 - np.clip(pure, 0, 1))
    return (mixed * value[..., None]).astype(hsv.dtype)


class AdjustContrastv2(Op):
    """The distance of each pixel from its channel's mean, times a factor."""

    signature = 'images: float32, contrast_factor: float32 -> output: float32'
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(images, contrast_factor):
        if images is not None and len(images) < 3:
            raise OpFailure(f'Shape must be at least rank 3 but is rank {len(images)}',
                            'images are [..., height, width, channels].')
        _check_scalar('contrast_factor', contrast_factor)
        return images

    def kernel(images, contrast_factor):
        _check_scalar('contrast_factor', contrast_factor.shape)
        if images.ndim < 3:
            raise ValueError(f'input must be at least 3-D, got shape {list(images.shape)}')
        mean = images.mean((-3, -2), keepdims=True, dtype=np.float64).astype(np.float32)
        return (images - mean) * contrast_factor + mean


class AdjustHue(Op):
    """Every hue turned by a part of the full circle."""

    signature = 'images: float32, delta: float32 -> output: float32'
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(images, delta):
        _check_rgb(images)
        _check_scalar('delta', delta)
        return images

    def kernel(images, delta):
        _check_rgb(images.shape, running=True)
        _check_scalar('delta', delta.shape)
        hsv = to_hsv(images)
        hsv[..., 0] = (hsv[..., 0] + delta) % 1
        return to_rgb(hsv)


class AdjustSaturation(Op):
    """Every saturation times a factor, up to 1."""

    signature = 'images: float32, scale: float32 -> output: float32'
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(images, scale):
        _check_rgb(images)
        _check_scalar('scale', scale)
        return images

    def kernel(images, scale):
        _check_rgb(images.shape, running=True)
        _check_scalar('scale', scale.shape)
        hsv = to_hsv(images)
        hsv[..., 1] = np.clip(hsv[..., 1] * scale, 0, 1)
        return to_rgb(hsv)


def _check_colours(images):
    if images is None:
        return
    if not images:
        raise OpFailure('Shape must be at least rank 1 but is rank 0', 'colours are [..., 3].')
    if images[-1] not in (None, 3):
        raise ValueError(f'Dimension must be 3 but is {images[-1]}: colours are [..., 3]')


class RGBToHSV(Op):
    """Hue, saturation and value of red, green and blue."""

    signature = 'images: T -> output: T'
    types = {'T': FLOATS}
    partial_rank = True

    def shape(images):
        _check_colours(images)
        return images

    def kernel(images):
        _check_colours(images.shape)
        return to_hsv(images)

    def gradient(op, dy):
        return _back_to_rgb(op.inputs[0], op.outputs[0], dy)


def _back_to_rgb(rgb, hsv, dy):
    """Gradient of RGBToHSV.

    With the largest channel v, the smallest m: hue = (n / (v - m) + constant) / 6, where n is the
    difference of the two channels after the largest one, and saturation = 1 - m / v.
    """
    value = hsv[..., 2:]
    low = reduction.reduce_min(rgb, -1, keepdims=True)
    extent = value - low
    largest = where_onehot.one_hot(ranking.argmax(rgb, -1), 3, dtype=rgb.dtype)
    smallest = where_onehot.one_hot(ranking.argmin(rgb, -1), 3, dtype=rgb.dtype)
    sign = gathering.gather(largest, [2, 0, 1], axis=-1) \
        - gathering.gather(largest, [1, 2, 0], axis=-1)
    n = reduction.reduce_sum(rgb * sign, -1, keepdims=True)
    divided = division.div_no_nan
    d_hue = (divided(sign, extent) - divided(n * (largest - smallest), extent * extent)) / 6
    d_saturation = divided(low * largest, value * value) - divided(smallest, value)
    return dy[..., :1] * d_hue + dy[..., 1:2] * d_saturation + dy[..., 2:] * largest


class HSVToRGB(Op):
    """Red, green and blue of hue, saturation and value."""

    signature = 'images: T -> output: T'
    types = {'T': FLOATS}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(images):
        _check_colours(images)
        return images

    def kernel(images):
        _check_colours(images.shape)
        return to_rgb(images)


def rgb_to_hsv(images, name=None):
    """Hue, saturation and value, all 0 to 1, of red, green and blue, which are 0 to 1.

    Shapes: images [*a, 3] -> [*a, 3].
    """
    return RGBToHSV.apply(images, name=name)


def hsv_to_rgb(images, name=None):
    """The inverse of rgb_to_hsv.

    Shapes: images [*a, 3] -> [*a, 3].
    """
    return HSVToRGB.apply(images, name=name)
