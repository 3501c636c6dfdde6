"""tf.linalg: matrices, under the names of TF1."""
from tinyflow.ops.clip import global_norm
from tinyflow.ops.contractions import einsum, tensordot
from tinyflow.ops.decompositions import (
    cholesky,
    cholesky_solve,
    logdet,
    qr,
    slogdet,
    svd,
)
from tinyflow.ops.decompositions import (
    matrix_determinant as det,
)
from tinyflow.ops.decompositions import (
    matrix_inverse as inv,
)
from tinyflow.ops.decompositions import (
    matrix_solve as solve,
)
from tinyflow.ops.decompositions import (
    matrix_triangular_solve as triangular_solve,
)
from tinyflow.ops.decompositions import (
    self_adjoint_eig as eigh,
)
from tinyflow.ops.decompositions import (
    self_adjoint_eigvals as eigvalsh,
)
from tinyflow.ops.diagonals import (
    diag as tensor_diag,
)
from tinyflow.ops.diagonals import (
    diag_part as tensor_diag_part,
)
from tinyflow.ops.diagonals import (
    eye,
    trace,
)
from tinyflow.ops.diagonals import (
    matrix_band_part as band_part,
)
from tinyflow.ops.diagonals import (
    matrix_diag as diag,
)
from tinyflow.ops.diagonals import (
    matrix_diag_part as diag_part,
)
from tinyflow.ops.diagonals import (
    matrix_set_diag as set_diag,
)
from tinyflow.ops.linalg import adjoint, cross, matmul, matvec
from tinyflow.ops.normalization import l2_normalize
from tinyflow.ops.norms import lstsq, norm, normalize, pinv
from tinyflow.ops.shaping import matrix_transpose
from tinyflow.ops.shaping import matrix_transpose as transpose

__all__ = [
    'adjoint', 'band_part', 'cholesky', 'cholesky_solve', 'cross', 'det', 'diag', 'diag_part',
    'eigh', 'eigvalsh', 'einsum', 'eye', 'global_norm', 'inv', 'l2_normalize', 'logdet', 'lstsq',
    'matmul', 'matrix_transpose', 'matvec', 'norm', 'normalize', 'pinv', 'qr', 'set_diag',
    'slogdet', 'solve', 'svd', 'tensor_diag', 'tensor_diag_part', 'tensordot', 'trace',
    'transpose', 'triangular_solve',
]
