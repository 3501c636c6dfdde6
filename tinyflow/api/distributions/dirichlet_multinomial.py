"""The Dirichlet-multinomial distribution: draws of classes whose probabilities are drawn first."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.api.distributions.dirichlet import Concentrations, checked_concentration
from tinyflow.api.distributions.distribution import NOT_REPARAMETERIZED
from tinyflow.api.distributions.parameters import (
    check_counts,
    checked,
    log_combinations,
    new_seed,
)
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array import diagonals, joining, shaping
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.where_onehot import one_hot
from tinyflow.ops.checks import value_checks
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.random.random_functions import multinomial, random_gamma


class DirichletMultinomial(Concentrations):
    """How often each class came in `total_count` draws, with probabilities from a Dirichlet.

    Shapes: total_count [*a], concentration [*a, k] -> batch [*a], event [k].
    """

    def __init__(self, total_count, concentration, validate_args=False, allow_nan_stats=True,
                 name='DirichletMultinomial'):
        with name_scope(name, values=[total_count, concentration]) as name:
            self._total_count = convert_to_tensor(total_count, name='total_count')
            if validate_args:
                self._total_count = check_counts(self._total_count, True)
            self._concentration = checked_concentration(
                convert_to_tensor(concentration, name='concentration'), validate_args)
            self._total = math.reduce_sum(self._concentration, -1)
        super().__init__(self._concentration.dtype, NOT_REPARAMETERIZED, validate_args,
                         allow_nan_stats,
                         graph_parents=[self._total_count, self._concentration], name=name)

    @property
    def total_count(self):
        """The number of draws."""
        return self._total_count

    def _sample_n(self, n, seed=None):
        draws = cast(self.total_count, dtypes.int32)
        k = self.event_shape_tensor()[0]
        weights = math.log(random_gamma([n], self.concentration, dtype=self.dtype, seed=seed))
        weights = shaping.reshape(weights, [-1, k])
        drawn = multinomial(weights, draws, seed=new_seed(seed, 'dirichlet_multinomial'))
        x = math.reduce_sum(one_hot(drawn, depth=k), -2)
        shape = joining.concat([[n], self.batch_shape_tensor(), [k]], 0)
        return cast(shaping.reshape(x, shape), self.dtype)

    def _log_prob(self, counts):
        counts = check_counts(counts, self.validate_args)
        counts = checked(lambda: [value_checks.assert_equal(
            self.total_count, math.reduce_sum(counts, -1),
            message='counts last-dimension must sum to `self.total_count`')],
            counts, self.validate_args)
        ordered = math.lbeta(self.concentration + counts) - math.lbeta(self.concentration)
        return ordered + log_combinations(self.total_count, counts)

    def _mean(self):
        return self.total_count * (self.concentration / self.total_concentration[..., None])

    def _covariance(self):
        x = self._scale() * self._mean()
        return diagonals.matrix_set_diag(-matmul(x[..., None], x[..., None, :]),
                                         self._variance())

    def _variance(self):
        scale = self._scale()
        x = scale * self._mean()
        return x * (self.total_count * scale - x)

    def _scale(self):
        """The root of what the variance of each part has in common."""
        total = self.total_concentration[..., None]
        return math.sqrt((1.0 + total / self.total_count) / (1.0 + total))


__all__ = ['DirichletMultinomial']
