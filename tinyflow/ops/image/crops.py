"""crop_and_resize and extract_glimpse."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import FLOATS, REAL
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import constants
from tinyflow.ops.support.arguments import renamed

__all__ = ['crop_and_resize', 'extract_glimpse']

_METHODS = ('bilinear', 'nearest')


def _check_rank(name, shape, rank, hint):
    if shape is not None and len(shape) != rank:
        raise OpFailure(f'Shape must be rank {rank} but is rank {len(shape)}: {name}', hint)


def _check_crops(image, boxes, box_ind, method):
    if method not in _METHODS:
        raise ValueError(f"method must be 'bilinear' or 'nearest', got {method!r}")
    _check_rank('image', image, 4, 'images are [batch, height, width, channels].')
    _check_rank('boxes', boxes, 2, 'boxes are [boxes, 4]: y1, x1, y2, x2 of each.')
    _check_rank('box_ind', box_ind, 1, 'box_ind is the index of the image of each box.')
    if boxes is not None and boxes[1] not in (None, 4):
        raise OpFailure(f'boxes must have 4 columns, got {boxes[1]}', 'y1, x1, y2, x2 of each box.')
    if None not in (boxes, box_ind) and None not in (boxes[0], box_ind[0]) \
            and boxes[0] != box_ind[0]:
        raise ValueError(f'boxes and box_ind must be of one length, got {boxes[0]} and '
                         f'{box_ind[0]}')


def _check_indices(box_ind, batch):
    if box_ind.size and (box_ind.min() < 0 or box_ind.max() >= batch):
        raise errors.OutOfRangeError(None, None,
                                     f'box_index has values outside [0, {batch})')


class _Axis:
    """Where the new pixels of every box sample along one axis: arrays [boxes, count]."""

    def __init__(self, first, last, count, total):
        single = np.float32
        extent = single(total - 1)
        if count > 1:
            self.steps = np.arange(count, dtype=single)
            scale = (last - first) * extent / single(count - 1)
            at = (first * extent)[:, None] + self.steps * scale[:, None]
            self.steps *= extent / single(count - 1)
        else:
            self.steps = None
            at = (single(.5) * (first + last) * extent)[:, None]
        self.extent = extent
        self.inside = (at >= 0) & (at <= extent)
        at = np.where(self.inside, at, 0)
        self.low = np.floor(at).astype(np.int64)
        self.high = np.ceil(at).astype(np.int64)
        self.lerp = (at - self.low).astype(single)
        # Halves round away from zero, not to even.
        self.nearest = np.floor(at + single(.5)).astype(np.int64)

    def to_ends(self, d_at):
        """Gradients of the first and the last position, from those of all: [boxes, 2]."""
        if self.steps is None:
            half = d_at.sum(1) * np.float32(.5) * self.extent
            return half, half
        return (d_at * (self.extent - self.steps)).sum(1), (d_at * self.steps).sum(1)


def _axes(boxes, count, image_shape):
    boxes = boxes.astype(np.float32, copy=False)
    return [_Axis(boxes[:, i], boxes[:, i + 2], count[i], image_shape[1 + i]) for i in (0, 1)]


def _corners(image, box_ind, rows, columns):
    """The four pixels around each position: top left, top right, bottom left, bottom right."""
    which = box_ind[:, None, None]
    return [image[which, y[:, :, None], x[:, None, :]].astype(np.float32)
            for y in (rows.low, rows.high) for x in (columns.low, columns.high)]


class CropAndResize(Op):
    """The part of an image in each box, resized to one size."""

    signature = 'image: T, boxes: float32, box_ind: int32, crop_size: int32 -> crops: float32'
    types = {'T': REAL}
    attrs = {'method': 'bilinear', 'extrapolation_value': 0.0}
    static = {'crop_size': 1}
    partial_rank = True

    def shape(image, boxes, box_ind, crop_size, *, method):
        _check_crops(image, boxes, box_ind, method)
        count = boxes[0] if boxes is not None else box_ind and box_ind[0]
        sizes = (None, None) if crop_size is None else tuple(crop_size)
        if len(sizes) != 2:
            raise ValueError(f'crop_size must hold a height and a width, not {len(sizes)} numbers')
        return (count, *sizes, None if image is None else image[3])

    def kernel(image, boxes, box_ind, crop_size, *, method, extrapolation_value):
        _check_crops(image.shape, boxes.shape, box_ind.shape, method)
        if len(crop_size) != 2 or min(crop_size) <= 0:
            raise ValueError(f'crop dimensions must be positive, got {list(crop_size)}')
        _check_indices(box_ind, len(image))
        rows, columns = _axes(boxes, crop_size, image.shape)
        if method == 'nearest':
            crops = image[box_ind[:, None, None], rows.nearest[:, :, None],
                          columns.nearest[:, None, :]].astype(np.float32)
        else:
            top, top_right, bottom, bottom_right = _corners(image, box_ind, rows, columns)
            across = columns.lerp[:, None, :, None]
            top = top + (top_right - top) * across
            bottom = bottom + (bottom_right - bottom) * across
            crops = top + (bottom - top) * rows.lerp[:, :, None, None]
        inside = rows.inside[:, :, None] & columns.inside[:, None, :]
        crops[~inside] = extrapolation_value
        return crops

    def gradient(op, dy):
        image, boxes, box_ind, _ = op.inputs
        method = op.attrs['method']
        to_image = None
        if image.dtype in FLOATS:
            to_image = CropAndResizeGradImage.apply(
                dy, boxes, box_ind, constants.shape(image), T=image.dtype, method=method)
        # The nearest pixel has no derivative; like TF1, use the bilinear one.
        return to_image, CropAndResizeGradBoxes.apply(dy, image, boxes, box_ind), None, None


class CropAndResizeGradImage(Op):
    """Gradient of CropAndResize with respect to the images."""

    signature = 'grads: float32, boxes: float32, box_ind: int32, image_size: int32 -> output: T'
    types = {'T': FLOATS}
    attrs = {'T': dtypes.float32, 'method': 'bilinear'}
    static = {'image_size': 1}

    def shape(grads, boxes, box_ind, image_size):
        return (None,) * 4 if image_size is None else tuple(image_size)

    def kernel(grads, boxes, box_ind, image_size, *, T, method):
        result = np.zeros(image_size, np.float32)
        _check_indices(box_ind, image_size[0])
        rows, columns = _axes(boxes, grads.shape[1:3], image_size)
        inside = rows.inside[:, :, None] & columns.inside[:, None, :]
        grads = np.where(inside[..., None], grads, 0)
        which = box_ind[:, None, None]

        def add(y, x, share):
            np.add.at(result, (which, y[:, :, None], x[:, None, :]), share)

        if method == 'nearest':
            add(rows.nearest, columns.nearest, grads)
        else:
            down, across = rows.lerp[:, :, None, None], columns.lerp[:, None, :, None]
            for y, weight in ((rows.low, 1 - down), (rows.high, down)):
                add(y, columns.low, grads * weight * (1 - across))
                add(y, columns.high, grads * weight * across)
        return result.astype(T.as_numpy_dtype)


class CropAndResizeGradBoxes(Op):
    """Gradient of CropAndResize with respect to the boxes."""

    signature = 'grads: float32, image: T, boxes: float32, box_ind: int32 -> output: float32'
    types = {'T': REAL}
    attrs = {'method': 'bilinear'}

    def shape(grads, image, boxes, box_ind):
        return boxes

    def kernel(grads, image, boxes, box_ind):
        _check_indices(box_ind, len(image))
        rows, columns = _axes(boxes, grads.shape[1:3], image.shape)
        top, top_right, bottom, bottom_right = _corners(image, box_ind, rows, columns)
        down, across = rows.lerp[:, :, None, None], columns.lerp[:, None, :, None]
        d_row = (1 - across) * (bottom - top) + across * (bottom_right - top_right)
        d_column = (1 - down) * (top_right - top) + down * (bottom_right - bottom)
        inside = rows.inside[:, :, None] & columns.inside[:, None, :]
        grads = np.where(inside[..., None], grads, 0)
        y1, y2 = rows.to_ends((grads * d_row).sum((2, 3)))
        x1, x2 = columns.to_ends((grads * d_column).sum((1, 3)))
        return np.stack([y1, x1, y2, x2], 1).astype(np.float32)


class ExtractGlimpse(Op):
    """A window of each image around a position; noise outside of the image."""

    signature = 'input: float32, size: int32, offsets: float32 -> glimpse: float32'
    attrs = {'centered': True, 'normalized': True, 'uniform_noise': True, 'noise': 'uniform'}
    static = {'size': 1}
    partial_rank = True
    pure = False
    gradient = NOT_DIFFERENTIABLE

    def shape(input, size, offsets):
        _check_rank('input', input, 4, 'images are [batch, height, width, channels].')
        _check_rank('offsets', offsets, 2, 'offsets are [batch, 2]: y and x of each.')
        if offsets is not None and offsets[1] not in (None, 2):
            raise ValueError(f'offsets must have 2 columns, got {offsets[1]}')
        sizes = (None, None) if size is None else tuple(size)
        if len(sizes) != 2:
            raise ValueError(f'size must hold a height and a width, not {len(sizes)} numbers')
        batch, channels = (None, None) if input is None else (input[0], input[3])
        return (batch, *sizes, channels)

    def kernel(input, size, offsets, *, centered, normalized, noise):
        if len(offsets) != len(input):
            raise ValueError(f'offsets must hold a position for each of the {len(input)} images, '
                             f'got {len(offsets)}')
        sizes = np.array(input.shape[1:3], np.float32)
        positions = offsets * sizes if normalized else offsets
        if centered:
            positions = positions / 2 + sizes / 2
        starts = np.trunc(positions - np.array(size, np.float32) / 2).astype(np.int64)
        result = np.empty((len(input), *size, input.shape[3]), np.float32)
        for image, start, window in zip(input, starts, result):
            _look(image, start, window, noise)
        return result


def _look(image, start, window, noise):
    """Fills `window` with the image from `start` on, and with noise where there is no image."""
    first = np.maximum(start, 0)
    last = np.minimum(start + window.shape[:2], image.shape[:2])
    if (first == start).all() and (last == start + window.shape[:2]).all():
        window[...] = image[first[0]:last[0], first[1]:last[1]]
        return
    generator = np.random.default_rng()
    if noise == 'zero':
        window[...] = 0
    elif noise == 'gaussian':
        window[...] = generator.normal(image.mean(), image.std(), window.shape)
    else:
        window[...] = generator.uniform(image.min(), image.max(), window.shape)
    if (last > first).all():
        to, end = first - start, last - start
        window[to[0]:end[0], to[1]:end[1]] = image[first[0]:last[0], first[1]:last[1]]


def crop_and_resize(image, boxes=None, box_ind=None, crop_size=None, method='bilinear',
                    extrapolation_value=0, name=None, box_indices=None):
    """The part of image box_ind[i] in boxes[i], resized to crop_size, for every i.

    A box is y1, x1, y2, x2, where 0 is the first and 1 the last row or column; outside the image
    the result is `extrapolation_value`. Differentiable by image and boxes.

    Shapes: image [batch, height, width, channels], boxes [boxes, 4], box_ind [boxes],
    crop_size [2] -> [boxes, *crop_size, channels], float32.
    """
    box_ind = renamed('box_indices', box_indices, 'box_ind', box_ind)
    return CropAndResize.apply(
        convert_to_tensor(image, name='image'), convert_to_tensor(boxes, dtypes.float32, 'boxes'),
        convert_to_tensor(box_ind, dtypes.int32, 'box_ind'),
        crop_size, method=method, extrapolation_value=float(extrapolation_value), name=name)


def extract_glimpse(input, size, offsets, centered=True, normalized=True, uniform_noise=True,
                    name=None):
    """A window of `size` of each image around a position, with noise outside of the image.

    The position (y, x) is -1 to 1 with (0, 0) in the middle; without `centered` (0, 0) is the upper
    left corner, without `normalized` the units are pixels. The noise is uniform between the least
    and the largest value of the image, whatever `uniform_noise` says, as in TensorFlow 1.15.

    Shapes: input [batch, height, width, channels], size [2], offsets [batch, 2] ->
    [batch, *size, channels].
    """
    return ExtractGlimpse.apply(input, size, offsets, centered=centered, normalized=normalized,
                                uniform_noise=uniform_noise, name=name)
