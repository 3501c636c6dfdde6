"""per_image_standardization, transpose_image and total_variation."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import identity_and_cast, shape_ops, shaping
from tinyflow.ops.image.checks import at_least_3d
from tinyflow.ops.image.colors import convert_image_dtype
from tinyflow.ops.math import (
    arithmetic,
    composed_reductions,
    division,
    powers,
    reduction,
)


def per_image_standardization(image):
    """(x - mean) / max(deviation, 1 / sqrt(pixels)), for each image by itself, as float32.

    Shapes: image [*a, height, width, channels] -> as image.
    """
    with name_scope(None, 'per_image_standardization', [image]) as scope:
        image = at_least_3d(convert_to_tensor(image, name='image'))
        own = image.dtype
        if own not in (dtypes.float16, dtypes.float32):
            image = convert_image_dtype(image, dtypes.float32)
        pixels = reduction.reduce_prod(shape_ops.shape(image)[-3:])
        axes = [-1, -2, -3]
        mean = reduction.reduce_mean(image, axis=axes, keepdims=True)
        deviation = composed_reductions.reduce_std(image, axis=axes, keepdims=True)
        # Otherwise a constant image would be divided by zero.
        least = powers.rsqrt(identity_and_cast.cast(pixels, image.dtype))
        scale = arithmetic.maximum(deviation, least)
        image = image - mean
        image = division.realdiv(image, scale, name=scope)
        return convert_image_dtype(image, own, saturate=True)


def transpose_image(image, name=None):
    """The image with its height and width swapped.

    Shapes: image [*batch, height, width, channels] -> [*batch, width, height, channels].
    """
    with name_scope(name, 'transpose', [image]):
        image = at_least_3d(convert_to_tensor(image, name='image'))
        rank = image.shape.ndims or 3       # an image of a rank that is not known is a single one
        if rank not in (3, 4):
            raise misuse(ValueError(report(
                "'image' must have either 3 or 4 dimensions.", inputs=[('image', image)])))
        order = [1, 0, 2] if rank == 3 else [0, 2, 1, 3]
        return shaping.transpose(image, order, name='transpose')


def total_variation(images, name=None):
    """The sum of the absolute differences between neighbouring pixels, for each image.

    Shapes: images [batch, height, width, channels] -> [batch]; one image -> [].
    """
    with name_scope(name, 'total_variation'):
        rank = images.shape.ndims
        if rank == 3:
            down, right = images[1:, :, :] - images[:-1, :, :], images[:, 1:, :] - images[:, :-1, :]
        elif rank == 4:
            down = images[:, 1:, :, :] - images[:, :-1, :, :]
            right = images[:, :, 1:, :] - images[:, :, :-1, :]
        else:
            raise misuse(ValueError(report(
                "'images' must be either 3 or 4-dimensional.", inputs=[('images', images)])))
        axes = [1, 2, 3] if rank == 4 else None
        return (reduction.reduce_sum(arithmetic.abs(down), axis=axes)
                + reduction.reduce_sum(arithmetic.abs(right), axis=axes))
