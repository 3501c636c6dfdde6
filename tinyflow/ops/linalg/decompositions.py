"""Matrix decompositions: cholesky, self_adjoint_eig, svd, qr.

Gradients: M. B. Giles, Collected matrix derivative results for forward and reverse mode
algorithmic differentiation (2008); I. Murray, Differentiation of the Cholesky decomposition
(2016); J. Townsend, Differentiating the singular value decomposition (2016); S. F. Walter and
L. Lehmann, Algorithmic differentiation of linear algebra functions (2010) for QR.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import COMPLEX, INEXACT
from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, shaping
from tinyflow.ops.array.diagonals import (
    matrix_band_part,
    matrix_diag,
    matrix_diag_part,
    matrix_set_diag,
)
from tinyflow.ops.linalg.matmul import adjoint, matmul
from tinyflow.ops.linalg.solving import (
    SquareMatrixOp,
    matrix_shape,
    matrix_triangular_solve,
    run_numpy_linalg,
)
from tinyflow.ops.math import arithmetic, complex_numbers, reduction, unary


class Cholesky(SquareMatrixOp):
    """The lower triangular L with L L^H = input, of which only the lower triangle is read."""

    def kernel(x):
        return run_numpy_linalg(
            np.linalg.cholesky,
            'Cholesky decomposition was not successful. The input might not be valid', x,
            hint='it must be positive definite; adding a small multiple of tf.eye often helps.')

    def gradient(op, dy):
        factor = op.outputs[0]
        middle = matmul(factor, dy, adjoint_a=True)
        middle = matrix_set_diag(middle, matrix_diag_part(middle) * 0.5)
        middle = matrix_band_part(middle, -1, 0)
        # L^-H middle L^-1, by two triangular solves, without an inverse.
        half = matrix_triangular_solve(factor, middle, adjoint=True)
        whole = adjoint(matrix_triangular_solve(factor, adjoint(half), adjoint=True))
        return (whole + adjoint(whole)) * 0.5


class SelfAdjointEigV2(Op):
    """Eigenvalues, ascending, and eigenvectors (as columns) of self-adjoint matrices."""

    signature = 'input: T -> e: T, v: T'
    types = {'T': INEXACT}
    attrs = {'compute_v': True}

    def shape(x, *, compute_v):
        batch, rows, columns = matrix_shape(x)
        size = columns if rows is None else rows
        return [batch + (size,), batch + (size, size) if compute_v else (0,)]

    def kernel(x, *, compute_v):
        problem = 'Self-adjoint eigen decomposition was not successful.'
        if compute_v:
            return run_numpy_linalg(lambda a: tuple(np.linalg.eigh(a)), problem, x)
        return run_numpy_linalg(np.linalg.eigvalsh, problem, x), np.empty(0, x.dtype)

    def gradient(op, de, dv):
        e, v = op.outputs
        if not op.attrs['compute_v']:
            v, dv = SelfAdjointEigV2.apply(op.inputs[0])[1], None
        middle = matrix_diag(constants.zeros_like(e) if de is None else de)
        if dv is not None:
            gaps = shaping.expand_dims(e, -2) - shaping.expand_dims(e, -1)
            factor = matrix_set_diag(arithmetic.reciprocal(gaps), constants.zeros_like(e))
            middle += factor * matmul(v, dv, adjoint_a=True)
        whole = matmul(v, matmul(middle, v, adjoint_b=True))
        # Only the lower triangle is read, so it gets the gradient of both triangles.
        lower = matrix_band_part(whole + adjoint(whole), -1, 0)
        return matrix_set_diag(lower, matrix_diag_part(lower) * 0.5)


class Svd(Op):
    """Singular values, descending, and the singular vectors as columns of u and v."""

    signature = 'input: T -> s: T, u: T, v: T'
    types = {'T': INEXACT}
    attrs = {'compute_uv': True, 'full_matrices': False}

    def shape(x, *, compute_uv, full_matrices):
        batch, rows, columns = matrix_shape(x, square=False)
        least = None if rows is None or columns is None else min(rows, columns)
        if not compute_uv:
            return [batch + (least,), (0,), (0,)]
        return [batch + (least,), batch + (rows, rows if full_matrices else least),
                batch + (columns, columns if full_matrices else least)]

    def kernel(x, *, compute_uv, full_matrices):
        problem = 'The singular value decomposition did not converge.'
        if not compute_uv:
            s = run_numpy_linalg(lambda a: np.linalg.svd(a, compute_uv=False), problem, x)
            return s, np.empty(0, x.dtype), np.empty(0, x.dtype)
        u, s, vh = run_numpy_linalg(lambda a: tuple(np.linalg.svd(a, full_matrices)), problem, x)
        return s, u, vh.conj().swapaxes(-1, -2)

    def gradient(op, ds, du, dv):
        x, full = op.inputs[0], op.attrs['full_matrices']
        if x.dtype.base_dtype in COMPLEX:
            raise misuse(NotImplementedError(
                'Svd: the gradient is not defined for complex matrices.'))
        if full and (x.raw_shape is None or x.raw_shape[-2] is None
                     or x.raw_shape[-2] != x.raw_shape[-1]):
            raise misuse(NotImplementedError(
                'Svd: the gradient is defined for full_matrices=False, or for matrices known to be '
                'square.'))
        s, u, v = op.outputs
        if not op.attrs['compute_uv']:
            (s, u, v), du, dv = Svd.apply(x), None, None
        middle = matrix_diag(constants.zeros_like(s) if ds is None else ds)
        complement = None
        squares = arithmetic.square(s)
        gaps = shaping.expand_dims(squares, -2) - shaping.expand_dims(squares, -1)
        factor = matrix_set_diag(arithmetic.reciprocal(gaps), constants.zeros_like(s))
        row, column = shaping.expand_dims(s, -2), shaping.expand_dims(s, -1)
        if du is not None:
            inside = matmul(u, du, adjoint_a=True)
            middle += factor * (inside - adjoint(inside)) * row
            complement = matmul((du - matmul(u, inside)) / row, v, adjoint_b=True)
        if dv is not None:
            inside = matmul(v, dv, adjoint_a=True)
            middle += column * (factor * (inside - adjoint(inside)))
            outside = matmul(u, (dv - matmul(v, inside)) / row, adjoint_b=True)
            complement = outside if complement is None else complement + outside
        whole = matmul(matmul(u, middle), v, adjoint_b=True)
        return whole if complement is None else whole + complement


class Qr(Op):
    """Orthonormal columns q and an upper triangular r with q r = input."""

    signature = 'input: T -> q: T, r: T'
    types = {'T': INEXACT}
    attrs = {'full_matrices': False}

    def shape(x, *, full_matrices):
        batch, rows, columns = matrix_shape(x, square=False)
        least = rows if full_matrices else (
            None if rows is None or columns is None else min(rows, columns))
        return [batch + (rows, least), batch + (least, columns)]

    def kernel(x, *, full_matrices):
        mode = 'complete' if full_matrices else 'reduced'
        return run_numpy_linalg(lambda a: tuple(np.linalg.qr(a, mode)),
                                'The QR decomposition failed.', x)

    def gradient(op, dq, dr):
        q, r = op.outputs
        rows, columns = (op.inputs[0].raw_shape or (None, None))[-2:]
        if rows is None or columns is None or rows < columns \
                or op.attrs['full_matrices'] and rows != columns:
            raise misuse(NotImplementedError(
                'Qr: the gradient is defined for matrices of known shape with at least as many '
                'rows as columns.'))
        dq = constants.zeros_like(q) if dq is None else dq
        dr = constants.zeros_like(r) if dr is None else dr
        inside = matmul(q, dq, adjoint_a=True)
        over = matmul(r, dr, adjoint_b=True)
        difference = inside - adjoint(inside) + over - adjoint(over)
        lower = matrix_band_part(difference, -1, 0)
        # The diagonal of a difference of adjoints is 0, so `lower` is strictly lower.
        return (matmul(q, dr + _times_inverse_adjoint(lower, r))
                + _times_inverse_adjoint(dq - matmul(q, inside), r))


def _times_inverse_adjoint(x, r):
    """x r^-H for an upper triangular r."""
    return adjoint(matrix_triangular_solve(r, adjoint(x), lower=False))


# ---- public functions ------------------------------------------------------------------------

def logdet(matrix, name=None):
    """The log of the determinant of positive definite matrices, by Cholesky decomposition.

    Shapes: matrix [*batch, n, n] -> [*batch].
    """
    with name_scope(name, 'logdet', [matrix]):
        diagonal = matrix_diag_part(cholesky(matrix))
        return 2.0 * reduction.reduce_sum(unary.log(complex_numbers.real(diagonal)), [-1])


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


__all__ = ['cholesky', 'cholesky_solve', 'logdet', 'qr', 'self_adjoint_eig',
           'self_adjoint_eigvals', 'svd']
