"""pad, mirror padding, reverse, reverse_sequence, roll."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import REQUIRED, Op, nodes
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.support.arguments import renamed
from tinyflow.ops.support.ranks import of_rank

__all__ = ['pad', 'reverse', 'reverse_sequence', 'reverse_v2', 'roll']


def _padded_shape(input, paddings):
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


def interior(paddings, shape):
    """The index of the part that is not padding."""
    return tuple(slice(before, before + d) for d, (before, _) in zip(shape, paddings))


class _Padding(Op, abstract=True):
    types = {'Tpaddings': INDEX}
    attrs = {'Tpaddings': dtypes.int32}
    static = {'paddings': 2}
    partial_rank = True


class Pad(_Padding):
    """A tensor padded with zeros."""

    signature = 'input: T, paddings: Tpaddings -> output: T'

    def shape(input, paddings):
        return _padded_shape(input, paddings)

    def kernel(input, paddings, out=None):
        return padded(input, paddings, b'' if input.dtype == object else 0, out)

    def gradient(op, dy):
        return _unpad(op, dy), None


class PadV2(_Padding):
    """A tensor padded with a value."""

    signature = 'input: T, paddings: Tpaddings, constant_values: T -> output: T'

    def shape(input, paddings, constant_values):
        return _padded_shape(input, paddings)

    def kernel(input, paddings, constant_values, out=None):
        return padded(input, paddings, constant_values, out)

    def gradient(op, dy):
        inside = _unpad(op, dy)
        reduce_sum = nodes.Sum
        around = reduce_sum(dy, constants.shape_range(dy), keep_dims=False) - reduce_sum(
            inside, constants.shape_range(inside), keep_dims=False)
        return inside, None, around


def padded(input, paddings, value, out):
    """The input with `value` around it."""
    if out is None:
        out = np.empty(_padded_shape(input.shape, paddings), input.dtype)
    out[...] = value
    out[interior(paddings, input.shape)] = input
    return out


def _unpad(op, dy):
    """The part of dy that is not padding."""
    x, paddings = op.inputs[:2]
    return nodes.Slice(dy, paddings[:, 0], constants.shape(x, out_type=paddings.dtype))


class MirrorPad(_Padding):
    """A tensor padded by its mirror image, without (REFLECT) or with (SYMMETRIC) its edge."""

    signature = 'input: T, paddings: Tpaddings -> output: T'
    attrs = {'mode': REQUIRED, 'Tpaddings': dtypes.int32}

    def shape(input, paddings, *, mode):
        result = _padded_shape(input, paddings)
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
        limit = None if d is None else d - (mode == 'REFLECT')
        if limit is not None and max(row) > limit:
            raise ValueError(f'paddings {list(row)} of axis {axis} are larger than {limit}, the '
                             f'limit of mode {mode}')


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
    static = {'axis': 1}

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
    partial_rank = True

    def shape(input, seq_lengths, *, seq_dim, batch_dim):
        if input is None:
            return None
        seq_lengths = of_rank(seq_lengths, 1)
        if len(seq_lengths) != 1:
            raise ValueError('seq_lengths must be a vector')
        batch = shapes.axis(batch_dim, len(input))
        shapes.axis(seq_dim, len(input))
        merged = shapes.merge(input[batch:batch + 1], seq_lengths)
        return input[:batch] + merged + input[batch + 1:]

    def kernel(input, seq_lengths, out=None, *, seq_dim, batch_dim):
        size = input.shape[seq_dim]
        if seq_lengths.size and (seq_lengths.min() < 0 or seq_lengths.max() > size):
            raise ValueError(f'seq_lengths must be in [0, {size}], got {seq_lengths.tolist()}')
        position, lengths = np.arange(size), seq_lengths[:, None]
        source = np.where(position < lengths, lengths - 1 - position, position)
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
    """Elements shifted along axes, with wrap-around."""

    signature = 'input: T, shift: Tshift, axis: Taxis -> output: T'
    types = {'Tshift': INDEX, 'Taxis': INDEX}
    partial_rank = True

    def shape(input, shift, axis):
        if input == ():
            raise ValueError('the input must have at least one axis')
        shapes.merge(shift, axis)
        return input

    def kernel(input, shift, axis):
        if shift.shape != axis.shape:
            raise ValueError('shift and axis must have the same shape, got '
                             f'{shapes.text(shift.shape)} and {shapes.text(axis.shape)}')
        axes = axis.tolist()
        for a in axes if isinstance(axes, list) else [axes]:
            shapes.axis(a, input.ndim)
        return np.roll(input, shift.tolist(), axes)

    def gradient(op, dy):
        _, shift, axis = op.inputs
        return roll(dy, -shift, axis), None, None


def pad(tensor, paddings, mode='CONSTANT', name=None, constant_values=0):
    """tensor with paddings[i] = (before, after) elements added along each axis i.

    Shapes: tensor [d_0, ...], paddings [rank, 2] -> [before_0 + d_0 + after_0, ...]. `mode` is
    CONSTANT (constant_values), REFLECT (mirrored without the edge) or SYMMETRIC (with the edge).
    """
    if not isinstance(mode, str):
        raise misuse(AttributeError(
            f"The padding mode is 'CONSTANT', 'REFLECT' or 'SYMMETRIC', not {mode!r}."))
    mode = mode.upper()
    if mode == 'CONSTANT':
        if not isinstance(constant_values, (int, float, np.generic)) or constant_values != 0:
            result = PadV2.apply(tensor, paddings, constant_values, name=name)
        else:
            result = Pad.apply(tensor, paddings, name=name)
    elif mode in ('REFLECT', 'SYMMETRIC'):
        result = MirrorPad.apply(tensor, paddings, mode=mode, name=name)
    else:
        raise misuse(ValueError(f'Unknown padding mode: {mode}'))
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
    seq_axis = renamed('seq_axis', seq_axis, 'seq_dim', seq_dim)
    batch_axis = renamed('batch_axis', batch_axis, 'batch_dim', batch_dim)
    if seq_axis is None:
        raise misuse(TypeError("Expected int for argument 'seq_dim' not None."))
    return ReverseSequence.apply(input, seq_lengths, seq_dim=seq_axis, batch_dim=batch_axis or 0,
                                 name=name)


def roll(input, shift, axis, name=None):
    """input shifted by `shift` along `axis`, with wrap-around.

    Shapes: input [*a], shift [] or [k], axis [] or [k] -> [*a].
    """
    return Roll.apply(input, shift, axis, name=name)
