"""tf.image: sizes, flips, colours and files."""
import numpy as np

from ..image_files import BMP, COLOURS, GIF, INKS, JPEG, PNG
from ..op_cases import case, f32


def _image(*shape):
    return f32(np.random.RandomState(3).rand(*shape))


_BYTES = (_image(4, 5, 3) * 255).astype(np.uint8)
for _size in ([3, 7], [8, 2], [1, 1], [4, 5]):
    for _align in (False, True):
        for _method in (0, 1):
            case('image.resize_images', '%s, %d, %s' % (_size, _method, _align),
                 _image(2, 4, 5, 2), _size, _method, _align)
    for _name in ('image.resize_bilinear', 'image.resize_nearest_neighbor'):
        case(_name, 'half pixels, %s' % _size, _image(1, 4, 5, 2), _size, half_pixel_centers=True)
case('image.resize_images', 'one image of bytes', _BYTES, [2, 9])
case('image.resize_images', 'a vector', f32([1, 2]), [2, 9])
case('image.resize_images', 'three sizes', _image(4, 5, 3), [2, 9, 1])
for _name in ('image.flip_left_right', 'image.flip_up_down'):
    case(_name, 'one', _image(4, 5, 3))
    case(_name, 'a batch', _image(2, 4, 5, 1))
case('image.crop_to_bounding_box', 'inside', _image(4, 5, 3), 1, 2, 2, 3)
case('image.crop_to_bounding_box', 'outside', _image(4, 5, 3), 1, 2, 2, 4)
case('image.pad_to_bounding_box', 'larger', _image(2, 2, 3, 1), 1, 2, 5, 6)
case('image.pad_to_bounding_box', 'too small', _image(2, 2, 3, 1), 1, 2, 5, 4)
for _sides in ((2, 2), (7, 8), (3, 9), (4, 5)):
    case('image.resize_image_with_crop_or_pad', '%d %d' % _sides, _image(4, 5, 3), *_sides)
for _what, _x in (('floats', _image(2, 4, 5, 3)), ('bytes', _BYTES)):
    case('image.adjust_brightness', _what, _x, 0.25)
    case('image.adjust_contrast', _what, _x, 1.7)
    case('image.adjust_hue', _what, _x, 0.3)
    case('image.adjust_hue', 'back, ' + _what, _x, -0.4)
    case('image.adjust_saturation', _what, _x, 1.5)
    for _dtype in ('uint8', 'float32', 'int32', 'float64'):
        case('image.convert_image_dtype', '%s to %s' % (_what, _dtype), _x, _dtype)
case('image.adjust_hue', 'grey', np.full([2, 2, 3], 0.5, np.float32), 0.3)
case('image.adjust_saturation', 'one channel', _image(4, 5, 1), 1.5)
for _file, _name in ((JPEG, 'JPEG'), (PNG, 'PNG')):
    for _channels in (0, 3):
        case('image.decode_jpeg', '%s %d' % (_name, _channels), np.array(_file, object), _channels)
        case('image.decode_png', '%s %d' % (_name, _channels), np.array(_file, object), _channels)
case('image.decode_png', 'grey of grey', np.array(JPEG, object), 1)
case('image.decode_png', 'neither', np.array(b'text', object))
case('image.decode_jpeg', 'four channels', np.array(JPEG, object), 4)
for _file, _name in ((COLOURS, 'colours'), (INKS, 'inks')):
    for _what, _options in (
            ('as in the file', {}), ('accurate', {'dct_method': 'INTEGER_ACCURATE'}),
            ('one channel', {'channels': 1}), ('nearest colours', {'fancy_upscaling': False}),
            ('a half', {'ratio': 2}), ('a quarter', {'ratio': 4}), ('an eighth', {'ratio': 8}),
            ('whole', {'try_recover_truncated': True})):
        case('image.decode_jpeg', '%s, %s' % (_name, _what), np.array(_file, object), **_options)
case('image.decode_jpeg', 'a third', np.array(JPEG, object), ratio=3)
case('image.decode_jpeg', 'no such transform', np.array(JPEG, object), dct_method='FLOAT')
case('image.decode_jpeg', 'a half of a PNG', np.array(PNG, object), ratio=2)
for _what, _x in (('floats', _image(2, 4, 5, 3)), ('bytes', _BYTES)):
    case('image.rgb_to_grayscale', _what, _x)
    case('image.adjust_gamma', _what, _x, 2., 3.)
case('image.adjust_gamma', 'negative', _BYTES, -1.)
for _name in ('image.rgb_to_yuv', 'image.yuv_to_rgb'):
    case(_name, 'a batch', _image(2, 4, 5, 3))
for _name in ('per_image_standardization', 'transpose_image'):
    case('image.' + _name, 'a batch', _image(2, 4, 5, 3))
    case('image.' + _name, 'one of bytes', _BYTES)
for _shape in ((4, 5, 3), (2, 4, 5, 3)):
    case('image.total_variation', 'rank %d' % len(_shape), _image(*_shape))

# Sizes by cubic curves and areas.
for _size in ([3, 7], [8, 2], [1, 1], [9, 11]):
    for _align in (False, True):
        for _method in (2, 3):
            case('image.resize_images', '%s, %d, %s' % (_size, _method, _align),
                 _image(2, 4, 5, 2), _size, _method, _align)
    case('image.resize_bicubic', 'half pixels, %s' % _size, _image(1, 4, 5, 2), _size,
         half_pixel_centers=True)
    case('image.resize_area', 'bytes, %s' % _size, _BYTES[None], _size)
    for _method in (0, 2):
        case('image.resize_image_with_pad', '%s, %d' % (_size, _method), _image(4, 5, 3),
             _size[0], _size[1], _method)
case('image.resize_images', 'kept proportions', _image(4, 5, 3), [8, 8], 0, False, True)
# Colours.
for _name in ('rgb_to_hsv', 'hsv_to_rgb', 'rgb_to_yiq', 'yiq_to_rgb'):
    case('image.' + _name, 'a batch', _image(2, 4, 5, 3))
case('image.rgb_to_hsv', 'four channels', _image(2, 4))
case('image.grayscale_to_rgb', 'one', _image(4, 5, 1))
case('image.grayscale_to_rgb', 'three channels', _image(4, 5, 3))
# Parts, edges and likeness.
for _fraction in (.5, .4, 1., 1.5):
    case('image.central_crop', '%s' % _fraction, _image(4, 5, 3), _fraction)
    case('image.central_crop', 'a batch, %s' % _fraction, _image(2, 5, 7, 3), _fraction)
_BOXES = f32([[0, 0, 1, 1], [.1, .2, .6, .9], [.8, .7, .1, .3], [-.2, .1, .5, 1.3]])
_WHICH = np.array([0, 1, 1, 0], np.int32)
for _method in ('bilinear', 'nearest'):
    for _size in ([3, 4], [1, 2], [1, 1]):
        case('image.crop_and_resize', '%s %s' % (_method, _size), _image(2, 4, 5, 3), _BOXES,
             _WHICH, _size, _method, .5)
case('image.crop_and_resize', 'no such image', _image(1, 4, 5, 3), _BOXES, _WHICH, [2, 2])
for _how in ((True, True), (False, True), (False, False)):
    case('image.extract_glimpse', 'inside, %s %s' % _how, _image(2, 8, 9, 2), [2, 3],
         f32([[.3, .4], [.5, .6]]) * (1 if _how[1] else 9), *_how)
case('image.image_gradients', 'a batch', _image(2, 4, 5, 3))
case('image.image_gradients', 'one', _image(4, 5, 3))
case('image.sobel_edges', 'a batch', _image(2, 4, 5, 3))
for _name in ('psnr', 'ssim'):
    case('image.' + _name, 'a batch', _image(2, 12, 13, 3), 1 - .5 * _image(2, 12, 13, 3), 1.)
    case('image.' + _name, 'other sizes', _image(12, 13, 3), _image(12, 12, 3), 1.)
case('image.psnr', 'bytes', _BYTES, 255 - _BYTES, 255)
case('image.ssim', 'a small filter', _image(5, 6, 1), _image(5, 6, 1) ** 2, 1., 3, 1.)
case('image.extract_patches', 'all', _image(2, 4, 5, 3), [1, 2, 2, 1], [1, 1, 1, 1],
     [1, 1, 1, 1], 'VALID')
# Boxes.
_FRAMES = f32([[[.1, .1, .6, .9], [-.5, .2, .7, 1.4]], [[.9, .1, .2, .3], [0, 0, 1, 1]]])
for _channels in (1, 3, 4):
    case('image.draw_bounding_boxes', '%d channels' % _channels, _image(2, 6, 7, _channels),
         _FRAMES)
case('image.draw_bounding_boxes', 'colours', _image(2, 6, 7, 3), _FRAMES,
     colors=f32([[1, 0, .5], [0, 1, 0]]))
case('image.draw_bounding_boxes', 'two channels', _image(2, 6, 7, 2), _FRAMES)
_CORNERS = np.random.RandomState(1).rand(12, 4).astype(np.float32)
_SCORES = np.random.RandomState(2).rand(12).astype(np.float32)
for _count, _least in ((3, .5), (12, .2), (12, .05)):
    case('image.non_max_suppression', '%d %s' % (_count, _least), _CORNERS, _SCORES, _count, _least)
    for _pad in (False, True):
        case('image.non_max_suppression_padded', '%d %s %s' % (_count, _least, _pad), _CORNERS,
             _SCORES, _count, _least, .3, _pad)
    for _sigma in (0., .3):
        case('image.non_max_suppression_with_scores', '%d %s %s' % (_count, _least, _sigma),
             _CORNERS, _SCORES, _count, _least, .1, _sigma)
    case('image.non_max_suppression_overlaps', '%d %s' % (_count, _least),
         np.maximum(_image(12, 12), np.eye(12, dtype=np.float32)), _SCORES, _count, _least)
    for _pad in (False, True):
        case('image.combined_non_max_suppression', '%d %s %s' % (_count, _least, _pad),
             2 * _image(2, 6, 1, 4), _image(2, 6, 3), 2, _count, _least, .2, _pad)
case('image.combined_non_max_suppression', 'boxes of classes', _image(2, 6, 3, 4),
     _image(2, 6, 3), 3, 5, clip_boxes=False)
case('image.non_max_suppression', 'three corners', _CORNERS[:, :3], _SCORES, 3)
# Files.
for _file, _name in ((BMP, 'BMP'), (GIF, 'GIF'), (JPEG, 'JPEG'), (PNG, 'PNG')):
    case('image.is_jpeg', _name, np.array(_file, object))
case('image.decode_bmp', 'three channels', np.array(BMP, object))
case('image.decode_bmp', 'one of three', np.array(BMP, object), 1)
case('image.decode_bmp', 'no file', np.array(b'text', object))
case('image.decode_gif', 'two pictures', np.array(GIF, object))
case('image.decode_gif', 'no file', np.array(b'text', object))
case('image.extract_jpeg_shape', 'grey', np.array(JPEG, object))
case('image.extract_jpeg_shape', 'int64', np.array(JPEG, object), 'int64')
case('image.decode_and_crop_jpeg', 'a corner', np.array(JPEG, object), [1, 0, 1, 2])
case('image.decode_and_crop_jpeg', 'outside', np.array(JPEG, object), [1, 0, 2, 2])
