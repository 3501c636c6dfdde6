"""The colours of images: contrast, and hue and saturation in the HSV colour space.

Hue, saturation and value are those of A. R. Smith, Color Gamut Transform Pairs (1978).
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op

__all__ = []


def _check_scalar(name, shape):
    if shape:
        raise ValueError(f'Shape must be rank 0 but is rank {len(shape)}: {name} is a scalar')


def _check_rgb(images, running=False):
    if images is None:
        return
    if len(images) < 3:
        raise ValueError(f'Shape must be at least rank 3 but is rank {len(images)}|images are '
                         '[..., height, width, 3].')
    if running and images[-1] != 3:
        raise ValueError(f'input must have 3 channels but instead has {images[-1]} channels|'
                         'tf.image.grayscale_to_rgb makes three of one.')


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
            raise ValueError(f'Shape must be at least rank 3 but is rank {len(images)}|images are '
                             '[..., height, width, channels].')
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
