"""The op behind generators of random numbers whose state is a Variable."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.support.errors import OpFailure, UnimplementedError

PER_NUMBER = 256                # counts that are reserved for each number that is drawn
_PHILOX, _THREEFRY = 1, 2


class RngReadAndSkip(Op):
    """The state of a generator, which then moves on by the counts of `delta` numbers.

    The state of Philox is [lower half of the counter, upper half, key].
    """

    signature = 'resource: Handle(T), alg: int32, delta: uint64 -> value: T'
    types = {'T': frozenset((dtypes.int64,))}
    attrs = {'T': dtypes.int64}
    writes = (0,)
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(resource, alg, delta):
        return resource

    def kernel(resource, alg, delta):
        if int(alg) == _THREEFRY:
            raise UnimplementedError(None, None, "Non-XLA devices don't support the ThreeFry "
                                     'algorithm.\n  Hint: alg=\'philox\' does the same.')
        if int(alg) != _PHILOX:
            raise OpFailure(f'Unsupported algorithm id: {int(alg)}', '1 is Philox.')
        if resource.shape != (3,):
            raise OpFailure(f'For the Philox algorithm, the size of state must be at least 3; got '
                            f'{resource.size}', 'tf.random.create_rng_state makes one.')
        before = resource.copy()
        counter = (int(resource[1]) % 2**64) << 64 | int(resource[0]) % 2**64
        counter = (counter + int(delta) * PER_NUMBER) % 2**128
        resource[:2] = np.array([counter % 2**64, counter >> 64], np.uint64).view(np.int64)
        return before


__all__: list[str] = []
