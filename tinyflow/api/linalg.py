"""tf.linalg: linear algebra."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.array.diagonals import (
    diag as tensor_diag,
    diag_part as tensor_diag_part,
    eye,
    matrix_band_part as band_part,
    matrix_diag as diag,
    matrix_diag_part as diag_part,
    matrix_set_diag as set_diag,
    trace,
)
from tinyflow.ops.array.shaping import matrix_transpose, matrix_transpose as transpose
from tinyflow.ops.linalg.decompositions import (
    cholesky,
    cholesky_solve,
    logdet,
    qr,
    self_adjoint_eig as eigh,
    self_adjoint_eigvals as eigvalsh,
    svd,
)
from tinyflow.ops.linalg.matmul import adjoint, cross, matmul, matvec
from tinyflow.ops.linalg.matrix_functions import expm, logm, lu, matrix_rank, sqrtm
from tinyflow.ops.linalg.norms import lstsq, norm, normalize, pinv
from tinyflow.ops.linalg.solving import (
    matrix_determinant as det,
    matrix_inverse as inv,
    matrix_solve as solve,
    matrix_triangular_solve as triangular_solve,
    slogdet,
)
from tinyflow.ops.math.clip import global_norm
from tinyflow.ops.math.contractions import einsum, tensordot
from tinyflow.ops.nn.normalization import l2_normalize

__all__ = [
    'adjoint', 'band_part', 'cholesky', 'cholesky_solve', 'cross', 'det', 'diag', 'diag_part',
    'eigh', 'eigvalsh', 'einsum', 'expm', 'eye', 'global_norm', 'inv', 'l2_normalize', 'logdet',
    'logm', 'lstsq', 'lu', 'matmul', 'matrix_rank', 'matrix_transpose', 'matvec', 'norm',
    'normalize', 'pinv', 'qr', 'set_diag', 'slogdet', 'solve', 'sqrtm', 'svd', 'tensor_diag',
    'tensor_diag_part', 'tensordot', 'trace', 'transpose', 'triangular_solve',
]

__getattr__ = _explain_missing(__name__, __all__)
