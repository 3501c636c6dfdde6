"""decode_image for any format, and adjust_jpeg_quality."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, gathering
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.image.colors import convert_image_dtype
from tinyflow.ops.image.gif_bmp import decode_bmp, decode_gif
from tinyflow.ops.image.jpeg import EncodeJpegVariableQuality
from tinyflow.ops.image.jpeg_png import JPEG, decode_jpeg, decode_png
from tinyflow.ops.math import logic
from tinyflow.ops.random import random_functions
from tinyflow.ops.strings import substrings


def is_jpeg(contents, name=None):
    """Whether the bytes begin as a JPEG file does.

    Shapes: contents [*a], string -> [*a], bool.
    """
    with name_scope(name, 'is_jpeg'):
        return logic.equal(substrings.substr(contents, 0, 3), JPEG)


def _is_png(contents):
    with name_scope(None, 'is_png'):
        return logic.equal(substrings.substr(contents, 0, 3), b'\x89PN')


class _Decoding:
    """The branches of decode_image, one for each format."""

    def __init__(self, contents, beginning, channels, dtype, expand_animations):
        self.contents, self.beginning = contents, beginning
        self.channels, self.dtype = channels, dtype
        self.expand_animations = expand_animations

    def _after(self, checks, decode):
        with get_default_graph().control_dependencies(checks):
            return convert_image_dtype(decode(), self.dtype)

    def any(self):
        return cond(is_jpeg(self.contents), self.jpeg, self.png_or_other,
                    name='cond_jpeg')

    def jpeg(self):
        good = logic.not_equal(self.channels, 4, name='check_jpeg_channels')
        check = assertions.Assert(
            good, ['Channels must be in (None, 0, 1, 3) when decoding JPEG images'])
        return self._after([check], lambda: decode_jpeg(self.contents, self.channels))

    def png_or_other(self):
        return cond(_is_png(self.contents), self.png, self.gif_or_bmp,
                    name='cond_png')

    def png(self):
        wide = dtypes.uint8 if self.dtype == dtypes.uint8 else dtypes.uint16
        return convert_image_dtype(decode_png(self.contents, self.channels, dtype=wide),
                                   self.dtype)

    def gif_or_bmp(self):
        is_gif = logic.equal(self.beginning, b'GIF', name='is_gif')
        return cond(is_gif, self.gif, self.bmp, name='cond_gif')

    def gif(self):
        not_one = logic.not_equal(self.channels, 1, name='check_gif_channels')
        not_four = logic.not_equal(self.channels, 4, name='check_gif_channels')
        check = assertions.Assert(
            logic.logical_and(not_one, not_four),
            ['Channels must be in (None, 0, 3) when decoding GIF images'])

        def decode():
            pictures = decode_gif(self.contents)
            return pictures if self.expand_animations else gathering.gather(pictures, 0)
        return self._after([check], decode)

    def bmp(self):
        is_bmp = logic.equal(substrings.substr(self.contents, 0, 2), b'BM', name='is_bmp')
        checks = [assertions.Assert(is_bmp, ['Unable to decode bytes as JPEG, PNG, GIF, or BMP'])]
        good = logic.not_equal(self.channels, 1, name='check_channels')
        checks.append(assertions.Assert(
            good, ['Channels must be in (None, 0, 3) when decoding BMP images']))
        return self._after(checks, lambda: decode_bmp(self.contents))


def decode_image(contents, channels=None, dtype=dtypes.uint8, name=None, expand_animations=True):
    """The pixels of a JPEG, PNG, GIF or BMP file, detected from its first bytes.

    The static shape is unknown: use set_shape. A GIF file gives all its frames,
    or the first one without `expand_animations`.

    Shapes: contents [] string -> [height, width, channels], of GIF files [pictures, height,
    width, 3]. ValueError for channels other than None, 0, 1, 3 and 4.
    """
    with name_scope(name, 'decode_image'):
        if channels not in (None, 0, 1, 3, 4):
            raise misuse(ValueError('channels must be in (None, 0, 1, 3, 4)'))
        beginning = substrings.substr(contents, 0, 3)
        return _Decoding(contents, beginning, channels or 0, dtypes.as_dtype(dtype),
                         expand_animations).any()


def adjust_jpeg_quality(image, jpeg_quality, name=None):
    """The image as it comes out of a JPEG file of that quality (0 to 100).

    Shapes: image [height, width, channels], channels 1 or 3 -> as image.
    """
    with name_scope(name, 'adjust_jpeg_quality', [image]):
        image = convert_to_tensor(image, name='image')
        small = convert_image_dtype(image, dtypes.uint8)
        quality = jpeg_quality if hasattr(jpeg_quality, 'op') \
            else constants.constant(jpeg_quality, dtypes.int32)
        return convert_image_dtype(decode_jpeg(EncodeJpegVariableQuality.apply(small, quality)),
                                   image.dtype)


def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    """adjust_jpeg_quality to a random integer in [min_jpeg_quality, max_jpeg_quality).

    Shapes: image [height, width, channels], channels 1 or 3 -> as image.
    """
    low, high = min_jpeg_quality, max_jpeg_quality
    if min(low, high) < 0 or max(low, high) > 100:
        raise misuse(ValueError('jpeg encoding range must be between 0 and 100.'))
    if low >= high:
        raise misuse(ValueError('`min_jpeg_quality` must be less than `max_jpeg_quality`.'))
    return adjust_jpeg_quality(
        image, random_functions.random_uniform([], low, high, dtypes.int32, seed))
