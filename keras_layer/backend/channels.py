"""Channel axis: converts between channels_first and the channels_last of the kernels."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.backend.settings import image_data_format
from tinyflow.graph.support.errors import misuse

__all__ = ['are_channels_first', 'from_channels_last', 'to_channels_last', 'upper_padding']


def are_channels_first(data_format):
    """True for 'channels_first'; None means the default format. ValueError for other names."""
    data_format = data_format or image_data_format()
    if data_format not in ('channels_first', 'channels_last'):
        raise misuse(ValueError(f'Unknown data_format: {data_format}; use "channels_last" or '
                                '"channels_first".'))
    return data_format == 'channels_first'


def to_channels_last(x, rank, first):
    """x [batch, channels, *space] as [batch, *space, channels], if the channels are `first`."""
    return tf.transpose(x, (0, *range(2, rank + 2), 1)) if first else x


def from_channels_last(x, rank, first):
    """The inverse of `to_channels_last`."""
    return tf.transpose(x, (0, rank + 1, *range(1, rank + 1))) if first else x


def upper_padding(padding):
    """'SAME' or 'VALID'. ValueError for anything but 'same' and 'valid'."""
    if padding not in ('same', 'valid'):
        raise misuse(ValueError(f'Invalid padding: {padding}; use "same" or "valid".'))
    return padding.upper()
