"""tf.image: image files, sizes, flips and colours."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.conv.patches import extract_image_patches, extract_patches
from tinyflow.ops.image.bicubic_area import resize_area, resize_bicubic
from tinyflow.ops.image.boxes import draw_bounding_boxes, sample_distorted_bounding_box
from tinyflow.ops.image.color_ops import hsv_to_rgb, rgb_to_hsv
from tinyflow.ops.image.color_spaces import (
    adjust_gamma,
    grayscale_to_rgb,
    rgb_to_grayscale,
    rgb_to_yiq,
    rgb_to_yuv,
    yiq_to_rgb,
    yuv_to_rgb,
)
from tinyflow.ops.image.colors import (
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
from tinyflow.ops.image.crops import crop_and_resize, extract_glimpse
from tinyflow.ops.image.edges import image_gradients, sobel_edges
from tinyflow.ops.image.files import adjust_jpeg_quality, decode_image, is_jpeg, random_jpeg_quality
from tinyflow.ops.image.flips import (
    flip_left_right,
    flip_up_down,
    random_flip_left_right,
    random_flip_up_down,
)
from tinyflow.ops.image.gif_bmp import decode_bmp, decode_gif
from tinyflow.ops.image.jpeg import decode_and_crop_jpeg, encode_jpeg, extract_jpeg_shape
from tinyflow.ops.image.jpeg_png import decode_jpeg, decode_png, encode_png
from tinyflow.ops.image.resize import resize_bilinear, resize_nearest_neighbor
from tinyflow.ops.image.rotate import central_crop, rot90
from tinyflow.ops.image.similarity import psnr, ssim, ssim_multiscale
from tinyflow.ops.image.sizes import (
    ResizeMethod,
    crop_to_bounding_box,
    pad_to_bounding_box,
    resize_image_with_crop_or_pad,
    resize_image_with_pad,
    resize_images,
)
from tinyflow.ops.image.statistics import (
    per_image_standardization,
    total_variation,
    transpose_image,
)
from tinyflow.ops.image.suppression import (
    combined_non_max_suppression,
    non_max_suppression,
    non_max_suppression_overlaps,
    non_max_suppression_padded,
    non_max_suppression_with_scores,
)
from tinyflow.ops.random.random_functions import random_crop

resize = resize_images
transpose = transpose_image
resize_with_crop_or_pad = resize_image_with_crop_or_pad

__all__ = ['ResizeMethod', 'adjust_brightness', 'adjust_contrast', 'adjust_gamma', 'adjust_hue',
           'adjust_jpeg_quality', 'adjust_saturation', 'central_crop',
           'combined_non_max_suppression', 'convert_image_dtype', 'crop_and_resize',
           'crop_to_bounding_box', 'decode_and_crop_jpeg', 'decode_bmp', 'decode_gif',
           'decode_image', 'decode_jpeg', 'decode_png', 'draw_bounding_boxes', 'encode_jpeg',
           'encode_png', 'extract_glimpse', 'extract_image_patches', 'extract_jpeg_shape',
           'extract_patches', 'flip_left_right', 'flip_up_down', 'grayscale_to_rgb', 'hsv_to_rgb',
           'image_gradients', 'is_jpeg', 'non_max_suppression', 'non_max_suppression_overlaps',
           'non_max_suppression_padded', 'non_max_suppression_with_scores', 'pad_to_bounding_box',
           'per_image_standardization', 'psnr', 'random_brightness', 'random_contrast',
           'random_crop', 'random_flip_left_right', 'random_flip_up_down', 'random_hue',
           'random_jpeg_quality', 'random_saturation', 'resize', 'resize_area', 'resize_bicubic',
           'resize_bilinear', 'resize_image_with_crop_or_pad', 'resize_image_with_pad',
           'resize_images', 'resize_nearest_neighbor', 'resize_with_crop_or_pad',
           'rgb_to_grayscale', 'rgb_to_hsv', 'rgb_to_yiq', 'rgb_to_yuv', 'rot90',
           'sample_distorted_bounding_box', 'sobel_edges', 'ssim', 'ssim_multiscale',
           'total_variation', 'transpose', 'transpose_image', 'yiq_to_rgb', 'yuv_to_rgb']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
