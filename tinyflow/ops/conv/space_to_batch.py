"""space_to_depth, depth_to_space, space_to_batch, batch_to_space."""
from __future__ import annotations

import math

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, padding
from tinyflow.ops.support.arguments import renamed
from tinyflow.ops.support.ranks import of_rank

__all__ = ['batch_to_space', 'batch_to_space_nd', 'depth_to_space',
           'required_space_to_batch_paddings', 'space_to_batch', 'space_to_batch_nd',
           'space_to_depth']


class _SpaceAndDepth(Op, abstract=True):
    signature = 'input: T -> output: T'
    attrs = {'block_size': REQUIRED, 'data_format': 'NHWC'}
    partial_rank = True


class SpaceToDepth(_SpaceAndDepth):
    """Each block of block_size x block_size pixels becomes one pixel with more channels."""

    def shape(input, *, block_size, data_format):
        batch, height, width, depth = _as_nhwc(of_rank(input, 4), data_format)
        return _from_nhwc((batch, _divided(height, block_size, 'height'),
                           _divided(width, block_size, 'width'),
                           None if depth is None else depth * block_size ** 2), data_format)

    def kernel(input, *, block_size, data_format):
        batch, height, width, depth = _as_nhwc(
            SpaceToDepth.shape(input.shape, block_size=block_size, data_format=data_format),
            data_format)
        channels, b = depth // block_size ** 2, block_size
        if data_format == 'NHWC':
            blocks = input.reshape(batch, height, b, width, b, channels).swapaxes(2, 3)
            return np.ascontiguousarray(blocks).reshape(batch, height, width, depth)
        blocks = input.reshape(batch, channels, height, b, width, b).transpose(0, 3, 5, 1, 2, 4)
        return np.ascontiguousarray(blocks).reshape(batch, depth, height, width)

    def gradient(op, dy):
        return depth_to_space(dy, op.attrs['block_size'], data_format=op.attrs['data_format'])


class DepthToSpace(_SpaceAndDepth):
    """The inverse of SpaceToDepth."""

    def shape(input, *, block_size, data_format):
        batch, height, width, depth = _as_nhwc(of_rank(input, 4), data_format)
        return _from_nhwc((batch, None if height is None else height * block_size,
                           None if width is None else width * block_size,
                           _divided(depth, block_size ** 2, 'depth')), data_format)

    def kernel(input, *, block_size, data_format):
        batch, height, width, depth = _as_nhwc(input.shape, data_format)
        b = block_size
        channels = _divided(depth, b * b, 'depth')
        if data_format == 'NHWC':
            blocks = input.reshape(batch, height, width, b, b, channels).swapaxes(2, 3)
            return np.ascontiguousarray(blocks).reshape(batch, height * b, width * b, channels)
        blocks = input.reshape(batch, b, b, channels, height, width).transpose(0, 3, 4, 1, 5, 2)
        return np.ascontiguousarray(blocks).reshape(batch, channels, height * b, width * b)

    def gradient(op, dy):
        return space_to_depth(dy, op.attrs['block_size'], data_format=op.attrs['data_format'])


def _as_nhwc(shape, data_format):
    if len(shape) != 4:
        raise ValueError(f'the input must have rank 4, got {shapes.text(shape)}')
    return shape if data_format == 'NHWC' else (shape[0], shape[2], shape[3], shape[1])


def _from_nhwc(shape, data_format):
    return shape if data_format == 'NHWC' else (shape[0], shape[3], shape[1], shape[2])


def _divided(size, divisor, label):
    if size is None:
        return None
    if size % divisor:
        raise ValueError(f'{label} {size} is not divisible by {divisor}')
    return size // divisor


class SpaceToBatchND(Op):
    """Splits the padded spatial axes into blocks; each position in a block becomes a batch."""

    signature = 'input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T'
    types = {'Tblock_shape': INDEX, 'Tpaddings': INDEX}
    attrs = {'Tblock_shape': dtypes.int32, 'Tpaddings': dtypes.int32}
    static = {'block_shape': 1, 'paddings': 2}

    def shape(input, block_shape, paddings):
        if block_shape is None or None in block_shape:
            return (None,) * len(input)
        count = len(block_shape)
        paddings = _rows_or_unknown(paddings, count)
        _check_blocks(input, block_shape, paddings)
        batch = None if input[0] is None else input[0] * shapes.size(block_shape)
        spatial = [None if d is None or None in row else
                   _divided(d + sum(row), block, f'padded axis {i + 1}')
                   for i, (d, row, block) in enumerate(zip(input[1:], paddings, block_shape))]
        return (batch, *spatial, *input[1 + count:])

    def kernel(input, block_shape, paddings):
        result = SpaceToBatchND.shape(input.shape, block_shape, paddings)
        count = len(block_shape)
        rest = input.shape[1 + count:]
        padded = padding.padded(input, ((0, 0), *paddings, *[(0, 0)] * len(rest)), 0, None)
        pairs = [d for pair in zip(result[1:], block_shape) for d in pair]
        blocks = padded.reshape(input.shape[0], *pairs, *rest)
        order = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count + 1, 2),
                 *range(2 * count + 1, blocks.ndim)]
        return np.ascontiguousarray(blocks.transpose(order)).reshape(result)

    def gradient(op, dy):
        return batch_to_space_nd(dy, op.inputs[1], op.inputs[2]), None, None


class BatchToSpaceND(Op):
    """The inverse of SpaceToBatchND; with crops instead of paddings."""

    signature = 'input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T'
    types = {'Tblock_shape': INDEX, 'Tcrops': INDEX}
    attrs = {'Tblock_shape': dtypes.int32, 'Tcrops': dtypes.int32}
    static = {'block_shape': 1, 'crops': 2}

    def shape(input, block_shape, crops):
        if block_shape is None or None in block_shape:
            return (None,) * len(input)
        crops = _rows_or_unknown(crops, len(block_shape))
        _check_blocks(input, block_shape, crops)
        batch = _divided(input[0], shapes.size(block_shape), 'the batch size')
        spatial = [None if d is None or None in row else d * block - sum(row)
                   for d, row, block in zip(input[1:], crops, block_shape)]
        if any(d is not None and d < 0 for d in spatial):
            raise ValueError(f'crops {crops} are larger than the input')
        return (batch, *spatial, *input[1 + len(block_shape):])

    def kernel(input, block_shape, crops):
        result = BatchToSpaceND.shape(input.shape, block_shape, crops)
        count = len(block_shape)
        spatial, rest = input.shape[1:1 + count], input.shape[1 + count:]
        blocks = input.reshape(*block_shape, result[0], *spatial, *rest)
        order = [count, *[a for i in range(count) for a in (count + 1 + i, i)],
                 *range(2 * count + 1, blocks.ndim)]
        whole = blocks.transpose(order).reshape(
            result[0], *[d * block for d, block in zip(spatial, block_shape)], *rest)
        inside = (slice(None), *padding.interior(crops, result[1:1 + count]))
        return np.ascontiguousarray(whole[inside])

    def gradient(op, dy):
        return space_to_batch_nd(dy, op.inputs[1], op.inputs[2]), None, None


def _rows_or_unknown(margins, count):
    """Rows of paddings or crops, with None for unknown numbers."""
    if margins is None:
        return ((None, None),) * count
    return tuple((None, None) if row is None else row for row in margins)


def _check_blocks(input, block_shape, margins):
    if len(margins) != len(block_shape) or len(input) <= len(block_shape):
        raise ValueError(f'an input of rank {len(input)}, {len(block_shape)} block sizes and '
                         f'{len(margins)} rows of paddings do not match')
    if min(block_shape, default=1) < 1:
        raise ValueError(f'block sizes must be positive, got {list(block_shape)}')


def space_to_depth(input, block_size, name=None, data_format='NHWC'):
    """Turns each block of block_size x block_size pixels into one pixel with more channels.

    Shapes: input [n, h * b, w * b, c] -> [n, h, w, b * b * c], or likewise for NCHW.
    """
    block_size = shapes.integer(block_size, 'block_size')
    return SpaceToDepth.apply(input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(input, block_size, name=None, data_format='NHWC'):
    """Turns the channels of each pixel into a block of block_size x block_size pixels.

    Shapes: input [n, h, w, b * b * c] -> [n, h * b, w * b, c], or likewise for NCHW.
    """
    block_size = shapes.integer(block_size, 'block_size')
    return DepthToSpace.apply(input, block_size=block_size, data_format=data_format, name=name)


def space_to_batch_nd(input, block_shape, paddings, name=None):
    """Splits the padded spatial axes into blocks; each position in a block becomes a batch.

    Shapes: input [n, *s, *rest], block_shape [m], paddings [m, 2] -> [n * prod(block_shape),
    *((s + paddings) / block_shape), *rest].
    """
    return SpaceToBatchND.apply(input, block_shape, paddings, name=name)


def batch_to_space_nd(input, block_shape, crops, name=None):
    """The inverse of space_to_batch_nd, with `crops` cut off at the end.

    Shapes: input [n * prod(block_shape), *s, *rest], block_shape [m], crops [m, 2] ->
    [n, *(s * block_shape - crops), *rest].
    """
    return BatchToSpaceND.apply(input, block_shape, crops, name=name)


def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
    """space_to_batch_nd for images, with square blocks.

    Shapes: input [n, h, w, c], paddings [2, 2] -> [n * b * b, (h + p) / b, (w + p) / b, c].
    """
    block_size = renamed('block_shape', block_shape, 'block_size', block_size)
    return space_to_batch_nd(input, np.array([block_size] * 2, np.int32), paddings, name=name)


def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """batch_to_space_nd for images, with square blocks.

    Shapes: input [n * b * b, h, w, c], crops [2, 2] -> [n, h * b - crops, w * b - crops, c].
    """
    block_size = renamed('block_shape', block_shape, 'block_size', block_size)
    return batch_to_space_nd(input, np.array([block_size] * 2, np.int32), crops, name=name)


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """The paddings that make spatial sizes divisible by blocks, and the crops that undo them.

    Shapes: input_shape [m], block_shape [m], base_paddings [m, 2] -> paddings [m, 2], crops [m, 2].
    block_shape's length must be known while the graph is built; nodes compute other unknown values.
    """
    with name_scope(name, 'required_space_to_batch_paddings', [input_shape, block_shape]):
        sizes = convert_to_tensor(input_shape, dtypes.int32, 'input_shape')
        blocks = convert_to_tensor(block_shape, dtypes.int32, 'block_shape')
        if not shapes.known(blocks.raw_shape) or len(blocks.raw_shape) != 1:
            raise misuse(ValueError('block_shape must be a vector whose length is known while the '
                                    'graph is built.'))
        if base_paddings is None:
            base_paddings = np.zeros([blocks.raw_shape[0], 2], np.int32)
        base = convert_to_tensor(base_paddings, dtypes.int32, 'base_paddings')
        known = [constant_value(t) for t in (sizes, blocks, base)]
        if any(k is None for k in known):
            return _dynamic_paddings(sizes, blocks, base)
        paddings, crops = [], []
        for size, block, (start, end) in zip(*(k.tolist() for k in known)):
            total = math.ceil((size + start + end) / block) * block
            extra = total - (size + start + end)
            paddings.append([start, end + extra])
            crops.append([0, extra])
        return (constants.constant(paddings, dtypes.int32, name='paddings'),
                constants.constant(crops, dtypes.int32, name='crops'))


def _dynamic_paddings(sizes, blocks, base):
    """`required_space_to_batch_paddings` for sizes that are known at run time only."""
    starts, ends = base[:, 0], base[:, 1]
    missing = (blocks - (sizes + starts + ends) % blocks) % blocks
    ends = ends + missing
    axes = range(blocks.raw_shape[0])
    paddings = joining.stack([[starts[i], ends[i]] for i in axes], name='paddings')
    return paddings, joining.stack([[0, missing[i]] for i in axes], name='crops')
