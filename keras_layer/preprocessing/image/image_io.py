"""Images to and from arrays and files, by Pillow."""
from __future__ import annotations

import io
import os
import struct
import warnings
import zlib
from importlib import import_module

import numpy as np

from keras_layer import backend as K
from tinyflow.graph.support.errors import misuse

__all__ = ['array_to_img', 'img_to_array', 'list_pictures', 'load_img', 'pillow', 'save_img']

_DAMAGED = (OSError, SyntaxError, EOFError, LookupError, OverflowError, ValueError, TypeError,
            struct.error, zlib.error)
_INTERPOLATIONS = ('nearest', 'bilinear', 'bicubic', 'hamming', 'box', 'lanczos')
_MODES = {'grayscale': ('L', 'I;16', 'I'), 'rgb': ('RGB',), 'rgba': ('RGBA',)}
_ENDINGS = ('jpg', 'jpeg', 'bmp', 'png', 'ppm', 'tif', 'tiff')


def pillow(module, wanted_by):
    """A module of the package Pillow, or an ImportError that names the calling function."""
    try:
        return import_module(f'PIL.{module}')
    except ImportError:
        raise misuse(ImportError(f'{wanted_by} needs the package Pillow.\n  Hint: '
                                 'pip install "tinyflow-graph[images]".')) from None


def _checked_format(data_format):
    data_format = data_format or K.image_data_format()
    if data_format not in ('channels_first', 'channels_last'):
        raise misuse(ValueError(f'Invalid data_format: {data_format}; it is "channels_last" or '
                                '"channels_first".'))
    return data_format


def array_to_img(x, data_format=None, scale=True, dtype=None):
    """An array with 1, 3 or 4 channels as a PIL.Image.

    `scale` maps the smallest value to 0 and the largest to 255.

    Shapes: x [height, width, channels], or [channels, height, width]. ValueError for others.
    """
    image = pillow('Image', 'array_to_img')
    data_format = _checked_format(data_format)
    x = np.asarray(x, dtype=dtype or K.floatx())
    if x.ndim != 3:
        raise misuse(ValueError('Expected image array to have rank 3 (single image). Got array '
                                f'with shape: {x.shape}'))
    if data_format == 'channels_first':
        x = x.transpose(1, 2, 0)
    if scale:
        x = x - np.min(x)
        largest = np.max(x)
        if largest != 0:
            x /= largest
        x *= 255
    if x.shape[2] in (3, 4):
        return image.fromarray(x.astype('uint8'))
    if x.shape[2] == 1:
        return image.fromarray(x[:, :, 0].astype('int32' if np.max(x) > 255 else 'uint8'))
    raise misuse(ValueError(f'Unsupported channel number: {x.shape[2]}; an image has 1, 3 or 4. '
                            f'The data format is {data_format}.'))


def img_to_array(img, data_format=None, dtype=None):
    """The values of an image.

    Shapes: -> [height, width, channels], or [channels, height, width] for channels_first.
    """
    data_format = _checked_format(data_format)
    x = np.asarray(img, dtype=dtype or K.floatx())
    if x.ndim == 2:
        x = x[:, :, None]
    if x.ndim != 3:
        raise misuse(ValueError(f'Unsupported image shape: {x.shape}'))
    return x.transpose(2, 0, 1) if data_format == 'channels_first' else x


def load_img(path, grayscale=False, color_mode='rgb', target_size=None, interpolation='nearest'):
    """Reads a file as a PIL.Image in `color_mode`, resized to (height, width).

    OSError if it does not exist or is no image; ValueError for one with too many pixels, an
    unknown color mode or interpolation.
    """
    image = pillow('Image', 'load_img')
    if grayscale:
        warnings.warn('grayscale is deprecated. Please use color_mode = "grayscale"',
                      stacklevel=2)
        color_mode = 'grayscale'
    if color_mode not in _MODES:
        raise misuse(ValueError('color_mode must be "grayscale", "rgb", or "rgba"'))
    with open(path, 'rb') as file:
        img = _loaded(image, file.read(), path)
    if img.mode not in _MODES[color_mode]:
        img = img.convert(_MODES[color_mode][0])
    if target_size is not None and img.size != (target_size[1], target_size[0]):
        if interpolation not in _INTERPOLATIONS:
            raise misuse(ValueError(f'Invalid interpolation method {interpolation} specified. '
                                    f'Supported methods are {", ".join(_INTERPOLATIONS)}'))
        img = img.resize((target_size[1], target_size[0]),
                         image.Resampling[interpolation.upper()])
    return img


def _loaded(image, data, path):
    """The picture with its pixels; errors of Pillow name the file."""
    try:
        img = image.open(io.BytesIO(data))
        img.load()
    except image.DecompressionBombError as error:
        raise misuse(ValueError(f'{str(path)!r}: {error}\n  Hint: if you trust the file, '
                                'PIL.Image.MAX_IMAGE_PIXELS = None.')) from None
    except _DAMAGED as error:
        kind = type(error) if isinstance(error, image.UnidentifiedImageError) else OSError
        raise misuse(kind(f'{str(path)!r} is no image, or is damaged: {error}')) from None
    return img


def save_img(path, x, data_format=None, file_format=None, scale=True, **kwargs):
    """Writes an array as an image file; the format is that of the suffix, or `file_format`."""
    img = array_to_img(x, data_format=data_format, scale=scale)
    if img.mode == 'RGBA' and file_format in ('jpg', 'jpeg'):
        warnings.warn('The JPG format does not support RGBA images, converting to RGB.',
                      stacklevel=2)
        img = img.convert('RGB')
    img.save(path, format='jpeg' if file_format == 'jpg' else file_format, **kwargs)


def list_pictures(directory, ext=_ENDINGS):
    """The paths of all images in a folder and its subfolders."""
    endings = tuple(f'.{e}' for e in ((ext,) if isinstance(ext, str) else ext))
    return [os.path.join(root, name) for root, _, names in os.walk(directory) for name in names
            if name.lower().endswith(endings)]
