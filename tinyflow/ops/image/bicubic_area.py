"""resize_bicubic and resize_area.

The cubic kernel is that of R. Keys, Cubic Convolution Interpolation for Digital Image Processing
(1981), with a = -0.75, or -0.5 for half-pixel centres.
"""
from __future__ import annotations

from functools import lru_cache

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import REAL
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.ops.image.resize import check_sizes, resize, resized_shape, sample_positions

__all__ = ['resize_area', 'resize_bicubic']

_STEPS = 1024           # TF1 looks the kernel up in a table of so many steps between two pixels
_WIDE = frozenset((dtypes.float32, dtypes.float64))


def _near(x, a):
    """The kernel up to a distance of 1."""
    return ((a + 2) * x - (a + 3)) * x * x + 1


def _far(x, a):
    """The kernel from a distance of 1 to 2."""
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


@lru_cache(maxsize=64)
def _cubic(count, total, align_corners, half_pixel_centers):
    """The matrix [count, total] of the weights of the old pixels in each new one."""
    at, _ = sample_positions(count, total, align_corners, half_pixel_centers)
    floor = np.floor(at)
    x = np.rint((at - floor) * np.float32(_STEPS)) / _STEPS
    a = -.5 if half_pixel_centers else -.75
    weights = np.stack([_far(x + 1, a), _near(x, a), _near(1 - x, a), _far(2 - x, a)])
    unclipped = floor.astype(np.int64) + np.arange(-1, 3)[:, None]
    pixels = np.clip(unclipped, 0, total - 1)
    if half_pixel_centers:
        # Pixels outside get weight 0, instead of repeating the border.
        weights = np.where(pixels == unclipped, weights, 0)
        weights = weights / weights.sum(0)
    matrix = np.zeros((count, total))
    for some, share in zip(pixels, weights):
        np.add.at(matrix, (np.arange(count), some), share)
    matrix.flags.writeable = False
    return matrix


@lru_cache(maxsize=64)
def _area(count, total, align_corners):
    """The matrix [count, total] of the part of each new pixel that each old one covers."""
    _, step = sample_positions(count, total, align_corners, False)
    edges = np.arange(count + 1, dtype=np.float32) * step
    matrix = np.zeros((count, total))
    for i, (low, high) in enumerate(zip(edges[:-1], edges[1:])):
        covered = np.arange(int(np.floor(low)), int(np.ceil(high)))
        share = np.minimum(covered + 1, high) - np.maximum(covered, low)
        np.add.at(matrix[i], np.clip(covered, 0, total - 1), share)
    matrix /= float(step)
    matrix.flags.writeable = False
    return matrix


def _resized(images, rows, columns):
    wide = images.astype(np.float64 if images.dtype == np.float64 else np.float32, copy=False)
    across = np.tensordot(wide, columns.astype(wide.dtype), ([2], [1]))       # [b, h, c, new]
    both = np.tensordot(across, rows.astype(wide.dtype), ([1], [1]))          # [b, c, new, new]
    return np.ascontiguousarray(both.transpose(0, 3, 2, 1))


class ResizeBicubic(Op):
    """Images of another size; each new pixel is a weighted sum of sixteen old ones."""

    signature = 'images: T, size: int32 -> resized_images: float32'
    types = {'T': REAL}
    attrs = {'align_corners': False, 'half_pixel_centers': False}
    static = {'size': 1}
    partial_rank = True

    def shape(images, size):
        return resized_shape(images, size)

    def kernel(images, size, *, align_corners, half_pixel_centers):
        check_sizes(images, size)
        matrices = (_cubic(count, total, align_corners, half_pixel_centers)
                    for count, total in zip(size, images.shape[1:3]))
        return _resized(images, *matrices).astype(np.float32, copy=False)

    def gradient(op, dy):
        if op.inputs[0].dtype not in _WIDE:
            return None, None
        how = {key: op.attrs[key] for key in ('align_corners', 'half_pixel_centers')}
        return ResizeBicubicGrad.apply(dy, op.inputs[0], **how), None


class ResizeBicubicGrad(Op):
    """Gradient of ResizeBicubic with respect to the images."""

    signature = 'grads: float32, original_image: T -> output: T'
    types = {'T': _WIDE}
    attrs = {'align_corners': False, 'half_pixel_centers': False}

    def shape(grads, original_image):
        return original_image

    def kernel(grads, original_image, *, align_corners, half_pixel_centers):
        matrices = (_cubic(count, total, align_corners, half_pixel_centers).T
                    for count, total in zip(grads.shape[1:3], original_image.shape[1:3]))
        return _resized(grads, *matrices).astype(original_image.dtype, copy=False)


class ResizeArea(Op):
    """Images of another size; each new pixel is the mean of the area that it covers."""

    signature = 'images: T, size: int32 -> resized_images: float32'
    types = {'T': REAL}
    attrs = {'align_corners': False}
    static = {'size': 1}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(images, size):
        return resized_shape(images, size)

    def kernel(images, size, *, align_corners):
        check_sizes(images, size)
        matrices = (_area(count, total, align_corners)
                    for count, total in zip(size, images.shape[1:3]))
        return _resized(images, *matrices).astype(np.float32, copy=False)


def resize_bicubic(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Images of another size, float32, by bicubic interpolation (4 x 4 pixels).

    Shapes: images [batch, height, width, channels], size [2] -> [batch, *size, channels].
    """
    return resize(ResizeBicubic, images, size, align_corners, half_pixel_centers, name)


def resize_area(images, size, align_corners=False, name=None):
    """Images of another size, float32, each new pixel the mean of its area; not differentiable.

    Shapes: images [batch, height, width, channels], size [2] -> [batch, *size, channels].
    """
    return ResizeArea.apply(
        convert_to_tensor(images, name='images'), convert_to_tensor(size, dtypes.int32, 'size'),
        align_corners=align_corners, name=name)
