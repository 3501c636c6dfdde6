"""frame cuts a signal into overlapping pieces, overlap_and_add puts such pieces together again."""
from __future__ import annotations

import math

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, gathering, joining, padding, shape_ops, shaping, slicing
from tinyflow.ops.math import arithmetic, reduction


def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """The pieces of frame_length elements that begin at every frame_step-th element of an axis.

    Shapes: signal [*a, n, *b] -> [*a, frames, frame_length, *b]. The end of the signal that does
    not fill a frame is left out or, with `pad_end`, filled up with `pad_value`.
    """
    with name_scope(name, 'frame', [signal, frame_length, frame_step, pad_value]):
        signal = convert_to_tensor(signal, name='signal')
        frame_length = scalar(frame_length, 'frame_length')
        frame_step = scalar(frame_step, 'frame_step')
        axis = scalar(axis, 'axis')
        if signal.raw_shape == ():
            raise misuse(ValueError('Shape () must have rank at least 1'))
        known = _framed_shape(signal, frame_length, frame_step, pad_end, axis)
        rank = shape_ops.rank(signal)
        axis = constants.range(rank)[axis]
        sizes = shape_ops.shape(signal)
        outer, size, inner = joining.split(sizes, joining.stack([axis, 1, rank - 1 - axis],
                                                                name='packed'))
        size = shaping.reshape(size, [])
        outer_rank, inner_rank = shape_ops.size(outer), shape_ops.size(inner)
        if pad_end:
            pad_value = convert_to_tensor(pad_value, signal.dtype.base_dtype)
            count = -(-size // frame_step)
            missing = arithmetic.maximum(0, frame_length + frame_step * (count - 1) - size)
            paddings = joining.concat([constants.zeros([outer_rank, 2], dtypes.int32),
                                       [[0, missing]],
                                       constants.zeros([inner_rank, 2], dtypes.int32)], 0)
            signal = padding.pad(signal, paddings, constant_values=pad_value)
            size = shape_ops.shape(signal)[axis]
        else:
            count = arithmetic.maximum(0, 1 + (size - frame_length) // frame_step)
        framed = _pieces(signal, sizes, (outer, size, inner), axis, count, frame_length, frame_step)
        framed.set_shape(known)
        return framed


def _pieces(signal, sizes, parts, axis, count, frame_length, frame_step):
    """The frames, gathered from blocks of gcd(frame_length, frame_step) elements."""
    outer, size, inner = parts
    block = _block_size(frame_length, frame_step)
    blocks_in_frame, blocks_in_step = frame_length // block, frame_step // block
    blocks = size // block
    whole = joining.concat([outer, [blocks * block], inner], 0)
    shape = joining.concat([outer, [blocks, block], inner], 0)
    start = constants.zeros_like(sizes)
    cut = slicing.strided_slice(signal, start, whole, constants.ones_like(start),
                                name='StridedSlice')
    in_blocks = shaping.reshape(cut, shape)
    first = shaping.reshape(constants.range(count) * blocks_in_step, [count, 1])
    others = shaping.reshape(constants.range(blocks_in_frame), [1, blocks_in_frame])
    gathered = gathering.gather(in_blocks, first + others, axis=axis)
    return shaping.reshape(gathered, joining.concat([outer, [count, frame_length], inner], 0))


def _block_size(frame_length, frame_step):
    length, step = constant_value(frame_length), constant_value(frame_step)
    with name_scope(None, 'gcd'):
        # Single elements will do as blocks; larger ones are gathered faster.
        size = 1 if length is None or step is None else math.gcd(int(length), int(step)) or 1
        return constants.constant(size, dtypes.int32)


def scalar(value, name):
    """A tensor of an integer argument; ValueError if it has axes."""
    tensor = convert_to_tensor(value, name=name)
    if tensor.raw_shape not in (None, ()):
        raise misuse(ValueError(f'Shape {tensor.shape} must have rank 0'))
    return tensor


def _framed_shape(signal, frame_length, frame_step, pad_end, axis):
    """The static shape of the frames, or None."""
    shape = signal.raw_shape
    if shape is None:
        return None
    axis, length, step = [constant_value(t) for t in (axis, frame_length, frame_step)]
    if axis is None:
        return [None] * (len(shape) + 1)
    if not -len(shape) <= axis < len(shape):
        raise misuse(IndexError(f'axis {int(axis)} is out of range for a signal of rank '
                                f'{len(shape)}'))
    axis = int(axis) % len(shape)
    size, count = shape[axis], None
    if size is not None and length is not None and step is not None and step > 0:
        count = -(-size // int(step)) if pad_end else max(0, 1 + (size - int(length)) // int(step))
    length = None if length is None else int(length)
    return [*shape[:axis], count, length, *shape[axis + 1:]]


def overlap_and_add(signal, frame_step, name=None):
    """The sum of frames, each of which begins frame_step elements behind the one before.

    Shapes: signal [*a, frames, frame_length] -> [*a, frame_length + (frames - 1) frame_step].
    """
    with name_scope(name, 'overlap_and_add', [signal, frame_step]):
        signal = convert_to_tensor(signal, name='signal')
        if signal.raw_shape is not None and len(signal.raw_shape) < 2:
            raise misuse(ValueError(f'Shape {signal.shape} must have rank at least 2'))
        frame_step = convert_to_tensor(frame_step, name='frame_step')
        if not frame_step.dtype.is_integer:
            raise misuse(ValueError(f'frame_step must be an integer. Got {frame_step.dtype!r}'))
        frame_step = scalar(frame_step, 'frame_step')
        sizes = shape_ops.shape(signal)
        outer = sizes[:-2]
        outer_rank = shape_ops.size(outer)
        length, frames = sizes[-1], sizes[-2]
        total = length + frame_step * (frames - 1)
        known_length = None if signal.raw_shape is None else signal.raw_shape[-1]
        if known_length is not None and constant_value(frame_step) == known_length:
            return shaping.reshape(signal, joining.concat([outer, [total]], 0), name='fast_path')
        summed = _summed(signal, outer, outer_rank, length, frames, frame_step)
        result = summed[..., :total]
        result.set_shape(_added_shape(signal, frame_step))
        return result


def _summed(signal, outer, outer_rank, length, frames, frame_step):
    """The sum, without a loop: every frame is cut into steps, each row of which is one too long.

    After the transposition, the s-th steps of all frames are a row, followed by `steps` zeros. Read
    with rows that are one step shorter, each next row begins one step later than the one above: the
    columns are what has to be added.
    """
    steps = -(-length // frame_step)
    missing = steps * frame_step - length
    paddings = joining.concat([constants.zeros([outer_rank, 2], dtypes.int32),
                               [[0, steps], [0, missing]]], 0)
    signal = padding.pad(signal, paddings)
    signal = shaping.reshape(signal, joining.concat([outer, [frames + steps, steps, frame_step]],
                                                    0))
    order = joining.concat([constants.range(outer_rank), outer_rank + [1, 0, 2]], 0)
    signal = shaping.transpose(signal, order)
    signal = shaping.reshape(signal, joining.concat([outer, [(frames + steps) * steps, frame_step]],
                                                    0))
    signal = signal[..., :(frames + steps - 1) * steps, :]
    signal = shaping.reshape(signal, joining.concat([outer, [steps, frames + steps - 1,
                                                             frame_step]], 0))
    signal = reduction.reduce_sum(signal, -3)
    return shaping.reshape(signal, joining.concat([outer, [(frames + steps - 1) * frame_step]], 0))


def _added_shape(signal, frame_step):
    """The static shape of the sum, or None."""
    if signal.raw_shape is None:
        return None
    *outer, frames, length = signal.raw_shape
    step = constant_value(frame_step)
    known = frames is not None and length is not None and step is not None
    return [*outer, length + (frames - 1) * int(step) if known else None]


__all__ = ['frame', 'overlap_and_add']
