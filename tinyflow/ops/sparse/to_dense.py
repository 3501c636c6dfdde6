"""sparse_to_dense: a dense array with a default value except at given indices."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.dtypes import INDEX
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import gathering, shape_ops, shaping
from tinyflow.ops.math import arithmetic, reduction


class SparseToDense(Op):
    """A dense array of `default_value` with `sparse_values` at `sparse_indices`."""

    signature = ('sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, '
                 'default_value: T -> dense: T')
    types = {'Tindices': INDEX}
    attrs = {'validate_indices': True}
    static = {'output_shape': 1}
    partial_rank = True

    def shape(indices, output_shape, values, default):
        if indices is not None and len(indices) > 2:
            raise OpFailure('sparse_indices should be a scalar, vector, or matrix, not of rank '
                            f'{len(indices)}',
                            '[points, rank], one row for each value.')
        return output_shape

    def kernel(indices, output_shape, values, default, *, validate_indices):
        if indices.ndim > 2:
            raise ValueError('sparse_indices should be a scalar, vector, or matrix, got shape '
                             f'{list(indices.shape)}')
        if default.ndim:
            raise ValueError(f'default_value should be a scalar, not {list(default.shape)}')
        points = indices if indices.ndim == 2 else indices.reshape(-1, 1)
        _check_points(points, output_shape, values, validate_indices)
        result = np.full(output_shape, default, values.dtype)
        result[tuple(points.T)] = values
        return result

    def gradient(op, dy):
        indices, shape, values, _ = op.inputs
        if indices.raw_shape is None or len(indices.raw_shape) < 2:
            indices = shaping.reshape(indices, [-1, shape_ops.size(shape)])
        d_values = gathering.gather_nd(dy, indices)
        d_default = arithmetic.subtract(reduction.reduce_sum(dy), reduction.reduce_sum(d_values))
        if values.raw_shape is None or not values.raw_shape:
            d_values = shape_ops.sum_to_shape_of(d_values, values)
        return None, None, d_values, d_default


def _check_points(points, shape, values, in_order):
    if points.shape[1] != len(shape):
        raise ValueError(f'output_shape has {len(shape)} elements, but each of sparse_indices has '
                         f'{points.shape[1]}')
    if values.ndim > 1 or (values.ndim == 1 and len(values) != len(points)):
        raise ValueError(f'sparse_values has incorrect shape {list(values.shape)}, should be [] or '
                         f'[{len(points)}]')
    outside = ((points < 0) | (points >= np.array(shape, points.dtype))).any(1)
    if outside.any():
        i = int(outside.argmax())
        raise ValueError(f'indices[{i}] = {points[i].tolist()} is out of bounds: need 0 <= index < '
                         f'{list(shape)}')
    if in_order and len(points) > 1:
        flat = np.ravel_multi_index(tuple(points.T), shape)
        steps = np.diff(flat)
        if (steps <= 0).any():
            i = int((steps <= 0).argmax()) + 1
            problem = 'repeated' if steps[i - 1] == 0 else 'out of order'
            raise OpFailure(f'indices[{i}] = {points[i].tolist()} is {problem}',
                            'validate_indices=False takes them in any order.')


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0,
                    validate_indices=True, name=None):
    """A dense array of `default_value` with `sparse_values` at `sparse_indices`.

    Shapes: sparse_indices [points, rank] (or [points] where the rank is 1, or a scalar),
    output_shape [rank], sparse_values [points] or a scalar -> [*output_shape]. With
    `validate_indices`, InvalidArgumentError where they are not in order or repeat.
    """
    return SparseToDense.apply(sparse_indices, output_shape, sparse_values, default_value,
                               validate_indices=validate_indices, name=name)


__all__ = ['sparse_to_dense']
