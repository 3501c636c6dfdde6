"""tf.linalg: linear algebra.

Modules of ops/linalg whose every public function belongs here are imported whole: their `__all__`
is the list of names. Of the others the names are listed.
"""
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
from tinyflow.ops.linalg import (
    matmul as _matmul,
    matrix_functions as _matrix_functions,
    norms as _norms,
)
from tinyflow.ops.linalg.decompositions import (
    cholesky,
    cholesky_solve,
    logdet,
    qr,
    self_adjoint_eig as eigh,
    self_adjoint_eigvals as eigvalsh,
    svd,
)
from tinyflow.ops.linalg.matmul import *
from tinyflow.ops.linalg.matrix_functions import *
from tinyflow.ops.linalg.norms import *
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
    'band_part', 'cholesky', 'cholesky_solve', 'det', 'diag', 'diag_part', 'eigh', 'eigvalsh',
    'einsum', 'eye', 'global_norm', 'inv', 'l2_normalize', 'logdet', 'matrix_transpose', 'qr',
    'set_diag', 'slogdet', 'solve', 'svd', 'tensor_diag', 'tensor_diag_part', 'tensordot',
    'trace', 'transpose', 'triangular_solve',
]
__all__ += _matmul.__all__
__all__ += _matrix_functions.__all__
__all__ += _norms.__all__

__getattr__ = _explain_missing(__name__, __all__)
