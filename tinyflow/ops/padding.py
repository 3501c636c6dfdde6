"""Padding, reversing, rolling, and moving space into depth or batch."""
from __future__ import annotations

import math

import numpy as np

from tinyflow.errors import worded
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.graph import name_scope
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.static import constant_value
from tinyflow.ops import constants, shaping, slicing

__all__ = ['batch_to_space', 'batch_to_space_nd', 'depth_to_space', 'pad',
           'required_space_to_batch_paddings', 'reverse', 'reverse_sequence', 'reverse_v2', 'roll',
           'space_to_batch', 'space_to_batch_nd', 'space_to_depth']


def _padded(input, paddings):
    """The shape with paddings added. ValueError if they do not fit."""
    if paddings is None:
        return None if input is None else (None,) * len(input)
    if input is None:
        return (None,) * len(paddings)
    if len(paddings) != len(input):
        raise ValueError(f'paddings must have one row for each of the {len(input)} axes, got '
                         f'{len(paddings)}')
    if any(len(row) != 2 or min(row) < 0 for row in paddings):
        raise ValueError(f'paddings must be pairs of non-negative numbers, got {paddings}')
    return tuple(None if d is None else d + before + after
                 for d, (before, after) in zip(input, paddings))


def _inside(paddings, shape):
    return tuple(slice(before, before + d) for d, (before, _) in zip(shape, paddings))


class _Padding(Op, abstract=True):
    types = {'Tpaddings': INDEX}
    attrs = {'Tpaddings': dtypes.int32}
    static = ('paddings',)
    partial_rank = True


class Pad(_Padding):
    """Zeros around a tensor."""

    signature = 'input: T, paddings: Tpaddings -> output: T'

    def shape(input, paddings):
        return _padded(input, paddings)

    def kernel(input, paddings, out=None):
        return _pad(input, paddings, b'' if input.dtype == object else 0, out)

    def gradient(op, dy):
        return _unpad(op, dy), None


class PadV2(_Padding):
    """A value around a tensor."""

    signature = 'input: T, paddings: Tpaddings, constant_values: T -> output: T'

    def shape(input, paddings, constant_values):
        return _padded(input, paddings)

    def kernel(input, paddings, constant_values, out=None):
        return _pad(input, paddings, constant_values, out)

    def gradient(op, dy):
        inside = _unpad(op, dy)
        reduce_sum = Op.registry['Sum'].apply
        around = reduce_sum(dy, constants.shape_range(dy), keep_dims=False) - reduce_sum(
            inside, constants.shape_range(inside), keep_dims=False)
        return inside, None, around


def _pad(input, paddings, value, out):
    if out is None:
        out = np.empty(_padded(input.shape, paddings), input.dtype)
    out[...] = value
    out[_inside(paddings, input.shape)] = input
    return out


def _unpad(op, dy):
    """The part of dy that is not padding."""
    x, paddings = op.inputs[:2]
    return slicing.slice(dy, paddings[:, 0], constants.shape(x, out_type=paddings.dtype))


class MirrorPad(_Padding):
    """A tensor continued by its mirror image, without (REFLECT) or with (SYMMETRIC) its edge."""

    signature = 'input: T, paddings: Tpaddings -> output: T'
    attrs = {'mode': REQUIRED, 'Tpaddings': dtypes.int32}

    def shape(input, paddings, *, mode):
        result = _padded(input, paddings)
        if input is not None and paddings is not None:
            _check_mirror(input, paddings, mode)
        return result

    def kernel(input, paddings, *, mode):
        _check_mirror(input.shape, paddings, mode)
        return np.pad(input, paddings, mode.lower())

    def gradient(op, dy):
        return MirrorPadGrad.apply(dy, op.inputs[1], mode=op.attrs['mode']), None


def _check_mirror(shape, paddings, mode):
    for axis, (d, row) in enumerate(zip(shape, paddings)):
        most = None if d is None else d - (mode == 'REFLECT')
        if most is not None and max(row) > most:
            raise ValueError(f'paddings {list(row)} of axis {axis} are larger than {most}, the '
                             f'most that mode {mode} has elements for')


class MirrorPadGrad(_Padding):
    """Each element plus all its mirror images."""

    signature = 'input: T, paddings: Tpaddings -> output: T'
    attrs = {'mode': REQUIRED, 'Tpaddings': dtypes.int32}

    def shape(input, paddings):
        if input is None or paddings is None:
            return None
        return tuple(None if d is None else d - sum(row) for d, row in zip(input, paddings))

    def kernel(input, paddings, *, mode):
        offset = int(mode == 'REFLECT')
        result = input
        for axis, (before, after) in enumerate(paddings):
            moved = np.moveaxis(result, axis, 0)
            size = moved.shape[0] - before - after
            inside = moved[before:before + size].copy()
            inside[offset:offset + before] += moved[:before][::-1]
            end = size - offset
            inside[end - after:end] += moved[before + size:][::-1]
            result = np.moveaxis(inside, 0, axis)
        return np.ascontiguousarray(result) if result is not input else input.copy()

    def gradient(op, dy):
        return MirrorPad.apply(dy, op.inputs[1], mode=op.attrs['mode']), None


class ReverseV2(Op):
    """The order of elements reversed along some axes."""

    signature = 'tensor: T, axis: Tidx -> output: T'
    types = {'Tidx': INDEX}
    attrs = {'Tidx': dtypes.int32}
    static = ('axis',)

    def shape(tensor, axis):
        if axis is not None and None not in axis:
            _reversed_axes(axis, len(tensor))
        return tensor

    def kernel(tensor, axis, out=None):
        flipped = np.flip(tensor, _reversed_axes(axis, tensor.ndim))
        if out is None:
            return flipped.copy()
        np.copyto(out, flipped)
        return out

    def gradient(op, dy):
        return reverse(dy, op.inputs[1]), None


def _reversed_axes(axis, rank):
    axes = tuple(shapes.axis(a, rank) for a in axis)
    if len(set(axes)) != len(axes):
        raise ValueError(f'an axis is specified more than once in {list(axis)}')
    return axes


class ReverseSequence(Op):
    """The first seq_lengths[b] elements of each sequence b reversed."""

    signature = 'input: T, seq_lengths: Tlen -> output: T'
    types = {'Tlen': INDEX}
    attrs = {'seq_dim': REQUIRED, 'batch_dim': 0, 'Tlen': dtypes.int64}

    def shape(input, seq_lengths, *, seq_dim, batch_dim):
        if len(seq_lengths) != 1:
            raise ValueError('seq_lengths must be a vector')
        batch = shapes.axis(batch_dim, len(input))
        shapes.axis(seq_dim, len(input))
        shapes.merge(input[batch:batch + 1], seq_lengths)
        return input

    def kernel(input, seq_lengths, out=None, *, seq_dim, batch_dim):
        size = input.shape[seq_dim]
        if seq_lengths.size and (seq_lengths.min() < 0 or seq_lengths.max() > size):
            raise ValueError(f'seq_lengths must be in [0, {size}], got {seq_lengths.tolist()}')
        place, lengths = np.arange(size), seq_lengths[:, None]
        source = np.where(place < lengths, lengths - 1 - place, place)
        if out is None:
            out = np.empty_like(input)
        moved = np.moveaxis(input, (batch_dim, seq_dim), (0, 1))
        target = np.moveaxis(out, (batch_dim, seq_dim), (0, 1))
        target[...] = moved[np.arange(len(source))[:, None], source]
        return out

    def gradient(op, dy):
        return ReverseSequence.apply(dy, op.inputs[1], seq_dim=op.attrs['seq_dim'],
                                     batch_dim=op.attrs['batch_dim']), None


class Roll(Op):
    """Elements moved along axes; what leaves at one end comes back at the other."""

    signature = 'input: T, shift: Tshift, axis: Taxis -> output: T'
    types = {'Tshift': INDEX, 'Taxis': INDEX}

    def shape(input, shift, axis):
        if not input:
            raise ValueError('the input must have at least one axis')
        shapes.merge(shift, axis)
        return input

    def kernel(input, shift, axis):
        axes = axis.tolist()
        for a in axes if isinstance(axes, list) else [axes]:
            shapes.axis(a, input.ndim)
        return np.roll(input, shift.tolist(), axes)

    def gradient(op, dy):
        _, shift, axis = op.inputs
        return roll(dy, -shift, axis), None, None


class _SpaceAndDepth(Op, abstract=True):
    signature = 'input: T -> output: T'
    attrs = {'block_size': REQUIRED, 'data_format': 'NHWC'}


class SpaceToDepth(_SpaceAndDepth):
    """Each block of block_size x block_size pixels becomes one pixel with more channels."""

    def shape(input, *, block_size, data_format):
        batch, height, width, depth = _as_nhwc(input, data_format)
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
        batch, height, width, depth = _as_nhwc(input, data_format)
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


def _divided(size, divisor, what):
    if size is None:
        return None
    if size % divisor:
        raise ValueError(f'{what} {size} is not divisible by {divisor}')
    return size // divisor


class SpaceToBatchND(Op):
    """Blocks of the (padded) spatial axes, each position of a block as a batch of its own."""

    signature = 'input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T'
    types = {'Tblock_shape': INDEX, 'Tpaddings': INDEX}
    attrs = {'Tblock_shape': dtypes.int32, 'Tpaddings': dtypes.int32}
    static = ('block_shape', 'paddings')

    def shape(input, block_shape, paddings):
        if block_shape is None or paddings is None or None in block_shape:
            return (None,) * len(input)
        _check_blocks(input, block_shape, paddings)
        count = len(block_shape)
        batch = None if input[0] is None else input[0] * shapes.size(block_shape)
        spatial = [None if d is None else _divided(d + sum(row), block, f'padded axis {i + 1}')
                   for i, (d, row, block) in enumerate(zip(input[1:], paddings, block_shape))]
        return (batch, *spatial, *input[1 + count:])

    def kernel(input, block_shape, paddings):
        result = SpaceToBatchND.shape(input.shape, block_shape, paddings)
        count = len(block_shape)
        rest = input.shape[1 + count:]
        padded = _pad(input, ((0, 0), *paddings, *[(0, 0)] * len(rest)), 0, None)
        pairs = [d for pair in zip(result[1:], block_shape) for d in pair]
        blocks = padded.reshape(input.shape[0], *pairs, *rest)
        order = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count + 1, 2),
                 *range(2 * count + 1, blocks.ndim)]
        return np.ascontiguousarray(blocks.transpose(order)).reshape(result)

    def gradient(op, dy):
        return batch_to_space_nd(dy, op.inputs[1], op.inputs[2]), None, None


class BatchToSpaceND(Op):
    """The inverse of SpaceToBatchND; crops take the place of paddings."""

    signature = 'input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T'
    types = {'Tblock_shape': INDEX, 'Tcrops': INDEX}
    attrs = {'Tblock_shape': dtypes.int32, 'Tcrops': dtypes.int32}
    static = ('block_shape', 'crops')

    def shape(input, block_shape, crops):
        if block_shape is None or crops is None or None in block_shape:
            return (None,) * len(input)
        _check_blocks(input, block_shape, crops)
        batch = _divided(input[0], shapes.size(block_shape), 'the batch size')
        spatial = [None if d is None else d * block - sum(row)
                   for d, row, block in zip(input[1:], crops, block_shape)]
        if any(d is not None and d < 0 for d in spatial):
            raise ValueError(f'crops {crops} take away more than there is')
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
        inside = (slice(None), *_inside(crops, result[1:1 + count]))
        return np.ascontiguousarray(whole[inside])

    def gradient(op, dy):
        return space_to_batch_nd(dy, op.inputs[1], op.inputs[2]), None, None


def _check_blocks(input, block_shape, margins):
    if len(margins) != len(block_shape) or len(input) <= len(block_shape):
        raise ValueError(f'an input of rank {len(input)}, {len(block_shape)} block sizes and '
                         f'{len(margins)} rows of margins do not fit')
    if min(block_shape, default=1) < 1:
        raise ValueError(f'block sizes must be positive, got {list(block_shape)}')


def pad(tensor, paddings, mode='CONSTANT', name=None, constant_values=0):
    """tensor with paddings[i] = (before, after) elements added along each axis i.

    Shapes: tensor [d_0, ...], paddings [rank, 2] -> [before_0 + d_0 + after_0, ...]. `mode` is
    CONSTANT (constant_values), REFLECT (mirrored without the edge) or SYMMETRIC (with the edge).
    """
    mode = mode.upper()
    if mode == 'CONSTANT':
        if not isinstance(constant_values, (int, float, np.generic)) or constant_values != 0:
            result = PadV2.apply(tensor, paddings, constant_values, name=name)
        else:
            result = Pad.apply(tensor, paddings, name=name)
    elif mode in ('REFLECT', 'SYMMETRIC'):
        result = MirrorPad.apply(tensor, paddings, mode=mode, name=name)
    else:
        raise worded(ValueError(f'Unknown padding mode: {mode}'))
    return result


def reverse(tensor, axis, name=None):
    """tensor with its elements in reverse order along each axis in `axis`.

    Shapes: tensor [*a], axis [k] -> [*a].
    """
    return ReverseV2.apply(tensor, axis, name=name)


reverse_v2 = reverse


def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None,
                     batch_dim=None):
    """input with the first seq_lengths[b] elements along seq_axis reversed, for each batch b.

    Shapes: input [*a], seq_lengths [size of batch_axis] -> [*a].
    """
    seq_axis = shaping.renamed('seq_axis', seq_axis, 'seq_dim', seq_dim)
    batch_axis = shaping.renamed('batch_axis', batch_axis, 'batch_dim', batch_dim)
    if seq_axis is None:
        raise worded(TypeError("Expected int for argument 'seq_dim' not None."))
    return ReverseSequence.apply(input, seq_lengths, seq_dim=seq_axis, batch_dim=batch_axis or 0,
                                 name=name)


def roll(input, shift, axis, name=None):
    """input moved by `shift` places along `axis`; what leaves at one end comes back at the other.

    Shapes: input [*a], shift [] or [k], axis [] or [k] -> [*a].
    """
    return Roll.apply(input, shift, axis, name=name)


def space_to_depth(input, block_size, name=None, data_format='NHWC'):
    """Each block of block_size x block_size pixels as one pixel with more channels.

    Shapes: input [n, h * b, w * b, c] -> [n, h, w, b * b * c], or likewise for NCHW.
    """
    return SpaceToDepth.apply(input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(input, block_size, name=None, data_format='NHWC'):
    """The channels of each pixel as a block of block_size x block_size pixels.

    Shapes: input [n, h, w, b * b * c] -> [n, h * b, w * b, c], or likewise for NCHW.
    """
    return DepthToSpace.apply(input, block_size=block_size, data_format=data_format, name=name)


def space_to_batch_nd(input, block_shape, paddings, name=None):
    """The padded spatial axes cut into blocks; each position within a block is a batch of its own.

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
    block_size = shaping.renamed('block_shape', block_shape, 'block_size', block_size)
    return space_to_batch_nd(input, np.array([block_size] * 2, np.int32), paddings, name=name)


def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """batch_to_space_nd for images, with square blocks.

    Shapes: input [n * b * b, h, w, c], crops [2, 2] -> [n, h * b - crops, w * b - crops, c].
    """
    block_size = shaping.renamed('block_shape', block_shape, 'block_size', block_size)
    return batch_to_space_nd(input, np.array([block_size] * 2, np.int32), crops, name=name)


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """The paddings that make spatial sizes divisible by blocks, and the crops that undo them.

    Shapes: input_shape [m], block_shape [m], base_paddings [m, 2] -> paddings [m, 2], crops [m, 2].
    The arguments must be known while the graph is built.
    """
    with name_scope(name, 'required_space_to_batch_paddings', [input_shape, block_shape]):
        sizes = convert_to_tensor(input_shape, dtypes.int32, 'input_shape')
        blocks = convert_to_tensor(block_shape, dtypes.int32, 'block_shape')
        base = (constants.zeros([blocks.raw_shape[0], 2], dtypes.int32) if base_paddings is None
                else convert_to_tensor(base_paddings, dtypes.int32, 'base_paddings'))
        known = [constant_value(t) for t in (sizes, blocks, base)]
        if any(k is None for k in known):
            raise worded(ValueError('tinyflow computes these paddings while the graph is built, so '
                                    'the shapes must be known then.'))
        paddings, crops = [], []
        for size, block, (start, end) in zip(*(k.tolist() for k in known)):
            total = math.ceil((size + start + end) / block) * block
            extra = total - (size + start + end)
            paddings.append([start, end + extra])
            crops.append([0, extra])
        return (constants.constant(paddings, dtypes.int32, name='paddings'),
                constants.constant(crops, dtypes.int32, name='crops'))
