"""Matrix products and decompositions."""
from .registry import program, run


@program
def matmul_forms(tf, np):
    a = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    b = tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    fetches = [tf.matmul(a, b), tf.matmul(a, a, transpose_b=True),
               tf.matmul(a, a, transpose_a=True),
               tf.matmul(a, b, True, True), tf.matmul(a, b, name='product'),
               tf.matmul(a, a, adjoint_b=True),
               tf.matmul([[1, 2]], [[3], [4]])]
    return [run(fetches)]


@program
def matmul_unknown_shapes(tf, np):
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.placeholder(tf.float32, [2, None])
    return [run([tf.matmul(x, y), tf.matmul(y, x), tf.matmul(x, x, transpose_a=True)],
                {x: [[1, 2], [3, 4], [5, 6]], y: [[1, 0, 1], [0, 1, 1]]})]


@program
def batch_matmul(tf, np):
    a = tf.constant(np.arange(12, dtype=np.float32).reshape(2, 2, 3))
    b = tf.placeholder(tf.float32, [2, None, 2])
    fetches = [tf.matmul(a, b), tf.matmul(a, a, transpose_b=True), tf.matmul(a, a, adjoint_a=True)]
    return [run(fetches, {b: np.ones([2, 3, 2])})]


@program
def tensordot_forms(tf, np):
    a = tf.constant(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    w = tf.constant(np.arange(8, dtype=np.float32).reshape(4, 2))
    x = tf.placeholder(tf.float32, [None, 3, 4])
    v = tf.constant([1.0, 2.0])
    fetches = [tf.tensordot(a, w, 1), tf.tensordot(a, a, [[0, 1], [0, 1]]), tf.tensordot(v, v, 1),
               tf.tensordot(x, w, axes=[[2], [0]]), tf.tensordot(v, v, 0)]
    return [run(fetches, {x: np.ones([1, 3, 4])})]


@program
def einsum_forms(tf, np):
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    c = tf.constant(np.arange(8, dtype=np.float32).reshape(2, 2, 2))
    v = tf.constant([1.0, -1.0])
    fetches = [tf.einsum('ij,jk->ik', a, a), tf.einsum('ij->ji', a), tf.einsum('i,i->', v, v),
               tf.einsum('i,j->ij', v, v), tf.einsum('bij,bjk->bik', c, c),
               tf.einsum('ij,j->i', a, v)]
    return [run(fetches)]


@program
def diagonals_and_trace(tf, np):
    m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    fetches = [tf.diag([1.0, 2.0]), tf.diag_part(m), tf.matrix_diag([[1.0, 2.0], [3.0, 4.0]]),
               tf.matrix_diag_part(m), tf.trace(m), tf.matrix_set_diag(m, [9.0, 9.0]),
               tf.matrix_band_part(m, 0, -1), tf.linalg.diag([5, 6])]
    return [run(fetches)]


@program
def determinant_and_inverse(tf, np):
    m = tf.constant([[4.0, 1.0], [2.0, 3.0]])
    fetches = [tf.matrix_determinant(m), tf.matrix_inverse(m), tf.matrix_inverse(m, adjoint=True),
               tf.matrix_solve(m, [[1.0], [2.0]]), tf.linalg.det(tf.stack([m, 2 * m])),
               tf.linalg.inv(m)]
    return [run(fetches)]


@program
def cholesky_family(tf, np):
    m = tf.constant([[4.0, 2.0], [2.0, 3.0]], tf.float64)
    rhs = tf.constant([[1.0], [2.0]], tf.float64)
    c = tf.cholesky(m)
    fetches = [c, tf.cholesky_solve(c, rhs), tf.matrix_triangular_solve(c, rhs, lower=True),
               tf.matrix_solve_ls(m, rhs), tf.self_adjoint_eigvals(m), tf.svd(m, compute_uv=False)]
    return [run(fetches)]


@program
def norms(tf, np):
    m = tf.constant([[3.0, -4.0], [0.0, 12.0]])
    fetches = [tf.norm(m), tf.norm(m, axis=1), tf.norm(m, ord=1, axis=0),
               tf.norm(m, ord=np.inf, axis=1),
               tf.norm(m, ord='fro', axis=[0, 1]), tf.norm(m, 3), tf.norm(m, axis=1, keepdims=True)]
    return [run(fetches)]


@program
def cross_product(tf, np):
    return [run([tf.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
                 tf.linalg.matvec([[1.0, 2.0]], [3.0, 4.0])])]


@program
def normal_equation(tf, np):
    x = tf.constant([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], name='X')
    y = tf.constant([[1.0], [2.0], [2.5]], name='y')
    xt = tf.transpose(x)
    theta = tf.matmul(tf.matmul(tf.matrix_inverse(tf.matmul(xt, x)), xt), y)
    return [run(theta)]


@program
def einsum_of_unknown_sizes(tf, np):
    """A size that both inputs of a product need is computed once, from the first."""
    a = tf.placeholder(tf.float32, [2, None])
    b = tf.placeholder(tf.float32, [None, None])
    batch = tf.placeholder(tf.float32, [None, None, None])
    fetches = [tf.einsum('ij,kj->ik', a, b), tf.einsum('ij,jk->ik', b, b),
               tf.einsum('bij,bi->bj', batch, b), tf.einsum('bij,bjk->bik', batch, batch),
               tf.einsum('ij,jk->ik', a, tf.ones([3, 4]))]
    cube = np.arange(27, dtype=np.float32).reshape(3, 3, 3)
    return [run(fetches, {a: cube[0, :2], b: cube[1], batch: cube})]
