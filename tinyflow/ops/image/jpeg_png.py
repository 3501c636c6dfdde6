"""JPEG and PNG files, decoded and encoded through Pillow; JPEGs through simplejpeg if it is there.

Pixels are TensorFlow's, but those of a JPEG through Pillow are about as with
dct_method='INTEGER_ACCURATE', whatever the options. The default rounds differently, by up to ten
levels as measured on noise.
"""
from __future__ import annotations

import contextlib
import io
import struct
import zlib

import numpy as np

from tinyflow.formats.wire import png
from tinyflow.graph import dtypes
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure, UnimplementedError, op_error
from tinyflow.ops.image.jpeg_pixels import JpegOptions, jpeg_pixels

__all__ = ['decode_jpeg', 'decode_png', 'encode_png']

_DAMAGED = (OSError, SyntaxError, EOFError, LookupError, OverflowError, ValueError, TypeError,
            struct.error, zlib.error)
_MOST_PIXELS = 1 << 26      # of a picture that need not ask Pillow whether it is too large
_MODES = {1: 'L', 3: 'RGB', 4: 'RGBA'}
_USUAL = JpegOptions()
JPEG = b'\xff\xd8\xff'        # how a file begins
_TRANSFORMS = ('', 'INTEGER_FAST', 'INTEGER_ACCURATE')
_OTHERS = {b'GIF8': 'a GIF', b'BM': 'a BMP',
           b'RIFF': 'a WebP', b'II*': 'a TIFF', b'MM': 'a TIFF'}


def pillow():
    """Pillow's module Image. Raises ImportError, which says how to install it."""
    try:
        from PIL import Image  # optional package
    except ImportError as error:
        raise ImportError('Image files need Pillow, which is not installed: '
                          'pip install tinyflow-graph[images]') from error
    return Image


def _decoded(contents, channels, formats, options=_USUAL):
    """The file's pixels [height, width, channels], uint8; ValueError for another format."""
    if contents.ndim:
        raise OpFailure(f'contents must be scalar, got shape {list(contents.shape)}',
                        'one file; tf.map_fn decodes several.')
    data = contents.item()
    if data[:3] == JPEG:
        if channels == 4:
            raise OpFailure('channels must be 0, 1, or 3 for JPEG, got 4',
                            'a JPEG file has no transparency; save the image as PNG.')
        pixels = jpeg_pixels(data, channels, options, _MOST_PIXELS)
        if pixels is not None:
            return pixels
    with opened(data, formats) as picture:
        if picture.format == 'JPEG' and options.ratio != 1:
            picture.load()                      # raises for a file that is truncated
            raise NotImplementedError(
                'DecodeJpeg: ratio needs the package simplejpeg (pip install '
                'tinyflow-graph[images]) and a file without errors, which is not too large.')
        if picture.mode in ('I', 'F') or picture.mode.startswith('I;16'):
            raise op_error(UnimplementedError, '16-bit images are not decoded.',
                           'save them with 8 bits.')
        if picture.mode == 'LA' and not channels:
            return np.array(picture)
        own = {'L': 1, '1': 1, 'RGBA': 4}.get(picture.mode, 3)
        if picture.mode == 'P' and 'transparency' in picture.info:
            own = 4
        if picture.format == 'PNG' and channels == 1 and own > 1:
            return _grey(np.array(picture.convert('RGB')))
        mode = _MODES[channels or own]
        # convert would copy a picture that has the mode already.
        pixels = np.array(picture if picture.mode == mode else picture.convert(mode))
    return pixels[..., None] if pixels.ndim == 2 else pixels


def _grey(pixels):
    """The brightness as libpng computes it: in 32768ths, cut off, where Pillow rounds."""
    return (pixels @ np.int64([[9798], [19235], [3735]]) >> 15).astype(np.uint8)


@contextlib.contextmanager
def opened(data, formats):
    """The file as an Image of Pillow; ValueError if it cannot be read as one of `formats`.

    So are pictures of more than 2 * Image.MAX_IMAGE_PIXELS, where TensorFlow's limit is higher.
    """
    image = pillow()
    try:
        with image.open(io.BytesIO(data), formats=formats) as picture:
            yield picture
    except image.DecompressionBombError as error:
        raise OpFailure(f'Invalid {" or ".join(formats)} data, size {len(data)}: {error}',
                        'if you trust the file, PIL.Image.MAX_IMAGE_PIXELS = None.') from error
    except _DAMAGED as error:
        if isinstance(error, OpFailure):
            raise
        raise OpFailure(f'Invalid {" or ".join(formats)} data, size {len(data)}',
                        what_it_is(data)) from error


def what_it_is(data):
    """A hint for bytes that are not an image of the format, from how they begin."""
    for start, kind in _OTHERS.items():
        if data.startswith(start):
            return f'this is {kind}; tf.image.decode_image takes GIF and BMP; save others as PNG.'
    if data.startswith((b'\x89PNG', b'\xff\xd8')):
        return 'it begins like an image file but is damaged or truncated; create the file again.'
    return (f'the bytes of a whole file, tf.read_file(name), not its name; these begin with '
            f'{data[:12]!r}.')


def _decoded_shape(contents, channels, allowed):
    if channels not in allowed:
        raise ValueError(f'channels must be one of {", ".join(map(str, allowed))}, got {channels}')
    if contents:
        raise OpFailure(f'Shape must be rank 0 but is rank {len(contents)}',
                        'one file; tf.map_fn decodes several.')
    return None, None, channels or None


class DecodeJpeg(Op):
    """The pixels of a JPEG file (or a PNG file)."""

    signature = 'contents: string -> image: uint8'
    attrs = {'channels': 0, 'ratio': 1, 'fancy_upscaling': True, 'try_recover_truncated': False,
             'acceptable_fraction': 1.0, 'dct_method': ''}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(contents, *, channels):
        return _decoded_shape(contents, channels, (0, 1, 3, 4))

    def kernel(contents, *, channels, ratio, fancy_upscaling, try_recover_truncated, dct_method):
        if channels == 4:
            raise OpFailure('channels must be 0, 1, or 3 for JPEG, got 4',
                            'tf.image.decode_png gives four of a PNG.')
        if ratio not in (1, 2, 4, 8):
            raise ValueError(f'ratio must be 1, 2, 4, or 8, got {ratio}')
        if dct_method not in _TRANSFORMS:
            raise ValueError(f'dct_method must be one of {", ".join(map(repr, _TRANSFORMS))}, '
                             f'got {dct_method!r}')
        options = JpegOptions(ratio, fancy_upscaling, dct_method == _TRANSFORMS[2])
        try:
            return _decoded(contents, channels, ['JPEG', 'PNG'], options)
        except OpFailure as error:
            if try_recover_truncated and contents.item()[:3] == JPEG:
                raise NotImplementedError(
                    'DecodeJpeg: try_recover_truncated is missing, and this file may be truncated: '
                    f'{error}') from error
            raise


class DecodePng(Op):
    """The pixels of a PNG file (or a JPEG file)."""

    signature = 'contents: string -> image: dtype'
    types = {'dtype': frozenset({dtypes.uint8, dtypes.uint16})}
    attrs = {'channels': 0, 'dtype': dtypes.uint8}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(contents, *, channels):
        return _decoded_shape(contents, channels, (0, 1, 3, 4))

    def kernel(contents, *, channels, dtype):
        pixels = _decoded(contents, channels, ['PNG', 'JPEG'])
        if dtype == dtypes.uint16 and contents.item()[:3] == JPEG:
            raise OpFailure('JPEG does not support uint16 output', 'leave dtype away.')
        return pixels if dtype == dtypes.uint8 else pixels.astype(np.uint16) * np.uint16(257)


class EncodePng(Op):
    """A PNG file of an image."""

    signature = 'image: T -> contents: string'
    types = {'T': frozenset({dtypes.uint8})}
    attrs = {'compression': -1, 'T': dtypes.uint8}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(image):
        if image is not None and len(image) != 3:
            raise OpFailure(f'Shape must be rank 3 but is rank {len(image)}',
                            'an image is [height, width, channels].')
        return ()

    def kernel(image):
        if image.ndim != 3 or image.shape[2] not in (1, 3, 4) or not image.size:
            raise ValueError('image must be [height, width, 1, 3 or 4 channels], not '
                             f'{list(image.shape)}')
        return np.array(png.encode(image), object)


def decode_jpeg(contents, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False,
                acceptable_fraction=1, dct_method='', name=None):
    """The pixels of a JPEG file, uint8: TensorFlow's, if the package simplejpeg is installed.

    Shapes: contents [] string -> [height, width, channels]; `channels` 0 means as in the file.
    Files with unusual subsampling or errors in the header are Pillow's to decode, with other
    roundings. ImportError if neither package is there (pip install tinyflow-graph[images]).
    """
    return DecodeJpeg.apply(
        contents, channels=channels, ratio=ratio, fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=float(acceptable_fraction), dct_method=dct_method, name=name)


def decode_png(contents, channels=0, dtype=dtypes.uint8, name=None):
    """The pixels of a PNG file, exactly.

    Shapes: contents [] string -> [height, width, channels]; `channels` 0 means as in the file.
    ImportError without Pillow (pip install tinyflow-graph[images]).
    """
    return DecodePng.apply(contents, channels=channels, dtype=dtypes.as_dtype(dtype), name=name)


def encode_png(image, compression=-1, name=None):
    """A PNG file of an image of uint8.

    Shapes: image [height, width, channels], channels 1, 3 or 4 -> [], string.
    """
    return EncodePng.apply(image, compression=compression, name=name)
