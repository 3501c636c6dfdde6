"""Flips: always or at random."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import identity_and_cast, shape_ops, shaping
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.image.checks import at_least_3d
from tinyflow.ops.math import arithmetic, logic
from tinyflow.ops.random import random_functions


def _rank(image):
    """3 or 4; as in TF, an image of a rank that is not known yet is a single one."""
    rank = image.shape.ndims or 3
    if rank not in (3, 4):
        raise misuse(ValueError(report("'image' must have either 3 or 4 dimensions.",
                                       inputs=[('image', image)])))
    return rank


def _as_known(image, result):
    """The result, of rank 3 where the image's rank is not known."""
    if image.raw_shape is None:
        result.set_shape([None] * 3)
    return result


def _flip(image, axis, scope_name):
    with name_scope(None, scope_name, [image]):
        image = at_least_3d(convert_to_tensor(image, name='image'))
        return _as_known(image, shaping.reverse(image, [axis + _rank(image) - 3]))


def _random_flip(image, axis, seed, scope_name):
    with name_scope(None, scope_name, [image]) as scope:
        image = at_least_3d(convert_to_tensor(image, name='image'))
        if _rank(image) == 3:
            drawn = random_functions.random_uniform([], 0, 1., seed=seed)
            return _as_known(image, cond(
                logic.less(drawn, .5), lambda: shaping.reverse(image, [axis]), lambda: image,
                name=scope))
        batch = shape_ops.shape(image)[0]
        drawn = random_functions.random_uniform([batch], 0, 1., seed=seed)
        flips = arithmetic.round(shaping.reshape(drawn, [batch, 1, 1, 1]))
        flips = identity_and_cast.cast(flips, image.dtype)
        return flips * shaping.reverse(image, [axis + 1]) + (1 - flips) * image


def flip_left_right(image):
    """The image with its columns in reverse.

    Shapes: image [height, width, channels], or a batch of those -> as image.
    """
    return _flip(image, 1, 'flip_left_right')


def flip_up_down(image):
    """The image with its rows in reverse.

    Shapes: image [height, width, channels], or a batch of those -> as image.
    """
    return _flip(image, 0, 'flip_up_down')


def random_flip_left_right(image, seed=None):
    """The image, mirrored with probability 1/2; independently for each of a batch.

    Shapes: image [height, width, channels], or a batch of those -> as image.
    """
    return _random_flip(image, 1, seed, 'random_flip_left_right')


def random_flip_up_down(image, seed=None):
    """The image, upside down with probability 1/2; independently for each of a batch.

    Shapes: image [height, width, channels], or a batch of those -> as image.
    """
    return _random_flip(image, 0, seed, 'random_flip_up_down')
