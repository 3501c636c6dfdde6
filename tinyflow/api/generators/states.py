"""The states of generators: what a seed, or a key and a counter, become."""
from __future__ import annotations

import enum
import os

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import joining
from tinyflow.ops.array.identity_and_cast import cast


class Algorithm(enum.Enum):
    """The algorithms of random numbers: Philox, which runs here, and ThreeFry, which does not."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_COUNTERS = {1: 2, 2: 1}         # the sizes of their counters; a state has a key of size 1 as well


def number_of(alg) -> int:
    """1 for 'philox' or Algorithm.PHILOX, 2 for 'threefry', 1 for 'auto_select'."""
    name = alg.name if isinstance(alg, Algorithm) else alg
    if isinstance(name, str):
        if name.upper() not in Algorithm.__members__:
            raise misuse(ValueError(f'Argument `alg` got unsupported value {alg}. Supported values '
                                    'are philox for the Philox algorithm, threefry for the '
                                    'ThreeFry algorithm, and auto_select.'))
        name = Algorithm[name.upper()].value
    if name == Algorithm.AUTO_SELECT.value:
        return Algorithm.PHILOX.value
    if name not in _COUNTERS:
        raise misuse(ValueError(f'Unsupported algorithm id: {name}'))
    return int(name)


def counter_size(alg: int) -> int:
    """The length of the counter in a state."""
    return _COUNTERS[alg]


def create_rng_state(seed, alg):
    """The state of a generator. Shapes: seed [n], or a number -> [3] int64 (ThreeFry: [2]).

    A seed that is too short is filled up with zeros, one that is too long is cut.
    """
    size = counter_size(number_of(alg)) + 1
    if isinstance(seed, Tensor):
        seed = cast(seed, dtypes.int64)
        known = seed.raw_shape
        if known == ():
            seed = joining.stack([seed])
            return joining.concat([seed, np.zeros(size - 1, np.int64)], 0)
        missing = size - known[0]
        if missing > 0:
            return joining.concat([np.zeros(missing, np.int64), seed], 0)
        return seed[:size]
    if isinstance(seed, int | np.integer):
        words = [(int(seed) >> 64 * i) % 2**64 for i in range(size)]
        return convert_to_tensor(np.array(words, np.uint64).view(np.int64))
    words = [int(part) % 2**64 for part in np.asarray(seed, object).reshape(-1)][:size]
    words = [0] * (size - len(words)) + words
    return convert_to_tensor(np.array(words, np.uint64).view(np.int64))


def non_deterministic_state(alg):
    """A state of numbers from the operating system."""
    size = counter_size(number_of(alg)) + 1
    return convert_to_tensor(np.frombuffer(os.urandom(8 * size), np.int64).copy())


def check_shape(value, size):
    """`value` as a tensor of int64; ValueError unless its shape is [size]."""
    value = cast(convert_to_tensor(value), dtypes.int64)
    if value.raw_shape is not None and value.raw_shape not in ((size,), (None,)):
        raise misuse(ValueError(f'Shapes {value.shape} and [{size}] are incompatible'))
    return value


__all__ = ['Algorithm', 'check_shape', 'counter_size', 'create_rng_state',
           'non_deterministic_state', 'number_of']
