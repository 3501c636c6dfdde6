"""The Cauchy distribution, which has no mean."""
from __future__ import annotations

import math as python_math

import numpy as np

from tinyflow.api import math
from tinyflow.api.distributions.location_scale import LocationScale
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining
from tinyflow.ops.random.random_functions import random_uniform


class Cauchy(LocationScale):
    """1 / (pi scale (1 + z^2)), z = (x - loc) / scale: [*a], [*b] -> [*broadcast(a, b)]."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name='Cauchy'):
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)

    def _sample_n(self, n, seed=None):
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        return self._quantile(random_uniform(shape, minval=0.0, maxval=1.0, dtype=self.dtype,
                                             seed=seed))

    def _quantile(self, p):
        return self.loc + self.scale * math.tan(python_math.pi * (p - 0.5))

    def _log_prob(self, x):
        return (-math.log1p(math.square(self._z(x))) - python_math.log(python_math.pi)
                - math.log(self.scale))

    def _cdf(self, x):
        return math.atan(self._z(x)) / python_math.pi + 0.5

    def _log_cdf(self, x):
        return math.log1p(2 / python_math.pi * math.atan(self._z(x))) - python_math.log(2.0)

    def _entropy(self):
        return (python_math.log(4 * python_math.pi)
                + math.log(self.scale * constants.ones_like(self.loc)))

    def _mode(self):
        return self.loc * constants.ones_like(self.scale)

    def _mean(self):
        return self._undefined('mean')

    def _stddev(self):
        return self._undefined('stddev')

    def _undefined(self, moment):
        if not self.allow_nan_stats:
            raise misuse(ValueError(f'`{moment}` is undefined for Cauchy distribution.'))
        return constants.fill(self.batch_shape_tensor(), self.dtype.np.type(np.nan))

    def _z(self, x):
        with name_scope('standardize'):
            return (x - self.loc) / self.scale


__all__ = ['Cauchy']
