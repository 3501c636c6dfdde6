"""Bucketize: the index of the bucket between sorted boundaries that each value falls into."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure

__all__ = ['Bucketize']


class Bucketize(Op):
    """How many of `boundaries` are less than or equal to each value."""

    signature = 'input: T -> output: int32'
    types = {'T': frozenset((dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64))}
    attrs = {'boundaries': REQUIRED}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(input, *, boundaries):
        if any(a > b for a, b in zip(boundaries, boundaries[1:])):
            raise OpFailure(f'Expected sorted boundaries, got {list(boundaries)}',
                            'sorted(boundaries).')
        return input

    def kernel(input, *, boundaries):
        # The boundaries are float32, as in the attribute.
        edges = np.asarray(boundaries, np.float32)
        return np.searchsorted(edges, input, side='right').astype(np.int32)
