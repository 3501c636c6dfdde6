"""The normal distribution, and its distribution function."""
from __future__ import annotations

import math as python_math

from tinyflow.api import math
from tinyflow.api.distributions.divergence import RegisterKL
from tinyflow.api.distributions.location_scale import LocationScale
from tinyflow.api.distributions.special import log_ndtr, ndtr, ndtri
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array import constants, joining
from tinyflow.ops.random.random_functions import random_normal


class Normal(LocationScale):
    """exp(-z^2 / 2) / (scale sqrt(2 pi)) with z = (x - loc) / scale.

    Shapes: loc [*a], scale [*b] -> batch [*broadcast(a, b)].
    """

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Normal'):
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)

    def _sample_n(self, n, seed=None):
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        drawn = random_normal(shape, mean=0.0, stddev=1.0, dtype=self.loc.dtype, seed=seed)
        return drawn * self.scale + self.loc

    def _log_prob(self, x):
        unnormalized = -0.5 * math.square(self._z(x))
        return unnormalized - (0.5 * python_math.log(2 * python_math.pi) + math.log(self.scale))

    def _log_cdf(self, x):
        return log_ndtr(self._z(x))

    def _cdf(self, x):
        return ndtr(self._z(x))

    def _log_survival_function(self, x):
        return log_ndtr(-self._z(x))

    def _survival_function(self, x):
        return ndtr(-self._z(x))

    def _entropy(self):
        scale = self.scale * constants.ones_like(self.loc)
        return 0.5 + 0.5 * python_math.log(2 * python_math.pi) + math.log(scale)

    def _mean(self):
        return self.loc * constants.ones_like(self.scale)

    def _quantile(self, p):
        z = ndtri(p)
        with name_scope('reconstruct'):
            return z * self.scale + self.loc

    def _stddev(self):
        return self.scale * constants.ones_like(self.loc)

    _mode = _mean

    def _z(self, x):
        with name_scope('standardize'):
            return (x - self.loc) / self.scale


@RegisterKL(Normal, Normal)
def _divergence(a, b, name=None):
    with name_scope(name, 'kl_normal_normal', [a.loc, b.loc]):
        one = constants.constant(1, a.dtype)
        two = constants.constant(2, a.dtype)
        half = constants.constant(0.5, a.dtype)
        variance_a, variance_b = math.square(a.scale), math.square(b.scale)
        ratio = variance_a / variance_b
        return (math.squared_difference(a.loc, b.loc) / (two * variance_b)
                + half * (ratio - one - math.log(ratio)))


__all__ = ['Normal']
