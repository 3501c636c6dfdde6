"""Conversions to grayscale, YUV and YIQ, and adjust_gamma."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, joining, shape_ops, shaping
from tinyflow.ops.checks import value_checks
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.image.colors import as_float, convert_image_dtype
from tinyflow.ops.math import contractions

# The weights of red, green and blue in brightness, as ITU-R BT.601 gives them.
_LUMA = [.2989, .5870, .1140]


def rgb_to_grayscale(images, name=None):
    """The brightness of each pixel: 0.2989 red + 0.587 green + 0.114 blue.

    Shapes: images [*a, 3] -> [*a, 1], of the same dtype.
    """
    with name_scope(name, 'rgb_to_grayscale', [images]) as scope:
        images = convert_to_tensor(images, name='images')
        own = images.dtype
        floats = convert_image_dtype(images, dtypes.float32)
        grey = contractions.tensordot(floats, _LUMA, [-1, -1])
        return convert_image_dtype(shaping.expand_dims(grey, -1), own, name=scope)


def _one_channel(images):
    """`images`, checked to have one channel: now if that is known, else when run."""
    channels = images.shape.as_list()[-1] if images.shape.ndims else None
    problem = 'Last dimension of a grayscale image should be size 1.'
    if channels not in (None, 1):
        raise misuse(ValueError(report(problem, inputs=[('images', images)],
                                       hint='images[..., :1] takes one channel.')))
    checks = []
    if channels is None:
        checks = [value_checks.assert_equal(shape_ops.shape(images)[-1], 1, message=problem)]
    return grouping.with_dependencies(checks, images)


def grayscale_to_rgb(images, name=None):
    """Repeats the channel of each image three times.

    Shapes: images [*a, 1] -> [*a, 3].
    """
    with name_scope(name, 'grayscale_to_rgb', [images]) as scope:
        images = _one_channel(convert_to_tensor(images, name='images'))
        before = constants.ones(shaping.expand_dims(shape_ops.rank(images) - 1, 0), dtypes.int32)
        multiples = joining.concat([before, shaping.expand_dims(3, 0)], 0)
        rgb = joining.tile(images, multiples, name=scope)
        if images.shape.ndims is not None:
            rgb.set_shape(images.shape[:-1].concatenate([3]))
        return rgb


def adjust_gamma(image, gamma=1, gain=1):
    """gain * image ** gamma, where the image's range counts as 0 to 1.

    Shapes: image [*a] -> [*a]. ValueError for a negative gamma.
    """
    if not hasattr(gamma, 'op') and np.any(np.less(gamma, 0)):
        raise misuse(ValueError('Gamma should be a non-negative real number.'))
    with name_scope(None, 'adjust_gamma', [image, gamma, gain]):
        floats, own = as_float(convert_to_tensor(image, name='image'))
        return convert_image_dtype(gain * floats ** gamma, own, saturate=True)


# Columns: Y, U, V as sums of red, green and blue (ITU-R BT.470), and the inverse.
_TO_YUV = [[.299, -.14714119, .61497538], [.587, -.28886916, -.51496512],
           [.114, .43601035, -.10001026]]
_FROM_YUV = [[1, 1, 1], [0, -.394642334, 2.03206185], [1.13988303, -.58062185, 0]]

# The same for YIQ (the colour differences of NTSC).
_TO_YIQ = [[.299, .59590059, .2115], [.587, -.27455667, -.52273617],
           [.114, -.32134392, .31119955]]
_FROM_YIQ = [[1, 1, 1], [.95598634, -.27201283, -1.10674021], [.6208248, -.64720424, 1.70423049]]


def _through(images, matrix):
    images = convert_to_tensor(images, name='images')
    kernel = convert_to_tensor(matrix, images.dtype, 'kernel')
    return contractions.tensordot(images, kernel, [[images.shape.ndims - 1], [0]])


def rgb_to_yuv(images):
    """Brightness Y and the colour differences U and V of red, green and blue.

    Shapes: images [*a, 3] -> [*a, 3].
    """
    return _through(images, _TO_YUV)


def yuv_to_rgb(images):
    """The inverse of rgb_to_yuv.

    Shapes: images [*a, 3] -> [*a, 3].
    """
    return _through(images, _FROM_YUV)


def rgb_to_yiq(images):
    """Brightness Y and the colour differences I and Q of red, green and blue.

    Shapes: images [*a, 3] -> [*a, 3].
    """
    return _through(images, _TO_YIQ)


def yiq_to_rgb(images):
    """The inverse of rgb_to_yiq.

    Shapes: images [*a, 3] -> [*a, 3].
    """
    return _through(images, _FROM_YIQ)
