"""Affine transforms of images: rotation, shift, shear and zoom."""
from __future__ import annotations

import numpy as np

from keras_layer.preprocessing.image.resampling import resampled
from tinyflow.graph.support.errors import misuse

__all__ = ['apply_affine_transform', 'random_rotation', 'random_shear', 'random_shift',
           'random_zoom']


def apply_affine_transform(x, theta=0, tx=0, ty=0, shear=0, zx=1, zy=1, row_axis=0, col_axis=1,
                           channel_axis=2, fill_mode='nearest', cval=0., order=1):
    """The image rotated by `theta` and sheared by `shear` degrees, shifted and zoomed.

    `tx`, `zx` are along the rows, `ty`, `zy` along the columns. Points outside the
    image are filled: 'nearest', 'constant' (by `cval`), 'reflect' or 'wrap'. `order` is that of
    the spline between the points: 0, 1, or with SciPy up to 5.

    Shapes: x [height, width, channels], in the order of the axis arguments -> the same.
    """
    matrix = _matrix(theta, tx, ty, shear, zx, zy)
    if matrix is None:
        return x
    matrix = transform_matrix_offset_center(matrix, x.shape[row_axis], x.shape[col_axis])
    return apply_transform(x, matrix, channel_axis, fill_mode, cval, order)


def transform_matrix_offset_center(matrix, x, y):
    """The transform [3, 3] of which the center of an image of x rows and y columns is fixed."""
    middle = np.eye(3)
    middle[:2, 2] = x / 2 + 0.5, y / 2 + 0.5
    back = np.eye(3)
    back[:2, 2] = -middle[:2, 2]
    return middle.dot(matrix).dot(back)


def apply_transform(x, transform_matrix, channel_axis=0, fill_mode='nearest', cval=0., order=1):
    """The image transformed by a matrix [3, 3]: `apply_affine_transform` makes such a matrix.

    Shapes: x of any order of rows, columns and channels -> the same.
    """
    channels_last = np.moveaxis(x, channel_axis, -1)
    moved = resampled(channels_last, transform_matrix[:2, :2], transform_matrix[:2, 2], order,
                      fill_mode, cval)
    return np.moveaxis(moved, -1, channel_axis)


def flip_axis(x, axis):
    """The array in reverse order along an axis."""
    return np.flip(x, axis)


def _matrix(theta, tx, ty, shear, zx, zy):
    """The product of the transforms, in homogeneous coordinates; None for the identity."""
    parts = []
    if theta != 0:
        cos, sin = np.cos(np.deg2rad(theta)), np.sin(np.deg2rad(theta))
        parts.append([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    if tx != 0 or ty != 0:
        parts.append([[1, 0, tx], [0, 1, ty], [0, 0, 1]])
    if shear != 0:
        angle = np.deg2rad(shear)
        parts.append([[1, -np.sin(angle), 0], [0, np.cos(angle), 0], [0, 0, 1]])
    if zx != 1 or zy != 1:
        parts.append([[zx, 0, 0], [0, zy, 0], [0, 0, 1]])
    if not parts:
        return None
    matrix = np.array(parts[0])
    for part in parts[1:]:
        matrix = matrix.dot(np.array(part))
    return matrix


# As in TF 1.15, the center of the image is computed from axes 0 and 1, regardless of
# row_axis and col_axis. For channels_first that is not the center; seeded values are the same.

def random_rotation(x, rg, row_axis=1, col_axis=2, channel_axis=0, fill_mode='nearest', cval=0.,
                    interpolation_order=1):
    """The image rotated by a random angle of at most `rg` degrees in either direction."""
    theta = np.random.uniform(-rg, rg)
    return apply_affine_transform(x, theta=theta, channel_axis=channel_axis, fill_mode=fill_mode,
                                  cval=cval, order=interpolation_order)


def random_shift(x, wrg, hrg, row_axis=1, col_axis=2, channel_axis=0, fill_mode='nearest',
                 cval=0., interpolation_order=1):
    """The image shifted by random fractions of its width (at most `wrg`) and height (`hrg`)."""
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    return apply_affine_transform(x, tx=tx, ty=ty, channel_axis=channel_axis,
                                  fill_mode=fill_mode, cval=cval, order=interpolation_order)


def random_shear(x, intensity, row_axis=1, col_axis=2, channel_axis=0, fill_mode='nearest',
                 cval=0., interpolation_order=1):
    """The image sheared by a random angle of at most `intensity` degrees."""
    shear = np.random.uniform(-intensity, intensity)
    return apply_affine_transform(x, shear=shear, channel_axis=channel_axis, fill_mode=fill_mode,
                                  cval=cval, order=interpolation_order)


def random_zoom(x, zoom_range, row_axis=1, col_axis=2, channel_axis=0, fill_mode='nearest',
                cval=0., interpolation_order=1):
    """The image zoomed by random factors in `zoom_range`, (lowest, highest), along each axis."""
    if len(zoom_range) != 2:
        raise misuse(ValueError('`zoom_range` should be a tuple or list of two floats. Received: '
                                f'{zoom_range}'))
    if zoom_range[0] == 1 and zoom_range[1] == 1:
        zx = zy = 1
    else:
        zx, zy = np.random.uniform(zoom_range[0], zoom_range[1], 2)
    return apply_affine_transform(x, zx=zx, zy=zy, channel_axis=channel_axis,
                                  fill_mode=fill_mode, cval=cval, order=interpolation_order)
