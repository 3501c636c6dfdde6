"""The uniform distribution between two numbers."""
from __future__ import annotations

import math as python_math

from tinyflow.api import math
from tinyflow.api.distributions.distribution import FULLY_REPARAMETERIZED
from tinyflow.api.distributions.parameters import same_float_dtype
from tinyflow.api.distributions.scalars import ScalarDistribution
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.ops.array import constants, joining, shape_ops
from tinyflow.ops.array.identity_and_cast import identity
from tinyflow.ops.array.where_v2 import where_v2
from tinyflow.ops.checks.value_checks import assert_less
from tinyflow.ops.random.random_functions import random_uniform


class Uniform(ScalarDistribution):
    """1 / (high - low) for low <= x < high. Shapes: low [*a], high [*b] -> [*broadcast(a, b)]."""

    _shaping = ('low', 'high')

    def __init__(self, low=0.0, high=1.0, validate_args=False, allow_nan_stats=True,
                 name='Uniform'):
        with name_scope(name, values=[low, high]) as name:
            checks = [assert_less(low, high, message='uniform not defined when low >= high.')
                      ] if validate_args else []
            with control_dependencies(checks):
                self._low = identity(low, name='low')
                self._high = identity(high, name='high')
                same_float_dtype(self._low, self._high)
        super().__init__(self._low.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[self._low, self._high], name=name)

    @property
    def low(self):
        """The least number."""
        return self._low

    @property
    def high(self):
        """The number below which all are."""
        return self._high

    def range(self, name='range'):
        """high - low."""
        with self._name_scope(name):
            return self.high - self.low

    def _sample_n(self, n, seed=None):
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        drawn = random_uniform(shape, dtype=self.dtype, seed=seed)
        return self.low + self.range() * drawn

    def _prob(self, x):
        x = x * constants.ones(self.batch_shape_tensor(), dtype=x.dtype)
        missing = math.is_nan(x)
        outside = math.logical_or(x < self.low, x >= self.high)
        density = where_v2(outside, constants.zeros_like(x),
                           constants.ones_like(x) / self.range())
        return where_v2(missing, x, density)

    def _cdf(self, x):
        shape = shape_ops.broadcast_dynamic_shape(shape_ops.shape(x), self.batch_shape_tensor())
        zeros, ones = constants.zeros(shape, self.dtype), constants.ones(shape, self.dtype)
        wide = x * ones
        inside = where_v2(x < self.low, zeros, (wide - self.low) / self.range())
        return where_v2(x >= self.high, ones, inside)

    def _entropy(self):
        return math.log(self.range())

    def _mean(self):
        return (self.low + self.high) / 2.0

    def _variance(self):
        return math.square(self.range()) / 12.0

    def _stddev(self):
        return self.range() / python_math.sqrt(12)


__all__ = ['Uniform']
