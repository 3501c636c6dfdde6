"""Adjusting brightness, contrast, hue and saturation; convert_image_dtype."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import identity_and_cast
from tinyflow.ops.image.color_ops import AdjustContrastv2, AdjustHue, AdjustSaturation
from tinyflow.ops.math import arithmetic, division
from tinyflow.ops.random import random_functions


def convert_image_dtype(image, dtype, saturate=False, name=None):
    """The image as another dtype: integers span their positive range, floats 0 to 1.

    Shapes: image [*a] -> [*a]. `saturate` clips values to the range of the new dtype.
    """
    image = convert_to_tensor(image, name='image')
    dtype, own = dtypes.as_dtype(dtype), image.dtype
    if dtype == own:
        return identity_and_cast.identity(image, name=name)
    with name_scope(name, 'convert_image', [image]) as scope:
        cast = identity_and_cast.saturate_cast if saturate else identity_and_cast.cast
        if own.is_integer and dtype.is_integer:
            if own.max > dtype.max:
                scaled = division.floordiv(image, (own.max + 1) // (dtype.max + 1), name='div')
                return cast(scaled, dtype, name=scope)
            wide = identity_and_cast.saturate_cast(image, dtype) if saturate \
                else identity_and_cast.cast(image, dtype)
            return arithmetic.multiply(wide, (dtype.max + 1) // (own.max + 1), name=scope)
        if own.is_floating and dtype.is_floating:
            return identity_and_cast.cast(image, dtype, name=scope)
        if own.is_integer:
            return arithmetic.multiply(identity_and_cast.cast(image, dtype), 1. / own.max,
                                       name=scope)
        scaled = arithmetic.multiply(image, dtype.max + .5, name='Mul')
        return cast(scaled, dtype, name=scope)


def as_float(image):
    """(the image as floats, its own dtype); float16 and float32 images stay as they are."""
    own = image.dtype
    if own in (dtypes.float16, dtypes.float32):
        return image, own
    return convert_image_dtype(image, dtypes.float32), own


def adjust_brightness(image, delta):
    """image + delta, where the image's range counts as 0 to 1.

    Shapes: image [*a], delta [] -> [*a].
    """
    with name_scope(None, 'adjust_brightness', [image, delta]) as scope:
        image = identity_and_cast.identity(image, name='image') if hasattr(image, 'initializer') \
            else convert_to_tensor(image, name='image')
        floats, own = as_float(image)
        # Add, not AddV2: an old function that kept its old node.
        adjusted = arithmetic.Add.apply(
            floats, identity_and_cast.cast(delta, floats.dtype), name=scope)
        return convert_image_dtype(adjusted, own, saturate=True)


def adjust_contrast(images, contrast_factor):
    """(x - mean) * contrast_factor + mean, with the mean of each image's channel.

    Shapes: images [*a, height, width, channels], contrast_factor [] -> as images.
    """
    with name_scope(None, 'adjust_contrast', [images, contrast_factor]) as scope:
        floats, own = as_float(convert_to_tensor(images, name='images'))
        factor = convert_to_tensor(contrast_factor, dtypes.float32, 'contrast_factor')
        if floats.dtype != dtypes.float32:
            raise misuse(TypeError('tf.image.adjust_contrast: float16 images are not implemented; '
                                   'tf.cast(images, tf.float32) first.'))
        adjusted = AdjustContrastv2.apply(floats, factor, name=scope)
        return convert_image_dtype(adjusted, own, saturate=True)


def adjust_hue(image, delta, name=None):
    """Colours turned by `delta` (-1 to 1) of the circle of hues.

    Shapes: image [*a, height, width, 3], delta [] -> as image.
    """
    with name_scope(name, 'adjust_hue', [image]):
        floats, own = as_float(convert_to_tensor(image, name='image'))
        delta = convert_to_tensor(delta, dtypes.float32, 'AdjustHue/delta')
        return convert_image_dtype(AdjustHue.apply(floats, delta), own)


def adjust_saturation(image, saturation_factor, name=None):
    """Colours whose saturation is `saturation_factor` times as strong, up to 1.

    Shapes: image [*a, height, width, 3], saturation_factor [] -> as image.
    """
    with name_scope(name, 'adjust_saturation', [image]):
        floats, own = as_float(convert_to_tensor(image, name='image'))
        scale = convert_to_tensor(saturation_factor, dtypes.float32, 'AdjustSaturation/scale')
        return convert_image_dtype(AdjustSaturation.apply(floats, scale), own)


def _check_order(lower, upper):
    if upper <= lower:
        raise misuse(ValueError('upper must be > lower.'))
    if lower < 0:
        raise misuse(ValueError('lower must be non-negative.'))


def random_brightness(image, max_delta, seed=None):
    """adjust_brightness by a random number in [-max_delta, max_delta).

    Shapes: image [*a] -> [*a].
    """
    if max_delta < 0:
        raise misuse(ValueError('max_delta must be non-negative.'))
    return adjust_brightness(
        image, random_functions.random_uniform([], -max_delta, max_delta, seed=seed))


def random_contrast(image, lower, upper, seed=None):
    """adjust_contrast by a random factor in [lower, upper).

    Shapes: image [*a, height, width, channels] -> as image.
    """
    _check_order(lower, upper)
    return adjust_contrast(image, random_functions.random_uniform([], lower, upper, seed=seed))


def random_hue(image, max_delta, seed=None):
    """adjust_hue by a random part of the circle in [-max_delta, max_delta), at most 0.5.

    Shapes: image [*a, height, width, 3] -> as image.
    """
    if max_delta > 0.5:
        raise misuse(ValueError('max_delta must be <= 0.5.'))
    if max_delta < 0:
        raise misuse(ValueError('max_delta must be non-negative.'))
    return adjust_hue(image, random_functions.random_uniform([], -max_delta, max_delta, seed=seed))


def random_saturation(image, lower, upper, seed=None):
    """adjust_saturation by a random factor in [lower, upper).

    Shapes: image [*a, height, width, 3] -> as image.
    """
    _check_order(lower, upper)
    return adjust_saturation(image, random_functions.random_uniform([], lower, upper, seed=seed))
