"""Pixels of JPEG files by simplejpeg, a package around libjpeg-turbo, which TensorFlow uses, too.

They are TensorFlow's bit by bit, in less than half of the time that Pillow takes.
"""
from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from tinyflow.graph.support.errors import OpFailure

__all__ = ['JpegOptions', 'jpeg_pixels']

_ADOBE = re.compile(rb'\xff\xee..Adobe', re.DOTALL)     # with this marker CMYK is inverted


class JpegOptions(NamedTuple):
    """How a JPEG is decoded."""

    ratio: int = 1                      # by which it is made smaller
    fancy_upscaling: bool = True        # colours between pixels are interpolated
    accurate: bool = False              # the cosine transform


def jpeg_pixels(data: bytes, channels: int, options: JpegOptions,
                most_pixels: int) -> np.ndarray | None:
    """The pixels [height, width, channels], uint8; None if this is none of simplejpeg's files.

    These are files that are truncated or have an error, even one that libjpeg would pass over, and
    those with more than `most_pixels`; all, if the package is not installed. `channels` 0 means as
    in the file.
    """
    try:
        import simplejpeg  # optional package
    except ImportError:
        return None
    try:
        height, width, space, _ = simplejpeg.decode_jpeg_header(data)
        if height * width > most_pixels:
            return None
        inks = space in ('CMYK', 'YCCK')
        grey = channels == 1 or not channels and space == 'Gray'
        pixels = simplejpeg.decode_jpeg(
            data, 'CMYK' if inks else 'GRAY' if grey else 'RGB', fastdct=not options.accurate,
            fastupsample=not options.fancy_upscaling, **_smaller(height, width, options.ratio))
    except ValueError:
        return None
    if not inks:
        return pixels
    if channels == 1:
        raise OpFailure(f'Invalid JPEG data, size {len(data)}: four inks are not decoded to one '
                        'channel', 'channels=3, and tf.image.rgb_to_grayscale.')
    return _of_inks(pixels, inverted=_ADOBE.search(data) is not None)


def _smaller(height: int, width: int, ratio: int) -> dict[str, Any]:
    """What makes simplejpeg decode to a part of the size, rounded up."""
    if ratio == 1:
        return {}
    if max(height, width) < 8:
        raise NotImplementedError(f'DecodeJpeg: ratio={ratio} for images of less than 8x8 pixels '
                                  'is missing; tf.image.resize makes them smaller.')
    return {'min_height': -(-height // ratio), 'min_width': -(-width // ratio),
            'min_factor': ratio}


def _of_inks(pixels: np.ndarray, inverted: bool) -> np.ndarray:
    """Red, green and blue of cyan, magenta, yellow and black."""
    inks = pixels.astype(np.int32)
    if not inverted:
        inks = 255 - inks
    return (inks[..., :3] * inks[..., 3:] // 255).astype(np.uint8)
