"""keras.utils.conv_utils: lengths and arguments of convolutions."""
from __future__ import annotations

import numpy as np

from keras_layer import backend as K
from tinyflow.graph.support.errors import misuse

__all__ = ['conv_input_length', 'conv_output_length', 'convert_kernel', 'deconv_length',
           'normalize_data_format', 'normalize_padding', 'normalize_tuple']


def normalize_tuple(value, n, name):
    """`value` as a tuple of n integers; a single integer is repeated. ValueError for others."""
    values = (value,) * n if isinstance(value, (int, np.integer)) else value
    try:
        found = tuple(values)
        whole = all(int(v) == v for v in found)
    except (TypeError, ValueError):
        found, whole = (), False
    if not whole or len(found) != n:
        raise misuse(ValueError(f'The `{name}` argument must be a tuple of {n} integers. Received: '
                                f'{value!r}'))
    return found


def normalize_data_format(value):
    """'channels_first' or 'channels_last'; None is that of the backend. ValueError for others."""
    value = (K.image_data_format() if value is None else value).lower()
    if value not in ('channels_first', 'channels_last'):
        raise misuse(ValueError('The `data_format` argument must be one of "channels_first", '
                                f'"channels_last". Received: {value}'))
    return value


def normalize_padding(value):
    """'valid', 'same' or 'causal' in lower case. ValueError for others."""
    padding = value.lower()
    if padding not in ('valid', 'same', 'causal'):
        raise misuse(ValueError('The `padding` argument must be one of "valid", "same" (or '
                                f'"causal" for Conv1D). Received: {padding}'))
    return padding


def convert_kernel(kernel):
    """A kernel [*sizes, in, out] turned around along all of `sizes`, which Theano needs."""
    if not 3 <= kernel.ndim <= 5:
        raise misuse(ValueError(f'Invalid kernel shape: {kernel.shape}'))
    return np.copy(np.flip(kernel, tuple(range(kernel.ndim - 2))))


def _check(padding, *known):
    if padding not in known:            # Keras 2.1 has it as an assertion
        raise misuse(AssertionError(f'padding={padding!r} is none of {", ".join(known)}.'))


def conv_output_length(input_length, filter_size, padding, stride, dilation=1):
    """The length of a convolution's output; None for None."""
    if input_length is None:
        return None
    _check(padding, 'same', 'causal', 'valid', 'full')
    size = filter_size + (filter_size - 1) * (dilation - 1)
    length = {'same': input_length, 'causal': input_length, 'valid': input_length - size + 1,
              'full': input_length + size - 1}[padding]
    return (length + stride - 1) // stride


def conv_input_length(output_length, filter_size, padding, stride):
    """The length that a convolution's input had; None for None."""
    if output_length is None:
        return None
    _check(padding, 'same', 'valid', 'full')
    pad = {'same': filter_size // 2, 'valid': 0, 'full': filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_length(dim_size, stride_size, kernel_size, padding, output_padding=None):
    """The length of a transposed convolution's output; None for None."""
    if dim_size is None:
        return None
    if output_padding is not None:
        pad = {'same': kernel_size // 2, 'valid': 0, 'full': kernel_size - 1}[padding]
        return (dim_size - 1) * stride_size + kernel_size - 2 * pad + output_padding
    return {'valid': dim_size * stride_size + max(kernel_size - stride_size, 0),
            'full': dim_size * stride_size - (stride_size + kernel_size - 2),
            'same': dim_size * stride_size}[padding]
