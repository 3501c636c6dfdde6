"""Color changes of images: brightness and channel shifts."""
from __future__ import annotations

import numpy as np

from keras_layer.preprocessing.image.image_io import array_to_img, img_to_array, pillow
from tinyflow.graph.support.errors import misuse

__all__ = ['apply_brightness_shift', 'apply_channel_shift', 'random_brightness',
           'random_channel_shift']


def apply_channel_shift(x, intensity, channel_axis=0):
    """x + intensity, clipped to the range of values of the image.

    All channels are shifted equally, so `channel_axis` makes no difference.
    """
    return np.clip(x + intensity, np.min(x), np.max(x)).astype(x.dtype, copy=False)


def random_channel_shift(x, intensity_range, channel_axis=0):
    """`apply_channel_shift` by a random amount of at most `intensity_range` in either direction."""
    intensity = np.random.uniform(-intensity_range, intensity_range)
    return apply_channel_shift(x, intensity, channel_axis=channel_axis)


def apply_brightness_shift(x, brightness, data_format='channels_last'):
    """The image with its brightness multiplied; 1 changes nothing, 0 is black.

    As in TF 1.15 the image is scaled to 0..255 first. Shapes: x [height, width, channels].
    """
    enhance = pillow('ImageEnhance', 'A change of brightness').Brightness
    picture = enhance(array_to_img(x, data_format)).enhance(brightness)
    return img_to_array(picture, data_format)


def random_brightness(x, brightness_range):
    """`apply_brightness_shift` by a random factor in `brightness_range`, (lowest, highest)."""
    if len(brightness_range) != 2:
        raise misuse(ValueError('`brightness_range should be tuple or list of two floats. '
                                f'Received: {brightness_range}'))
    return apply_brightness_shift(x, np.random.uniform(*brightness_range))
