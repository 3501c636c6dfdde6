"""Global settings of Keras: floatx, epsilon, image_data_format."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.support.errors import misuse

__all__ = [
    'backend', 'cast_to_floatx', 'epsilon', 'floatx', 'image_data_format', 'image_dim_ordering',
    'set_epsilon', 'set_floatx', 'set_image_data_format', 'set_image_dim_ordering',
]

_FLOATS = {'float16', 'float32', 'float64'}
_FORMATS = {'channels_first': 'th', 'channels_last': 'tf'}
_settings = {'floatx': 'float32', 'epsilon': 1e-7, 'image_data_format': 'channels_last'}


def backend():
    """The name of the backend: always 'tensorflow', which tinyflow implements."""
    return 'tensorflow'


def epsilon():
    """The small number that keeps divisions and logarithms away from zero."""
    return _settings['epsilon']


def set_epsilon(value):
    """Sets `epsilon()`."""
    _settings['epsilon'] = value


def floatx():
    """The default dtype of floats, as a string."""
    return _settings['floatx']


def set_floatx(value):
    """Sets `floatx()`: 'float16', 'float32' or 'float64'. ValueError for anything else."""
    if value not in _FLOATS:
        raise misuse(ValueError(f'Unknown floatx type: {value}; use one of {sorted(_FLOATS)}.'))
    _settings['floatx'] = str(value)


def cast_to_floatx(x):
    """x as a NumPy array of dtype `floatx()`."""
    return np.asarray(x, dtype=floatx())


def image_data_format():
    """'channels_last' (batch, height, width, channels) or 'channels_first'."""
    return _settings['image_data_format']


def set_image_data_format(data_format):
    """Sets `image_data_format()`. ValueError for anything but the two names."""
    if data_format not in _FORMATS:
        raise misuse(ValueError(f'Unknown data_format: {data_format}; use one of '
                                f'{sorted(_FORMATS)}.'))
    _settings['image_data_format'] = str(data_format)


def image_dim_ordering():
    """Keras 1's name of `image_data_format`: 'tf' for channels_last, 'th' for channels_first."""
    return _FORMATS[image_data_format()]


def set_image_dim_ordering(dim_ordering):
    """Sets the data format by Keras 1's names 'tf' and 'th'."""
    for data_format, old in _FORMATS.items():
        if old == dim_ordering:
            return set_image_data_format(data_format)
    raise misuse(ValueError(f"Unknown dim_ordering: {dim_ordering}; use 'tf' or 'th'."))
