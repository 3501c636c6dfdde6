"""tf.image: image files, sizes, flips and colours."""
from tinyflow.absent import absent as _absent
from tinyflow.image.colors import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
    convert_image_dtype,
    random_brightness,
    random_contrast,
    random_hue,
    random_saturation,
)
from tinyflow.image.flips import (
    flip_left_right,
    flip_up_down,
    random_flip_left_right,
    random_flip_up_down,
)
from tinyflow.image.sizes import (
    ResizeMethod,
    crop_to_bounding_box,
    pad_to_bounding_box,
    resize_image_with_crop_or_pad,
    resize_images,
)
from tinyflow.image.spaces import adjust_gamma, rgb_to_grayscale, rgb_to_yuv, yuv_to_rgb
from tinyflow.image.statistics import (
    per_image_standardization,
    total_variation,
    transpose_image,
)
from tinyflow.ops.images_files import decode_jpeg, decode_png, encode_png
from tinyflow.ops.images_resize import resize_bilinear, resize_nearest_neighbor
from tinyflow.ops.patches import extract_image_patches
from tinyflow.ops.random import random_crop

resize = resize_images
transpose = transpose_image
resize_with_crop_or_pad = resize_image_with_crop_or_pad

__all__ = ['ResizeMethod', 'adjust_brightness', 'adjust_contrast', 'adjust_gamma', 'adjust_hue',
           'adjust_saturation', 'convert_image_dtype', 'crop_to_bounding_box', 'decode_jpeg',
           'decode_png', 'encode_png', 'extract_image_patches', 'flip_left_right', 'flip_up_down',
           'pad_to_bounding_box', 'per_image_standardization', 'random_brightness',
           'random_contrast', 'random_crop',
           'random_flip_left_right', 'random_flip_up_down', 'random_hue', 'random_saturation',
           'resize', 'resize_bilinear', 'resize_image_with_crop_or_pad', 'resize_images',
           'resize_nearest_neighbor', 'resize_with_crop_or_pad',
           'rgb_to_grayscale', 'rgb_to_yuv', 'total_variation', 'transpose',
           'transpose_image', 'yuv_to_rgb']

__getattr__ = _absent(__name__, __all__)


def __dir__():
    return __all__
