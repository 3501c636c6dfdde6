"""Shape arithmetic of convolution and pooling: axes, padding, number of output positions.

The attributes are TF's: lists with an entry for each axis of the data, in the order of
`data_format`. The results are for the spatial axes only, channels last.
"""
from __future__ import annotations

from functools import lru_cache

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.support.errors import OpFailure, misuse
from tinyflow.ops.conv.convolution_kernels import Windows

_CHANNELS_LAST = {3: 'NWC', 4: 'NHWC', 5: 'NDHWC'}
_CHANNELS_FIRST = {3: 'NCW', 4: 'NCHW', 5: 'NCDHW'}
_AXES = {3: 'batch, width, channels', 4: 'batch, height, width, channels',
         5: 'batch, depth, height, width, channels'}


def channels_first(data_format):
    """True for channels first (NCHW). ValueError for an unknown data format."""
    if data_format in _CHANNELS_FIRST.values():
        return True
    if data_format in _CHANNELS_LAST.values():
        return False
    raise ValueError(f"data_format must be 'NHWC' or 'NCHW' (for volumes 'NDHWC' or 'NCDHW'), not "
                     f'{data_format!r}')


def check_format(data_format, rank):
    """ValueError unless `data_format` is valid for data of that rank."""
    allowed = _CHANNELS_LAST[rank], _CHANNELS_FIRST[rank]
    if data_format not in allowed:
        raise ValueError(f'data_format must be {allowed[0]!r} or {allowed[1]!r}, not '
                         f'{data_format!r}')


def last_shape(shape, data_format):
    """A shape in `data_format` with the channels moved to the end."""
    return (shape[0], *shape[2:], shape[1]) if channels_first(data_format) else tuple(shape)


def from_last_shape(shape, data_format):
    """The inverse of `last_shape`."""
    return (shape[0], shape[-1], *shape[1:-1]) if channels_first(data_format) else tuple(shape)


def channels_last(x, data_format):
    """A view of x with the channels last; None stays None."""
    return np.moveaxis(x, 1, -1) if x is not None and channels_first(data_format) else x


def to_output(y, data_format, out):
    """The result y (channels last) in `data_format`, written to `out` if it is given."""
    if out is not None:
        return out
    return np.ascontiguousarray(np.moveaxis(y, -1, 1)) if channels_first(data_format) else y


def check_rank(label, shape, rank, axes=None):
    """ValueError, with the names of the axes, unless the shape is unknown or of that rank."""
    if shape is None or len(shape) == rank:
        return
    axes = axes or _AXES[rank]
    hint = f'the {label} is [{axes}].'
    if axes.startswith('batch') and len(shape) == rank - 1:
        hint += ' tf.expand_dims(x, 0) adds a batch axis; tf.expand_dims(x, -1) adds channels.'
    elif axes.startswith('batch') and len(shape) == 2:
        hint += ' tf.reshape(x, [-1, height, width, channels]) turns flat rows into images.'
    raise OpFailure(f'Shape must be rank {rank} but is rank {len(shape)} for the {label} '
                    f'{shapes.text(shape)}',
                    hint)


def spatial(values, data_format, label, rank, batch_too=False):
    """The entries of a list attribute for the spatial axes; batch and channels must have 1.

    With `batch_too` only the batch must.
    """
    if len(values) != rank:
        raise ValueError(f'{label} must have {rank} entries, one for each axis of the data, not '
                         f'{len(values)}: {list(values)}')
    channel_axis = 1 if channels_first(data_format) else rank - 1
    if values[0] != 1 or (values[channel_axis] != 1 and not batch_too):
        raise OpFailure(f'{label} {list(values)} would step over the batch or the channels',
                        f'there is one entry for each letter of {data_format}; N and C must '
                        'have 1.')
    inner = values[2:] if channels_first(data_format) else values[1:-1]
    if min(inner) < 1:
        raise ValueError(f'{label} must be positive, got {list(values)}')
    return tuple(inner)


_SPELLED = {'SAME', 'VALID', 'EXPLICIT'}


def check_padding(padding, explicit=False):
    """ValueError for an unknown padding, TypeError for one that is not a string."""
    if isinstance(padding, str) and padding in _SPELLED and (explicit or padding != 'EXPLICIT'):
        return
    if not isinstance(padding, str):
        raise misuse(TypeError(f"Expected string for argument 'padding' not {padding!r}."))
    upper = padding.upper()
    hint = f'write {upper!r}.' if upper in ('SAME', 'VALID') else \
        "'SAME' keeps the size (at stride 1), 'VALID' uses positions inside the input only."
    raise OpFailure(f"padding must be 'SAME' or 'VALID', not {padding!r}", hint)


def count(size, kernel, stride, rate, padding, margin=(0, 0), label='the op'):
    """The number of output positions along an axis; None if it is not known."""
    if size is None:
        return None
    if padding == 'SAME':
        return -(-size // stride)
    if kernel is None:
        return None
    reach = (kernel - 1) * rate + 1
    padded_size = size + margin[0] + margin[1]
    if padded_size < reach:
        hint = "padding='SAME' pads the input." if padding == 'VALID' else \
            'use more padding, or a smaller kernel.'
        raise OpFailure(f'Negative dimension size caused by subtracting {reach} from '
                        f'{padded_size}: {label} of size {reach} does not fit into '
                        f'{padded_size} elements',
                        hint)
    return (padded_size - reach) // stride + 1


def margins(size, kernel, stride, rate, positions):
    """(before, after): the padding that 'SAME' adds, the larger one after."""
    total = max((positions - 1) * stride + (kernel - 1) * rate + 1 - size, 0)
    return total // 2, total - total // 2


def explicit_margins(explicit, data_format, rank):
    """(before, after) for each spatial axis, from TF's flat list for all axes."""
    if not explicit:
        return ((0, 0),) * (rank - 2)
    if len(explicit) != 2 * rank:
        raise ValueError(f'explicit_paddings must have {2 * rank} numbers, got {len(explicit)}')
    if min(explicit) < 0:
        raise ValueError(f'explicit paddings must not be negative, got {list(explicit)}')
    pairs = tuple(zip(explicit[::2], explicit[1::2]))
    if any(pairs[0]) or any(pairs[1 if channels_first(data_format) else -1]):
        raise OpFailure('explicit paddings of the batch and of the channels must be 0',
                        f'there is one row for each letter of {data_format}.')
    return pairs[2:] if channels_first(data_format) else pairs[1:-1]


def positions(sizes, kernel, strides, rates, padding, explicit=None, label='the kernel'):
    """The number of output positions along each spatial axis, None if it is not known."""
    explicit = explicit or ((0, 0),) * len(sizes)
    return tuple(count(*axis, padding, margin, label)
                 for *axis, margin in zip(sizes, kernel, strides, rates, explicit))


@lru_cache(maxsize=1024)
def windows(sizes, kernel, strides, rates, padding, explicit=None, label='the kernel'):
    """The `Windows` of a kernel over spatial axes of known sizes."""
    count_per_axis = positions(sizes, kernel, strides, rates, padding, explicit, label)
    if padding == 'SAME':
        around = tuple(margins(*axis) for axis
                       in zip(sizes, kernel, strides, rates, count_per_axis))
    else:
        around = explicit or ((0, 0),) * len(sizes)
    return Windows(kernel, strides, rates, around, count_per_axis)
