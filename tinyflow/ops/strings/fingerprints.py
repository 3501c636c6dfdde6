"""StringToHashBucketFast: FarmHash's 64-bit fingerprint modulo the number of buckets.

Source: Geoff Pike's FarmHash, function Fingerprint64. The buckets are those of TF, so that a
model trained there finds its words in the same buckets here.
"""
from __future__ import annotations

import struct

import numpy as np

from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xc3a5c85c97cb3127, 0xb492b66fbe98f273, 0x9ae16a3b2f90404f


def _word(data: bytes, at: int) -> int:
    return struct.unpack_from('<Q', data, at)[0]


def _rotate(value: int, by: int) -> int:
    value &= _MASK
    return (value >> by | value << (64 - by)) & _MASK


def _mix(value: int) -> int:
    """FarmHash's ShiftMix."""
    value &= _MASK
    return value ^ value >> 47


def _hash(u: int, v: int, factor: int) -> int:
    """FarmHash's HashLen16."""
    a = _mix(((u ^ v) & _MASK) * factor)
    return _mix(((v & _MASK) ^ a) * factor) * factor & _MASK


def _hash_0_to_16(data: bytes) -> int:
    """FarmHash's HashLen0to16."""
    size = len(data)
    factor = _K2 + size * 2
    if size >= 8:
        a, b = _word(data, 0) + _K2, _word(data, size - 8)
        return _hash((_rotate(b, 37) * factor + a) & _MASK, (_rotate(a, 25) + b) * factor & _MASK,
                     factor)
    if size >= 4:
        first, last = struct.unpack_from('<I', data)[0], struct.unpack_from('<I', data, size - 4)[0]
        return _hash(size + (first << 3), last, factor)
    if size:
        y = data[0] + (data[size >> 1] << 8)
        z = size + (data[-1] << 2)
        return _mix(y * _K2 & _MASK ^ z * _K0 & _MASK) * _K2 & _MASK
    return _K2


def _hash_17_to_32(data: bytes) -> int:
    """FarmHash's HashLen17to32."""
    size = len(data)
    factor = _K2 + size * 2
    a, b = _word(data, 0) * _K1, _word(data, 8)
    c, d = _word(data, size - 8) * factor, _word(data, size - 16) * _K2
    return _hash((_rotate(a + b, 43) + _rotate(c, 30) + d) & _MASK,
                 (a + _rotate(b + _K2, 18) + c) & _MASK, factor)


def _hash_33_to_64(data: bytes) -> int:
    """FarmHash's HashLen33to64."""
    size = len(data)
    factor = _K2 + size * 2
    a, b = _word(data, 0) * _K2, _word(data, 8)
    c, d = _word(data, size - 8) * factor, _word(data, size - 16) * _K2
    y = (_rotate(a + b, 43) + _rotate(c, 30) + d) & _MASK
    z = _hash(y, (a + _rotate(b + _K2, 18) + c) & _MASK, factor)
    e, f = _word(data, 16) * factor, _word(data, 24)
    g, h = (y + _word(data, size - 32)) * factor, (z + _word(data, size - 24)) * factor
    return _hash((_rotate(e + f, 43) + _rotate(g, 30) + h) & _MASK,
                 (e + _rotate(f + a, 18) + g) & _MASK, factor)


def _weak_hash(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """FarmHash's WeakHashLen32WithSeeds."""
    w, x, y, z = struct.unpack_from('<4Q', data, at)
    a += w
    b = _rotate(b + a + z, 21)
    c = a
    a += x + y
    b += _rotate(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def _mix_block(data, at, state, factor, last):
    """The state after one block of 64 bytes."""
    x, y, z, v, w = state
    nine = 9 if last else 1
    x = _rotate(x + y + v[0] + _word(data, at + 8), 37) * factor
    y = _rotate(y + v[1] + _word(data, at + 48), 42) * factor
    x = (x ^ w[1] * nine) & _MASK
    y = (y + v[0] * nine + _word(data, at + 40)) & _MASK
    z = _rotate(z + w[0], 33) * factor & _MASK
    v = _weak_hash(data, at, v[1] * factor, x + w[0])
    w = _weak_hash(data, at + 32, z + w[1], y + _word(data, at + 16))
    return z, y, x, v, w


def fingerprint64(data: bytes) -> int:
    """The 64-bit fingerprint of a string."""
    size = len(data)
    if size <= 64:
        hashed = _hash_0_to_16 if size <= 16 else _hash_17_to_32 if size <= 32 else _hash_33_to_64
        return hashed(data)
    seed = 81
    y = (seed * _K1 + 113) & _MASK
    state = ((seed * _K2 + _word(data, 0)) & _MASK, y, _mix(y * _K2 + 113) * _K2 & _MASK, (0, 0),
             (0, 0))
    for at in range(0, (size - 1) // 64 * 64, 64):
        state = _mix_block(data, at, state, _K1, False)
    x, y, z, v, w = state
    factor = _K1 + ((z & 0xff) << 1)
    first = w[0] + (size - 1 & 63)
    v = (v[0] + first, v[1])
    w = (first + v[0], w[1])
    x, y, z, v, w = _mix_block(data, size - 64, (x, y, z, v, w), factor, True)
    return _hash((_hash(v[0], w[0], factor) + _mix(y) * _K0 + z) & _MASK,
                 (_hash(v[1], w[1], factor) + x) & _MASK, factor)


def fingerprints_of(texts: np.ndarray) -> np.ndarray:
    """The fingerprints of a vector of strings; repeated strings are hashed once."""
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
    """A number below `num_buckets` for each string, the same for equal strings.

    Shapes: input [*a] string -> [*a] int64. Different strings may share a bucket.
    """
    return StringToHashBucketFast.apply(input, num_buckets=num_buckets, name=name)


__all__ = ['string_to_hash_bucket_fast']
