"""Discrete cosine transforms of types I, II and III: dct, idct.

Type II of n numbers is a part of the Fourier transform of them and n zeros, type III that of the
inverse; type I is the transform of the numbers and their mirror image. Makhoul, A fast cosine
transform in one and two dimensions (1980).
"""
from __future__ import annotations

import math

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, padding, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.math import arithmetic, powers, unary
from tinyflow.ops.math.complex_numbers import complex, real
from tinyflow.ops.signal import fourier


def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """The discrete cosine transform over the last axis.

    Shapes: input [*a, m] -> [*a, n]; `n` is m unless given, the axis is cut or padded with zeros
    to it. `norm` is None or, for types 2 and 3, 'ortho'. Raises ValueError for other types.
    """
    _check(input, type, n, axis, norm)
    with name_scope(name, 'dct', [input]):
        x = convert_to_tensor(input, dtypes.float32)
        if n is not None:
            x = _of_length(x, n)
        size = _last_size(x)
        if type == 1 and isinstance(size, int) and size < 2:
            raise misuse(ValueError('Type-I DCT requires the dimension to be greater than one.'))
        length = cast(size, dtypes.float32)
        if type == 1:
            mirrored = x[..., -2:0:-1]
            return real(fourier.rfft(joining.concat([x, mirrored], axis=-1)))
        if type == 2:
            return _type_2(x, size, length, norm)
        return _type_3(x, size, length, norm)


def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """The inverse of dct: with norm=None up to a factor, 2 n (for type 1, 2 (n - 1)).

    Shapes: input [*a, n] -> [*a, n]. Another length than that of the input cannot be asked for.
    """
    _check(input, type, n, axis, norm)
    return dct(input, {1: 1, 2: 3, 3: 2}[type], n, axis, norm, name)


def _check(input, type, n, axis, norm):
    if axis != -1:
        raise misuse(NotImplementedError(f'axis must be -1. Got: {axis}'))
    if n is not None and n < 1:
        raise misuse(ValueError('n should be a positive integer or None'))
    if type not in (1, 2, 3):
        raise misuse(ValueError('Only Types I, II and III (I)DCT are supported.'))
    if type == 1 and norm == 'ortho':
        raise misuse(ValueError('Normalization is not supported for the Type-I DCT.'))
    if norm not in (None, 'ortho'):
        raise misuse(ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}"))


def _of_length(x, n):
    """x with its last axis cut or padded with zeros to n."""
    size = None if x.raw_shape is None else x.raw_shape[-1]
    if size is not None and n <= size:
        return x[..., :n]
    if size is not None:
        others = [[0, 0]] * (len(x.raw_shape) - 1)
        return padding.pad(x, constants.constant([*others, [0, n - size]], dtypes.int32))
    last = shape_ops.shape(x)[-1]
    more = joining.concat([constants.zeros([shape_ops.rank(x) - 1], dtypes.int32),
                           [arithmetic.maximum(0, n - last)]], 0)
    return padding.pad(x[..., :n], joining.stack([constants.zeros_like(more), more], axis=1))


def _last_size(x):
    size = None if x.raw_shape is None else x.raw_shape[-1]
    if size is not None:
        return size
    shape_ops.shape(x)[-1]              # TF has this unused node, too; op seeds count nodes
    return shape_ops.shape(x)[-1]


def _type_2(x, size, length, norm):
    phases = -constants.range(length) * math.pi * 0.5 / length
    turn = 2.0 * unary.exp(complex(0.0, phases))
    result = real(fourier.rfft(x, fft_length=[2 * size])[..., :size] * turn)
    if norm == 'ortho':
        first = 0.5 * powers.rsqrt(length)
        result *= _first_and_others(first, first * powers.sqrt(2.0), size)
    return result


def _type_3(x, size, length, norm):
    if norm == 'ortho':
        first = powers.sqrt(length)
        x *= _first_and_others(first, first * powers.sqrt(0.5), size)
    else:
        x *= length
    turn = 2.0 * unary.exp(complex(0.0, constants.range(length) * math.pi * 0.5 / length))
    return fourier.irfft(turn * complex(x, 0.0), fft_length=[2 * size])[..., :size]


def _first_and_others(first, others, size):
    """The vector [first, others, others, ...] of a size."""
    return padding.pad(shaping.expand_dims(first, 0), [[0, size - 1]], constant_values=others)


__all__ = ['dct', 'idct']
