"""tf.image.resize: pixels are areas, and `antialias` is refused."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse
from tinyflow.ops.image import bicubic_area, resize as by_op, sizes

__all__ = ['ResizeMethod', 'resize', 'resize_with_pad']


class ResizeMethod:
    """The ways to compute pixels of another size."""

    AREA = 'area'
    BICUBIC = 'bicubic'
    BILINEAR = 'bilinear'
    GAUSSIAN = 'gaussian'
    LANCZOS3 = 'lanczos3'
    LANCZOS5 = 'lanczos5'
    MITCHELLCUBIC = 'mitchellcubic'
    NEAREST_NEIGHBOR = 'nearest'


def _half_pixel(function):
    def resized(images, size, align_corners):
        return function(images, size, half_pixel_centers=True)
    return resized


_RESIZERS = {
    'area': lambda images, size, align_corners: bicubic_area.resize_area(images, size),
    'bicubic': _half_pixel(bicubic_area.resize_bicubic),
    'bilinear': _half_pixel(by_op.resize_bilinear),
    'nearest': _half_pixel(by_op.resize_nearest_neighbor),
}


def _resizer(method, antialias):
    if antialias and method != 'nearest' or method not in _RESIZERS:
        raise misuse(NotImplementedError(
            f'tf.image.resize(method={method!r}, antialias={antialias}): tinyflow has '
            f'{", ".join(_RESIZERS)}, without antialias.'))
    return _RESIZERS[method]


def resize(images, size, method='bilinear', preserve_aspect_ratio=False, antialias=False,
           name=None):
    """Images of another size; float32 unless the method is 'nearest' or nothing changes.

    A pixel is the area around its centre, (i + 0.5) / size; TensorFlow 1's is a point. Shapes:
    images [batch, height, width, channels] or [height, width, channels] -> the same with `size`.
    Raises NotImplementedError for `antialias` and the methods that it is for.
    """
    return sizes.resize_images(images, size, _resizer(method, antialias),
                               preserve_aspect_ratio=preserve_aspect_ratio, name=name)


def resize_with_pad(image, target_height, target_width, method='bilinear', antialias=False):
    """Resized as a whole without distortion, then padded with zeros to the target size."""
    return sizes.resize_image_with_pad(image, target_height, target_width,
                                       _resizer(method, antialias))
