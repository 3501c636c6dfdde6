"""Philox counter-based random number generator and its per-op streams, as in TensorFlow 1.

Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) turns a
128-bit counter and a 64-bit key into a *block* of four 32-bit words. There is no
state between blocks: a block is a pure function of its position, so any part of a stream can be
computed in any order, on any thread. `samplers.py` turns the words into distributions.

Imports only NumPy, so that it can be read, tested and used on its own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

M0, M1 = 0xD2511F53, 0xCD9E8D57  # the two multipliers of a round
W0, W1 = 0x9E3779B9, 0xBB67AE85  # added to the two key words after each round
ROUNDS = 10
_LOW = 0xFFFFFFFF

# Blocks computed at a time: three scratch arrays of 2 x CHUNK x 8 bytes must stay in the cache of
# one core, and each NumPy call must have enough to do (1024 costs nearly twice as much per word).
CHUNK = 8192
# Below this many blocks plain Python integers are quicker than some fifty NumPy calls.
_FEW = 4


class Counter(NamedTuple):
    """A position in a stream: the key and the 128-bit counter of a block."""

    key: int
    position: int

    def skip(self, blocks: int) -> Counter:
        return Counter(self.key, (self.position + int(blocks)) % 2**128)


class PhiloxStream:
    """The seeded stream of one random op: a key, and a position that every run advances.

    Key = `seed`; the upper half of the counter = `seed2`; the lower half counts blocks.
    """

    def __init__(self, seed: int, seed2: int) -> None:
        self._key = seed % 2**64
        self._position = (seed2 % 2**64) << 64
        self._lock = threading.Lock()

    @classmethod
    def from_os(cls) -> PhiloxStream:
        """A stream whose two seeds come from the operating system."""
        return cls(int.from_bytes(os.urandom(8), "little"), int.from_bytes(os.urandom(8), "little"))

    def reserve(self, blocks: int) -> Counter:
        """Reserves `blocks` blocks for this run and returns their start. Thread-safe."""
        with self._lock:
            start = self._position
            self._position = (start + blocks) % 2**128
        return Counter(self._key, start)

    def get_state(self) -> dict[str, Any]:
        """The position of the stream, as plain data."""
        with self._lock:
            return {'key': self._key, 'position': self._position}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores the position from `get_state`."""
        with self._lock:
            self._key, self._position = state['key'], state['position']


class SystemStream:
    """The stream of an op without a seed: NumPy's fastest generator, seeded by the system.

    TensorFlow seeds Philox from the system here, so no program can tell the two apart.
    """

    def __init__(self) -> None:
        self.generator = np.random.Generator(np.random.SFC64())
        self.philox = PhiloxStream.from_os()  # for samplers that NumPy does not have

    def get_state(self) -> dict[str, Any]:
        """The positions of the streams, as plain data."""
        numbers = self.generator.bit_generator.state
        return {'state': numbers['state']['state'], 'has_uint32': numbers['has_uint32'],
                'uinteger': numbers['uinteger'], 'philox': self.philox.get_state()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores the positions from `get_state`."""
        self.generator.bit_generator.state = {
            'bit_generator': 'SFC64', 'state': {'state': state['state']},
            'has_uint32': state['has_uint32'], 'uinteger': state['uinteger']}
        self.philox.set_state(state['philox'])


def open_stream(seed: int, seed2: int) -> PhiloxStream | SystemStream:
    """The stream of an op with these two seed attributes; both zero means unseeded, as in TF."""
    return PhiloxStream(seed, seed2) if seed or seed2 else SystemStream()


def words(start: Counter, count: int, out: np.ndarray | None = None) -> np.ndarray:
    """The first `count` 32-bit words from `start` on.

    Shapes: -> [count], dtype uint32. `out`, where given, is a contiguous uint32 array [count].
    """
    if out is None:
        out = np.empty(count, np.uint32)
    whole = count // 4
    blocks(start, whole, 1, out[: 4 * whole].reshape(whole, 4))
    if count % 4:
        out[4 * whole :] = _block(start.key, start.position + whole)[: count % 4]
    return out


def blocks(
    start: Counter, count: int, stride: int = 1, out: np.ndarray | None = None
) -> np.ndarray:
    """`count` blocks, `stride` positions apart.

    Shapes: -> [count, 4], dtype uint32. `out`, where given, is contiguous uint32 [count, 4].
    """
    if out is None:
        out = np.empty((count, 4), np.uint32)
    key, position = start
    if count <= _FEW:
        for i in range(count):
            out[i] = _block(key, position + i * stride)
        return out
    pairs = out.view(np.uint64)
    done = 0
    while done < count:
        # A chunk ends where the lowest counter word would wrap: within it no other word changes.
        low = position & _LOW
        n = min(CHUNK, count - done, -((low - 2**32) // stride))
        scratch = _scratch(n)
        _first_products(low, stride, scratch[0].p0)
        _rounds(key, position % 2**128 >> 32, scratch, pairs[done : done + n])
        done += n
        position += n * stride
    return out


def blocks_at(start: Counter, offsets: np.ndarray) -> np.ndarray:
    """Blocks at any offsets from `start`.

    Shapes: offsets [count], dtype int64, not negative -> [count, 4], dtype uint32.
    """
    count = len(offsets)
    out = np.empty((count, 4), np.uint32)
    if count <= _FEW:
        for i, offset in enumerate(offsets.tolist()):
            out[i] = _block(start.key, start.position + offset)
        return out
    pairs = out.view(np.uint64)
    base = start.position % 2**64
    lowest = np.uint64(base & _LOW) + offsets.astype(np.uint64)
    carries = lowest >> np.uint64(32)
    lowest &= np.uint64(_LOW)
    for carry in np.unique(carries).tolist():
        upper = ((start.position >> 32) + carry) % 2**96
        (where,) = np.nonzero(carries == carry)
        for first in range(0, len(where), CHUNK):
            part = where[first : first + CHUNK]
            scratch = _scratch(len(part))
            np.multiply(lowest[part], _M0_ARRAY, scratch[0].p0)
            computed = np.empty((len(part), 2), np.uint64)
            _rounds(start.key, upper, scratch, computed)
            pairs[part] = computed
    return out


def _block(key: int, position: int) -> tuple[int, int, int, int]:
    """One block, word by word: the definition, and the fastest way for very few."""
    c0, c1 = position & _LOW, position >> 32 & _LOW
    c2, c3 = position >> 64 & _LOW, position >> 96 & _LOW
    k0, k1 = key & _LOW, key >> 32
    for _ in range(ROUNDS):
        p0, p1 = c0 * M0, c2 * M1
        c0, c1, c2, c3 = p1 >> 32 ^ c1 ^ k0, p1 & _LOW, p0 >> 32 ^ c3 ^ k1, p0 & _LOW
        k0, k1 = k0 + W0 & _LOW, k1 + W1 & _LOW
    return c0, c1, c2, c3


def chunks(count: int) -> Iterator[tuple[int, int]]:
    """(first, n) of the pieces of range(count), n <= CHUNK, so that each stays in the cache.

    They run on one thread: with two, waiting for the GIL between such short calls doubled the
    time.
    """
    for first in range(0, count, CHUNK):
        yield first, min(CHUNK, count - first)


class _Products(NamedTuple):
    """One round's products of n blocks, [p0 | p1], with the views of it that the rounds use."""

    both: np.ndarray  # uint64 [2 * n]
    p0: np.ndarray  # uint64 [n]
    p1: np.ndarray  # uint64 [n]
    from_high: np.ndarray  # uint32 [4 * n - 1]: begins at the high half of the first product
    from_low: np.ndarray  # uint32 [4 * n - 1]: begins at its low half

    @classmethod
    def over(cls, both: np.ndarray) -> _Products:
        n, halves = len(both) // 2, both.view(np.uint32)
        return cls(both, both[:n], both[n:], halves[1:], halves[:-1])


_Scratch = tuple[_Products, _Products, _Products]
_local = threading.local()


def _scratch(n: int) -> _Scratch:
    """This thread's scratch memory, cut to n blocks. The views for whole chunks are cached."""
    try:
        memory, whole = _local.memory, _local.whole
    except AttributeError:
        memory = _local.memory = np.empty((3, 2 * CHUNK), np.uint64)
        whole = _local.whole = tuple(map(_Products.over, memory))
    if n == CHUNK:
        return whole
    older, newer, spare = memory[:, : 2 * n]
    return _Products.over(older), _Products.over(newer), _Products.over(spare)


def _constant(value: int) -> np.ndarray:
    # A 0-d array: a ufunc takes it 0.1 us faster than a NumPy scalar.
    return np.array(value, np.uint64)


_M0_ARRAY, _M1_ARRAY = _constant(M0), _constant(M1)
_LOW_ARRAY, _HALF = _constant(_LOW), _constant(32)
_RAMP = np.arange(CHUNK, dtype=np.uint64) * _M0_ARRAY


@lru_cache(maxsize=64)
def _key_schedule(key: int) -> tuple[list[int], list[int], list[tuple[np.ndarray, np.ndarray]]]:
    """Both key words of the ten rounds, and those of rounds 2 to 9 two rounds at a time."""
    k0 = [key + r * W0 & _LOW for r in range(ROUNDS)]
    k1 = [(key >> 32) + r * W1 & _LOW for r in range(ROUNDS)]
    double = [
        (_constant(k1[r] << 32 | k1[r + 1]), _constant(k0[r] << 32 | k0[r + 1]))
        for r in range(2, ROUNDS, 2)
    ]
    return k0, k1, double


def _first_products(low: int, stride: int, out: np.ndarray) -> None:
    """(low + i * stride) * M0 for every i."""
    ramp = _RAMP[: len(out)]
    if stride != 1:
        ramp = np.multiply(ramp, _constant(stride), out)
    np.add(ramp, _constant(low * M0), out)


def _rounds(key: int, upper: int, scratch: _Scratch, out: np.ndarray) -> None:
    """Ten rounds on n blocks that differ in the lowest counter word only.

    Shapes: scratch[0].p0 [n] holds (lowest word) * M0; out [n, 2] of uint64, two words in each.

    A round is p0 = c0 M0, p1 = c2 M1, then (c0, c1, c2, c3) = (hi p1 ^ c1 ^ k0, lo p1, hi p0 ^ c3
    ^ k1, lo p0). As c1 and c3 are the low halves of the products before, only products are kept,
    and what the next round multiplies is hi(newer) ^ lo(older) ^ key. Seen as 32-bit words that is
    one exclusive-or of two arrays shifted by one word, whose odd words are garbage and are
    masked. Keys are added for two rounds at a time, as the high and the low half of every second
    product.
    """
    older, newer, spare = scratch
    xor, multiply, mask = np.bitwise_xor, np.multiply, np.bitwise_and
    k0, k1, double_keys = _key_schedule(key)

    # Rounds 0 and 1: c1, c2 and c3 are the same in all blocks, so half of the products are scalars.
    c1, c2, c3 = upper & _LOW, upper >> 32 & _LOW, upper >> 64
    scalar1 = c2 * M1
    scalar0 = (scalar1 >> 32 ^ c1 ^ k0[0]) * M0
    np.right_shift(older.p0, _HALF, newer.p1)
    xor(newer.p1, _constant(c3 ^ k1[0]), newer.p1)
    multiply(newer.p1, _M1_ARRAY, newer.p1)
    mask(older.p0, _LOW_ARRAY, older.p0)
    xor(older.p0, _constant(scalar0 >> 32 ^ k1[1]), older.p0)
    multiply(older.p0, _M1_ARRAY, spare.p1)
    np.right_shift(newer.p1, _HALF, older.p0)
    xor(older.p0, _constant(scalar1 & _LOW ^ k0[1]), older.p0)
    multiply(older.p0, _M0_ARRAY, spare.p0)
    newer.p0.fill(scalar0)
    older, newer, spare = newer, spare, older

    for r in range(2, ROUNDS):
        if r % 2 == 0:
            key1, key0 = double_keys[r // 2 - 1]
            xor(newer.p0, key1, newer.p0)
            xor(newer.p1, key0, newer.p1)
        xor(newer.from_high, older.from_low, older.from_low)
        mask(older.both, _LOW_ARRAY, older.both)
        if r < ROUNDS - 1:
            multiply(older.p1, _M0_ARRAY, spare.p0)
            multiply(older.p0, _M1_ARRAY, spare.p1)
            older, newer, spare = newer, spare, older
    np.left_shift(newer.both, _HALF, newer.both)
    np.bitwise_or(older.p1, newer.p1, out[:, 0])
    np.bitwise_or(older.p0, newer.p0, out[:, 1])
