"""Matrix products with sparse matrices."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import Op, nodes
from tinyflow.graph.support import blas_threads
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import shaping
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.math import arithmetic, complex_numbers, reduction
from tinyflow.ops.sparse.entries import check_inside, checked_sparse

__all__ = ['sparse_matmul', 'sparse_tensor_dense_matmul']


class SparseTensorDenseMatMul(Op):
    """A sparse matrix times a dense one."""

    signature = ('a_indices: Tindices, a_values: T, a_shape: int64, b: T -> product: T')
    types = {'Tindices': dtypes.INDEX}
    attrs = {'Tindices': dtypes.int64, 'adjoint_a': False, 'adjoint_b': False}
    static = {'a_shape': 1}
    partial_rank = True

    def shape(indices, values, a_shape, b, *, adjoint_a, adjoint_b):
        a_shape = (None, None) if a_shape is None else a_shape
        b = (None, None) if b is None else b
        for what, raw in (('a', a_shape), ('b', b)):
            if len(raw) != 2:
                raise ValueError(f'Shape must be rank 2 but is rank {len(raw)}: {what} is a '
                                 'matrix')
        rows, inner = a_shape[::-1] if adjoint_a else a_shape
        inner_b, columns = b[::-1] if adjoint_b else b
        if None not in (inner, inner_b) and inner != inner_b:
            raise OpFailure(f'Dimensions must be equal, but are {inner} and {inner_b}',
                            'a (or its adjoint) is [rows, inner], b (or its adjoint) [inner, '
                            'columns].')
        return rows, columns

    def kernel(indices, values, a_shape, b, *, adjoint_a, adjoint_b):
        if b.ndim != 2 or len(a_shape) != 2:
            raise ValueError('both are matrices, not of ranks '
                             f'{len(a_shape)} and {b.ndim}')
        check_inside(indices, a_shape)
        to, of = (indices[:, 1], indices[:, 0]) if adjoint_a else (indices[:, 0], indices[:, 1])
        rows, inner = a_shape[::-1] if adjoint_a else a_shape
        b = b.conj().T if adjoint_b else b
        if inner != len(b):
            raise ValueError(f'Cannot multiply A and B because inner dimension does not match: '
                             f'{inner} vs. {len(b)}')
        values = values.conj() if adjoint_a else values
        products = b[of]
        products *= values[:, None]
        return _row_sums(products, to, rows)

    def gradient(op, dy):
        indices, values, a_shape, b = op.inputs
        adjoint_a, adjoint_b = op.attrs['adjoint_a'], op.attrs['adjoint_b']
        d_b = SparseTensorDenseMatMul.apply(indices, values, a_shape, dy,
                                            adjoint_a=not adjoint_a, adjoint_b=False)
        if adjoint_b:
            d_b = _adjoint(d_b)
        rows, columns = shaping.unstack(indices, num=2, axis=1)
        to, of = (columns, rows) if adjoint_a else (rows, columns)
        factors = nodes.GatherV2(_adjoint(b) if adjoint_b else b, of, 0)
        d_rows = nodes.GatherV2(dy, to, 0)
        if adjoint_a:
            d_values = arithmetic.multiply(complex_numbers.conj(d_rows), factors)
        else:
            d_values = arithmetic.multiply(d_rows, complex_numbers.conj(factors))
        return None, reduction.reduce_sum(d_values, 1), None, d_b


def _row_sums(products, to, rows):
    """Sums products [n, columns] into the rows `to`."""
    result = np.zeros((rows, products.shape[1]), products.dtype)
    if not len(to):
        return result
    if (to[1:] < to[:-1]).any():
        order = np.argsort(to, kind='stable')
        to, products = to[order], products[order]
    starts = np.flatnonzero(np.r_[True, to[1:] != to[:-1]])
    result[to[starts]] = np.add.reduceat(products, starts, axis=0)
    return result


def _adjoint(x):
    return shaping.transpose(x, conjugate=True) if x.dtype.is_complex else shaping.transpose(x)


class SparseMatMul(Op):
    """The product of two dense matrices, of which one may have many zeros."""

    signature = 'a: Ta, b: Tb -> product: float32'
    types = {'Ta': frozenset((dtypes.float32,)), 'Tb': frozenset((dtypes.float32,))}
    attrs = {'Ta': dtypes.float32, 'Tb': dtypes.float32, 'transpose_a': False,
             'transpose_b': False, 'a_is_sparse': False, 'b_is_sparse': False}
    partial_rank = True

    def shape(a, b, *, transpose_a, transpose_b):
        a = (None, None) if a is None else a
        b = (None, None) if b is None else b
        if len(a) != 2 or len(b) != 2:
            raise OpFailure(f'Shape must be rank 2 but is rank {len(a) if len(a) != 2 else len(b)}',
                            'tf.matmul multiplies stacks of matrices.')
        rows, inner = a[::-1] if transpose_a else a
        inner_b, columns = b[::-1] if transpose_b else b
        if None not in (inner, inner_b) and inner != inner_b:
            raise ValueError(f'Dimensions must be equal, but are {inner} and {inner_b}')
        return rows, columns

    def kernel(a, b, *, transpose_a, transpose_b):
        a, b = a.T if transpose_a else a, b.T if transpose_b else b
        if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
            raise ValueError(f'Matrix size incompatible: a: {list(a.shape)}, b: {list(b.shape)}')
        return blas_threads.matmul(a, b)

    def gradient(op, dy):
        a, b = op.inputs
        ta, tb = op.attrs['transpose_a'], op.attrs['transpose_b']
        d_a = matmul(b, dy, tb, True) if ta else matmul(dy, b, False, not tb)
        d_b = matmul(dy, a, True, ta) if tb else matmul(a, dy, not ta, False)
        return d_a, d_b


# ---- public functions ------------------------------------------------------------------------

def sparse_tensor_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """The SparseTensor `sp_a` (or its adjoint) times the matrix `b` (or its adjoint).

    Shapes: sp_a [rows, inner], b [inner, columns] -> [rows, columns]. An index may occur several
    times. ValueError where the inner sizes differ.
    """
    sp_a = checked_sparse(sp_a)
    with name_scope(name, 'SparseTensorDenseMatMul', [sp_a.indices, sp_a.values, b]):
        b = convert_to_tensor(b, name='b')
        return SparseTensorDenseMatMul.apply(sp_a.indices, sp_a.values, sp_a.dense_shape, b,
                                             adjoint_a=adjoint_a, adjoint_b=adjoint_b)


def sparse_matmul(a, b, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False,
                  name=None):
    """The product of two float32 matrices; `a_is_sparse` and `b_is_sparse` have no effect.

    Shapes: a [rows, inner], b [inner, columns] -> [rows, columns].
    """
    return SparseMatMul.apply(a, b, transpose_a=transpose_a, transpose_b=transpose_b,
                              a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse, name=name)
