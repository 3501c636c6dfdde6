"""Uniform and normal floats from 32-bit random words, as in TensorFlow 1.

The results equal those of TensorFlow 1.15 on Linux: bit for bit in float16 and float32; about one
float64 normal in some hundred may differ in the last bit, where NumPy's log does.

Imports only NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

_FLOATS = (np.float16, np.float32, np.float64)


# Words to uniform floats: random bits become the mantissa of a number in [1, 2), less 1.


def uniform32(bits: np.ndarray) -> np.ndarray:
    """Shapes: bits [n] of uint32, overwritten -> [n] of float32 in [0, 1), in the same memory."""
    np.bitwise_and(bits, np.uint32(0x7FFFFF), bits)
    np.bitwise_or(bits, np.uint32(0x3F800000), bits)
    x = bits.view(np.float32)
    return np.subtract(x, np.float32(1), x)


def uniform64(bits: np.ndarray) -> np.ndarray:
    """Shapes: bits [2 * n] of uint32, overwritten -> [n] of float64, in the same memory.

    The first word of each pair gives the upper 20 bits of the mantissa, the second the lower 32.
    """
    pairs = bits.view(np.uint64)
    first_word = pairs << np.uint64(32)
    np.right_shift(pairs, np.uint64(32), pairs)
    np.bitwise_or(pairs, first_word, pairs)
    np.bitwise_and(pairs, np.uint64(2**52 - 1), pairs)
    np.bitwise_or(pairs, np.uint64(1023 << 52), pairs)
    x = pairs.view(np.float64)
    return np.subtract(x, 1.0, x)


def uniform16(bits: np.ndarray) -> np.ndarray:
    """Shapes: bits [n] of uint32 -> [n] of float16."""
    x = ((bits.astype(np.uint16) & np.uint16(0x3FF)) | np.uint16(15 << 10)).view(np.float16)
    return x - np.float16(1)


# glibc's float32 log, sin and cos, which TensorFlow calls, are not correctly rounded: about one
# result in a hundred is the other neighbour. To get TF's digits one must make the same error, so
# these are the same approximations (in float64, then rounded once), with the same constants, as in
# glibc since version 2.28.

_SIN = (-0.16666654943701084, 0.008332178146138854, -0.00019517298981385725)
_COS = (-0.49999999725108224, 0.041666623324344516, -0.001388676379437604, 2.4390450703564542e-05)
_LOG = (-0.25089342214237154, 0.333456765744066, -0.4999997485802103)
_LOG_RECIPROCALS = tuple(
    map(
        float.fromhex,
        """
        0x1.661ec79f8f3bep+0 0x1.571ed4aaf883dp+0 0x1.49539f0f010bp+0 0x1.3c995b0b80385p+0
        0x1.30d190c8864a5p+0 0x1.25e227b0b8eap+0 0x1.1bb4a4a1a343fp+0 0x1.12358f08ae5bap+0
        0x1.0953f419900a7p+0 0x1p+0 0x1.e608cfd9a47acp-1 0x1.ca4b31f026aap-1
        0x1.b2036576afce6p-1 0x1.9c2d163a1aa2dp-1 0x1.886e6037841edp-1 0x1.767dcf5534862p-1
        """.split(),
    )
)

# Indexed by the leading bits of x: exponent and four bits of mantissa, from 2**-24 * 0.7 to 1.
_LOG_ORIGIN = np.uint32(0x33330000)
_LOG_SCALE = np.concatenate([np.ldexp(_LOG_RECIPROCALS, -k) for k in range(-24, 1)])
_LOG_START = -np.log(_LOG_SCALE)


def log32(x: np.ndarray) -> np.ndarray:
    """glibc's logf. Shapes: x [n] of float32 in [1e-7, 1) -> [n] of float32."""
    interval = ((x.view(np.uint32) - _LOG_ORIGIN) >> np.uint32(19)).astype(np.intp)
    r = _LOG_SCALE.take(interval)
    np.multiply(r, x, r)
    np.subtract(r, 1.0, r)
    start = _LOG_START.take(interval)
    np.add(start, r, start)
    y = r * _LOG[0]
    np.add(y, _LOG[1], y)
    np.multiply(y, r, y)
    np.add(y, _LOG[2], y)
    np.multiply(r, r, r)
    np.multiply(y, r, y)
    return np.add(y, start, np.empty_like(x), casting="same_kind")


def _polynomial(x: np.ndarray, coefficients: Sequence[float]) -> np.ndarray:
    """1 + c[0] x + c[1] x**2 + ..., by Horner's rule."""
    y = x * coefficients[-1]
    for c in reversed(coefficients[:-1]):
        np.add(y, c, y)
        np.multiply(y, x, y)
    return np.add(y, 1.0, y)


def _sincos32(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """glibc's sincosf. Shapes: x [n] of float32 in [0, 2 pi] -> two [n] of float32."""
    r = x.astype(np.float64)
    turn = np.rint(r * (2 / math.pi))
    quarter = turn.astype(np.uint32)
    np.multiply(turn, math.pi / 2, turn)
    np.subtract(r, turn, r)
    square = np.multiply(r, r, turn)
    cos = _polynomial(square, _COS).astype(np.float32)
    sin = np.multiply(_polynomial(square, _SIN), r, np.empty_like(x), casting="same_kind")
    # Every odd quarter of a turn swaps the two; then the signs are set, all on the bits.
    sin_bits, cos_bits = sin.view(np.uint32), cos.view(np.uint32)
    swap = (sin_bits ^ cos_bits) & -(quarter & np.uint32(1))
    sin_bits ^= swap
    cos_bits ^= swap
    sin_bits ^= (quarter & np.uint32(2)) << np.uint32(30)
    cos_bits ^= ((quarter + np.uint32(1)) & np.uint32(2)) << np.uint32(30)
    return sin, cos


# Words to normals: the Box-Muller transform, each pair of uniforms gives the pair r (sin v, cos v).


def normal32(bits: np.ndarray) -> np.ndarray:
    """Shapes: bits [n] of uint32, n even, overwritten -> [n] of float32, in the same memory."""
    u = uniform32(bits)
    for first in range(0, len(u), _PIECE):
        _box_muller32(u[first : first + _PIECE])
    return u


# Words at a time: the float64 arrays in between then stay in the cache.
_PIECE = 2**14


def _box_muller32(u: np.ndarray) -> None:
    """Shapes: u [n] of uniform float32, n even, overwritten with normals."""
    # TF multiplies by 2 pi in float64, and only then rounds.
    sin, cos = _sincos32((u[1::2] * np.float64(2 * math.pi)).astype(np.float32))
    radius = log32(np.maximum(u[::2], np.float32(1e-7)))
    np.multiply(radius, np.float32(-2), radius)
    np.sqrt(radius, radius)
    np.multiply(sin, radius, u[::2])
    np.multiply(cos, radius, u[1::2])


def normal64(bits: np.ndarray) -> np.ndarray:
    """Shapes: bits [2 * n] of uint32, n even, overwritten -> [n] of float64, in the same memory."""
    u = uniform64(bits)
    angle = u[1::2] * (2 * math.pi)
    radius = np.sqrt(-2.0 * np.log(np.maximum(u[::2], 1e-7)))
    np.multiply(np.sin(angle), radius, u[::2])
    np.multiply(np.cos(angle), radius, u[1::2])
    return u


def normal16(bits: np.ndarray) -> np.ndarray:
    return normal32(bits).astype(np.float16)


UNIFORM = {np.float16: uniform16, np.float32: uniform32, np.float64: uniform64}
NORMAL = {np.float16: normal16, np.float32: normal32, np.float64: normal64}


def float_type(dtype: DTypeLike) -> type[np.floating]:
    kind = np.dtype(dtype).type
    if kind not in _FLOATS:
        raise TypeError(f"Random floats are float16, float32 or float64, not {np.dtype(dtype)}.")
    return kind
