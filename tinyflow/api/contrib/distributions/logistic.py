"""The logistic distribution, whose distribution function is a sigmoid."""
from __future__ import annotations

import math as python_math

import numpy as np

from tinyflow.api import math
from tinyflow.api.distributions.distribution import FULLY_REPARAMETERIZED
from tinyflow.api.distributions.parameters import same_float_dtype
from tinyflow.api.distributions.scalars import ScalarDistribution
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.ops.array import constants, joining
from tinyflow.ops.array.identity_and_cast import identity
from tinyflow.ops.checks.value_checks import assert_positive
from tinyflow.ops.random.random_functions import random_uniform


class Logistic(ScalarDistribution):
    """exp(-z) / (scale (1 + exp(-z))^2), z = (x - loc) / scale: [*a], [*b] -> [*broadcast(a, b)].
    """

    _shaping = ('loc', 'scale')

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Logistic'):
        with name_scope(name, values=[loc, scale]) as name:
            with control_dependencies([assert_positive(scale)] if validate_args else []):
                self._loc = identity(loc, name='loc')
                self._scale = identity(scale, name='scale')
                same_float_dtype(self._loc, self._scale)
        super().__init__(self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[self._loc, self._scale], name=name)

    @property
    def loc(self):
        """The mean."""
        return self._loc

    @property
    def scale(self):
        """The unit of distances from `loc`."""
        return self._scale

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
