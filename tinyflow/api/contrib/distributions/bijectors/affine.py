"""Affine: y = scale x + shift for vectors x, where scale is a matrix."""
from __future__ import annotations

from tinyflow.api import linalg, math
from tinyflow.api.contrib.distributions.bijectors.bijector import Bijector, init_scope
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast


class Affine(Bijector):
    """y = scale x + shift. Shapes: x [*a, n] -> [*a, n].

    scale = scale_identity_multiplier I + diag(scale_diag) + scale_tril; the identity without any
    of them. `scale_perturb_factor` is not implemented.
    """

    def __init__(self, shift=None, scale_identity_multiplier=None, scale_diag=None,
                 scale_tril=None, scale_perturb_factor=None, scale_perturb_diag=None,
                 validate_args=False, name='affine'):
        if scale_perturb_factor is not None or scale_perturb_diag is not None:
            raise misuse(NotImplementedError(
                'Affine(scale_perturb_factor=...) is not implemented.\n  Hint: scale_tril='
                'tf.cholesky(matrix) has the same distribution.'))
        parts = [shift, scale_identity_multiplier, scale_diag, scale_tril]
        with init_scope(name, parts):
            kind = next((p.dtype for p in parts if hasattr(p, 'op')), dtypes.float32)
            self._shift, multiplier, diag, tril = [
                None if p is None else convert_to_tensor(p, kind, name=n) for p, n in zip(
                    parts, ('shift', 'scale_identity_multiplier', 'diag', 'tril'))]
            if multiplier is not None and diag is not None:
                diag, multiplier = diag + multiplier[..., None], None
            if tril is not None:
                tril = linalg.band_part(tril, -1, 0)
                extra = diag if diag is not None else multiplier
                if extra is not None:
                    own = linalg.diag_part(tril)
                    extra = extra if diag is not None else extra[..., None]
                    tril = linalg.set_diag(tril, own + extra)
                diag = multiplier = None
        self._multiplier, self._diag, self._tril = multiplier, diag, tril
        super().__init__(
            forward_min_event_ndims=1, is_constant_jacobian=True, dtype=kind,
            graph_parents=[p for p in (self._shift, multiplier, diag, tril) if p is not None],
            validate_args=validate_args, name=name)

    @property
    def shift(self):
        """What is added, or None."""
        return self._shift

    @property
    def scale(self):
        """The factor: a multiplier, the diagonal, or the lower triangle of the matrix."""
        return next((p for p in (self._tril, self._diag, self._multiplier) if p is not None), 1.0)

    def _forward(self, x):
        if self._tril is not None:
            y = math.reduce_sum(self._tril * x[..., None, :], axis=-1)
        elif self._diag is not None:
            y = x * self._diag
        else:
            y = x * self._one_multiplier()
        return y if self._shift is None else y + self._shift

    def _inverse(self, y):
        x = y if self._shift is None else y - self._shift
        if self._tril is not None:
            return self._solved(x)
        return x / (self._diag if self._diag is not None else self._one_multiplier())

    def _one_multiplier(self):
        if self._multiplier is None:
            return convert_to_tensor(1.0, self.dtype)
        return self._multiplier if self._multiplier.shape.ndims == 0 else \
            self._multiplier[..., None]

    def _solved(self, x):
        if self._tril.shape.ndims == 2:
            columns = shaping.reshape(x, [-1, shape_ops.shape(x)[-1]])
            solved = linalg.triangular_solve(self._tril, columns, lower=True, adjoint=False) \
                if columns.shape.ndims is None else linalg.matrix_transpose(
                    linalg.triangular_solve(self._tril, linalg.matrix_transpose(columns)))
            result = shaping.reshape(solved, shape_ops.shape(x))
            result.set_shape(x.shape)
            return result
        tril = self._tril + math.multiply(x[..., None], 0)
        return linalg.triangular_solve(tril, x[..., None])[..., 0]

    def _forward_log_det_jacobian(self, x):
        if self._tril is not None:
            return math.reduce_sum(math.log(math.abs(linalg.diag_part(self._tril))), axis=-1)
        if self._diag is not None:
            return math.reduce_sum(math.log(math.abs(self._diag)), axis=-1)
        size = cast(shape_ops.shape(x)[-1], x.dtype)
        multiplier = 1.0 if self._multiplier is None else self._multiplier
        return size * math.log(math.abs(convert_to_tensor(multiplier, x.dtype)))


__all__ = ['Affine']
