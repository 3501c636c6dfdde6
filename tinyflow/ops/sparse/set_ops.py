"""tf.sets: unions, intersections and differences of the sets in the last axis, row by row."""
from __future__ import annotations

import math

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from tinyflow.graph.support.errors import OpFailure, misuse

_DTYPES = frozenset({dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8,
                     dtypes.uint16, dtypes.string})
_COMBINE = {
    'a-b': lambda a, b: np.setdiff1d(a, b, assume_unique=True),
    'b-a': lambda a, b: np.setdiff1d(b, a, assume_unique=True),
    'intersection': lambda a, b: np.intersect1d(a, b, assume_unique=True),
    'union': np.union1d,
}
_RESULT = 'result_indices: int64, result_values: T, result_shape: int64'


class DenseToDenseSetOperation(Op):
    """The set operation of each row of two dense tensors, as a sparse tensor."""

    signature = f'set1: T, set2: T -> {_RESULT}'
    types = {'T': _DTYPES}
    attrs = {'set_operation': REQUIRED, 'validate_indices': True}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(a, b):
        _check_ranks(a, b)
        return _result_shapes(a if a is not None else b)

    def kernel(a, b, *, set_operation):
        _check_ranks(a.shape, b.shape)
        if a.shape[:-1] != b.shape[:-1]:
            raise OpFailure(f'the sets have the row shapes {shapes.text(a.shape[:-1])} '
                            f'and {shapes.text(b.shape[:-1])}',
                            'all axes but the last must be equal.')
        return _combined(_dense(a), _dense(b), a.shape[:-1], set_operation)


class DenseToSparseSetOperation(Op):
    """The set operation of each row of a dense and a sparse tensor, as a sparse tensor."""

    signature = f'set1: T, set2_indices: int64, set2_values: T, set2_shape: int64 -> {_RESULT}'
    types = {'T': _DTYPES}
    attrs = {'set_operation': REQUIRED, 'validate_indices': True}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(a, indices, values, shape):
        return _result_shapes(a)

    def kernel(a, indices, values, shape, *, set_operation):
        rows = tuple(shape[:-1].tolist())
        if a.shape[:-1] != rows:
            raise OpFailure(f'the sets have the row shapes {shapes.text(a.shape[:-1])} '
                            f'and {shapes.text(rows)}',
                            'all axes but the last must be equal.')
        return _combined(_dense(a), _sparse(indices, values, shape), rows, set_operation)


class SparseToSparseSetOperation(Op):
    """The set operation of each row of two sparse tensors, as a sparse tensor."""

    signature = ('set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64, '
                 f'set2_values: T, set2_shape: int64 -> {_RESULT}')
    types = {'T': _DTYPES}
    attrs = {'set_operation': REQUIRED, 'validate_indices': True}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(a_indices, a_values, a_shape, b_indices, b_values, b_shape):
        rank = next((s[0] for s in (a_shape, b_shape) if s is not None), None)
        return [(None, rank), (None,), (rank,)]

    def kernel(a_indices, a_values, a_shape, b_indices, b_values, b_shape, *, set_operation):
        rows = tuple(a_shape[:-1].tolist())
        if rows != tuple(b_shape[:-1].tolist()):
            raise OpFailure(f'the sets have the row shapes {shapes.text(rows)} and '
                            f'{shapes.text(tuple(b_shape[:-1].tolist()))}',
                            'all axes but the last must be equal.')
        return _combined(_sparse(a_indices, a_values, a_shape),
                         _sparse(b_indices, b_values, b_shape), rows, set_operation)


class SetSize(Op):
    """How many distinct values each row of a sparse tensor has."""

    signature = 'set_indices: int64, set_values: T, set_shape: int64 -> size: int32'
    types = {'T': _DTYPES}
    attrs = {'validate_indices': True}
    gradient = NOT_DIFFERENTIABLE

    def kernel(indices, values, shape):
        rows, values = _sparse(indices, values, shape)
        distinct, codes = _codes(values)
        row = np.divmod(np.unique(rows * max(1, len(distinct)) + codes), max(1, len(distinct)))[0]
        counts = np.bincount(row, minlength=math.prod(shape[:-1].tolist()))
        return counts.reshape(shape[:-1]).astype(np.int32)


def _check_ranks(a, b):
    for name, shape in (('set1', a), ('set2', b)):
        if shape is not None and len(shape) < 2:
            raise OpFailure(f'{name} must have rank 2 or more, not shape {shapes.text(shape)}',
                            f'tf.expand_dims({name}, 0) makes one row of a vector.')
    if a is not None and b is not None and len(a) != len(b):
        raise OpFailure(f'ranks {len(a)} and {len(b)} differ',
                        'all axes but the last, which holds the sets, must be equal.')


def _result_shapes(a):
    rank = None if a is None else len(a)
    return [(None, rank), (None,), (rank,)]


def _dense(a):
    """(row of each value, values), both flat."""
    return np.repeat(np.arange(math.prod(a.shape[:-1])), a.shape[-1]), a.reshape(-1)


def _sparse(indices, values, shape):
    sizes = tuple(shape.tolist())
    if len(indices) and ((indices < 0).any() or (indices >= shape).any()):
        raise OpFailure(f'an index is outside of the shape {list(sizes)}',
                        'each index is at least 0 and less than the size of its axis.')
    if len(sizes) == 1:
        return np.zeros(len(values), np.int64), values
    return np.ravel_multi_index(tuple(indices[:, :-1].T), sizes[:-1]), values


def _codes(values):
    """The distinct values in order, and for each element the index of its value."""
    distinct, codes = np.unique(values, return_inverse=True)
    return distinct, codes.reshape(-1)


def _combined(a, b, rows, operation):
    """The sparse tensor of the operation's result, the values of each row in order."""
    distinct, codes = _codes(np.concatenate([a[1], b[1]]))
    number = max(1, len(distinct))
    keys = [np.unique(r * number + c) for r, c in
            ((a[0], codes[:len(a[1])]), (b[0], codes[len(a[1]):]))]
    row, code = np.divmod(_COMBINE[operation](*keys).astype(np.int64), number)
    counts = np.bincount(row, minlength=math.prod(rows))
    starts = np.cumsum(counts) - counts
    column = np.arange(len(row)) - starts[row]
    indices = np.stack([*np.unravel_index(row, rows or (1,))[:len(rows)], column], axis=1)
    widest = int(counts.max()) if counts.size else 0
    return indices.astype(np.int64), distinct[code], np.array([*rows, widest], np.int64)


def _operands(a, b):
    """Both as tensors, the dense one first, and whether they were swapped."""
    a = convert_to_tensor_or_sparse_tensor(a, name='a')
    if a.dtype.base_dtype not in _DTYPES:
        raise misuse(TypeError(f"'a' invalid dtype {a.dtype}.\n  Hint: sets are of integers or "
                               'strings.'))
    b = convert_to_tensor_or_sparse_tensor(b, name='b')
    if b.dtype.base_dtype is not a.dtype.base_dtype:
        raise misuse(TypeError(f"Types don't match, {a.dtype} vs {b.dtype}."))
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        return b, a, True
    return a, b, False


def _parts(sets):
    return (sets.indices, sets.values, sets.dense_shape) if isinstance(sets, SparseTensor) \
        else (sets,)


def _operation(a, b, operation, validate_indices):
    op = {2: DenseToDenseSetOperation, 4: DenseToSparseSetOperation,
          6: SparseToSparseSetOperation}[len(_parts(a)) + len(_parts(b))]
    return SparseTensor(*op.apply(*_parts(a), *_parts(b), set_operation=operation,
                                  validate_indices=validate_indices))


def set_intersection(a, b, validate_indices=True):
    """The values in both sets, for each row.

    Shapes: a [*rows, n], b [*rows, m], dense or sparse -> a SparseTensor [*rows, largest set].
    """
    a, b, _ = _operands(a, b)
    return _operation(a, b, 'intersection', validate_indices)


def set_union(a, b, validate_indices=True):
    """The values in either set, for each row.

    Shapes: a [*rows, n], b [*rows, m], dense or sparse -> a SparseTensor [*rows, largest set].
    """
    a, b, _ = _operands(a, b)
    return _operation(a, b, 'union', validate_indices)


def set_difference(a, b, aminusb=True, validate_indices=True):
    """The values in a but not in b (or the other way round), for each row.

    Shapes: a [*rows, n], b [*rows, m], dense or sparse -> a SparseTensor [*rows, largest set].
    """
    a, b, flipped = _operands(a, b)
    return _operation(a, b, 'a-b' if aminusb != flipped else 'b-a', validate_indices)


def set_size(a, validate_indices=True):
    """The number of distinct values in each row.

    Shapes: a a SparseTensor [*rows, n] -> [*rows]. TypeError for a dense tensor.
    """
    a = convert_to_tensor_or_sparse_tensor(a, name='a')
    if not isinstance(a, SparseTensor):
        raise misuse(TypeError(f'Expected `SparseTensor`, got {a}.'))
    if a.values.dtype.base_dtype not in _DTYPES:
        raise misuse(TypeError(f'Invalid dtype {a.values.dtype}.'))
    return SetSize.apply(*_parts(a), validate_indices=validate_indices)


size, intersection, difference, union = (set_size, set_intersection, set_difference, set_union)

__all__ = ['difference', 'intersection', 'set_difference', 'set_intersection', 'set_size',
           'set_union', 'size', 'union']
