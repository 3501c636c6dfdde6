"""norm, normalize, lstsq (least squares), pinv (pseudo-inverse)."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, diagonals, shaping
from tinyflow.ops.linalg import decompositions
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.math import arithmetic, complex_numbers, reduction
from tinyflow.ops.support.arguments import renamed


def norm(tensor, ord='euclidean', axis=None, keepdims=None, name=None, keep_dims=None):
    """The norm of vectors along `axis` (all elements if None), or of matrices along two axes.

    Shapes: tensor [*a] -> [*a without axis], or with size 1 there if keepdims.
    Vectors: 'euclidean', 1, 2, inf or another p > 0. Matrices: 'euclidean' and 'fro' (root of the
    sum of squares), 1 (largest column sum), inf (largest row sum), 2 (largest singular value).
    Raises ValueError for other orders and axes.
    """
    keepdims = bool(renamed('keepdims', keepdims, 'keep_dims', keep_dims))
    of_matrix = isinstance(axis, (list, tuple)) and len(axis) == 2
    axis = _checked_axis(axis, of_matrix)
    _check_order(ord, of_matrix)
    with name_scope(name, 'norm', [tensor]):
        tensor = convert_to_tensor(tensor)
        result = _norm(tensor, ord, axis, of_matrix)
        return result if keepdims else shaping.squeeze(result, axis)


def _checked_axis(axis, of_matrix):
    if of_matrix:
        axis = tuple(axis)
        if all(isinstance(i, int) for i in axis) and axis[0] != axis[1]:
            return axis
    elif axis is None:
        return None
    elif isinstance(axis, int):
        return (axis,)
    raise misuse(ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers"))


def _check_order(ord, of_matrix):
    named = isinstance(ord, str)
    if of_matrix:
        if ord not in ('euclidean', 'fro', 1, 2, np.inf):
            raise misuse(ValueError("'ord' must be a supported matrix norm in "
                                    f"['euclidean', 'fro', 1, 2, inf], got {ord}"))
    elif ord != 'euclidean' and (named or not np.isreal(ord) or ord <= 0):
        raise misuse(ValueError(f"'ord' must be a supported vector norm, got {ord}"))


def _norm(tensor, ord, axis, of_matrix):
    """The norm, with the reduced axes kept as size 1."""
    if of_matrix and ord == 2:
        return _largest_singular_value(tensor, axis)
    if ord in ('euclidean', 'fro', 2):
        squares = tensor * complex_numbers.conj(tensor)
        return arithmetic.sqrt(reduction.reduce_sum(squares, axis, keepdims=True))
    sizes = arithmetic.abs(tensor)
    first = None if axis is None else axis[0]
    if ord == 1:
        total = reduction.reduce_sum(sizes, first, keepdims=True)
        return reduction.reduce_max(total, axis[-1], keepdims=True) if of_matrix else total
    if ord == np.inf:
        if of_matrix:
            sizes = reduction.reduce_sum(sizes, axis[1], keepdims=True)
        return reduction.reduce_max(sizes, first, keepdims=True)
    total = reduction.reduce_sum(arithmetic.pow(sizes, ord), axis, keepdims=True)
    return arithmetic.pow(total, 1.0 / ord)


def _largest_singular_value(tensor, axis):
    if tensor.raw_shape is None:
        raise misuse(ValueError("norm: 'ord' 2 of matrices needs a tensor of known rank"))
    rank = len(tensor.raw_shape)
    axis = [i % rank for i in axis]
    order = [i for i in range(rank) if i not in axis] + axis
    values = decompositions.svd(shaping.transpose(tensor, order), compute_uv=False)
    largest = shaping.expand_dims(
        reduction.reduce_max(arithmetic.abs(values), -1, keepdims=True), -1)
    return shaping.transpose(largest, [order.index(i) for i in range(rank)])


def normalize(tensor, ord='euclidean', axis=None, name=None):
    """(tensor / norm, norm), the norm with its axes kept as size 1.

    Shapes: tensor [*a] -> [*a], [*a with size 1 along axis].
    """
    with name_scope(name, 'normalize', [tensor]):
        tensor = convert_to_tensor(tensor)
        size = norm(tensor, ord, axis, keepdims=True)
        return tensor / size, size


def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """The x that minimises |matrix x - rhs|^2 + l2_regularizer |x|^2, by Cholesky decomposition.

    Shapes: matrix [*batch, m, n], rhs [*batch, m, k] -> [*batch, n, k]. With fewer rows than
    columns, the x of least norm that solves the equations. Raises ValueError if the matrices'
    shape is not known. `fast=False` changes nothing here.
    """
    with name_scope(name, 'matrix_solve_ls', [matrix, rhs, l2_regularizer]):
        matrix = convert_to_tensor(matrix, name='matrix')
        shape = matrix.raw_shape
        if shape is None or None in shape[-2:]:
            raise misuse(ValueError('lstsq needs matrices of known shape'))
        tall = shape[-2] >= shape[-1]
        factor = _cholesky_of_products(matrix, l2_regularizer, tall)
        if tall:
            return decompositions.cholesky_solve(
                factor, matmul(matrix, rhs, adjoint_a=True))
        return matmul(matrix, decompositions.cholesky_solve(factor, rhs), adjoint_a=True)


def _cholesky_of_products(matrix, regularizer, tall):
    """The Cholesky factor of matrix^H matrix, or of matrix matrix^H, with the regularizer."""
    products = matmul(matrix, matrix, adjoint_a=tall, adjoint_b=not tall)
    if isinstance(regularizer, Tensor) or regularizer != 0:
        size = matrix.raw_shape[-1 if tall else -2]
        products += regularizer * diagonals.eye(size, dtype=matrix.dtype)
    return decompositions.cholesky(products)


def pinv(a, rcond=None, validate_args=False, name=None):
    """The Moore-Penrose pseudo-inverse: the inverse of a on its range, 0 on the complement.

    Shapes: a [*batch, m, n] -> [*batch, n, m]. Singular values below `rcond` times the largest
    count as 0; by default rcond = 10 max(m, n) machine epsilons.
    """
    with name_scope(name, 'pinv', [a, rcond]):
        a = convert_to_tensor(a, name='a')
        dtype = a.dtype.base_dtype
        if rcond is None:
            if a.raw_shape is None or None in a.raw_shape[-2:]:
                raise misuse(ValueError('pinv needs rcond if the shape is unknown'))
            rcond = 10.0 * max(a.raw_shape[-2:]) * np.finfo(dtype.np).eps
        rcond = convert_to_tensor(rcond, dtype.real_dtype, 'rcond')
        s, u, v = decompositions.svd(a)
        cutoff = rcond * reduction.reduce_max(s, axis=-1)
        large = s > shaping.expand_dims(cutoff, -1)
        inverse = nodes.Select(large, arithmetic.reciprocal(s), constants.zeros_like(s))
        return matmul(v * shaping.expand_dims(inverse, -2), u, adjoint_b=True)


__all__ = ['lstsq', 'norm', 'normalize', 'pinv']
