"""encode_jpeg, extract_jpeg_shape and decode_and_crop_jpeg."""
from __future__ import annotations

import io

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.image import jpeg_png
from tinyflow.ops.image.jpeg_png import DecodeJpeg

__all__ = ['decode_and_crop_jpeg', 'encode_jpeg', 'extract_jpeg_shape']

_CHANNELS = {'': (1, 3), 'grayscale': (1,), 'rgb': (3,)}
_CM_PER_INCH = 2.54


def _check_image(image):
    if image is not None and len(image) != 3:
        raise OpFailure(f'Shape must be rank 3 but is rank {len(image)}',
                        'an image is [height, width, channels].')


def _check_scalar(name, shape):
    if shape:
        raise OpFailure(f'Shape must be rank 0 but is rank {len(shape)}: {name} is a scalar',
                        'tf.map_fn does several.')


def _check_quality(quality):
    if not 0 <= quality <= 100:
        raise ValueError(f'quality must be in [0,100], got {quality}')


def _encoded(image, allowed, **options):
    if image.ndim != 3 or not image.size or image.shape[2] not in allowed:
        raise ValueError(f'image must be [height, width, channels] with '
                         f'{" or ".join(map(str, allowed))} channels, got {list(image.shape)}')
    pillow = jpeg_png.pillow()
    pixels = image[..., 0] if image.shape[2] == 1 else image
    buffer = io.BytesIO()
    pillow.fromarray(np.ascontiguousarray(pixels)).save(buffer, 'JPEG', **options)
    return np.array(buffer.getvalue(), object)


class EncodeJpeg(Op):
    """A JPEG file of an image."""

    signature = 'image: uint8 -> contents: string'
    attrs = {'format': '', 'quality': 95, 'progressive': False, 'optimize_size': False,
             'chroma_downsampling': True, 'density_unit': 'in', 'x_density': 300,
             'y_density': 300, 'xmp_metadata': ''}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(image, *, format, quality, density_unit):
        if format not in _CHANNELS:
            raise ValueError(f"format must be '', 'grayscale' or 'rgb', got {format!r}")
        if density_unit not in ('in', 'cm'):
            raise ValueError(f"density_unit must be 'in' or 'cm', got {density_unit!r}")
        _check_quality(quality)
        _check_image(image)
        return ()

    def kernel(image, *, format, quality, progressive, optimize_size, chroma_downsampling,
               density_unit, x_density, y_density, xmp_metadata):
        unit = _CM_PER_INCH if density_unit == 'cm' else 1
        options = {'quality': quality, 'progressive': progressive, 'optimize': optimize_size,
                   'dpi': (round(x_density * unit), round(y_density * unit))}
        if image.ndim == 3 and image.shape[2] == 3:
            options['subsampling'] = 2 if chroma_downsampling else 0
        if xmp_metadata:
            options['xmp'] = xmp_metadata.encode() if isinstance(xmp_metadata, str) \
                else xmp_metadata
        return _encoded(image, _CHANNELS[format], **options)


class EncodeJpegVariableQuality(Op):
    """A JPEG file of an image, of a quality that is a tensor."""

    signature = 'images: uint8, quality: int32 -> contents: string'
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(images, quality):
        _check_image(images)
        _check_scalar('quality', quality)
        return ()

    def kernel(images, quality):
        _check_quality(quality)
        options = {'subsampling': 2} if images.ndim == 3 and images.shape[2] == 3 else {}
        return _encoded(images, (1, 3), quality=int(quality), **options)


class ExtractJpegShape(Op):
    """Height, width and channels of a JPEG file, read from its header."""

    signature = 'contents: string -> image_shape: output_type'
    types = {'output_type': dtypes.INDEX}
    attrs = {'output_type': dtypes.int32}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(contents):
        _check_scalar('contents', contents)
        return (3,)

    def kernel(contents, *, output_type):
        _check_scalar('contents', contents.shape)
        with jpeg_png.opened(contents.item(), ['JPEG']) as picture:
            width, height = picture.size
            return np.array([height, width, len(picture.getbands())], output_type.as_numpy_dtype)


class DecodeAndCropJpeg(Op):
    """The pixels of a JPEG file within a window."""

    signature = 'contents: string, crop_window: int32 -> image: uint8'
    attrs = dict(DecodeJpeg.attrs)
    static = {'crop_window': 1}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(contents, crop_window, *, channels):
        window = crop_window or (None,) * 4
        if len(window) != 4:
            raise ValueError(f'Dimension must be 4 but is {len(window)}: crop_window is y, x, '
                             'height, width')
        return (*window[2:], DecodeJpeg.shape(contents, channels=channels)[2])

    def kernel(contents, crop_window, *, channels, ratio, fancy_upscaling, try_recover_truncated,
               dct_method):
        pixels = DecodeJpeg.kernel(
            contents, channels=channels, ratio=ratio, fancy_upscaling=fancy_upscaling,
            try_recover_truncated=try_recover_truncated, dct_method=dct_method)
        if len(crop_window) != 4:
            raise ValueError(f'crop_window must have four elements, got {list(crop_window)}')
        top, left, height, width = crop_window
        if min(top, left) < 0 or min(height, width) <= 0 or top + height > pixels.shape[0] \
                or left + width > pixels.shape[1]:
            raise OpFailure(f'Invalid crop window: {list(crop_window)} leaves the image, which is '
                            f'{list(pixels.shape)}',
                            'it is y, x, height, width.')
        return pixels[top:top + height, left:left + width]


def encode_jpeg(image, format='', quality=95, progressive=False, optimize_size=False,
                chroma_downsampling=True, density_unit='in', x_density=300, y_density=300,
                xmp_metadata='', name=None):
    """A JPEG file of an image of uint8; its bytes are not those that TensorFlow writes.

    Shapes: image [height, width, channels], channels 1 or 3 -> [], string.
    ImportError without Pillow (pip install tinyflow-graph[images]).
    """
    return EncodeJpeg.apply(
        image, format=format, quality=quality, progressive=progressive,
        optimize_size=optimize_size, chroma_downsampling=chroma_downsampling,
        density_unit=density_unit, x_density=x_density, y_density=y_density,
        xmp_metadata=xmp_metadata, name=name)


def extract_jpeg_shape(contents, output_type=dtypes.int32, name=None):
    """Height, width and channels of a JPEG file, without decoding it.

    Shapes: contents [] string -> [3].
    """
    return ExtractJpegShape.apply(contents, output_type=dtypes.as_dtype(output_type), name=name)


def decode_and_crop_jpeg(contents, crop_window, channels=0, ratio=1, fancy_upscaling=True,
                         try_recover_truncated=False, acceptable_fraction=1, dct_method='',
                         name=None):
    """The part of a JPEG file's pixels in the window y, x, height, width.

    They are decode_jpeg's; in TensorFlow colours may differ at the left and right of the window.

    Shapes: contents [] string, crop_window [4] -> [height, width, channels].
    """
    return DecodeAndCropJpeg.apply(
        contents, crop_window, channels=channels, ratio=ratio, fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=float(acceptable_fraction), dct_method=dct_method, name=name)
