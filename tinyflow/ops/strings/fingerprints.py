"""Fingerprints of strings: StringToHashBucketFast, FarmHash's 64-bit fingerprint modulo a number.

Source: Geoff Pike's FarmHash, function Fingerprint64. The numbers are those of TF, so that a model
trained there finds its words in the same buckets here.
"""
from __future__ import annotations

import struct

import numpy as np

from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xc3a5c85c97cb3127, 0xb492b66fbe98f273, 0x9ae16a3b2f90404f


def _word(data: bytes, at: int) -> int:
    return struct.unpack_from('<Q', data, at)[0]


def _turn(value: int, by: int) -> int:
    value &= _MASK
    return (value >> by | value << (64 - by)) & _MASK


def _mix(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47


def _join(u: int, v: int, factor: int) -> int:
    a = _mix(((u ^ v) & _MASK) * factor)
    return _mix(((v & _MASK) ^ a) * factor) * factor & _MASK


def _short(data: bytes) -> int:
    """Up to 16 bytes."""
    size = len(data)
    factor = _K2 + size * 2
    if size >= 8:
        a, b = _word(data, 0) + _K2, _word(data, size - 8)
        return _join((_turn(b, 37) * factor + a) & _MASK, (_turn(a, 25) + b) * factor & _MASK,
                     factor)
    if size >= 4:
        first, last = struct.unpack_from('<I', data)[0], struct.unpack_from('<I', data, size - 4)[0]
        return _join(size + (first << 3), last, factor)
    if size:
        y = data[0] + (data[size >> 1] << 8)
        z = size + (data[-1] << 2)
        return _mix(y * _K2 & _MASK ^ z * _K0 & _MASK) * _K2 & _MASK
    return _K2


def _middle(data: bytes) -> int:
    """17 to 32 bytes."""
    size = len(data)
    factor = _K2 + size * 2
    a, b = _word(data, 0) * _K1, _word(data, 8)
    c, d = _word(data, size - 8) * factor, _word(data, size - 16) * _K2
    return _join((_turn(a + b, 43) + _turn(c, 30) + d) & _MASK,
                 (a + _turn(b + _K2, 18) + c) & _MASK, factor)


def _long(data: bytes) -> int:
    """33 to 64 bytes."""
    size = len(data)
    factor = _K2 + size * 2
    a, b = _word(data, 0) * _K2, _word(data, 8)
    c, d = _word(data, size - 8) * factor, _word(data, size - 16) * _K2
    y = (_turn(a + b, 43) + _turn(c, 30) + d) & _MASK
    z = _join(y, (a + _turn(b + _K2, 18) + c) & _MASK, factor)
    e, f = _word(data, 16) * factor, _word(data, 24)
    g, h = (y + _word(data, size - 32)) * factor, (z + _word(data, size - 24)) * factor
    return _join((_turn(e + f, 43) + _turn(g, 30) + h) & _MASK,
                 (e + _turn(f + a, 18) + g) & _MASK, factor)


def _pair(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = struct.unpack_from('<4Q', data, at)
    a += w
    b = _turn(b + a + z, 21)
    c = a
    a += x + y
    b += _turn(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def _stir(data, at, state, factor, last):
    """One block of 64 bytes."""
    x, y, z, v, w = state
    nine = 9 if last else 1
    x = _turn(x + y + v[0] + _word(data, at + 8), 37) * factor
    y = _turn(y + v[1] + _word(data, at + 48), 42) * factor
    x = (x ^ w[1] * nine) & _MASK
    y = (y + v[0] * nine + _word(data, at + 40)) & _MASK
    z = _turn(z + w[0], 33) * factor & _MASK
    v = _pair(data, at, v[1] * factor, x + w[0])
    w = _pair(data, at + 32, z + w[1], y + _word(data, at + 16))
    return z, y, x, v, w


def fingerprint64(data: bytes) -> int:
    """The 64-bit fingerprint of a string."""
    size = len(data)
    if size <= 64:
        return (_short if size <= 16 else _middle if size <= 32 else _long)(data)
    seed = 81
    y = (seed * _K1 + 113) & _MASK
    state = ((seed * _K2 + _word(data, 0)) & _MASK, y, _mix(y * _K2 + 113) * _K2 & _MASK, (0, 0),
             (0, 0))
    for at in range(0, (size - 1) // 64 * 64, 64):
        state = _stir(data, at, state, _K1, False)
    x, y, z, v, w = state
    factor = _K1 + ((z & 0xff) << 1)
    first = w[0] + (size - 1 & 63)
    v = (v[0] + first, v[1])
    w = (first + v[0], w[1])
    x, y, z, v, w = _stir(data, size - 64, (x, y, z, v, w), factor, True)
    return _join((_join(v[0], w[0], factor) + _mix(y) * _K0 + z) & _MASK,
                 (_join(v[1], w[1], factor) + x) & _MASK, factor)


def fingerprints_of(texts: np.ndarray) -> np.ndarray:
    """The fingerprint of each of a vector of strings; words that are repeated are hashed once."""
    words = texts.tolist()
    known = {word: fingerprint64(word) for word in set(words)}
    return np.array([known[word] for word in words], np.uint64)


class StringToHashBucketFast(Op):
    """The fingerprint of each string, modulo the number of buckets."""

    signature = 'input: string -> output: int64'
    attrs = {'num_buckets': REQUIRED}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(input, *, num_buckets):
        if num_buckets < 1:
            raise ValueError(f'num_buckets must be at least 1, not {num_buckets}')
        return input

    def kernel(input, *, num_buckets):
        buckets = fingerprints_of(input.reshape(-1)) % np.uint64(num_buckets)
        return buckets.astype(np.int64).reshape(input.shape)


def string_to_hash_bucket_fast(input, num_buckets, name=None):
    """A number below `num_buckets` for each string, always the same for the same string.

    Shapes: input [*a] string -> [*a] int64. Strings may share a number.
    """
    return StringToHashBucketFast.apply(input, num_buckets=num_buckets, name=name)


__all__ = ['string_to_hash_bucket_fast']
