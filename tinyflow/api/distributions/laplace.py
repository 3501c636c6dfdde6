"""The Laplace distribution: two exponential ones, back to back."""
from __future__ import annotations

import math as python_math

import numpy as np

from tinyflow.api import math
from tinyflow.api.distributions.location_scale import LocationScale
from tinyflow.api.distributions.special import log_cdf_laplace
from tinyflow.ops.array import constants, joining
from tinyflow.ops.random.random_functions import random_uniform


class Laplace(LocationScale):
    """exp(-|x - loc| / scale) / (2 scale). Shapes: loc [*a], scale [*b] -> [*broadcast(a, b)]."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Laplace'):
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)

    def _sample_n(self, n, seed=None):
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        # Of -1 the logarithm below would be infinite.
        number = self.dtype.np.type
        drawn = random_uniform(shape, minval=np.nextafter(number(-1.0), number(0.0)), maxval=1.0,
                               dtype=self.dtype, seed=seed)
        return self.loc - self.scale * math.sign(drawn) * math.log1p(-math.abs(drawn))

    def _log_prob(self, x):
        return -math.abs(self._z(x)) - (python_math.log(2.0) + math.log(self.scale))

    def _log_cdf(self, x):
        return log_cdf_laplace(self._z(x))

    def _log_survival_function(self, x):
        return log_cdf_laplace(-self._z(x))

    def _cdf(self, x):
        z = self._z(x)
        return 0.5 + 0.5 * math.sign(z) * (1.0 - math.exp(-math.abs(z)))

    def _entropy(self):
        scale = self.scale + constants.zeros_like(self.loc)
        return python_math.log(2.0) + 1 + math.log(scale)

    def _mean(self):
        return self.loc + constants.zeros_like(self.scale)

    def _stddev(self):
        return python_math.sqrt(2.0) * self.scale + constants.zeros_like(self.loc)

    _mode = _mean

    def _z(self, x):
        return (x - self.loc) / self.scale


__all__ = ['Laplace']
