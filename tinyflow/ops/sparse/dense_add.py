"""A dense tensor plus a sparse one."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import gathering

_INDEX = frozenset({dtypes.int32, dtypes.int64})


class SparseTensorDenseAdd(Op):
    """b with the values of a sparse tensor added; an index may occur several times."""

    signature = 'a_indices: Tindices, a_values: T, a_shape: Tindices, b: T -> output: T'
    types = {'T': dtypes.NUMBERS, 'Tindices': _INDEX}
    partial_rank = True

    def shape(indices, values, shape, b):
        return b

    def kernel(indices, values, shape, b):
        if tuple(shape.tolist()) != b.shape:
            raise OpFailure(f'the sparse tensor has the shape {shape.tolist()} and the dense one '
                            f'{shapes.text(b.shape)}',
                            'both must have the same shape.')
        wrong = np.flatnonzero(((indices < 0) | (indices >= shape)).any(axis=1))
        if wrong.size:
            raise OpFailure(f'index {indices[wrong[0]].tolist()} is outside of the shape '
                            f'{shape.tolist()}',
                            'each index is at least 0 and less than the size of its axis.')
        result = b.copy()
        np.add.at(result, tuple(indices.T), values)
        return result

    def gradient(op, dy):
        return None, gathering.gather_nd(dy, op.inputs[0]), None, dy


__all__ = []
