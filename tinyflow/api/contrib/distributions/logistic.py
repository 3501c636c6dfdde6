"""The logistic distribution, whose distribution function is a sigmoid."""
from __future__ import annotations

import math as python_math

import numpy as np

from tinyflow.api import math
from tinyflow.api.distributions.location_scale import LocationScale
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array import constants, joining
from tinyflow.ops.random.random_functions import random_uniform


class Logistic(LocationScale):
    """exp(-z) / (scale (1 + exp(-z))^2), z = (x - loc) / scale: [*a], [*b] -> [*broadcast(a, b)].
    """

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Logistic'):
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)

    def _sample_n(self, n, seed=None):
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        drawn = random_uniform(shape, minval=np.finfo(self.dtype.np).tiny, maxval=1.0,
                               dtype=self.dtype, seed=seed)
        return (math.log(drawn) - math.log1p(-drawn)) * self.scale + self.loc

    def _log_prob(self, x):
        z = self._z(x)
        return -z - 2.0 * math.softplus(-z) - math.log(self.scale)

    def _log_cdf(self, x):
        return -math.softplus(-self._z(x))

    def _cdf(self, x):
        return math.sigmoid(self._z(x))

    def _log_survival_function(self, x):
        return -math.softplus(self._z(x))

    def _survival_function(self, x):
        return math.sigmoid(-self._z(x))

    def _entropy(self):
        return 2 + math.log(self.scale * constants.ones_like(self.loc))

    def _mean(self):
        return self.loc * constants.ones_like(self.scale)

    def _stddev(self):
        return self.scale * constants.ones_like(self.loc) * python_math.pi / python_math.sqrt(3)

    _mode = _mean

    def _z(self, x):
        with name_scope('standardize'):
            return (x - self.loc) / self.scale


__all__ = ['Logistic']
