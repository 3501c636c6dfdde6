"""DenseBincount: the op of tf.math.bincount in TensorFlow 2 graphs."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op


class DenseBincount(Op):
    """Counts (or, if binary_output, flags) of 0, 1, ... size - 1 in a vector or in each row."""

    signature = 'input: Tidx, size: Tidx, weights: T -> output: T'
    types = {'Tidx': INDEX, 'T': INDEX | {dtypes.float32, dtypes.float64}}
    attrs = {'binary_output': False}
    static = {'size': 0}
    gradient = NOT_DIFFERENTIABLE

    def shape(x, size, weights):
        if len(x) > 2:
            raise ValueError(f'Shape must be at most rank 2 but is rank {len(x)}')
        return (*x[:-1], size)

    def kernel(x, size, weights, *, binary_output):
        if x.size and x.min() < 0:
            raise ValueError('Input arr must be non-negative!')
        if weights.size and weights.shape != x.shape:
            raise ValueError(f'weights must be empty or of the shape of arr, {list(x.shape)}, not '
                             f'{shapes.text(weights.shape)}')
        rows = x.reshape(-1, x.shape[-1] if x.ndim else 1).astype(np.int64)
        inside = rows < size
        cells = (rows + np.arange(len(rows))[:, None] * size)[inside]
        kept = weights.reshape(rows.shape)[inside] if weights.size and not binary_output else None
        counts = np.bincount(cells, kept, len(rows) * size).reshape(len(rows), size)
        counts = (counts > 0 if binary_output else counts).astype(weights.dtype)
        return counts if x.ndim == 2 else counts.reshape(size)


__all__: list[str] = []
