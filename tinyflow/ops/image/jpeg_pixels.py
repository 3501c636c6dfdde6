"""Pixels of JPEG files by simplejpeg, a package around libjpeg-turbo, which TensorFlow uses, too.

They are TensorFlow's bit for bit, in less than half of the time that Pillow takes.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinyflow.graph.support.errors import OpFailure


class JpegOptions(NamedTuple):
    """How a JPEG is decoded."""

    ratio: int = 1                      # by which it is made smaller
    fancy_upscaling: bool = True        # colours between pixels are interpolated
    accurate: bool = False              # the cosine transform


def jpeg_pixels(data: bytes, channels: int, options: JpegOptions,
                most_pixels: int) -> np.ndarray | None:
    """The pixels [height, width, channels], uint8; None for files that are left to Pillow.

    These are truncated ones, those with an error in the header or with colours for unusual groups
    of pixels, and those with more than `most_pixels`; all, if the package is not installed.
    `channels` 0 means as in the file.
    """
    try:
        import simplejpeg  # optional package
    except ImportError:
        return None
    try:
        height, width, space, _ = simplejpeg.decode_jpeg_header(data)
        if height * width > most_pixels * options.ratio ** 2:
            return None
        inks = space in ('CMYK', 'YCCK')
        grey = channels == 1 or not channels and space == 'Gray'
        colours = 'CMYK' if inks else 'GRAY' if grey else 'RGB'
        pixels = _despite_errors(
            simplejpeg.decode_jpeg, data, colours, fastdct=not options.accurate,
            fastupsample=not options.fancy_upscaling, **_smaller(height, width, options.ratio))
    except (ValueError, LookupError):           # some subsamplings have no name in simplejpeg
        return None
    if not inks:
        return pixels
    if channels == 1:
        raise OpFailure(f'Invalid JPEG data, size {len(data)}: four inks are not decoded to one '
                        'channel', 'channels=3, and tf.image.rgb_to_grayscale.')
    return _of_inks(pixels, _has_adobe_marker(data))


def _despite_errors(decode: Callable[..., np.ndarray], *arguments: Any,
                    **options: Any) -> np.ndarray:
    """The pixels; errors in the file that do not end it are passed over, as in TensorFlow."""
    try:
        return decode(*arguments, **options)
    except ValueError as error:
        if 'Premature end' in str(error):
            raise
        return decode(*arguments, **options, strict=False)


def _smaller(height: int, width: int, ratio: int) -> dict[str, Any]:
    """What makes simplejpeg decode to a part of the size, rounded up."""
    if ratio == 1:
        return {}
    if max(height, width) < 8:
        raise NotImplementedError(f'DecodeJpeg: ratio={ratio} for images of less than 8x8 pixels '
                                  'is missing; tf.image.resize makes them smaller.')
    return {'min_height': -(-height // ratio), 'min_width': -(-width // ratio),
            'min_factor': ratio}


def _has_adobe_marker(data: bytes) -> bool:
    """Whether one of the file's own segments is Adobe's: then CMYK is inverted."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xff and data[at + 1] != 0xda:    # the picture
        length = int.from_bytes(data[at + 2:at + 4], 'big')
        if data[at + 1] == 0xee and length >= 14 and data[at + 4:at + 9] == b'Adobe':
            return True
        at += 2 + length
    return False


def _of_inks(pixels: np.ndarray, inverted: bool) -> np.ndarray:
    """Red, green and blue of cyan, magenta, yellow and black."""
    inks = (pixels if inverted else 255 - pixels).astype(np.uint16)
    return (inks[..., :3] * inks[..., 3:] // 255).astype(np.uint8)
