"""tf.compat: helpers for text and bytes, `v1`, which is tinyflow itself, and `v2`."""
from __future__ import annotations

import importlib
import numbers
import sys

import numpy as np

bytes_or_text_types = (bytes, str)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)


def as_bytes(bytes_or_text, encoding='utf-8'):
    """Text or bytes as bytes. TypeError for anything else."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    raise TypeError(f'Expected binary or unicode string, got {bytes_or_text!r}')


def as_text(bytes_or_text, encoding='utf-8'):
    """Text or bytes as text. TypeError for anything else."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f'Expected binary or unicode string, got {bytes_or_text!r}')


as_str = as_text


def as_str_any(value):
    """str(value); bytes are decoded."""
    return as_text(value) if isinstance(value, bytes) else str(value)


__all__ = ['as_bytes', 'as_str', 'as_str_any', 'as_text', 'bytes_or_text_types', 'complex_types',
           'integral_types', 'real_types']


def __dir__():
    return [*__all__, 'v1', 'v2']


def __getattr__(name):
    if name == 'v1':
        return sys.modules['tinyflow']
    if name == 'v2':
        return importlib.import_module('tinyflow.api.v2.namespace').ROOT
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
