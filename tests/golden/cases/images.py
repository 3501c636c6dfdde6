"""tf.image: sizes, flips, colours and files."""
import numpy as np

from ..image_files import JPEG, PNG
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
