"""TensorFlow 2's stateless random ops, for imported graphs.

There a separate node turns the pair of seeds into a key and a counter for the op that draws.
The numbers are those of the older ops (stateless_random.py), which take the seeds.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.random import random_ops, samplers, stateless_random
from tinyflow.ops.random.philox import PhiloxStream

_PHILOX, _AUTO = 1, 3           # numbers of algorithms; 2 is ThreeFry, which no CPU kernel has
_UNSIGNED = frozenset((dtypes.uint32, dtypes.uint64))
_LOW = 2**64 - 1


def _key_and_counter(seed):
    """What a pair of seeds becomes. Shapes: seed [2] -> key [1], counter [2], dtype uint64."""
    start = stateless_random._stream(seed).reserve(0)
    counter = start.position & _LOW, start.position >> 64
    return np.array([start.key], np.uint64), np.array(counter, np.uint64)


def _stream(key, counter, alg):
    """The stream that starts at `counter`, the lower half of the position first."""
    if int(alg) not in (_PHILOX, _AUTO):
        raise OpFailure(f'Unsupported algorithm id: {int(alg)}',
                        '1 is Philox, which tinyflow has; 2 (ThreeFry) needs another device.')
    if key.shape != (1,) or counter.ndim != 1 or len(counter) < 2:
        raise ValueError(f'key must have shape [1], counter at least [2]; they have '
                         f'{list(key.shape)} and {list(counter.shape)}')
    stream = PhiloxStream(int(key[0]), int(counter[1]))
    stream.reserve(int(counter[0]))
    return stream


class StatelessRandomGetKeyCounter(Op):
    """The key and the counter of a pair of seeds."""

    signature = 'seed: Tseed -> key: uint64, counter: uint64'
    types = {'Tseed': dtypes.INDEX}
    attrs = {'Tseed': dtypes.int64}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(seed):
        stateless_random._check_seed(seed)
        return [(1,), (2,)]

    def kernel(seed):
        return _key_and_counter(seed)


class StatelessRandomGetAlg(Op):
    """The number of the best algorithm here: Philox."""

    signature = '-> alg: int32'
    gradient = NOT_DIFFERENTIABLE

    def shape():
        return ()

    def kernel():
        return np.array(_PHILOX, np.int32)


class StatelessRandomGetKeyCounterAlg(Op):
    """The key, the counter and the algorithm of a pair of seeds."""

    signature = 'seed: Tseed -> key: uint64, counter: uint64, alg: int32'
    types = {'Tseed': dtypes.INDEX}
    attrs = {'Tseed': dtypes.int64}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(seed):
        stateless_random._check_seed(seed)
        return [(1,), (2,), ()]

    def kernel(seed):
        return (*_key_and_counter(seed), np.array(_PHILOX, np.int32))


class _StatelessV2(Op, abstract=True):
    """Random values from the stream at key and counter."""

    signature = 'shape: Tshape, key: uint64, counter: uint64, alg: int32 -> output: dtype'
    types = {'Tshape': dtypes.INDEX, 'dtype': dtypes.FLOATS}
    attrs = {'dtype': dtypes.float32, 'Tshape': dtypes.int32}
    static = {'shape': 1}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(shape, key, counter, alg):
        return random_ops.drawn_shape(shape)


class StatelessRandomUniformV2(_StatelessV2):
    """Floats in [0, 1)."""

    def kernel(shape, key, counter, alg, out=None, *, dtype):
        return samplers.uniform(_stream(key, counter, alg), random_ops.checked_sizes(shape),
                                dtype.np, out)


class StatelessRandomNormalV2(_StatelessV2):
    """Normal floats of mean 0 and deviation 1."""

    def kernel(shape, key, counter, alg, out=None, *, dtype):
        return samplers.standard_normal(_stream(key, counter, alg), random_ops.checked_sizes(shape),
                                        dtype.np, out)


class StatelessTruncatedNormalV2(_StatelessV2):
    """Standard normal floats within two deviations."""

    def kernel(shape, key, counter, alg, out=None, *, dtype):
        return samplers.truncated_normal(
            _stream(key, counter, alg), random_ops.checked_sizes(shape), dtype.np, out)


class StatelessRandomUniformIntV2(Op):
    """Integers in [minval, maxval)."""

    signature = ('shape: Tshape, key: uint64, counter: uint64, alg: int32, minval: dtype, '
                 'maxval: dtype -> output: dtype')
    types = {'Tshape': dtypes.INDEX, 'dtype': dtypes.INDEX | _UNSIGNED}
    attrs = {'Tshape': dtypes.int32}
    static = {'shape': 1}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(shape, key, counter, alg, minval, maxval):
        random_ops.check_scalar_bounds(minval, maxval)
        return random_ops.drawn_shape(shape)

    def kernel(shape, key, counter, alg, minval, maxval, out=None):
        return samplers.uniform_int(_stream(key, counter, alg), random_ops.checked_sizes(shape),
                                    minval, maxval, minval.dtype, out)


class StatelessRandomUniformFullIntV2(Op):
    """Integers over the full range of the dtype."""

    signature = 'shape: Tshape, key: uint64, counter: uint64, alg: int32 -> output: dtype'
    types = {'Tshape': dtypes.INDEX, 'dtype': dtypes.INDEX | _UNSIGNED}
    attrs = {'dtype': dtypes.uint64, 'Tshape': dtypes.int32}
    static = {'shape': 1}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(shape, key, counter, alg):
        return random_ops.drawn_shape(shape)

    def kernel(shape, key, counter, alg, out=None, *, dtype):
        return samplers.full_int(_stream(key, counter, alg), random_ops.checked_sizes(shape),
                                 dtype.np, out)


class StatelessRandomUniformFullInt(Op):
    """Integers over the full range of the dtype, from a pair of seeds."""

    signature = 'shape: T, seed: Tseed -> output: dtype'
    types = {'T': dtypes.INDEX, 'Tseed': dtypes.INDEX | _UNSIGNED,
             'dtype': dtypes.INDEX | _UNSIGNED}
    attrs = {'dtype': dtypes.uint64, 'Tseed': dtypes.int64}
    static = {'shape': 1}
    gradient = NOT_DIFFERENTIABLE

    def shape(shape, seed):
        stateless_random._check_seed(seed)
        return random_ops.drawn_shape(shape)

    def kernel(shape, seed, out=None, *, dtype):
        return samplers.full_int(stateless_random._stream(seed), random_ops.checked_sizes(shape),
                                 dtype.np, out)


class StatelessShuffle(Op):
    """The rows of a tensor shuffled by key and counter."""

    signature = 'value: T, key: uint64, counter: uint64, alg: int32 -> output: T'
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(value, key, counter, alg):
        return value

    def kernel(value, key, counter, alg):
        if not value.ndim:
            return value.copy()
        return np.take(value, samplers.shuffle(_stream(key, counter, alg), len(value)), 0)


__all__: list[str] = []
