"""keras.utils.conv_utils: lengths and arguments of convolutions."""
from __future__ import annotations

from keras_layer import backend as K
from keras_layer.utils.layer_utils import convert_kernel
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.arguments import (
    data_format,
    padding as normalize_padding,
    sizes as normalize_tuple,
)

__all__ = ['conv_input_length', 'conv_output_length', 'convert_kernel', 'deconv_length',
           'normalize_data_format', 'normalize_padding', 'normalize_tuple']


def normalize_data_format(value):
    """'channels_first' or 'channels_last'; None is that of the backend. ValueError for others."""
    return data_format(K.image_data_format() if value is None else value)


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
