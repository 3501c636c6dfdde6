"""Images of another size: resized, cropped, padded."""
from __future__ import annotations

from tinyflow.errors import report, worded
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.static import constant_value
from tinyflow.image.checked import at_least_3d
from tinyflow.ops import shaping, slicing
from tinyflow.ops.images_resize import resize_bilinear, resize_nearest_neighbor


class ResizeMethod:
    """How resize_images samples."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def _batched(image):
    """(the images as a batch, whether `image` was a single one)."""
    rank = image.shape.ndims
    if rank == 3:
        return shaping.expand_dims(image, 0), True
    if rank != 4:
        raise worded(ValueError(report(
            "'images' must have either 3 or 4 dimensions, known while the graph is built.",
            inputs=[('images', image)], mend='images.set_shape([None, None, 3]) tells them.')))
    return image, False


def resize_images(images, size, method=ResizeMethod.BILINEAR, align_corners=False,
                  preserve_aspect_ratio=False, name=None):
    """Images of another size; float32 unless the method is NEAREST_NEIGHBOR or nothing changes.

    Shapes: images [batch, height, width, channels] or [height, width, channels], size [2] ->
    [batch, *size, channels] or [*size, channels]. BICUBIC, AREA and preserve_aspect_ratio are left
    out: NotImplementedError.
    """
    if method not in (0, 1, 2, 3):
        raise worded(ValueError(f'Resize method {method!r} is not implemented.'))
    if method in (2, 3) or preserve_aspect_ratio:
        raise worded(NotImplementedError(
            'tf.image.resize_images: BICUBIC, AREA and preserve_aspect_ratio are left out; use '
            'ResizeMethod.BILINEAR or NEAREST_NEIGHBOR and a size of your own.'))
    with name_scope(name, 'resize', [images, size]):
        images, single = _batched(convert_to_tensor(images, name='images'))
        size = convert_to_tensor(size, dtypes.int32, 'size')
        if size.shape.ndims is not None and size.shape.as_list() != [2]:
            raise worded(ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, "
                                    f'new_width; its shape is {size.shape}'))
        known = constant_value(size)
        same = known is not None and list(known) == images.shape.as_list()[1:3]
        if not same:
            resizer = (resize_bilinear, resize_nearest_neighbor)[method]
            images = resizer(images, size, align_corners=align_corners)
        return shaping.squeeze(images, axis=[0]) if single else images


def _known_sizes(image, function):
    height, width = image.shape.as_list()[1:3]
    if height is None or width is None:
        raise worded(NotImplementedError(report(
            f'tf.image.{function}: the height and width must be known while the graph is built.',
            inputs=[('image', image)],
            mend='image.set_shape([height, width, 3]), or tf.image.resize_images first.')))
    return height, width


def _crop(image, top, left, target_height, target_width):
    height, width = _known_sizes(image, 'crop_to_bounding_box')
    for problem, name in ((left < 0, 'offset_width'), (top < 0, 'offset_height')):
        if problem:
            raise worded(ValueError(f'{name} must be >= 0.'))
    if target_width <= 0 or target_height <= 0:
        raise worded(ValueError('target_height and target_width must be > 0.'))
    if left + target_width > width or top + target_height > height:
        raise worded(ValueError(report(
            'width must be >= target + offset.' if left + target_width > width else
            'height must be >= target + offset.', inputs=[('image', image)])))
    image = at_least_3d(image)
    return slicing.slice(image, shaping.stack([0, top, left, 0]),
                         shaping.stack([-1, target_height, target_width, -1]))


def _pad(image, top, left, target_height, target_width):
    height, width = _known_sizes(image, 'pad_to_bounding_box')
    below, right = target_height - top - height, target_width - left - width
    for problem, text in ((top < 0, 'offset_height must be >= 0'),
                          (left < 0, 'offset_width must be >= 0'),
                          (right < 0, 'width must be <= target - offset'),
                          (below < 0, 'height must be <= target - offset')):
        if problem:
            raise worded(ValueError(report(text + '.', inputs=[('image', image)])))
    image = at_least_3d(image)
    paddings = shaping.stack([0, 0, top, below, left, right, 0, 0])
    return shaping.pad(image, shaping.reshape(paddings, [4, 2]))


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The part of the image whose upper left corner is at the offsets.

    Shapes: image [batch, height, width, channels], or one image -> [batch, target_height,
    target_width, channels]. ValueError if the box leaves the image.
    """
    with name_scope(None, 'crop_to_bounding_box', [image]):
        image, single = _batched(convert_to_tensor(image, name='image'))
        cropped = _crop(image, offset_height, offset_width, target_height, target_width)
        return shaping.squeeze(cropped, axis=[0]) if single else cropped


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The image within zeros, its upper left corner at the offsets.

    Shapes: image [batch, height, width, channels], or one image -> [batch, target_height,
    target_width, channels]. ValueError if the image does not fit.
    """
    with name_scope(None, 'pad_to_bounding_box', [image]):
        image, single = _batched(convert_to_tensor(image, name='image'))
        padded = _pad(image, offset_height, offset_width, target_height, target_width)
        return shaping.squeeze(padded, axis=[0]) if single else padded


def resize_image_with_crop_or_pad(image, target_height, target_width):
    """The middle of the image, or the image in the middle of zeros, for each side by itself.

    Shapes: image [batch, height, width, channels], or one image -> [batch, target_height,
    target_width, channels]. Height and width must be known while building.
    """
    with name_scope(None, 'resize_image_with_crop_or_pad', [image]):
        image, single = _batched(convert_to_tensor(image, name='image'))
        if target_width <= 0 or target_height <= 0:
            raise worded(ValueError('target_height and target_width must be > 0.'))
        height, width = _known_sizes(image, 'resize_image_with_crop_or_pad')
        image = at_least_3d(image)
        with name_scope(None, 'crop_to_bounding_box', [image]):
            image = _crop(image, max(height - target_height, 0) // 2,
                          max(width - target_width, 0) // 2,
                          min(height, target_height), min(width, target_width))
        with name_scope(None, 'pad_to_bounding_box', [image]):
            image = _pad(image, max(target_height - height, 0) // 2,
                         max(target_width - width, 0) // 2, target_height, target_width)
        image = at_least_3d(image)
        return shaping.squeeze(image, axis=[0]) if single else image
