"""matrix_determinant, slogdet, matrix_inverse, matrix_solve, matrix_triangular_solve.

Gradients: M. B. Giles, Collected matrix derivative results for forward and reverse mode
algorithmic differentiation (2008).
"""
from __future__ import annotations

from collections import namedtuple

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import INEXACT
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import constants, shaping
from tinyflow.ops.array.diagonals import matrix_band_part
from tinyflow.ops.linalg import matmul
from tinyflow.ops.math import complex_numbers


def matrix_shape(shape, square=True):
    """(batch shape, rows, columns). ValueError for rank < 2, or if not square although `square`."""
    if len(shape) < 2:
        raise ValueError(f'Shape must be at least rank 2 but is rank {len(shape)}')
    rows, columns = shape[-2:]
    if square and rows is not None and columns is not None and rows != columns:
        raise OpFailure(f'Dimensions must be equal, but are {rows} and {columns}',
                        'a square matrix is needed.')
    return shape[:-2], rows, columns


def run_numpy_linalg(function, problem, *matrices, hint=None):
    """Runs a function of np.linalg; float16 in float32, and a failure with TF's message."""
    dtype = matrices[0].dtype
    for matrix in matrices:
        if matrix.ndim < 2:
            raise ValueError(f'Input must have rank >= 2, got {matrix.ndim}')
    if dtype == np.float16:
        matrices = [m.astype(np.float32) for m in matrices]
    try:
        result = function(*matrices)
    except np.linalg.LinAlgError as error:
        raise OpFailure(f'{problem} ({error})', hint) from None
    if isinstance(result, tuple):
        return tuple(r.astype(dtype, copy=False) for r in result)
    return result.astype(dtype, copy=False)


class SquareMatrixOp(Op, abstract=True):
    """Base of ops with a matrix of the same size for each square matrix."""

    signature = 'input: T -> output: T'
    types = {'T': INEXACT}

    def shape(x):
        batch, rows, columns = matrix_shape(x)
        size = columns if rows is None else rows
        return batch + (size, size)


class MatrixDeterminant(SquareMatrixOp):
    def shape(x):
        return matrix_shape(x)[0]

    def kernel(x):
        return run_numpy_linalg(np.linalg.det, 'The determinant failed.', x)

    def gradient(op, dy):
        inverse = matrix_inverse(op.inputs[0], adjoint=True)
        return _as_factors(dy * complex_numbers.conj(op.outputs[0])) * inverse


class LogMatrixDeterminant(Op):
    """(sign, log |determinant|)."""

    signature = 'input: T -> sign: T, log_abs_determinant: T'
    types = {'T': INEXACT}

    def shape(x):
        return [matrix_shape(x)[0]] * 2

    def kernel(x):
        return run_numpy_linalg(lambda a: tuple(np.linalg.slogdet(a)), 'The determinant failed.', x)

    def gradient(op, _, dy):
        if dy is None:
            return constants.zeros_like(op.inputs[0])
        return _as_factors(dy) * matrix_inverse(op.inputs[0], adjoint=True)


def _as_factors(x):
    """One factor for each matrix, shaped to broadcast against it."""
    return shaping.expand_dims(shaping.expand_dims(x, -1), -1)


class MatrixInverse(SquareMatrixOp):
    attrs = {'adjoint': False}

    def kernel(x, *, adjoint):
        inverse = run_numpy_linalg(np.linalg.inv, 'Input is not invertible.', x)
        return inverse.conj().swapaxes(-1, -2) if adjoint else inverse

    def gradient(op, dy):
        y = op.outputs[0]
        to_input = -matmul.matmul(y, matmul.matmul(dy, y, adjoint_b=True), adjoint_a=True)
        return matmul.adjoint(to_input) if op.attrs['adjoint'] else to_input


class _Solve(Op, abstract=True):
    signature = 'matrix: T, rhs: T -> output: T'
    types = {'T': INEXACT}
    partial_rank = True

    def shape(matrix, rhs):
        if matrix is None and rhs is None:
            return None
        if matrix is None:
            matrix = rhs[:-1] + rhs[-2:-1]
        if rhs is None:
            rhs = matrix[:-1] + (None,)
        batch, rows, columns = matrix_shape(matrix)
        other_batch, other_rows, count = matrix_shape(rhs, square=False)
        size = columns if rows is None else rows
        shapes.merge(batch + (size,), other_batch + (other_rows,))
        return shapes.merge(batch, other_batch) + (other_rows if size is None else size, count)


class MatrixSolve(_Solve):
    attrs = {'adjoint': False}

    def kernel(matrix, rhs, *, adjoint):
        if adjoint:
            matrix = matrix.conj().swapaxes(-1, -2)
        return run_numpy_linalg(_solve, 'Input matrix is not invertible.', matrix, rhs)

    def gradient(op, dy):
        matrix, x = op.inputs[0], op.outputs[0]
        adjoint = op.attrs['adjoint']
        to_rhs = matrix_solve(matrix, dy, adjoint=not adjoint)
        pair = (x, to_rhs) if adjoint else (to_rhs, x)
        return -matmul.matmul(*pair, adjoint_b=True), to_rhs


def _solve(matrix, rhs):
    if matrix.shape[:-1] != rhs.shape[:-1] or matrix.shape[-1] != matrix.shape[-2]:
        raise ValueError(f'Input matrix {list(matrix.shape)} and right hand side '
                         f'{list(rhs.shape)} do not match')
    return np.linalg.solve(matrix, rhs)


class MatrixTriangularSolve(_Solve):
    attrs = {'lower': True, 'adjoint': False}

    def kernel(matrix, rhs, *, lower, adjoint):
        _Solve.shape(matrix.shape, rhs.shape)       # np.tril turns a vector into a matrix
        matrix = np.tril(matrix) if lower else np.triu(matrix)
        if adjoint:
            matrix = matrix.conj().swapaxes(-1, -2)
        return run_numpy_linalg(_solve, 'Input matrix is not invertible.', matrix, rhs)

    def gradient(op, dy):
        matrix, x = op.inputs[0], op.outputs[0]
        lower, adjoint = op.attrs['lower'], op.attrs['adjoint']
        to_rhs = matrix_triangular_solve(matrix, dy, lower, not adjoint)
        pair = (x, to_rhs) if adjoint else (to_rhs, x)
        to_matrix = -matmul.matmul(*pair, adjoint_b=True)
        return matrix_band_part(to_matrix, *((-1, 0) if lower else (0, -1))), to_rhs


# ---- public functions ------------------------------------------------------------------------

def matrix_determinant(input, name=None):
    """The determinants. Shapes: input [*batch, n, n] -> [*batch]."""
    return MatrixDeterminant.apply(input, name=name)


_SignAndLog = namedtuple('LogMatrixDeterminant', ['sign', 'log_abs_determinant'])


def slogdet(input, name=None):
    """(sign, log |determinant|), finite where the determinant itself would overflow.

    Shapes: input [*batch, n, n] -> sign [*batch], log_abs_determinant [*batch].
    """
    return _SignAndLog(*LogMatrixDeterminant.apply(input, name=name))


def matrix_inverse(input, adjoint=False, name=None):
    """The inverses, or their adjoints. Shapes: input [*batch, n, n] -> [*batch, n, n].

    A matrix without an inverse is an error while the graph runs.
    """
    return MatrixInverse.apply(input, adjoint=bool(adjoint), name=name)


def matrix_solve(matrix, rhs, adjoint=False, name=None):
    """The x with matrix x = rhs (or adjoint(matrix) x = rhs).

    Shapes: matrix [*batch, n, n], rhs [*batch, n, k] -> [*batch, n, k].
    """
    return MatrixSolve.apply(matrix, rhs, adjoint=bool(adjoint), name=name)


def matrix_triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """The x with matrix x = rhs for triangular matrices; the other triangle is not read.

    Shapes: matrix [*batch, n, n], rhs [*batch, n, k] -> [*batch, n, k].
    """
    return MatrixTriangularSolve.apply(matrix, rhs, lower=bool(lower), adjoint=bool(adjoint),
                                       name=name)


__all__ = ['matrix_determinant', 'matrix_inverse', 'matrix_solve', 'matrix_triangular_solve',
           'slogdet']
