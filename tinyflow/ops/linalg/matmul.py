"""matmul, batch matmul, matvec, cross, adjoint."""
from __future__ import annotations

import math

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX, INEXACT, REAL
from tinyflow.graph.op import Op
from tinyflow.graph.support import blas_threads
from tinyflow.graph.support.errors import OpFailure, misuse, why
from tinyflow.ops.array import shape_ops, shaping
from tinyflow.ops.math import complex_numbers


class MatMul(Op):
    """The product of two matrices, each optionally transposed first."""

    signature = 'a: T, b: T -> product: T'
    types = {'T': INEXACT | INDEX}
    attrs = {'transpose_a': False, 'transpose_b': False}

    def shape(a, b, *, transpose_a, transpose_b):
        for shape in (a, b):
            if len(shape) != 2:
                raise OpFailure(f'Shape must be rank 2 but is rank {len(shape)}',
                                'tf.expand_dims(t, 0) makes a vector a row.' + why('matmul-rank'))
        rows, inner = a[::-1] if transpose_a else a
        other, columns = b[::-1] if transpose_b else b
        _check_inner(inner, other)
        return rows, columns

    def kernel(a, b, out=None, *, transpose_a, transpose_b):
        # BLAS reads the transposed views; nothing is copied.
        return blas_threads.dot(a.T if transpose_a else a, b.T if transpose_b else b, out)

    def emit(call):
        if not _is_small(*call.inputs):
            return None                 # the kernel decides on the number of threads
        a, b = (f'{arg}.T' if call.attrs[flag] else arg
                for arg, flag in zip(call.args, ('transpose_a', 'transpose_b')))
        return f'np.dot({a}, {b}, {call.out})'

    def gradient(op, dy):
        return _gradient_of_product(op, dy, op.attrs['transpose_a'], op.attrs['transpose_b'],
                                    _plain)


def _is_small(a, b):
    return a.known_shape and b.known_shape and len(a.sizes) == len(b.sizes) == 2 and \
        math.prod(a.sizes) * max(b.sizes) <= blas_threads.SMALL


def _plain(a, b, transpose_a=False, transpose_b=False):
    return MatMul.apply(a, b, transpose_a=transpose_a, transpose_b=transpose_b)


def _batch(a, b, transpose_a=False, transpose_b=False):
    return BatchMatMulV2.apply(a, b, adj_x=transpose_a, adj_y=transpose_b)


def _check_inner(inner, other):
    if inner is not None and other is not None and inner != other:
        raise OpFailure(f'Dimensions must be equal, but are {inner} and {other}',
                        'a must have as many columns as b has rows; transpose_a=True or '
                        'transpose_b=True swaps them.' + why('matmul-shapes'))


def _gradient_of_product(op, dy, transpose_a, transpose_b, product):
    """d(ab) = da b + a db, each as one matmul without a separate transpose."""
    a, b = op.inputs
    if product is _plain:
        a, b = complex_numbers.conj(a), complex_numbers.conj(b)
    if transpose_a:
        to_a = product(b, dy, transpose_a=transpose_b, transpose_b=True)
    else:
        to_a = product(dy, b, transpose_b=not transpose_b)
    if transpose_b:
        to_b = product(dy, a, transpose_a=True, transpose_b=transpose_a)
    else:
        to_b = product(a, dy, transpose_a=not transpose_a)
    return to_a, to_b


class BatchMatMulV2(Op):
    """The products of the matrices in the last two axes; the axes before them broadcast."""

    signature = 'x: T, y: T -> output: T'
    types = {'T': INEXACT | INDEX}
    attrs = {'adj_x': False, 'adj_y': False}

    def shape(x, y, *, adj_x, adj_y):
        for shape in (x, y):
            if len(shape) < 2:
                raise ValueError(f'Shape must be at least rank 2 but is rank {len(shape)}')
        rows, inner = x[:-3:-1] if adj_x else x[-2:]
        other, columns = y[:-3:-1] if adj_y else y[-2:]
        _check_inner(inner, other)
        return shapes.broadcast(x[:-2], y[:-2]) + (rows, columns)

    def kernel(x, y, out=None, *, adj_x, adj_y):
        if x.ndim < 2 or y.ndim < 2:
            raise OpFailure('In[0] and In[1] must be at least matrices',
                            'tf.expand_dims adds axes.')
        return blas_threads.matmul(_adjoint(x) if adj_x else x, _adjoint(y) if adj_y else y, out)

    def gradient(op, dy):
        to_x, to_y = _gradient_of_product(op, dy, op.attrs['adj_x'], op.attrs['adj_y'], _batch)
        return _sum_batches(to_x, op.inputs[0]), _sum_batches(to_y, op.inputs[1])


def _adjoint(x):
    x = x.swapaxes(-1, -2)
    return x.conj() if x.dtype.kind == 'c' else x


def _sum_batches(gradient, x):
    """Undoes the broadcasting of the leading axes."""
    if gradient.raw_shape == x.raw_shape and shapes.known(x.raw_shape):
        return gradient
    return shape_ops.sum_to_shape_of(gradient, x)


class BatchMatMul(Op):
    """BatchMatMulV2 without broadcasting, as older graphs have it."""

    signature = 'x: T, y: T -> output: T'
    types = {'T': INEXACT | INDEX}
    attrs = {'adj_x': False, 'adj_y': False}
    shape = BatchMatMulV2.shape
    kernel = BatchMatMulV2.kernel
    gradient = BatchMatMulV2.gradient


class Cross(Op):
    """The cross products of the vectors of length 3 in the last axis."""

    signature = 'a: T, b: T -> product: T'
    types = {'T': REAL}
    partial_rank = True

    def shape(a, b):
        merged = shapes.merge(a, b)
        if merged is None:
            return None
        if not merged or merged[-1] not in (None, 3):
            raise ValueError(f'cross products need vectors of length 3, not {shapes.text(merged)}')
        return merged

    def kernel(a, b, out=None):
        if a.shape != b.shape or a.shape[-1:] != (3,):
            raise ValueError('cross products need two tensors of one shape that ends in 3')
        result = np.cross(a, b)
        if out is None:
            return result
        out[...] = result
        return out

    def gradient(op, dy):
        a, b = op.inputs
        return cross(b, dy), cross(dy, a)


# ---- public functions ------------------------------------------------------------------------

def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False,
           a_is_sparse=False, b_is_sparse=False, name=None):
    """The product a b of matrices, or of the matrices in the last two axes.

    Shapes: a [*batch, rows, inner], b [*batch, inner, columns] -> [*batch, rows, columns].
    An adjoint is the conjugate transpose. `a_is_sparse` is a hint that changes nothing here.
    Raises ValueError for shapes that do not fit and if both transpose and adjoint are given
    for one matrix.
    """
    with name_scope(name, 'MatMul', [a, b]) as scope:
        for which, both in (('a', transpose_a and adjoint_a), ('b', transpose_b and adjoint_b)):
            if both:
                raise misuse(ValueError(
                    f'Only one of transpose_{which} and adjoint_{which} can be True.'))
        a = convert_to_tensor(a, name='a')
        b = convert_to_tensor(b, name='b')
        if _batched(a) or _batched(b):
            # BatchMatMul has adjoint flags only: a transpose is the adjoint of the conjugate.
            if transpose_a:
                a, adjoint_a = complex_numbers.conj(a), True
            if transpose_b:
                b, adjoint_b = complex_numbers.conj(b), True
            return BatchMatMulV2.apply(a, b, adj_x=adjoint_a, adj_y=adjoint_b, name=scope)
        if adjoint_a:
            a, transpose_a = complex_numbers.conj(a), True
        if adjoint_b:
            b, transpose_b = complex_numbers.conj(b), True
        return MatMul.apply(a, b, transpose_a=bool(transpose_a), transpose_b=bool(transpose_b),
                            name=scope)


def _batched(x):
    return x.raw_shape is None or len(x.raw_shape) > 2


def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False,
           name=None):
    """The product of a matrix and a vector.

    Shapes: a [*batch, rows, inner], b [*batch, inner] -> [*batch, rows].
    """
    with name_scope(name, 'MatVec', [a, b]):
        column = shaping.expand_dims(b, axis=-1)
        product = matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a,
                         a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse)
        return shaping.squeeze(product, axis=-1)


def cross(a, b, name=None):
    """The cross product of vectors of length 3.

    Shapes: a [*n, 3], b [*n, 3] -> [*n, 3].
    """
    return Cross.apply(a, b, name=name)


def adjoint(matrix, name=None):
    """The conjugate transposes. Shapes: matrix [*batch, m, n] -> [*batch, n, m]."""
    with name_scope(name, 'adjoint', [matrix]):
        matrix = convert_to_tensor(matrix, name='matrix')
        return shaping.matrix_transpose(matrix, conjugate=True)


__all__ = ['adjoint', 'cross', 'matmul', 'matvec']
