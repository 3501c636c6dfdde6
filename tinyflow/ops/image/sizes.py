"""resize_images, and cropping and padding."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import (
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
    slicing,
)
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.image.bicubic_area import resize_area, resize_bicubic
from tinyflow.ops.image.checks import checks_of_3d
from tinyflow.ops.image.resize import resize_bilinear, resize_nearest_neighbor
from tinyflow.ops.math import arithmetic, logic


class ResizeMethod:
    """How resize_images samples."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS = {ResizeMethod.BILINEAR: resize_bilinear,
            ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
            ResizeMethod.BICUBIC: resize_bicubic, ResizeMethod.AREA: resize_area}
# The names that later versions use; TensorFlow 1.15 takes both.
_METHODS |= {'bilinear': resize_bilinear, 'nearest': resize_nearest_neighbor,
             'bicubic': resize_bicubic, 'area': resize_area}


def _batched(image):
    """(the images as a batch, whether `image` was a single one); an unknown rank is a single."""
    rank = image.shape.ndims
    if rank == 4:
        return image, False
    if rank not in (3, None):
        raise misuse(ValueError(report("'image' must have either 3 or 4 dimensions.",
                                       inputs=[('image', image)])))
    image = shaping.expand_dims(image, 0)
    image.set_shape([None] * 4)
    return image, True


def _sides(images):
    """Batch, height, width and channels: numbers, or tensors where they are not known."""
    known = images.shape.as_list()
    if None not in known:
        return known
    return [now if side is None else side
            for side, now in zip(known, joining.unstack(shape_ops.shape(images), 4))]


def _is_tensor(x):
    return hasattr(x, 'op') or hasattr(x, 'initializer')


def _checks(*conditions):
    """Nodes for (condition, problem) pairs that are known at run time only; else ValueError."""
    nodes = []
    for condition, problem in conditions:
        if _is_tensor(condition):
            nodes.append(assertions.Assert(condition, [problem]))
        elif not condition:
            raise misuse(ValueError(problem))
    return nodes


def _static(*sides):
    return [None if _is_tensor(side) else side for side in sides]


def _either(python, node):
    """A function for tensors and numbers: `node` if one is a tensor, else `python`."""
    return lambda a, b: node(a, b) if _is_tensor(a) or _is_tensor(b) else python(a, b)


_max, _min = _either(max, arithmetic.maximum), _either(min, arithmetic.minimum)
_equal = _either(lambda a, b: a == b, logic.equal)


def _keeping_ratio(images, size):
    """The largest size (height, width) within `size` that keeps the images' proportions."""
    _, height, width, _ = _sides(images)
    known = constant_value(size)
    new = list(known) if known is not None else [size[0], size[1]]
    height_ratio = identity_and_cast.cast(new[0], dtypes.float32) / identity_and_cast.cast(
        height, dtypes.float32)
    width_ratio = identity_and_cast.cast(new[1], dtypes.float32) / identity_and_cast.cast(
        width, dtypes.float32)
    ratio = arithmetic.minimum(height_ratio, width_ratio)

    def scaled(side):
        side = ratio * identity_and_cast.cast(side, dtypes.float32)
        return identity_and_cast.cast(arithmetic.round(side), dtypes.int32)
    return convert_to_tensor([scaled(height), scaled(width)], dtypes.int32, 'size')


def _resizer(method):
    if callable(method):
        return method
    if method not in _METHODS:
        raise misuse(ValueError(f'Resize method is not implemented: {method!r}.'))
    return _METHODS[method]


def resize_images(images, size, method=ResizeMethod.BILINEAR, align_corners=False,
                  preserve_aspect_ratio=False, name=None):
    """Images of another size; float32 unless the method is NEAREST_NEIGHBOR or nothing changes.

    With preserve_aspect_ratio they become as large as fits into `size` undistorted.

    Shapes: images [batch, height, width, channels] or [height, width, channels], size [2] ->
    [batch, *size, channels] or [*size, channels].
    """
    with name_scope(name, 'resize', [images, size]):
        images = convert_to_tensor(images, name='images')
        if images.shape.ndims is None:
            raise misuse(ValueError(report(
                "'images' contains no shape.", inputs=[('images', images)],
                hint='images.set_shape([None, None, 3]) sets it.')))
        images, single = _batched(images)
        size = convert_to_tensor(size, dtypes.int32, 'size')
        if size.shape.ndims is not None and size.shape.as_list() != [2]:
            raise misuse(ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, "
                                    f'new_width; its shape is {size.shape}'))
        if not _same_size(images, size):
            resizer = _resizer(method)
            if preserve_aspect_ratio:
                size = _keeping_ratio(images, size)
            if not _same_size(images, size):
                images = resizer(images, size, align_corners=align_corners)
        return shaping.squeeze(images, axis=[0]) if single else images


def _same_size(images, size):
    known = constant_value(size)
    return known is not None and list(known) == images.shape.as_list()[1:3]


def resize_image_with_pad(image, target_height, target_width, method=ResizeMethod.BILINEAR,
                          align_corners=False):
    """The image as large as fits undistorted, in the middle of zeros.

    Shapes: image [batch, height, width, channels], or one image -> [batch, target_height,
    target_width, channels].
    """
    with name_scope(None, 'resize_image_with_pad', [image]):
        image, single = _batched(convert_to_tensor(image, name='image'))
        nodes = checks_of_3d(image) + _checks(
            (target_width > 0, 'target_width must be > 0.'),
            (target_height > 0, 'target_height must be > 0.'))
        image = grouping.with_dependencies(nodes, image)
        _, height, width, _ = _sides(image)
        height, width, high, wide = (identity_and_cast.cast(side, dtypes.float64) for side in (
            height, width, target_height, target_width))
        ratio = arithmetic.maximum(width / wide, height / high)
        height, width = height / ratio, width / ratio
        size = [_whole(height), _whole(width)]
        above, left = (high - height) / 2, (wide - width) / 2
        above, left = arithmetic.floor(above), arithmetic.floor(left)
        above, left = (arithmetic.maximum(0, identity_and_cast.cast(margin, dtypes.int32))
                       for margin in (above, left))
        resized = resize_images(image, size, method, align_corners=align_corners)
        padded = pad_to_bounding_box(resized, above, left, target_height, target_width)
        return shaping.squeeze(padded, axis=[0]) if single else padded


def _whole(x):
    return identity_and_cast.cast(arithmetic.floor(x), dtypes.int32)


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The part of the image whose upper left corner is at the offsets.

    Shapes: image [batch, height, width, channels], or one image -> [batch, target_height,
    target_width, channels]. ValueError if the box leaves the image (InvalidArgumentError if
    that is known at run time only).
    """
    with name_scope(None, 'crop_to_bounding_box', [image]):
        image, single = _batched(convert_to_tensor(image, name='image'))
        nodes = checks_of_3d(image)
        batch, height, width, depth = _sides(image)
        for condition, problem in (
                (lambda: offset_width >= 0, 'offset_width must be >= 0.'),
                (lambda: offset_height >= 0, 'offset_height must be >= 0.'),
                (lambda: target_width > 0, 'target_width must be > 0.'),
                (lambda: target_height > 0, 'target_height must be > 0.'),
                (lambda: width >= target_width + offset_width,
                 'width must be >= target + offset.'),
                (lambda: height >= target_height + offset_height,
                 'height must be >= target + offset.')):
            nodes += _checks((condition(), problem))
        image = grouping.with_dependencies(nodes, image)
        cropped = slicing.slice(image, shaping.stack([0, offset_height, offset_width, 0]),
                                shaping.stack([-1, target_height, target_width, -1]))
        cropped.set_shape(_static(batch, target_height, target_width, depth))
        return shaping.squeeze(cropped, axis=[0]) if single else cropped


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The image within zeros, its upper left corner at the offsets.

    Shapes: image [batch, height, width, channels], or one image -> [batch, target_height,
    target_width, channels]. ValueError if the image does not fit (InvalidArgumentError if that is
    known at run time only).
    """
    with name_scope(None, 'pad_to_bounding_box', [image]):
        image, single = _batched(convert_to_tensor(image, name='image'))
        nodes = checks_of_3d(image)
        batch, height, width, depth = _sides(image)
        right = target_width - offset_width - width
        below = target_height - offset_height - height
        for margin, problem in ((offset_height, 'offset_height must be >= 0'),
                                (offset_width, 'offset_width must be >= 0'),
                                (right, 'width must be <= target - offset'),
                                (below, 'height must be <= target - offset')):
            nodes += _checks((margin >= 0, problem))
        image = grouping.with_dependencies(nodes, image)
        paddings = shaping.stack([0, 0, offset_height, below, offset_width, right, 0, 0])
        padded = shaping.pad(image, shaping.reshape(paddings, [4, 2]))
        padded.set_shape(_static(batch, target_height, target_width, depth))
        return shaping.squeeze(padded, axis=[0]) if single else padded


def resize_image_with_crop_or_pad(image, target_height, target_width):
    """The middle of the image, or the image in the middle of zeros, for each side separately.

    Shapes: image [batch, height, width, channels], or one image -> [batch, target_height,
    target_width, channels].
    """
    with name_scope(None, 'resize_image_with_crop_or_pad', [image]):
        image, single = _batched(convert_to_tensor(image, name='image'))
        nodes = checks_of_3d(image)
        nodes += _checks((target_width > 0, 'target_width must be > 0.'))
        nodes += _checks((target_height > 0, 'target_height must be > 0.'))
        image = grouping.with_dependencies(nodes, image)
        target_height, target_width = (
            grouping.with_dependencies(nodes, side) if _is_tensor(side) else side
            for side in (target_height, target_width))
        _, height, width, _ = _sides(image)
        left_out, left = _margins(target_width - width)
        top_out, top = _margins(target_height - height)
        cropped = crop_to_bounding_box(image, top_out, left_out, _min(target_height, height),
                                       _min(target_width, width))
        resized = pad_to_bounding_box(cropped, top, left, target_height, target_width)
        _, height, width, _ = _sides(resized)
        nodes = _checks((_equal(height, target_height), 'resized height is not correct.'))
        nodes += _checks((_equal(width, target_width), 'resized width is not correct.'))
        resized = grouping.with_dependencies(nodes, resized)
        return shaping.squeeze(resized, axis=[0]) if single else resized


def _margins(difference):
    """(what to cut off, what to add) at the front, for the target's side less the image's."""
    return _max(-difference // 2, 0), _max(difference // 2, 0)
