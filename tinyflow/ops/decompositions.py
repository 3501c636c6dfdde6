"""Solving, inverting and decomposing matrices, in the last two axes of a tensor.

Gradients: M. B. Giles, Collected matrix derivative results for forward and reverse mode
algorithmic differentiation (2008); I. Murray, Differentiation of the Cholesky decomposition
(2016); J. Townsend, Differentiating the singular value decomposition (2016); S. F. Walter and
L. Lehmann, Algorithmic differentiation of linear algebra functions (2010) for QR.
"""
from __future__ import annotations

import numpy as np

from tinyflow.errors import worded
from tinyflow.graph import shapes
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import COMPLEX, INEXACT
from tinyflow.graph.op import Op
from tinyflow.ops import (
    arithmetic,
    complex_numbers,
    constants,
    elementary,
    linalg,
    reduction,
    shaping,
)
from tinyflow.ops.diagonals import matrix_band_part, matrix_diag, matrix_diag_part, matrix_set_diag


def _matrix(shape, square=True):
    """(batch shape, rows, columns). Raises ValueError if there are none, or not as many."""
    if len(shape) < 2:
        raise ValueError(f'Shape must be at least rank 2 but is rank {len(shape)}')
    rows, columns = shape[-2:]
    if square and rows is not None and columns is not None and rows != columns:
        raise ValueError(f'Dimensions must be equal, but are {rows} and {columns}'
                         '|a square matrix is needed.')
    return shape[:-2], rows, columns


def _run(function, problem, *matrices):
    """`function` of NumPy's linalg; it has no half precision, and no words for the failure."""
    dtype = matrices[0].dtype
    for matrix in matrices:
        if matrix.ndim < 2:
            raise ValueError(f'Input must have rank >= 2, got {matrix.ndim}')
    if dtype == np.float16:
        matrices = [m.astype(np.float32) for m in matrices]
    try:
        result = function(*matrices)
    except np.linalg.LinAlgError as error:
        raise ValueError(f'{problem} ({error})') from None
    if isinstance(result, tuple):
        return tuple(r.astype(dtype, copy=False) for r in result)
    return result.astype(dtype, copy=False)


def _adjoint(x):
    return linalg.adjoint(x)


def _product(a, b, adjoint_a=False, adjoint_b=False):
    return linalg.matmul(a, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)


class _OfSquares(Op, abstract=True):
    signature = 'input: T -> output: T'
    types = {'T': INEXACT}

    def shape(x):
        batch, rows, columns = _matrix(x)
        size = columns if rows is None else rows
        return batch + (size, size)


# ---- determinants, inverses, solutions -------------------------------------------------------

class MatrixDeterminant(_OfSquares):
    def shape(x):
        return _matrix(x)[0]

    def kernel(x):
        return _run(np.linalg.det, 'No determinant.', x)

    def gradient(op, dy):
        inverse = matrix_inverse(op.inputs[0], adjoint=True)
        return _as_scales(dy * complex_numbers.conj(op.outputs[0])) * inverse


class LogMatrixDeterminant(Op):
    """(sign, log |determinant|)."""

    signature = 'input: T -> sign: T, log_abs_determinant: T'
    types = {'T': INEXACT}

    def shape(x):
        return [_matrix(x)[0]] * 2

    def kernel(x):
        return _run(lambda a: tuple(np.linalg.slogdet(a)), 'No determinant.', x)

    def gradient(op, _, dy):
        if dy is None:
            return constants.zeros_like(op.inputs[0])
        return _as_scales(dy) * matrix_inverse(op.inputs[0], adjoint=True)


def _as_scales(x):
    """One number for each matrix, shaped to multiply it."""
    return shaping.expand_dims(shaping.expand_dims(x, -1), -1)


class MatrixInverse(_OfSquares):
    attrs = {'adjoint': False}

    def kernel(x, *, adjoint):
        inverse = _run(np.linalg.inv, 'Input is not invertible.', x)
        return inverse.conj().swapaxes(-1, -2) if adjoint else inverse

    def gradient(op, dy):
        y = op.outputs[0]
        to_input = -_product(y, _product(dy, y, adjoint_b=True), adjoint_a=True)
        return _adjoint(to_input) if op.attrs['adjoint'] else to_input


class _Solve(Op, abstract=True):
    signature = 'matrix: T, rhs: T -> output: T'
    types = {'T': INEXACT}

    def shape(matrix, rhs):
        batch, rows, columns = _matrix(matrix)
        other_batch, other_rows, count = _matrix(rhs, square=False)
        size = columns if rows is None else rows
        shapes.merge(batch + (size,), other_batch + (other_rows,))
        return shapes.merge(batch, other_batch) + (other_rows if size is None else size, count)


class MatrixSolve(_Solve):
    attrs = {'adjoint': False}

    def kernel(matrix, rhs, *, adjoint):
        if adjoint:
            matrix = matrix.conj().swapaxes(-1, -2)
        return _run(_solve, 'Input matrix is not invertible.', matrix, rhs)

    def gradient(op, dy):
        matrix, x = op.inputs[0], op.outputs[0]
        adjoint = op.attrs['adjoint']
        to_rhs = matrix_solve(matrix, dy, adjoint=not adjoint)
        pair = (x, to_rhs) if adjoint else (to_rhs, x)
        return -_product(*pair, adjoint_b=True), to_rhs


def _solve(matrix, rhs):
    if matrix.shape[:-1] != rhs.shape[:-1] or matrix.shape[-1] != matrix.shape[-2]:
        raise ValueError(f'Input matrix {list(matrix.shape)} and right hand side '
                         f'{list(rhs.shape)} do not fit')
    return np.linalg.solve(matrix, rhs)


class MatrixTriangularSolve(_Solve):
    attrs = {'lower': True, 'adjoint': False}

    def kernel(matrix, rhs, *, lower, adjoint):
        _Solve.shape(matrix.shape, rhs.shape)       # np.tril makes a matrix of a vector
        matrix = np.tril(matrix) if lower else np.triu(matrix)
        if adjoint:
            matrix = matrix.conj().swapaxes(-1, -2)
        return _run(_solve, 'Input matrix is not invertible.', matrix, rhs)

    def gradient(op, dy):
        matrix, x = op.inputs[0], op.outputs[0]
        lower, adjoint = op.attrs['lower'], op.attrs['adjoint']
        to_rhs = matrix_triangular_solve(matrix, dy, lower, not adjoint)
        pair = (x, to_rhs) if adjoint else (to_rhs, x)
        to_matrix = -_product(*pair, adjoint_b=True)
        return matrix_band_part(to_matrix, *((-1, 0) if lower else (0, -1))), to_rhs


# ---- decompositions --------------------------------------------------------------------------

class Cholesky(_OfSquares):
    """The lower triangular L with L L^H = input, of which only the lower triangle is read."""

    def kernel(x):
        return _run(np.linalg.cholesky, 'Cholesky decomposition was not successful. The input '
                    'might not be valid|it must be positive definite; adding a small multiple of '
                    'tf.eye often helps.', x)

    def gradient(op, dy):
        factor = op.outputs[0]
        middle = _product(factor, dy, adjoint_a=True)
        middle = matrix_set_diag(middle, matrix_diag_part(middle) * 0.5)
        middle = matrix_band_part(middle, -1, 0)
        # L^-H middle L^-1, by two solutions instead of an inverse.
        half = matrix_triangular_solve(factor, middle, adjoint=True)
        whole = _adjoint(matrix_triangular_solve(factor, _adjoint(half), adjoint=True))
        return (whole + _adjoint(whole)) * 0.5


class SelfAdjointEigV2(Op):
    """Eigenvalues, ascending, and eigenvectors (as columns) of self-adjoint matrices."""

    signature = 'input: T -> e: T, v: T'
    types = {'T': INEXACT}
    attrs = {'compute_v': True}

    def shape(x, *, compute_v):
        batch, rows, columns = _matrix(x)
        size = columns if rows is None else rows
        return [batch + (size,), batch + (size, size) if compute_v else (0,)]

    def kernel(x, *, compute_v):
        problem = 'Self-adjoint eigen decomposition was not successful.'
        if compute_v:
            return _run(lambda a: tuple(np.linalg.eigh(a)), problem, x)
        return _run(np.linalg.eigvalsh, problem, x), np.empty(0, x.dtype)

    def gradient(op, de, dv):
        e, v = op.outputs
        if not op.attrs['compute_v']:
            v, dv = SelfAdjointEigV2.apply(op.inputs[0])[1], None
        middle = matrix_diag(constants.zeros_like(e) if de is None else de)
        if dv is not None:
            gaps = shaping.expand_dims(e, -2) - shaping.expand_dims(e, -1)
            factor = matrix_set_diag(arithmetic.reciprocal(gaps), constants.zeros_like(e))
            middle += factor * _product(v, dv, adjoint_a=True)
        whole = _product(v, _product(middle, v, adjoint_b=True))
        # Only the lower triangle is read, so it carries the gradient of both triangles.
        lower = matrix_band_part(whole + _adjoint(whole), -1, 0)
        return matrix_set_diag(lower, matrix_diag_part(lower) * 0.5)


class Svd(Op):
    """Singular values, descending, and the singular vectors as columns of u and v."""

    signature = 'input: T -> s: T, u: T, v: T'
    types = {'T': INEXACT}
    attrs = {'compute_uv': True, 'full_matrices': False}

    def shape(x, *, compute_uv, full_matrices):
        batch, rows, columns = _matrix(x, square=False)
        least = None if rows is None or columns is None else min(rows, columns)
        if not compute_uv:
            return [batch + (least,), (0,), (0,)]
        return [batch + (least,), batch + (rows, rows if full_matrices else least),
                batch + (columns, columns if full_matrices else least)]

    def kernel(x, *, compute_uv, full_matrices):
        problem = 'The singular value decomposition did not converge.'
        if not compute_uv:
            s = _run(lambda a: np.linalg.svd(a, compute_uv=False), problem, x)
            return s, np.empty(0, x.dtype), np.empty(0, x.dtype)
        u, s, vh = _run(lambda a: tuple(np.linalg.svd(a, full_matrices)), problem, x)
        return s, u, vh.conj().swapaxes(-1, -2)

    def gradient(op, ds, du, dv):
        x, full = op.inputs[0], op.attrs['full_matrices']
        if x.dtype.base_dtype in COMPLEX:
            raise worded(NotImplementedError(
                'Svd: the gradient is not defined for complex matrices.'))
        if full and (x.raw_shape is None or x.raw_shape[-2] is None
                     or x.raw_shape[-2] != x.raw_shape[-1]):
            raise worded(NotImplementedError(
                'Svd: the gradient is defined for full_matrices=False, or for matrices known to be '
                'square.'))
        s, u, v = op.outputs
        if not op.attrs['compute_uv']:
            (s, u, v), du, dv = Svd.apply(x), None, None
        middle = matrix_diag(constants.zeros_like(s) if ds is None else ds)
        beside = None
        squares = arithmetic.square(s)
        gaps = shaping.expand_dims(squares, -2) - shaping.expand_dims(squares, -1)
        factor = matrix_set_diag(arithmetic.reciprocal(gaps), constants.zeros_like(s))
        row, column = shaping.expand_dims(s, -2), shaping.expand_dims(s, -1)
        if du is not None:
            inside = _product(u, du, adjoint_a=True)
            middle += factor * (inside - _adjoint(inside)) * row
            beside = _product((du - _product(u, inside)) / row, v, adjoint_b=True)
        if dv is not None:
            inside = _product(v, dv, adjoint_a=True)
            middle += column * (factor * (inside - _adjoint(inside)))
            outside = _product(u, (dv - _product(v, inside)) / row, adjoint_b=True)
            beside = outside if beside is None else beside + outside
        whole = _product(_product(u, middle), v, adjoint_b=True)
        return whole if beside is None else whole + beside


class Qr(Op):
    """Orthonormal columns q and an upper triangular r with q r = input."""

    signature = 'input: T -> q: T, r: T'
    types = {'T': INEXACT}
    attrs = {'full_matrices': False}

    def shape(x, *, full_matrices):
        batch, rows, columns = _matrix(x, square=False)
        least = rows if full_matrices else (
            None if rows is None or columns is None else min(rows, columns))
        return [batch + (rows, least), batch + (least, columns)]

    def kernel(x, *, full_matrices):
        mode = 'complete' if full_matrices else 'reduced'
        return _run(lambda a: tuple(np.linalg.qr(a, mode)), 'No QR decomposition.', x)

    def gradient(op, dq, dr):
        q, r = op.outputs
        rows, columns = (op.inputs[0].raw_shape or (None, None))[-2:]
        if rows is None or columns is None or rows < columns \
                or op.attrs['full_matrices'] and rows != columns:
            raise worded(NotImplementedError(
                'Qr: the gradient is defined for matrices of known shape with at least as many '
                'rows as columns.'))
        dq = constants.zeros_like(q) if dq is None else dq
        dr = constants.zeros_like(r) if dr is None else dr
        inside = _product(q, dq, adjoint_a=True)
        over = _product(r, dr, adjoint_b=True)
        lower = matrix_band_part(inside - _adjoint(inside) + over - _adjoint(over), -1, 0)
        # The diagonal of a difference of adjoints is 0, so `lower` is strictly lower.
        return (_product(q, dr + _times_inverse_adjoint(lower, r))
                + _times_inverse_adjoint(dq - _product(q, inside), r))


def _times_inverse_adjoint(x, r):
    """x r^-H for an upper triangular r."""
    return _adjoint(matrix_triangular_solve(r, _adjoint(x), lower=False))


# ---- public functions ------------------------------------------------------------------------

def matrix_determinant(input, name=None):
    """The determinants. Shapes: input [*batch, n, n] -> [*batch]."""
    return MatrixDeterminant.apply(input, name=name)


def slogdet(input, name=None):
    """(sign, log |determinant|), exact where the determinant itself would overflow.

    Shapes: input [*batch, n, n] -> sign [*batch], log_abs_determinant [*batch].
    """
    return tuple(LogMatrixDeterminant.apply(input, name=name))


def logdet(matrix, name=None):
    """The log of the determinant of positive definite matrices, by Cholesky decomposition.

    Shapes: matrix [*batch, n, n] -> [*batch].
    """
    with name_scope(name, 'logdet', [matrix]):
        diagonal = matrix_diag_part(cholesky(matrix))
        return 2.0 * reduction.reduce_sum(elementary.log(complex_numbers.real(diagonal)), [-1])


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


def cholesky(input, name=None):
    """The lower triangular L with L L^H = input.

    Shapes: input [*batch, n, n] -> [*batch, n, n]. A matrix that is not positive definite is an
    error while the graph runs.
    """
    return Cholesky.apply(input, name=name)


def cholesky_solve(chol, rhs, name=None):
    """The x with L L^H x = rhs, given L = chol.

    Shapes: chol [*batch, n, n], rhs [*batch, n, k] -> [*batch, n, k].
    """
    with name_scope(name, 'cholesky_solve', [chol, rhs]):
        y = matrix_triangular_solve(chol, rhs)
        return matrix_triangular_solve(chol, y, adjoint=True)


def self_adjoint_eig(tensor, name=None):
    """(eigenvalues, ascending; eigenvectors as columns) of self-adjoint matrices.

    Shapes: tensor [*batch, n, n] -> [*batch, n], [*batch, n, n].
    """
    return tuple(SelfAdjointEigV2.apply(tensor, name=name))


def self_adjoint_eigvals(tensor, name=None):
    """The eigenvalues, ascending, of self-adjoint matrices.

    Shapes: tensor [*batch, n, n] -> [*batch, n].
    """
    return SelfAdjointEigV2.apply(tensor, compute_v=False, name=name)[0]


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """(s, u, v) with tensor = u diag(s) v^H, s descending; s alone without compute_uv.

    Shapes: tensor [*batch, m, n] -> s [*batch, k], u [*batch, m, k], v [*batch, n, k] with
    k = min(m, n); u and v are square if full_matrices.
    """
    s, u, v = Svd.apply(tensor, compute_uv=bool(compute_uv), full_matrices=bool(full_matrices),
                        name=name)
    return (complex_numbers.real(s), u, v) if compute_uv else complex_numbers.real(s)


def qr(input, full_matrices=False, name=None):
    """(q, r) with input = q r, q orthonormal columns, r upper triangular.

    Shapes: input [*batch, m, n] -> q [*batch, m, k], r [*batch, k, n] with k = min(m, n), or m if
    full_matrices.
    """
    return tuple(Qr.apply(input, full_matrices=bool(full_matrices), name=name))


__all__ = [
    'cholesky', 'cholesky_solve', 'logdet', 'matrix_determinant', 'matrix_inverse', 'matrix_solve',
    'matrix_triangular_solve', 'qr', 'self_adjoint_eig', 'self_adjoint_eigvals', 'slogdet', 'svd',
]
