"""Normal distributions of vectors: x = loc + scale z, where z has independent standard parts."""
from __future__ import annotations

import math as python_math

from tinyflow.api import math
from tinyflow.api.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from tinyflow.api.distributions.divergence import RegisterKL
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, diagonals, joining, shape_ops
from tinyflow.ops.linalg.decompositions import cholesky
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.linalg.solving import matrix_triangular_solve
from tinyflow.ops.random.random_functions import random_normal


class _MultivariateNormal(Distribution):
    """Base: a subclass has _times(z), _solve(x), _log_determinant(), _scale_matrix(), _diagonal.

    Shapes: loc [*a, k] (0 if None), the scale [*b, k] or [*b, k, k] -> batch [*broadcast(a, b)],
    event [k].
    """

    def _init(self, loc, rows, validate_args, allow_nan_stats, name):
        """`rows` is a tensor with the static and dynamic shape [*b, k]."""
        self._loc, self._rows = loc, rows
        super().__init__(rows.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[rows] + ([] if loc is None else [loc]), name=name)

    @property
    def loc(self):
        """The mean, or None for zeros."""
        return self._loc

    def _shape_tensor(self):
        rows = shape_ops.shape(self._rows)
        return rows if self._loc is None else shape_ops.broadcast_dynamic_shape(
            shape_ops.shape(self._loc), rows)

    def _shape(self):
        return self._rows.shape if self._loc is None else shape_ops.broadcast_static_shape(
            self._loc.shape, self._rows.shape)

    def _batch_shape_tensor(self):
        return self._shape_tensor()[:-1]

    def _batch_shape(self):
        return self._shape()[:-1]

    def _event_shape_tensor(self):
        return self._shape_tensor()[-1:]

    def _event_shape(self):
        return self._shape()[-1:]

    def _sample_n(self, n, seed=None):
        shape = joining.concat([[n], self._shape_tensor()], 0)
        x = self._times(random_normal(shape, dtype=self.dtype, seed=seed))
        return x if self._loc is None else x + self._loc

    def _log_prob(self, x):
        z = self._solve(x if self._loc is None else x - self._loc)
        k = math.reduce_sum(constants.ones_like(z), axis=-1)
        return (-0.5 * math.reduce_sum(math.square(z), axis=-1)
                - 0.5 * python_math.log(2 * python_math.pi) * k - self._log_determinant())

    def _entropy(self):
        wide = constants.ones(self._shape_tensor(), self.dtype)
        return (0.5 * (1 + python_math.log(2 * python_math.pi)) * math.reduce_sum(wide, -1)
                + self._log_determinant())

    def _mean(self):
        zeros = constants.zeros(self._shape_tensor(), self.dtype)
        return zeros if self._loc is None else self._loc + zeros

    _mode = _mean

    def _covariance(self):
        scale = self._scale_matrix()
        return matmul(scale, scale, transpose_b=True)

    def _variance(self):
        return math.reduce_sum(math.square(self._scale_matrix()), axis=-1)


class MultivariateNormalDiag(_MultivariateNormal):
    """Independent parts with the standard deviations `scale_diag`.

    With `scale_identity_multiplier` [*b] the deviations are that, plus `scale_diag` if given.
    """

    def __init__(self, loc=None, scale_diag=None, scale_identity_multiplier=None,
                 validate_args=False, allow_nan_stats=True, name='MultivariateNormalDiag'):
        with name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as name:
            loc = None if loc is None else convert_to_tensor(loc, name='loc')
            if scale_diag is None and scale_identity_multiplier is None and loc is None:
                raise misuse(ValueError('Need to specify at least one of `loc`, `scale_diag` and '
                                        '`scale_identity_multiplier`.'))
            rows = None if scale_diag is None else convert_to_tensor(scale_diag,
                                                                     name='scale_diag')
            if scale_identity_multiplier is not None:
                same = convert_to_tensor(scale_identity_multiplier,
                                         name='scale_identity_multiplier')[..., None]
                rows = same * _ones(loc) if rows is None else rows + same
            self._diagonal = _ones(loc) if rows is None else rows
        self._init(loc, self._diagonal, validate_args, allow_nan_stats, name)

    def _times(self, z):
        return self._diagonal * z

    def _solve(self, x):
        return x / self._diagonal

    def _log_determinant(self):
        return math.reduce_sum(math.log(math.abs(self._diagonal)), axis=-1)

    def _scale_matrix(self):
        return diagonals.matrix_diag(self._diagonal)

    def _variance(self):
        return math.square(self._diagonal)

    def _stddev(self):
        return math.abs(self._diagonal)


def _ones(loc):
    """A vector of ones, as long as the last axis of loc, or one number if there is no loc."""
    return 1.0 if loc is None else constants.ones(shape_ops.shape(loc)[-1:], loc.dtype)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """MultivariateNormalDiag with the deviations softplus(scale_diag)."""

    def __init__(self, loc, scale_diag, validate_args=False, allow_nan_stats=True,
                 name='MultivariateNormalDiagWithSoftplusScale'):
        with name_scope(name, values=[scale_diag]) as name:
            scale_diag = math.softplus(scale_diag)
        super().__init__(loc, scale_diag, None, validate_args, allow_nan_stats, name)


class MultivariateNormalTriL(_MultivariateNormal):
    """With a lower triangular `scale_tril`, the Cholesky factor of the covariance."""

    def __init__(self, loc=None, scale_tril=None, validate_args=False, allow_nan_stats=True,
                 name='MultivariateNormalTriL'):
        with name_scope(name, values=[loc, scale_tril]) as name:
            loc = None if loc is None else convert_to_tensor(loc, name='loc')
            if scale_tril is None:
                if loc is None:
                    raise misuse(ValueError('Must specify one or both of `loc`, `scale_tril`.'))
                self._matrix = diagonals.matrix_diag(constants.ones_like(loc))
            else:
                self._matrix = diagonals.matrix_band_part(
                    convert_to_tensor(scale_tril, name='scale_tril'), -1, 0)
        self._init(loc, self._matrix[..., 0], validate_args, allow_nan_stats, name)

    def _times(self, z):
        return math.reduce_sum(self._matrix * z[..., None, :], axis=-1)

    def _solve(self, x):
        shape = shape_ops.broadcast_dynamic_shape(shape_ops.shape(x),
                                                  shape_ops.shape(self._rows))
        x = x + constants.zeros(shape, self.dtype)
        matrix = self._matrix + constants.zeros(joining.concat([shape, shape[-1:]], 0),
                                                self.dtype)
        return matrix_triangular_solve(matrix, x[..., None])[..., 0]

    def _log_determinant(self):
        return math.reduce_sum(math.log(math.abs(diagonals.matrix_diag_part(self._matrix))), -1)

    def _scale_matrix(self):
        return self._matrix


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """With the covariance itself, a symmetric positive definite matrix."""

    def __init__(self, loc=None, covariance_matrix=None, validate_args=False,
                 allow_nan_stats=True, name='MultivariateNormalFullCovariance'):
        with name_scope(name, values=[loc, covariance_matrix]) as name:
            factor = None if covariance_matrix is None else cholesky(
                convert_to_tensor(covariance_matrix, name='covariance_matrix'))
        super().__init__(loc, factor, validate_args, allow_nan_stats, name)


@RegisterKL(_MultivariateNormal, _MultivariateNormal)
def _divergence(a, b, name=None):
    with name_scope(name, 'kl_mvn'):
        distance = b._solve(b._mean() - a._mean())
        if isinstance(a, MultivariateNormalDiag) and isinstance(b, MultivariateNormalDiag):
            traces = math.reduce_sum(math.square(a._diagonal / b._diagonal), axis=-1)
        else:
            relative = matrix_triangular_solve(b._scale_matrix(), a._scale_matrix())
            traces = math.reduce_sum(math.square(relative), axis=[-1, -2])
        k = math.reduce_sum(constants.ones_like(distance), axis=-1)
        return (b._log_determinant() - a._log_determinant()
                + 0.5 * (-k + traces + math.reduce_sum(math.square(distance), axis=-1)))


__all__ = ['MultivariateNormalDiag', 'MultivariateNormalDiagWithSoftplusScale',
           'MultivariateNormalFullCovariance', 'MultivariateNormalTriL']
