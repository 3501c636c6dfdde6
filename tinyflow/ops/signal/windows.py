"""Windows: hann_window, hamming_window."""
from __future__ import annotations

import math

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.math import division, unary


def hann_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
    """0.5 - 0.5 cos(2 pi t), with t from 0 to 1. Shapes: window_length [] -> [window_length].

    A periodic window of even length leaves out t = 1, so that windows can follow each other.
    """
    return _raised_cosine(name, 'hann_window', window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
    """0.54 - 0.46 cos(2 pi t), with t from 0 to 1. Shapes: window_length [] -> [window_length].

    A periodic window of even length leaves out t = 1, so that windows can follow each other.
    """
    return _raised_cosine(name, 'hamming_window', window_length, periodic, dtype, 0.54, 0.46)


def _raised_cosine(name, default_name, window_length, periodic, dtype, mean, amplitude):
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise misuse(ValueError(f'dtype must be a floating point type. Found {dtype}'))
    with name_scope(name, default_name, [window_length, periodic]):
        window_length = convert_to_tensor(window_length, dtypes.int32, name='window_length')
        length = constant_value(window_length)
        if window_length.raw_shape not in (None, ()):
            raise misuse(ValueError(f'Shape {window_length.shape} must have rank 0'))
        if length is not None and length == 1:
            return constants.ones([1], dtype)
        periodic = cast(convert_to_tensor(periodic, dtypes.bool, name='periodic'), dtypes.int32)
        even = 1 - division.floormod(window_length, 2)
        count = cast(window_length + periodic * even - 1, dtype)
        samples = cast(constants.range(window_length), dtype)
        turns = constants.constant(2 * math.pi, dtype) * samples / count
        return mean - amplitude * unary.cos(turns)


__all__ = ['hamming_window', 'hann_window']
