"""tensorflow.python.layers.utils: conditions known early, and sizes of convolutions."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse
from tinyflow.ops.control_flow.smart_cond import smart_cond, smart_constant_value

__all__ = ['constant_value', 'conv_input_length', 'conv_output_length', 'convert_data_format',
           'deconv_output_length', 'normalize_tuple', 'smart_cond']


def constant_value(pred):
    """The bool that `pred` is known to be, or None, as for a Variable."""
    return None if hasattr(pred, 'initializer') else smart_constant_value(pred)


def convert_data_format(data_format, ndim):
    """The order of the axes of `ndim` axes as tf.nn names it: 'NHWC' for channels_last and 4."""
    spaces = {3: 'W', 4: 'HW', 5: 'DHW'}
    if data_format not in ('channels_last', 'channels_first'):
        raise misuse(ValueError(f'Invalid data_format: {data_format}'))
    if ndim not in spaces:
        raise misuse(ValueError(f'Input rank not supported: {ndim}'))
    return f'N{spaces[ndim]}C' if data_format == 'channels_last' else f'NC{spaces[ndim]}'


def normalize_tuple(value, n, name):
    """`value` n times if it is an integer; a tuple of n numbers as it is."""
    if isinstance(value, int):
        return (value,) * n
    try:
        values = tuple(value)
    except TypeError:
        values = ()
    if len(values) != n:
        raise misuse(ValueError(f'The `{name}` argument must be a tuple of {n} integers. '
                                f'Received: {value}'))
    for element in values:
        try:
            int(element)
        except (TypeError, ValueError):
            raise misuse(ValueError(
                f'The `{name}` argument must be a tuple of {n} integers. Received: {value} '
                f'including element {element} of type {type(element)}')) from None
    return values


def conv_output_length(input_length, filter_size, padding, stride, dilation=1):
    """The size of a convolution's result along one axis; None for an unknown size."""
    if input_length is None:
        return None
    reach = (filter_size - 1) * dilation
    length = input_length + {'same': 0, 'valid': -reach, 'full': reach}[_known(padding)]
    return (length + stride - 1) // stride


def conv_input_length(output_length, filter_size, padding, stride):
    """The least size along one axis of which a convolution makes `output_length`."""
    if output_length is None:
        return None
    pad = {'same': filter_size // 2, 'valid': 0, 'full': filter_size - 1}[_known(padding)]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(input_length, filter_size, padding, stride):
    """The size of a transposed convolution's result along one axis."""
    if input_length is None:
        return None
    more = max(filter_size - stride, 0)
    return input_length * stride + {'same': 0, 'valid': more, 'full': 2 - stride - filter_size}[
        _known(padding)]


def _known(padding):
    if padding not in ('same', 'valid', 'full'):
        raise misuse(ValueError(f"padding is 'same', 'valid' or 'full', and not {padding!r}"))
    return padding
