"""Checks of arguments that layers share: sizes, padding, data formats."""
from __future__ import annotations

from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import misuse, report

_FORMATS = {('channels_last', 3): 'NWC', ('channels_first', 3): 'NCW',
            ('channels_last', 4): 'NHWC', ('channels_first', 4): 'NCHW',
            ('channels_last', 5): 'NDHWC', ('channels_first', 5): 'NCDHW'}


def data_format(value):
    """'channels_last' or 'channels_first', in lower case; the first for None."""
    given = 'channels_last' if value is None else value
    value = given.lower()
    if value not in ('channels_last', 'channels_first'):
        raise misuse(ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f'Received: {given}\n  Hint: channels_last is [batch, height, width, channels]; '
            "'NHWC' is what tf.nn functions call it."))
    return value


def op_format(value, rank):
    """The data format as tf.nn functions call it, for inputs of that rank: 'NHWC'."""
    return _FORMATS[value, rank]


def padding(value):
    """'valid', 'same' or 'causal' in lower case; a list of explicit paddings is unchanged."""
    if isinstance(value, (list, tuple)):
        return value
    value = value.lower()
    if value not in ('valid', 'same', 'causal'):
        raise misuse(ValueError(
            'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", '
            f'only for `Conv1D). Received: {value}'))
    return value


def sizes(value, number, name):
    """`value` as a tuple of that many integers; a single integer is repeated."""
    if isinstance(value, int):
        return (value,) * number
    try:
        result = tuple(value)
        fits = len(result) == number and all(int(v) == v for v in result)
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise misuse(ValueError(f'The `{name}` argument must be a tuple of {number} integers. '
                                f'Received: {value}'))
    return result


def count(value, name):
    """`value` as an integer; TypeError for a list, ValueError for a string that is not a number."""
    try:
        return int(value)
    except (TypeError, ValueError) as error:
        alone = isinstance(value, (list, tuple)) and len(value) == 1
        raise misuse(type(error)(report(
            f'{name} is an integer, not {value!r}: {error}', site=user_site(),
            hint=f'{name}={value[0]!r}, without brackets.' if alone else None))) from None


def output_length(length, kernel, padding, stride, dilation=1):
    """The number of windows along an axis; None if the length is not known."""
    if length is None:
        return None
    if padding == 'valid':
        length -= (kernel - 1) * dilation
    return -(-length // stride)


def transposed_length(length, kernel, padding, stride):
    """The length of an axis that a strided convolution reduces to `length`; may be a tensor."""
    if length is None:
        return None
    length = length * stride
    return length + max(kernel - stride, 0) if padding == 'valid' else length
