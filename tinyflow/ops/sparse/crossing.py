"""tf.sparse.cross: in each row, every combination of one value from each input.

Strings are joined by '_X_'; or the 64-bit fingerprints of the values are combined into a
hash bucket.
"""
from __future__ import annotations

import itertools

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from tinyflow.graph.support.errors import OpFailure, misuse
from tinyflow.ops.array import constants
from tinyflow.ops.strings.fingerprints import fingerprints_of

__all__ = ['HASH_KEY', 'sparse_cross', 'sparse_cross_hashed']

HASH_KEY = 0xDECAFCAFFE
_FACTOR = np.uint64(0xc6a4a7935bd1e995)
_SHIFT = np.uint64(47)
_LARGEST = np.uint64(2 ** 63 - 1)


def _mixed(x):
    return x ^ (x >> _SHIFT)


def _combined(x, y):
    """Combines two fingerprints into one; the order matters."""
    product = (x ^ _FACTOR ^ (_mixed(y * _FACTOR) * _FACTOR)) * _FACTOR
    return _mixed(_mixed(product) * _FACTOR)


def _fingerprints(values):
    """Integers are their own fingerprints; strings are hashed."""
    if values.dtype.kind in 'iu':
        return values.astype(np.int64).view(np.uint64)
    return fingerprints_of(values)


class _Column:
    """The values of one input, row after row: those of row r begin at starts[r]."""

    def __init__(self, values, counts):
        self.values = values
        self.counts = counts
        self.starts = np.cumsum(counts) - counts


def _columns(indices, values, shapes, dense_inputs):
    sizes = [int(shape[0]) for shape in shapes] + [len(array) for array in dense_inputs]
    rows = sizes[0] if sizes else 0
    if any(size != rows for size in sizes):
        raise OpFailure(f'Expected batch size {rows}, got {sizes}',
                        'all inputs must have the same number of rows.')
    columns = [_Column(v, np.bincount(i[:, 0], minlength=rows)) for i, v in zip(indices, values)]
    columns += [_Column(array.reshape(-1), np.full(rows, array.shape[1], np.int64))
                for array in dense_inputs]
    return rows, columns


def _picked(columns, counts):
    """For each column, the position of its value in every cross; the last column varies fastest."""
    row = np.repeat(np.arange(len(counts)), counts)
    rest = np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
    positions = []
    for column in reversed(columns):
        own = column.counts[row]
        positions.append(column.starts[row] + rest % own)
        rest = rest // own
    return positions[::-1]


class SparseCross(Op):
    """Every combination, in each row, of one value from each of the inputs."""

    signature = ('indices: N*int64, values: [sparse_types], shapes: N*int64, '
                 'dense_inputs: [dense_types] -> output_indices: int64, output_values: out_type, '
                 'output_shape: int64')
    types = {'out_type': frozenset((dtypes.int64, dtypes.string))}
    attrs = {'hashed_output': REQUIRED, 'num_buckets': REQUIRED, 'hash_key': REQUIRED,
             'sparse_types': REQUIRED, 'dense_types': REQUIRED, 'out_type': REQUIRED,
             'internal_type': REQUIRED}
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    @classmethod
    def nest(cls, flat):
        """The inputs stay flat: they are lists of different lengths, given by the attributes."""
        return flat

    @classmethod
    def type_attrs(cls, operation):
        attrs = {key: operation.attrs[key] for key in ('sparse_types', 'dense_types', 'out_type')}
        return {**attrs, 'N': len(attrs['sparse_types'])}

    @classmethod
    def shapes_from(cls, attrs, arguments, count):
        for raw in arguments[3 * len(attrs['sparse_types']):]:
            if raw is not None and len(raw) != 2:
                raise OpFailure(f'Dense inputs should be a matrix, got shape {list(raw)}',
                                'tf.reshape(x, [-1, n]).')
        return [(None, 2), (None,), (2,)]

    def kernel(*arrays, hashed_output, num_buckets, hash_key, sparse_types):
        n = len(sparse_types)
        indices, values, shapes = arrays[:n], arrays[n:2 * n], arrays[2 * n:3 * n]
        dense_inputs = arrays[3 * n:]
        rows, columns = _columns(indices, values, shapes, dense_inputs)
        counts = np.ones(rows, np.int64)
        for column in columns:
            counts = counts * column.counts
        positions = _picked(columns, counts)
        if hashed_output:
            crossed = _hashed(columns, positions, counts.sum(), num_buckets, hash_key)
        else:
            crossed = _texts(columns, positions, counts.sum())
        number = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        where = np.stack([np.repeat(np.arange(rows), counts), number], 1)
        return where, crossed, np.array([rows, counts.max(initial=0)])


def _hashed(columns, positions, size, num_buckets, hash_key):
    fingerprints = np.full(size, hash_key, np.uint64)
    for column, position in zip(columns, positions):
        fingerprints = _combined(fingerprints, _fingerprints(column.values)[position])
    return (fingerprints % (np.uint64(num_buckets) if num_buckets else _LARGEST)).astype(np.int64)


def _texts(columns, positions, size):
    parts = [[v if isinstance(v, bytes) else b'%d' % v for v in column.values.tolist()]
             for column in columns]
    crossed = np.empty(size, object)
    crossed[:] = [b'_X_'.join(part[i] for part, i in zip(parts, chosen))
                  for chosen in zip(*(position.tolist() for position in positions))]
    return crossed


def sparse_cross(inputs, name=None):
    """In each row, all combinations of the inputs' values, joined as b'a_X_b'.

    Shapes: inputs, a list of dense tensors [batch, n] and SparseTensors [batch, any] of strings or
    integers -> a SparseTensor [batch, any] of strings.
    """
    return _cross(inputs, dtypes.string, name, hashed_output=False, num_buckets=0,
                  hash_key=HASH_KEY)


def sparse_cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """In each row, all combinations of the inputs' values, as hash buckets.

    Shapes: inputs, a list of dense tensors [batch, n] and SparseTensors [batch, any] of strings or
    integers -> a SparseTensor [batch, any] of int64 in [0, num_buckets), where 0 buckets mean the
    largest possible number.
    """
    return _cross(inputs, dtypes.int64, name, hashed_output=True, num_buckets=num_buckets,
                  hash_key=hash_key or HASH_KEY)


def _cross(inputs, out_type, name, **settings):
    if not isinstance(inputs, (list, tuple)):
        raise misuse(TypeError(f'Inputs must be a list, not {inputs!r}'))
    tensors = [SparseTensor.from_value(i) if isinstance(i, SparseTensorValue) else
               i if isinstance(i, SparseTensor) else convert_to_tensor(i) for i in inputs]
    sparse = [i for i in tensors if isinstance(i, SparseTensor)]
    values = [i.values for i in sparse]
    dense = [i for i in tensors if not isinstance(i, SparseTensor)]
    numbers = any(t.dtype.base_dtype is not dtypes.string for t in itertools.chain(values, dense))
    values, dense = [_number(t) for t in values], [_number(t) for t in dense]
    indices, values, shape = SparseCross.apply(
        [i.indices for i in sparse], values, [i.dense_shape for i in sparse], dense,
        sparse_types=[t.dtype.base_dtype for t in values],
        dense_types=[t.dtype.base_dtype for t in dense], out_type=out_type,
        internal_type=dtypes.int64 if numbers else dtypes.string,
        name=name, **settings)
    return SparseTensor(indices, values, shape)


def _number(tensor):
    if tensor.dtype.base_dtype in (dtypes.string, dtypes.int64):
        return tensor
    return constants.cast(tensor, dtypes.int64)
