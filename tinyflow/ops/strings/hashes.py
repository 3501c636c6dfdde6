"""Hash buckets of strings: StringToHashBucket and the keyed StringToHashBucketStrong.

Sources: Austin Appleby's MurmurHash64A (public domain); Aumasson and Bernstein, "SipHash: a fast
short-input PRF" (2012). The buckets are those of TF, as for string_to_hash_bucket_fast.
"""
from __future__ import annotations

import struct

import numpy as np

from tinyflow.graph.op import REQUIRED
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.strings.arrays import ElementwiseStringOp
from tinyflow.ops.support.arguments import renamed

__all__ = ['string_to_hash_bucket', 'string_to_hash_bucket_strong']

_MASK = (1 << 64) - 1
_FACTOR = 0xc6a4a7935bd1e995
_SEED = 0xdecafcaffe                # TF's


def murmur64(data: bytes) -> int:
    """MurmurHash64A with the seed that TF uses."""
    h = _SEED ^ (len(data) * _FACTOR & _MASK)
    whole = len(data) // 8
    for k in struct.unpack_from(f'<{whole}Q', data):
        k = k * _FACTOR & _MASK
        k = (k ^ k >> 47) * _FACTOR & _MASK
        h = (h ^ k) * _FACTOR & _MASK
    rest = data[whole * 8:]
    if rest:
        h = (h ^ int.from_bytes(rest, 'little')) * _FACTOR & _MASK
    h = (h ^ h >> 47) * _FACTOR & _MASK
    return h ^ h >> 47


def siphash24(data: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4: two rounds for every eight bytes, four at the end."""
    k0, k1 = key[0] & _MASK, key[1] & _MASK
    state = (k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
             k1 ^ 0x7465646279746573)
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 0xff])
    for word in struct.unpack(f'<{len(padded) // 8}Q', padded):
        v0, v1, v2, v3 = state
        v0, v1, v2, v3 = _round(*_round(v0, v1, v2, v3 ^ word))
        state = v0 ^ word, v1, v2, v3
    v0, v1, v2, v3 = state
    v0, v1, v2, v3 = _round(*_round(*_round(*_round(v0, v1, v2 ^ 0xff, v3))))
    return v0 ^ v1 ^ v2 ^ v3


def _rotate(value, by):
    return (value << by | value >> (64 - by)) & _MASK


def _round(v0, v1, v2, v3):
    v0 = v0 + v1 & _MASK
    v1 = _rotate(v1, 13) ^ v0
    v0 = _rotate(v0, 32)
    v2 = v2 + v3 & _MASK
    v3 = _rotate(v3, 16) ^ v2
    v0 = v0 + v3 & _MASK
    v3 = _rotate(v3, 21) ^ v0
    v2 = v2 + v1 & _MASK
    v1 = _rotate(v1, 17) ^ v2
    v2 = _rotate(v2, 32)
    return v0, v1, v2, v3


def _buckets(strings, number_of, num_buckets):
    known = {}
    buckets = []
    for text in strings.reshape(-1).tolist():
        if text not in known:
            known[text] = number_of(text) % num_buckets
        buckets.append(known[text])
    return np.array(buckets, np.int64).reshape(strings.shape)


class StringToHashBucket(ElementwiseStringOp):
    """The hash bucket of each string, in [0, num_buckets)."""

    signature = 'string_tensor: string -> output: int64'
    attrs = {'num_buckets': REQUIRED}

    def kernel(string_tensor, *, num_buckets):
        return _buckets(string_tensor, murmur64, num_buckets)


class StringToHashBucketStrong(ElementwiseStringOp):
    """The keyed hash bucket of each string, in [0, num_buckets)."""

    signature = 'input: string -> output: int64'
    attrs = {'num_buckets': REQUIRED, 'key': REQUIRED}

    def kernel(input, *, num_buckets, key):
        if len(key) != 2:
            raise ValueError(f'Key must have 2 elements, not {len(key)}')
        return _buckets(input, lambda text: siphash24(text, key), num_buckets)


def _checked(num_buckets, kind):
    if num_buckets < 1:
        raise misuse(ValueError(f"Attr 'num_buckets' of '{kind}' Op passed {num_buckets} less than "
                                'minimum 1.'))
    return int(num_buckets)


def string_to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None):
    """The hash bucket of each string, in [0, num_buckets); the same in every run.

    Shapes: string_tensor [*a] -> [*a] int64. Prefer tf.string_to_hash_bucket_fast.
    """
    string_tensor = renamed('input', input, 'string_tensor', string_tensor)
    return StringToHashBucket.apply(
        string_tensor, num_buckets=_checked(num_buckets, 'StringToHashBucket'), name=name)


def string_to_hash_bucket_strong(input, num_buckets, key, name=None):
    """The keyed hash bucket of each string, in [0, num_buckets); unpredictable without `key`.

    Shapes: input [*a], key two ints -> [*a] int64. Source: Aumasson and Bernstein (2012).
    """
    return StringToHashBucketStrong.apply(
        input, num_buckets=_checked(num_buckets, 'StringToHashBucketStrong'), key=tuple(key),
        name=name)
