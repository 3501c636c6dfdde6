"""Products, diagonals, solutions and decompositions of matrices."""
import math

import numpy as np
import scipy.linalg

from tests.ops.rows import row
from tinyflow.graph.op import Op

RANDOM = np.random.default_rng(11)
SQUARE = RANDOM.uniform(-1, 1, (2, 3, 3)) + 2 * np.eye(3)
POSITIVE = SQUARE @ SQUARE.swapaxes(-1, -2)
TALL = RANDOM.uniform(-1, 1, (4, 2)) + np.eye(4, 2)
RIGHT = RANDOM.uniform(-1, 1, (2, 3, 2))


def product(x, y):
    """The product of two matrices, by the definition."""
    return np.array([[math.fsum(a * b for a, b in zip(r, c)) for c in y.T] for r in x])


def each(function):
    """A function of matrices, applied to each matrix of a batch."""
    def ref(*arrays):
        shape = arrays[0].shape[:-2]
        results = [function(*[a[i] for a in arrays]) for i in np.ndindex(shape)]
        if isinstance(results[0], (tuple, list)):
            return [np.array([r[k] for r in results]).reshape(shape + np.shape(results[0][k]))
                    for k in range(len(results[0]))]
        return np.array(results).reshape(shape + np.shape(results[0]))
    return ref


def matmul(name, shapes, ref, op_type='MatMul', **flags):
    return row(op_type, lambda tf, x, y: tf.matmul(x, y, **flags), shapes, ref=ref, name=name,
               # Without ranks, TF builds a product of batches.
               unknown=False)


PRODUCTS = [
    row('MatMul', lambda tf, x, y: tf.matmul(x, y), [(2, 3), (3, 4)], ref=product, unknown=False,
        bad=[lambda tf: tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3])),
             lambda tf: tf.matmul(tf.zeros([3]), tf.zeros([3, 1])),
             lambda tf: tf.matmul(tf.zeros([2, 2]), tf.zeros([2, 2], tf.int32))]),
    matmul('a^T b', [(3, 2), (3, 4)], lambda x, y: product(x.T, y), transpose_a=True),
    matmul('a b^T', [(2, 3), (4, 3)], lambda x, y: product(x, y.T), transpose_b=True),
    matmul('a^T b^T', [(3, 2), (4, 3)], lambda x, y: product(x.T, y.T), transpose_a=True,
           transpose_b=True),
    row('MatMul', lambda tf, x, y: x @ y, [np.array([[1, 2], [3, 4]]), np.array([[1], [-1]])],
        ref=lambda x, y: np.array([[-1], [-1]]), grad=False, unknown=False, name='of integers'),
    row('MatMul', lambda tf, x, y: tf.matmul(x, y, adjoint_a=True), [(2, 3), (2, 2)],
        dtype='complex128', grad=False, unknown=False, name='adjoint',
        ref=lambda x, y: np.einsum('ij,ik->jk', x.conj(), y)),
    row('BatchMatMulV2', lambda tf, x, y: tf.matmul(x, y), [(2, 2, 3), (2, 3, 2)],
        ref=each(product), bad=[lambda tf: tf.matmul(tf.zeros([2, 2, 3]), tf.zeros([3, 3, 2])),
                                lambda tf: tf.matmul(tf.zeros([2, 2, 3]), tf.zeros([2, 2, 3]))]),
    row('BatchMatMulV2', lambda tf, x, y: tf.matmul(x, y, transpose_a=True, transpose_b=True),
        [(2, 3, 2), (2, 2, 3)], ref=each(lambda x, y: product(x.T, y.T)), name='transposed'),
    row('BatchMatMulV2', lambda tf, x, y: tf.matmul(x, y), [(2, 1, 2, 3), (2, 3, 2)],
        ref=lambda x, y: np.array([[product(a[0], b) for b in y] for a in x]), name='broadcast'),
    row('BatchMatMulV2', lambda tf, x, y: tf.matmul(x, y, transpose_a=True), [(2, 3, 2), (2, 3, 2)],
        dtype='complex128', grad=False, name='complex',
        ref=lambda x, y: np.einsum('bij,bik->bjk', x, y)),
    row('BatchMatMul', lambda tf, x, y: Op.registry['BatchMatMul'].apply(x, y, adj_y=True),
        [(2, 2, 3), (2, 2, 3)], ref=each(lambda x, y: product(x, y.T))),
    row('Cross', lambda tf, x, y: tf.cross(x, y), [(2, 3), (2, 3)],
        ref=lambda x, y: np.array([[a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                    a[0] * b[1] - a[1] * b[0]] for a, b in zip(x, y)]),
        bad=[lambda tf: tf.cross(tf.zeros([2]), tf.zeros([2]))]),
    row('MatMul', lambda tf, x, y: tf.linalg.matvec(x, y), [(2, 3), (3,)], unknown=False,
        ref=lambda x, y: product(x, y[:, None])[:, 0], name='by a vector'),
]


def einsum(equation, *shapes, op_type='MatMul', **settings):
    return row(op_type, lambda tf, *xs: tf.einsum(equation, *xs), shapes, unknown=False,
               ref=lambda *xs: np.einsum(equation, *xs), name=f'einsum {equation}', **settings)


def tensordot(axes, *shapes, **settings):
    return row('MatMul', lambda tf, x, y: tf.tensordot(x, y, axes), shapes,
               ref=lambda x, y: np.tensordot(x, y, axes), name=f'tensordot {axes}', **settings)


CONTRACTIONS = [
    tensordot(1, (2, 3), (3, 4)), tensordot(2, (2, 3, 4), (3, 4, 2)),
    tensordot([[1, 2], [1, 0]], (2, 3, 4), (4, 3)),
    tensordot([[0], [1]], (3, 2), (2, 3)), einsum('ij,jk->ik', (2, 3), (3, 4)),
    einsum('ij,kj', (2, 3), (4, 3)), einsum('ij,jk,kl->il', (2, 3), (3, 4), (4, 2)),
    einsum('bij,bkj->bik', (2, 2, 3), (2, 4, 3), op_type='BatchMatMulV2'),
    einsum('...ij,...jk->...ik', (2, 2, 3), (2, 3, 2), op_type='BatchMatMulV2'),
    einsum('abij,bjc->aic', (2, 2, 2, 3), (2, 3, 2)),
    einsum('i,j->ji', (2,), (3,), op_type='Mul'), einsum('ijk->kj', (2, 3, 4), op_type='Sum'),
    einsum('i,i,i->', (3,), (3,), (3,), op_type='Mul'), einsum('ii', (3, 3), op_type='Sum'),
]

DIAGONALS = [
    row('Diag', lambda tf, x: tf.diag(x), [(2, 3)],
        ref=lambda x: np.array([[[[x[i, j] if (i, j) == (k, m) else 0.0 for m in range(3)]
                                  for k in range(2)] for j in range(3)] for i in range(2)])),
    row('DiagPart', lambda tf, x: tf.diag_part(x), [(2, 3, 2, 3)],
        ref=lambda x: np.array([[x[i, j, i, j] for j in range(3)] for i in range(2)]),
        bad=[lambda tf: tf.diag_part(tf.zeros([2, 3]))]),
    row('MatrixDiag', lambda tf, x: tf.matrix_diag(x), [(2, 3)],
        ref=lambda x: np.array([np.diag(r) for r in x]),
        bad=[lambda tf: tf.matrix_diag(tf.constant(1.0))]),
    row('MatrixDiagPart', lambda tf, x: tf.matrix_diag_part(x), [(2, 3, 4)],
        ref=lambda x: np.array([np.diag(m) for m in x])),
    row('MatrixDiagPart', lambda tf, x: tf.trace(x), [(2, 3, 3)],
        ref=lambda x: np.array([m[0, 0] + m[1, 1] + m[2, 2] for m in x]), name='trace'),
    row('MatrixSetDiag', lambda tf, x, y: tf.matrix_set_diag(x, y), [(2, 3, 4), (2, 3)],
        ref=lambda x, y: np.array([[[d[i] if i == j else m[i, j] for j in range(4)]
                                    for i in range(3)] for m, d in zip(x, y)]),
        bad=[lambda tf: tf.matrix_set_diag(tf.zeros([3, 3]), tf.zeros([2]))]),
    row('MatrixBandPart', lambda tf, x: tf.matrix_band_part(x, 1, 0), [(2, 3, 4)],
        ref=lambda x: np.tril(x) - np.tril(x, -2)),
    row('MatrixBandPart', lambda tf, x: tf.matrix_band_part(x, -1, 1), [(3, 3)],
        ref=lambda x: np.tril(x, 1), name='all below',
        bad=[lambda tf: tf.matrix_band_part(tf.zeros([3]), 0, 0)],
        run_bad=[lambda tf: tf.matrix_band_part(tf.zeros([3, 3]), 4, 0)]),
    row('MatrixDiag', lambda tf: tf.eye(3), ref=lambda: np.diag([1.0, 1, 1]), grad=False,
        name='eye'),
    row('MatrixSetDiag', lambda tf: tf.eye(2, 3, batch_shape=[2]), grad=False, name='eye',
        ref=lambda: np.array([[[1.0, 0, 0], [0, 1.0, 0]]] * 2)),
]


def cofactors(m):
    return (m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
            - m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
            + m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0]))


def not_square(function):
    return lambda tf: getattr(tf, function)(tf.zeros([2, 3]))


def singular(function, *more):
    return lambda tf: getattr(tf, function)(tf.zeros([2, 2]), *more)


def symmetric(tf, x):
    return (x + tf.matrix_transpose(x)) * 0.5


def symmetric_array(x):
    return (x + x.swapaxes(-1, -2)) / 2


def least_squares(tf, x):
    s, u, v = tf.svd(x)
    return [s, tf.matmul(u, v, transpose_b=True), tf.square(u), tf.square(v)]


def least_squares_array(x):
    u, s, vh = scipy.linalg.svd(x, full_matrices=False)
    return s, u @ vh, u ** 2, vh.T ** 2


SOLUTIONS = [
    row('MatrixDeterminant', lambda tf, x: tf.matrix_determinant(x), [SQUARE],
        ref=each(cofactors), bad=[not_square('matrix_determinant')], tol=1e-5),
    row('LogMatrixDeterminant', lambda tf, x: list(tf.linalg.slogdet(x)), [SQUARE],
        ref=each(lambda m: (math.copysign(1, cofactors(m)), math.log(abs(cofactors(m)))))),
    row('MatrixInverse', lambda tf, x: tf.matrix_inverse(x), [SQUARE], ref=each(scipy.linalg.inv),
        bad=[not_square('matrix_inverse')], run_bad=[singular('matrix_inverse')]),
    row('MatrixInverse', lambda tf, x: tf.matrix_inverse(x, adjoint=True), [SQUARE],
        ref=each(lambda m: scipy.linalg.inv(m.T)), name='adjoint'),
    row('MatrixSolve', lambda tf, x, y: tf.matrix_solve(x, y), [SQUARE, RIGHT],
        ref=each(scipy.linalg.solve),
        bad=[lambda tf: tf.matrix_solve(tf.zeros([2, 2]), tf.zeros([3, 1]))],
        run_bad=[singular('matrix_solve', [[1.0], [1.0]])]),
    row('MatrixSolve', lambda tf, x, y: tf.matrix_solve(x, y, adjoint=True), [SQUARE, RIGHT],
        ref=each(lambda a, b: scipy.linalg.solve(a.T, b)), name='adjoint'),
    *[row('MatrixTriangularSolve',
          lambda tf, x, y, low=lower, adj=adjoint: tf.matrix_triangular_solve(x, y, low, adj),
          [SQUARE, RIGHT], name=f'lower {lower}, adjoint {adjoint}',
          ref=each(lambda a, b, low=lower, adj=adjoint: scipy.linalg.solve_triangular(
              a, b, lower=low, trans='T' if adj else 'N')),
          run_bad=[singular('matrix_triangular_solve', [[1.0], [1.0]])])
      for lower in (True, False) for adjoint in (False, True)],
    row('MatrixTriangularSolve', lambda tf, x, y: tf.cholesky_solve(x, y), [SQUARE, RIGHT],
        ref=each(lambda a, b: scipy.linalg.cho_solve((a, True), b)), name='cholesky_solve'),
    row('Cholesky', lambda tf, x: tf.cholesky(symmetric(tf, x)), [POSITIVE], tol=1e-5,
        ref=each(lambda m: scipy.linalg.cholesky(symmetric_array(m), lower=True)),
        bad=[not_square('cholesky')], run_bad=[lambda tf: tf.cholesky([[-1.0]])]),
    row('Cholesky', lambda tf, x: tf.linalg.logdet(symmetric(tf, x)), [POSITIVE], tol=1e-5,
        ref=each(lambda m: math.log(cofactors(m))), name='logdet'),
    row('Cholesky', lambda tf, x, y: tf.linalg.lstsq(x, y), [TALL, (4, 2)], unknown=False,
        ref=lambda x, y: scipy.linalg.lstsq(x, y)[0], name='lstsq', tol=1e-5),
]

DECOMPOSITIONS = [
    row('SelfAdjointEigV2', lambda tf, x: [(r := tf.self_adjoint_eig(symmetric(tf, x)))[0],
                                           tf.square(r[1])], [POSITIVE], tol=1e-5, second=False,
        ref=each(lambda m: (lambda e, v: (e, v ** 2))(*scipy.linalg.eigh(symmetric_array(m)))),
        bad=[not_square('self_adjoint_eig')]),
    row('SelfAdjointEigV2', lambda tf, x: tf.self_adjoint_eigvals(symmetric(tf, x)), [POSITIVE],
        ref=each(lambda m: scipy.linalg.eigvalsh(symmetric_array(m))), name='values', tol=1e-5,
        second=False),
    row('Svd', least_squares, [TALL], ref=least_squares_array, tol=1e-5, second=False),
    row('Svd', lambda tf, x: least_squares(tf, tf.matrix_transpose(x)), [TALL],
        ref=lambda x: least_squares_array(x.T), tol=1e-5, second=False, name='wide'),
    row('Svd', lambda tf, x: tf.svd(x, compute_uv=False), [SQUARE], second=False, tol=1e-5,
        ref=each(scipy.linalg.svdvals), name='values'),
    row('Svd', lambda tf, x: [tf.square(t) for t in tf.svd(x, full_matrices=True)[1:]], [TALL],
        grad=False, name='full', static_result=True,
        ref=lambda x: [scipy.linalg.svd(x)[0] ** 2, scipy.linalg.svd(x)[2].T ** 2]),
    row('Svd', lambda tf, x: tf.linalg.pinv(x), [TALL], grad=False, unknown=False, name='pinv',
        ref=scipy.linalg.pinv),
    row('Qr', lambda tf, x: [tf.matmul(*tf.qr(x)), tf.square(tf.qr(x)[0]), tf.square(tf.qr(x)[1])],
        [TALL], unknown=False, second=False, tol=1e-5,
        ref=lambda x: [x] + [m ** 2 for m in scipy.linalg.qr(x, mode='economic')]),
]

NORMS = [
    row(op_type, lambda tf, x, o=order, a=axis: tf.norm(x, ord=o, axis=a), [(3, 2)], low=0.2,
        name=f'norm {order} {axis}', unknown=axis != (0, 1) or order != 2, tol=1e-5,
        ref=lambda x, o=order, a=axis: np.linalg.norm(x.reshape(-1) if a is None else x, o, a))
    for op_type, order, axis in (
        ('Sum', 2, None), ('Sum', 1, 1), ('Max', np.inf, 0), ('Pow', 3, 1), ('Sum', 'fro', (0, 1)),
        ('Max', 1, (0, 1)), ('Max', np.inf, (1, 0)), ('Svd', 2, (0, 1)))
] + [
    row('Sum', lambda tf, x: list(tf.linalg.normalize(x, axis=1)), [(3, 2)], low=0.2,
        name='normalize', ref=lambda x: [x / np.hypot(x[:, :1], x[:, 1:]),
                                         np.hypot(x[:, :1], x[:, 1:])]),
]

ROWS = PRODUCTS + CONTRACTIONS + DIAGONALS + SOLUTIONS + DECOMPOSITIONS + NORMS
