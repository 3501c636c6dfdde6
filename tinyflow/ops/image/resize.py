"""resize_bilinear and resize_nearest_neighbor."""
from __future__ import annotations

from functools import lru_cache

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import FLOATS, REAL
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import constants

__all__ = ['resize_bilinear', 'resize_nearest_neighbor']

_BLOCK = 1 << 15            # elements that are interpolated at a time


def _check(attrs):
    if attrs['align_corners'] and attrs['half_pixel_centers']:
        raise ValueError('If half_pixel_centers is True, align_corners must be False.')


def resized_shape(images, size):
    """[batch, *size, channels], as far as known; ValueError unless images have rank 4."""
    if images is not None and len(images) != 4:
        raise OpFailure(f'Shape must be rank 4 but is rank {len(images)}',
                        'images are [batch, height, width, channels]; tf.expand_dims(image, 0) '
                        'makes a batch of one.')
    height, width = size if size is not None else (None, None)
    batch, channels = (None, None) if images is None else (images[0], images[3])
    return batch, height, width, channels


def check_sizes(images, size):
    """ValueError unless both sizes are positive and the images a batch."""
    if images.ndim != 4:
        raise OpFailure(f'input must be 4-dimensional, not {list(images.shape)}',
                        'images are [batch, height, width, channels].')
    if len(size) != 2:
        raise ValueError(f'size must hold a height and a width, and holds {len(size)} numbers')
    if min(size) <= 0:
        raise ValueError(f'output dimensions must be positive: {list(size)}')
    if 0 in images.shape[1:3]:
        raise ValueError(f'input image must be of non-zero size: {list(images.shape)}')


def sample_positions(count, total, align_corners, half_pixel_centers):
    """The positions in `total` pixels that `count` new ones sample; in float32, as in TF."""
    single = np.float32
    step = single(total - 1) / single(count - 1) if align_corners and count > 1 \
        else single(total) / single(count)
    at = np.arange(count, dtype=single)
    return ((at + single(.5)) * step - single(.5) if half_pixel_centers else at * step), step


@lru_cache(maxsize=64)
def neighbours(count, total, align_corners, half_pixel_centers):
    """(lower, upper, weight of the upper) of the two pixels that each new one lies between."""
    at, _ = sample_positions(count, total, align_corners, half_pixel_centers)
    floor = np.floor(at)
    lower = np.maximum(floor.astype(np.int64), 0)
    upper = np.minimum(np.ceil(at).astype(np.int64), total - 1)
    return lower, upper, at - floor


@lru_cache(maxsize=64)
def rows_between(count, total, align_corners, half_pixel_centers):
    """(the rows that new ones lie next to, or all; what `neighbours` gives for these rows)."""
    lower, upper, weights = neighbours(count, total, align_corners, half_pixel_centers)
    used, places = np.unique(np.stack([lower, upper]), return_inverse=True)
    return slice(None) if len(used) == total else used, (*places.reshape(2, -1), weights)


def _elements(pixels, channels):
    """The positions of the pixels' channels in a row of pixels."""
    return (pixels[:, None] * channels + np.arange(channels)).ravel()


def _blocks(matrix):
    """Slices of rows, as many at a time as stay in the cache."""
    step = max(1, _BLOCK // max(1, matrix.shape[1]))
    return [slice(i, i + step) for i in range(0, len(matrix), step)]


def _between(matrix, axis, pairs, result):
    """Writes lower + (upper - lower) * weight of each two rows or columns of the matrix."""
    lower, upper, weights = pairs
    lower = matrix.take(lower, axis)
    matrix.take(upper, axis, out=result, mode='clip')       # checked modes would copy first
    result -= lower
    result *= weights
    result += lower


def _nearest(count, total, align_corners, half_pixel_centers):
    at, step = sample_positions(count, total, align_corners, False)
    if half_pixel_centers:
        at = (np.arange(count, dtype=np.float32) + np.float32(.5)) * step
    # Halves round up, not to even.
    chosen = np.floor(at + np.float32(.5)) if align_corners else np.floor(at)
    return np.minimum(chosen.astype(np.int64), total - 1)


def _adjoint(count, total, picks):
    """The matrix [total, count] that adds each new pixel's share back to the old ones."""
    matrix = np.zeros((total, count), np.float64)
    for pixels, weights in picks:
        matrix[pixels, np.arange(count)] += weights
    return matrix


class ResizeBilinear(Op):
    """Images of another size; each new pixel is a weighted mean of the four around its position."""

    signature = 'images: T, size: int32 -> resized_images: float32'
    types = {'T': REAL}
    attrs = {'align_corners': False, 'half_pixel_centers': False}
    static = {'size': 1}
    partial_rank = True

    def shape(images, size):
        return resized_shape(images, size)

    def kernel(images, size, *, align_corners, half_pixel_centers):
        check_sizes(images, size)
        batch, height, width, channels = images.shape
        used, (*rows, down) = rows_between(size[0], height, align_corners, half_pixel_centers)
        *columns, across = neighbours(size[1], width, align_corners, half_pixel_centers)
        vertical = *rows, down[:, None]
        horizontal = *(_elements(pixels, channels) for pixels in columns), \
            np.repeat(across, channels)
        result = np.empty((batch, size[0], size[1] * channels), np.float32)
        for image, resized in zip(images.reshape(batch, height, width * channels), result):
            image = image[used]
            narrow = np.empty((len(image), size[1] * channels), np.float32)
            for at in _blocks(narrow):
                _between(image[at].astype(np.float32, copy=False), 1, horizontal, narrow[at])
            for at in _blocks(resized):
                _between(narrow, 0, [of[at] for of in vertical], resized[at])
        return result.reshape(batch, *size, channels)

    def gradient(op, dy):
        if op.inputs[0].dtype not in FLOATS:
            return None, None
        return ResizeBilinearGrad.apply(dy, op.inputs[0], **_how(op)), None


def _how(op):
    return {key: op.attrs[key] for key in ('align_corners', 'half_pixel_centers')}


class ResizeBilinearGrad(Op):
    """Gradient of ResizeBilinear with respect to the images."""

    signature = 'grads: float32, original_image: T -> output: T'
    types = {'T': FLOATS}
    attrs = {'align_corners': False, 'half_pixel_centers': False}

    def shape(grads, original_image):
        return original_image

    def kernel(grads, original_image, *, align_corners, half_pixel_centers):
        matrices = []
        for count, total in zip(grads.shape[1:3], original_image.shape[1:3]):
            lower, upper, lerp = neighbours(count, total, align_corners, half_pixel_centers)
            matrices.append(_adjoint(count, total, [(lower, 1 - lerp), (upper, lerp)]))
        result = np.einsum('bijc,yi,xj->byxc', grads, *matrices, optimize=True)
        return result.astype(original_image.dtype)

    def gradient(op, ddx):
        size = constants.shape(op.inputs[0])[1:3]
        return ResizeBilinear.apply(ddx, size, **_how(op)), None


class ResizeNearestNeighbor(Op):
    """Images of another size; each new pixel is the old one nearest to its position."""

    signature = 'images: T, size: int32 -> resized_images: T'
    types = {'T': REAL}
    attrs = {'align_corners': False, 'half_pixel_centers': False}
    static = {'size': 1}
    partial_rank = True

    def shape(images, size):
        return resized_shape(images, size)

    def kernel(images, size, *, align_corners, half_pixel_centers):
        check_sizes(images, size)
        rows, columns = (_nearest(count, total, align_corners, half_pixel_centers)
                         for count, total in zip(size, images.shape[1:3]))
        return images[:, rows[:, None], columns]

    def gradient(op, dy):
        size = constants.shape(op.inputs[0])[1:3]
        return ResizeNearestNeighborGrad.apply(dy, size, **_how(op)), None


class ResizeNearestNeighborGrad(Op):
    """Gradient of ResizeNearestNeighbor: sums over the new pixels that took each old one."""

    signature = 'grads: T, size: int32 -> output: T'
    types = {'T': REAL}
    attrs = {'align_corners': False, 'half_pixel_centers': False}
    static = {'size': 1}
    partial_rank = True

    def shape(grads, size):
        return resized_shape(grads, size)

    def kernel(grads, size, *, align_corners, half_pixel_centers):
        check_sizes(grads, size)
        matrices = [
            _adjoint(count, total, [(_nearest(count, total, align_corners, half_pixel_centers), 1)])
            for count, total in zip(grads.shape[1:3], size)]
        return np.einsum('bijc,yi,xj->byxc', grads, *matrices, optimize=True).astype(grads.dtype)

    def gradient(op, ddx):
        size = constants.shape(op.inputs[0])[1:3]
        return ResizeNearestNeighbor.apply(ddx, size, **_how(op)), None


def resize(kind, images, size, align_corners, half_pixel_centers, name):
    """A node of `kind`, one of the ops that resize."""
    attrs = {'align_corners': align_corners, 'half_pixel_centers': half_pixel_centers}
    _check(attrs)
    return kind.apply(convert_to_tensor(images, name='images'),
                      convert_to_tensor(size, dtypes.int32, 'size'), name=name, **attrs)


def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Images of another size, float32, by bilinear interpolation.

    Shapes: images [batch, height, width, channels], size [2] -> [batch, *size, channels].
    """
    return resize(ResizeBilinear, images, size, align_corners, half_pixel_centers, name)


def resize_nearest_neighbor(images, size, align_corners=False, name=None,
                            half_pixel_centers=False):
    """Images of another size, of the same dtype: each new pixel is the nearest old one.

    Shapes: images [batch, height, width, channels], size [2] -> [batch, *size, channels].
    """
    return resize(ResizeNearestNeighbor, images, size, align_corners, half_pixel_centers, name)
