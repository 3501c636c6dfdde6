"""expm, logm, sqrtm, matrix_rank and lu.

The exponential: Pade of order 13 after scaling, then squaring (N. J. Higham, Functions of Matrices,
2008, chapter 10). The square root: Denman and Beavers' iteration, as a product (section 6.3). The
logarithm: square roots until the matrix is near the identity, then Gauss quadrature of its integral
(chapter 11).
"""
from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INDEX, INEXACT
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import OpFailure, misuse, report
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    joining,
    shape_ops,
)
from tinyflow.ops.linalg import decompositions
from tinyflow.ops.linalg.matmul import adjoint
from tinyflow.ops.math import logic, reduction

_COMPLEX = frozenset((dtypes.complex64, dtypes.complex128))


def _square(shape):
    if len(shape) < 2:
        raise ValueError(f'Shape must be at least rank 2 but is rank {len(shape)}')
    if None not in shape[-2:] and shape[-1] != shape[-2]:
        raise OpFailure(f'Dimensions must be equal, but are {shape[-2]} and {shape[-1]}',
                        'the matrices must be square.')
    size = shape[-1] if shape[-2] is None else shape[-2]
    return shape[:-2] + (size, size)


def _norm(x):
    """The largest column sum of a stack of matrices."""
    return float(np.abs(x).sum(-2).max(initial=0.0))


def _wide(x):
    return x.astype(np.result_type(x.dtype, np.float64))


def _pade(order):
    return [math.factorial(2 * order - k) * math.factorial(order)
            / (math.factorial(2 * order) * math.factorial(k) * math.factorial(order - k))
            for k in range(order + 1)]


def _exponential(x):
    norm = _norm(x)
    if not np.isfinite(norm):
        return np.full_like(x, np.nan)
    squarings = max(0, math.ceil(math.log2(norm / 4))) if norm > 0 else 0
    x = x / 2.0 ** squarings
    power = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape).copy()
    numerator, denominator = np.zeros_like(x), np.zeros_like(x)
    for k, weight in enumerate(_pade(13)):
        numerator += weight * power
        denominator += (-1) ** k * weight * power
        power = power @ x
    result = np.linalg.solve(denominator, numerator)
    for _ in range(squarings):
        result = result @ result
    return result


def _root(x):
    """The principal square root."""
    eye = np.eye(x.shape[-1], dtype=x.dtype)
    product, root = x, x
    for _ in range(100):
        inverse = np.linalg.inv(product)
        scale = np.abs(np.linalg.det(product)) ** (-1 / (2 * x.shape[-1]))
        scale = scale[..., None, None] if _norm(product - eye) > 1e-2 else 1.0
        root = scale * root @ (eye + inverse / scale ** 2) / 2
        product = (eye + (scale ** 2 * product + inverse / scale ** 2) / 2) / 2
        if _norm(product - eye) < 1e-14 * x.shape[-1]:
            break
    return root


def _logarithm(x):
    eye = np.eye(x.shape[-1], dtype=x.dtype)
    roots = 0
    while _norm(x - eye) > 0.25 and roots < 60:
        x, roots = _root(x), roots + 1
    points, weights = np.polynomial.legendre.leggauss(12)
    x = x - eye
    total = sum(w / 2 * np.linalg.solve(eye + (p + 1) / 2 * x, x)
                for p, w in zip(points, weights))
    return total * 2.0 ** roots


def _run_wide(function, x, problem):
    """`function` computed in double precision. ValueError(problem) if it fails."""
    if not x.size:
        return x.copy()
    try:
        with np.errstate(all='ignore'):
            result = function(_wide(x))
    except np.linalg.LinAlgError:
        raise ValueError(problem) from None
    return result.astype(x.dtype)


class _SquareMatrixOp(Op, abstract=True):
    signature = 'input: T -> output: T'
    types = {'T': INEXACT}

    def shape(x):
        return _square(x)


class MatrixExponential(_SquareMatrixOp):
    """The sum of x^k / k!."""

    def kernel(x):
        return _run_wide(_exponential, x, 'Input is not finite.')

    def gradient(op, dy):
        # exp of [[A, E], [0, A]] has the derivative along E as its upper right part.
        x = adjoint(op.inputs[0])
        size = shape_ops.shape(x)[-1]
        upper = joining.concat([x, dy], -1)
        lower = joining.concat([constants.zeros_like(x), x], -1)
        whole = MatrixExponential.apply(joining.concat([upper, lower], -2))
        return whole[..., :size, size:]


class MatrixSquareRoot(_SquareMatrixOp):
    """The principal square root of each matrix."""

    def kernel(x):
        return _run_wide(_root, x, 'Input matrix is not invertible, or has no square root.')


class MatrixLogarithm(_SquareMatrixOp):
    """The principal logarithm of each complex matrix."""

    types = {'T': _COMPLEX}

    def kernel(x):
        return _run_wide(_logarithm, x, 'Input matrix is not invertible.')


class Lu(Op):
    """x[p] = L U: L below the diagonal (with ones on it) and U above, in one matrix."""

    signature = 'input: T -> lu: T, p: output_idx_type'
    types = {'T': INEXACT, 'output_idx_type': INDEX}
    attrs = {'output_idx_type': dtypes.int32}

    def shape(x):
        shape = _square(x)
        return [shape, shape[:-1]]

    def kernel(x, *, output_idx_type):
        lu = x.copy()
        size = x.shape[-1]
        rows = np.arange(int(np.prod(x.shape[:-2])))
        flat = lu.reshape((-1, size, size))
        order = np.tile(np.arange(size), (len(flat), 1))
        for k in range(size):
            pivot = k + np.abs(flat[:, k:, k]).argmax(1) if len(flat) else rows
            for part in (flat, order):
                part[rows, k], part[rows, pivot] = part[rows, pivot], part[rows, k].copy()
            if (flat[:, k, k] == 0).any():
                raise ValueError('Input is not invertible.')
            flat[:, k + 1:, k] /= flat[:, k, k, None]
            flat[:, k + 1:, k + 1:] -= flat[:, k + 1:, k, None] * flat[:, k, None, k + 1:]
        return flat.reshape(x.shape), order.reshape(x.shape[:-1]).astype(output_idx_type.np)


def expm(input, name=None):
    """The exponential of each square matrix: the sum of input^k / k!. Shapes: [*a, n, n] -> same.

    TF1 builds it from some forty nodes; here it is one.
    """
    return MatrixExponential.apply(input, name=name or 'matrix_exponential')


def logm(input, name=None):
    """The principal logarithm of each complex matrix. Shapes: [*a, n, n] -> same.

    InvalidArgumentError while running for a matrix that is not invertible.
    """
    return MatrixLogarithm.apply(input, name=name)


def sqrtm(input, name=None):
    """The principal square root of each square matrix. Shapes: [*a, n, n] -> same.

    NaN if a real matrix has only complex roots.
    """
    return MatrixSquareRoot.apply(input, name=name)


def matrix_rank(a, tol=None, validate_args=False, name=None):
    """The number of singular values above `tol` (default: eps times the larger size, times the
    largest singular value). Shapes: a [*a, m, n] -> [*a] int32. ValueError for fewer than two axes.
    """
    with name_scope(name or 'matrix_rank'):
        a = convert_to_tensor(a, dtype_hint=dtypes.float32, name='a')
        if a.raw_shape is not None and len(a.raw_shape) < 2:
            raise misuse(ValueError(report('Input `a` must have at least 2 dimensions, saw: '
                                           f'{len(a.raw_shape)}.', inputs=[a])))
        sizes = decompositions.svd(a, compute_uv=False)
        if tol is None:
            if a.raw_shape is not None and None not in a.raw_shape[-2:]:
                largest = np.int64(max(a.raw_shape[-2:]))
            else:
                largest = reduction.reduce_max(shape_ops.shape(a)[-2:])
            eps = np.finfo(a.dtype.np).eps
            tol = eps * identity_and_cast.cast(largest, a.dtype) * reduction.reduce_max(
                sizes, axis=-1, keepdims=True)
        above = identity_and_cast.cast(logic.greater(sizes, tol), dtypes.int32)
        return reduction.reduce_sum(above, axis=-1)


_LuParts = namedtuple('Lu', ['lu', 'p'])


def lu(input, output_idx_type=dtypes.int32, name=None):
    """(L and U in one matrix, the row permutation) of each square matrix.

    Shapes: [*a, n, n] -> [*a, n, n], [*a, n]. L has ones on the diagonal, which are not stored.
    """
    return _LuParts(*Lu.apply(input, output_idx_type=dtypes.as_dtype(output_idx_type), name=name))


__all__ = ['expm', 'logm', 'lu', 'matrix_rank', 'sqrtm']
