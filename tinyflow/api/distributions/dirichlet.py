"""The Dirichlet distribution, of vectors of positive numbers whose sum is 1."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.api.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from tinyflow.api.distributions.divergence import RegisterKL
from tinyflow.api.distributions.parameters import checked, nan_unless
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, diagonals, shape_ops
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.where_v2 import where_v2
from tinyflow.ops.checks import value_checks
from tinyflow.ops.control_flow.grouping import with_dependencies
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.math.unary import xlogy
from tinyflow.ops.random.random_functions import random_gamma


class Concentrations(Distribution):
    """Base of the distributions of vectors that have a concentration for each part."""

    @property
    def concentration(self):
        """The parameter of each part: [*a, k]."""
        return self._concentration

    @property
    def total_concentration(self):
        """The sum of the parameters: [*a]."""
        return self._total

    def _batch_shape_tensor(self):
        return shape_ops.shape(self.total_concentration)

    def _batch_shape(self):
        return self.total_concentration.shape

    def _event_shape_tensor(self):
        return shape_ops.shape(self.concentration)[-1:]

    def _event_shape(self):
        return self.concentration.shape[-1:]


def checked_concentration(concentration, validate):
    """The parameter of a Dirichlet, checked when run if `validate`."""
    if not validate:
        return concentration
    if concentration.shape.ndims is not None and concentration.shape.ndims < 1:
        raise misuse(ValueError('Concentration parameter must have at least one dimension.'))
    return with_dependencies([
        value_checks.assert_positive(
            concentration, message='Concentration parameter must be positive.'),
        value_checks.assert_less(1, shape_ops.shape(concentration)[-1],
                                 message='Concentration parameter must have event_size >= 2.')],
        concentration)


class Dirichlet(Concentrations):
    """The product of x_i^(concentration_i - 1), normalized.

    Shapes: concentration [*a, k] -> batch [*a], event [k].
    """

    def __init__(self, concentration, validate_args=False, allow_nan_stats=True,
                 name='Dirichlet'):
        with name_scope(name, values=[concentration]) as name:
            self._concentration = checked_concentration(
                convert_to_tensor(concentration, name='concentration'), validate_args)
            self._total = math.reduce_sum(self._concentration, -1)
        super().__init__(self._concentration.dtype, FULLY_REPARAMETERIZED, validate_args,
                         allow_nan_stats, graph_parents=[self._concentration, self._total],
                         name=name)

    def _sample_n(self, n, seed=None):
        drawn = random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        return drawn / math.reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, x):
        x = checked(lambda: [
            value_checks.assert_positive(x, message='samples must be positive'),
            value_checks.assert_near(constants.ones([], self.dtype), math.reduce_sum(x, -1),
                                     message='sample last-dimension must sum to `1`')],
            x, self.validate_args)
        unnormalized = math.reduce_sum(xlogy(self.concentration - 1.0, x), -1)
        return unnormalized - math.lbeta(self.concentration)

    def _entropy(self):
        k = cast(self.event_shape_tensor()[0], self.dtype)
        return (math.lbeta(self.concentration)
                + (self.total_concentration - k) * math.digamma(self.total_concentration)
                - math.reduce_sum((self.concentration - 1.0) * math.digamma(self.concentration),
                                  axis=-1))

    def _mean(self):
        return self.concentration / self.total_concentration[..., None]

    def _covariance(self):
        x = self._scale() * self._mean()
        return diagonals.matrix_set_diag(-matmul(x[..., None], x[..., None, :]),
                                         self._variance())

    def _variance(self):
        scale = self._scale()
        x = scale * self._mean()
        return x * (scale - x)

    def _scale(self):
        """The root of what the variance of each part has in common."""
        return math.rsqrt(1.0 + self.total_concentration[..., None])

    def _mode(self):
        k = cast(self.event_shape_tensor()[0], self.dtype)
        mode = (self.concentration - 1.0) / (self.total_concentration[..., None] - k)
        if self.allow_nan_stats:
            return _nan_rows(mode, self.concentration)
        return nan_unless(None, mode, None, False, lambda: [value_checks.assert_less(
            constants.ones([], self.dtype), self.concentration,
            message='Mode undefined when any concentration <= 1')])


def _nan_rows(mode, concentration):
    nan = constants.fill(shape_ops.shape(mode), mode.dtype.np.type(float('nan')), name='nan')
    return where_v2(math.reduce_all(concentration > 1.0, axis=-1, keepdims=True), mode, nan)


@RegisterKL(Dirichlet, Dirichlet)
def _divergence(a, b, name=None):
    with name_scope(name, 'kl_dirichlet_dirichlet', [a.concentration, b.concentration]):
        digamma_of_sum = math.digamma(math.reduce_sum(a.concentration, axis=-1, keepdims=True))
        difference = math.digamma(a.concentration) - digamma_of_sum
        excess = a.concentration - b.concentration
        return (math.reduce_sum(excess * difference, axis=-1)
                - math.lbeta(a.concentration) + math.lbeta(b.concentration))


__all__ = ['Concentrations', 'Dirichlet', 'checked_concentration']
