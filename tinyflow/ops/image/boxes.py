"""draw_bounding_boxes, and sample_distorted_bounding_box for random crops.

A box is y_min, x_min, y_max, x_max, from 0 to 1 of the image's height and width.
"""
from __future__ import annotations

from collections import namedtuple

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure, misuse
from tinyflow.ops.nn.candidate_samplers import Words, exact_integers
from tinyflow.ops.random.philox import PhiloxStream, open_stream
from tinyflow.ops.random.philox_floats import uniform32

__all__ = ['draw_bounding_boxes', 'sample_distorted_bounding_box']

_HALF = frozenset((dtypes.float16, dtypes.float32))
# Yellow, blue, red, lime, purple, olive, maroon, navy blue, aqua, fuchsia.
_COLORS = np.array([[1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [.5, 0, .5, 1],
                    [.5, .5, 0, 1], [.5, 0, 0, 1], [0, 0, .5, 1], [0, 1, 1, 1], [1, 0, 1, 1]])
_COLORS.flags.writeable = False


def _check(images, boxes):
    if images is not None:
        if len(images) != 4:
            raise OpFailure(f'Shape must be rank 4 but is rank {len(images)}',
                            'images are [batch, height, width, channels].')
        if images[3] not in (None, 1, 3, 4):
            raise ValueError('Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)')
    if boxes is not None:
        if len(boxes) != 3:
            raise OpFailure(f'Shape must be rank 3 but is rank {len(boxes)}',
                            'boxes are [batch, boxes of each image, 4].')
        if boxes[2] not in (None, 4):
            raise ValueError(f'Dimension must be 4 but is {boxes[2]}: a box is y_min, x_min, '
                             'y_max, x_max')


def _framed(images, boxes, colors):
    _check(images.shape, boxes.shape)
    if len(images) != len(boxes):
        raise ValueError(f'there must be boxes for each of the {len(images)} images, got '
                         f'{len(boxes)}')
    if images.shape[3] == 1:
        colors = np.concatenate([np.ones_like(colors[:, :1]), colors[:, 1:]], 1)
    if colors.shape[1] < images.shape[3]:
        raise ValueError(f'colors must have {images.shape[3]} columns, as the images have '
                         f'channels, got {colors.shape[1]}')
    result = images.copy()
    colors = colors[:, :images.shape[3]].astype(images.dtype)
    sizes = np.array(images.shape[1:3], np.float32)
    pixels = np.trunc(boxes * np.tile(sizes - 1, 2)).astype(np.int64).tolist()
    for image, corners in zip(result, pixels):
        for i, box in enumerate(corners):
            _frame(image, *box, colors[i % len(colors)])
    return result


def _frame(image, top, left, bottom, right, color):
    """The outline of one box, as far as it is in the image."""
    height, width = image.shape[:2]
    if top > bottom or left > right or top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    if top >= 0:
        image[top, columns] = color
    if bottom < height:
        image[bottom, columns] = color
    if left >= 0:
        image[rows, left] = color
    if right < width:
        image[rows, right] = color


class DrawBoundingBoxes(Op):
    """The images with the outlines of boxes, cycling through ten colours."""

    signature = 'images: T, boxes: float32 -> output: T'
    types = {'T': _HALF}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(images, boxes):
        _check(images, boxes)
        return images

    def kernel(images, boxes):
        return _framed(images, boxes, _COLORS)


class DrawBoundingBoxesV2(Op):
    """The images with the outlines of boxes, cycling through the given colours."""

    signature = 'images: T, boxes: float32, colors: float32 -> output: T'
    types = {'T': _HALF}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(images, boxes, colors):
        _check(images, boxes)
        return images

    def kernel(images, boxes, colors):
        return _framed(images, boxes, colors if colors.size else _COLORS)


class _RandomNumbers:
    """Random numbers one at a time, from words reserved for one run."""

    def __init__(self, stream, tries):
        philox = stream if isinstance(stream, PhiloxStream) else stream.philox
        # TF reserves four words for each try, and reads on after them if that is too few.
        self._words = Words(philox.reserve(tries))

    def fraction(self):
        return uniform32(self._words.take(1).copy())[0]

    def below(self, limit):
        return int(exact_integers(self._words, 1, limit, False)[0])


def _rounded(x):
    return int(np.rint(x))


def _crop(height, width, area_range, ratio, chance):
    """A random box (top, left, bottom, right) in pixels of that width / height; None if none fits.

    float32 throughout, as TF counts, since a rounding decides how many numbers are drawn.
    """
    single = np.float32
    if area_range[1] <= 0 or ratio <= 0 or area_range[0] > area_range[1]:
        return None
    least, most = (single(part) * single(width) * single(height) for part in area_range)
    rows, rows_most = (_rounded(np.sqrt(area / ratio)) for area in (least, most))
    if _rounded(single(rows_most) * ratio) > width:
        rows_most = int((width + .5 - 1e-7) / float(ratio))
        if _rounded(single(rows_most) * ratio) > width:
            rows_most -= 1
    rows_most = min(rows_most, height)
    rows = min(rows, rows_most)
    if rows < rows_most:
        rows += chance.below(rows_most - rows + 1)
    columns = _rounded(single(rows) * ratio)
    # Rounding may have made the box too small or too large: one row more or less may fix it.
    if rows * columns < least:
        rows += 1
        columns = _rounded(single(rows) * ratio)
    if rows * columns > most:
        rows -= 1
        columns = _rounded(single(rows) * ratio)
    if not least <= rows * columns <= most or not 0 < rows <= height or not 0 < columns <= width:
        return None
    top = chance.below(height - rows) if rows < height else 0
    left = chance.below(width - columns) if columns < width else 0
    return top, left, top + rows, left + columns


def _area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def _covers(crop, objects, least):
    """Whether the crop holds at least that part of one of the objects."""
    for box in objects:
        if _area(box) < 1:
            continue
        rows = min(crop[2], box[2]) - max(crop[0], box[0])
        columns = min(crop[3], box[3]) - max(crop[1], box[1])
        common = rows * columns if rows > 0 and columns > 0 else 0
        if np.float32(common) / np.float32(_area(box)) >= least:
            return True
    return False


class SampleDistortedBoundingBoxV2(Op):
    """A random box of an image that covers enough of one of its objects."""

    signature = ('image_size: T, bounding_boxes: float32, min_object_covered: float32 -> '
                 'begin: T, size: T, bboxes: float32')
    types = {'T': frozenset((dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32,
                             dtypes.int64))}
    attrs = {'seed': 0, 'seed2': 0, 'aspect_ratio_range': (0.75, 1.33), 'area_range': (0.05, 1.0),
             'max_attempts': 100, 'use_image_if_no_bounding_boxes': False}
    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def state(attrs):
        return open_stream(attrs['seed'], attrs['seed2'])

    def shape(image_size, bounding_boxes, min_object_covered, *, aspect_ratio_range, area_range,
              max_attempts):
        for name, shape, rank in (('image_size', image_size, 1),
                                  ('bounding_boxes', bounding_boxes, 3),
                                  ('min_object_covered', min_object_covered, 0)):
            if shape is not None and len(shape) != rank:
                raise ValueError(f'Shape must be rank {rank} but is rank {len(shape)}: {name}')
        _check_ranges(aspect_ratio_range, area_range, max_attempts)
        return (3,), (3,), (1, 1, 4)

    def kernel(stream, image_size, bounding_boxes, min_object_covered, *, aspect_ratio_range,
               area_range, max_attempts, use_image_if_no_bounding_boxes):
        height, width = _checked_size(image_size)
        if not 0 <= min_object_covered <= 1:
            raise ValueError('min_object_covered must be in [0.0, 1.0], got '
                             f'{min_object_covered.item()}')
        whole = 0, 0, height, width
        objects = _objects(bounding_boxes, height, width)
        if not objects:
            if not use_image_if_no_bounding_boxes:
                raise OpFailure('No bounding boxes provided as input',
                                'use_image_if_no_bounding_boxes=True takes the whole image for '
                                'the object.')
            objects = [whole]
        chance = _RandomNumbers(stream, max_attempts)
        crop = whole
        low, high = np.float32(aspect_ratio_range)
        for _ in range(max_attempts):
            ratio = chance.fraction() * (high - low) + low
            found = _crop(height, width, area_range, ratio, chance)
            if found and _covers(found, objects, min_object_covered):
                crop = found
                break
        top, left, bottom, right = crop
        dtype = image_size.dtype
        box = np.float32([top, left, bottom, right]) / np.float32([height, width, height, width])
        return (np.array([top, left, 0], dtype),
                np.array([bottom - top, right - left, -1], dtype), box.reshape(1, 1, 4))


def _check_ranges(ratios, areas, attempts):
    if len(ratios) != 2 or min(ratios) <= 0:
        raise ValueError(f'aspect_ratio_range must be two positive numbers, got {list(ratios)}')
    if len(areas) != 2 or min(areas) <= 0 or max(areas) > 1:
        raise ValueError(f'area_range must be two numbers in (0, 1], got {list(areas)}')
    if attempts <= 0:
        raise ValueError(f'max_attempts must be positive, got {attempts}')


def _checked_size(image_size):
    if image_size.shape != (3,):
        raise ValueError('image_size must hold height, width and channels, got the shape '
                         f'{list(image_size.shape)}')
    height, width, _ = image_size.tolist()
    if height <= 0 or width <= 0:
        raise ValueError(f'image height and width must be positive, got {height} and {width}')
    return height, width


def _objects(boxes, height, width):
    """The boxes in pixels, as lists."""
    if boxes.ndim != 3 or boxes.size and boxes.shape[2] != 4:
        raise ValueError(f'bounding_boxes must be [batch, boxes, 4], got {list(boxes.shape)}')
    if boxes.size and not (boxes.min() >= 0 and boxes.max() <= 1):
        raise OpFailure('All bounding box coordinates must be in [0.0, 1.0]',
                        "divide them by the image's height and width.")
    sizes = np.float32([height, width, height, width])
    return (boxes.reshape(-1, 4) * sizes).astype(np.int64).tolist()


def draw_bounding_boxes(images, boxes, name=None, colors=None):
    """The images with the outlines of boxes (y_min, x_min, y_max, x_max; 0 to 1).

    Shapes: images [batch, height, width, channels] with 1, 3 or 4 channels, boxes [batch, boxes,
    4], colors [colors, channels] or None for ten defaults -> as images.
    """
    if colors is None:
        return DrawBoundingBoxes.apply(images, boxes, name=name)
    return DrawBoundingBoxesV2.apply(images, boxes, colors, name=name)


def sample_distorted_bounding_box(
        image_size, bounding_boxes, seed=None, seed2=None, min_object_covered=0.1,
        aspect_ratio_range=None, area_range=None, max_attempts=None,
        use_image_if_no_bounding_boxes=None, name=None):
    """(begin, size, bboxes) of a random crop; tf.slice(image, begin, size) makes it.

    The crop covers at least the part `min_object_covered` of one of the boxes; its width / height
    and its part of the image are in the given ranges. After `max_attempts` (100) failed tries it
    is the whole image.

    Shapes: image_size [3] (height, width, channels), bounding_boxes [batch, boxes, 4] ->
    [3], [3], [1, 1, 4].
    """
    attrs = {'aspect_ratio_range': aspect_ratio_range, 'area_range': area_range,
             'max_attempts': max_attempts,
             'use_image_if_no_bounding_boxes': use_image_if_no_bounding_boxes}
    attrs = {key: value for key, value in attrs.items() if value is not None}
    for key in ('aspect_ratio_range', 'area_range'):
        if key in attrs:
            if not isinstance(attrs[key], (list, tuple)):
                raise misuse(TypeError(f'{key} must be a list of two numbers, got {attrs[key]!r}'))
            attrs[key] = tuple(float(x) for x in attrs[key])
    with name_scope(name, 'sample_distorted_bounding_box'):
        outputs = SampleDistortedBoundingBoxV2.apply(
            image_size, bounding_boxes, min_object_covered, seed=seed or 0, seed2=seed2 or 0,
            **attrs)
    return namedtuple('SampleDistortedBoundingBoxV2', 'begin size bboxes')(*outputs)
