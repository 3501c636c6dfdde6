"""Student's t distribution."""
from __future__ import annotations

import numpy as np

from tinyflow.api import math
from tinyflow.api.distributions.distribution import FULLY_REPARAMETERIZED
from tinyflow.api.distributions.parameters import nan_unless, new_seed, same_float_dtype
from tinyflow.api.distributions.scalars import ScalarDistribution
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.ops.array import constants, joining
from tinyflow.ops.array.identity_and_cast import identity
from tinyflow.ops.array.where_v2 import where_v2
from tinyflow.ops.checks import value_checks
from tinyflow.ops.random.random_functions import random_gamma, random_normal


class StudentT(ScalarDistribution):
    """(1 + z^2 / df)^(-(df + 1) / 2), normalized, with z = (x - loc) / scale.

    Shapes: df [*a], loc [*b], scale [*c] -> batch [*broadcast(a, b, c)].
    """

    _shaping = ('df', 'loc', 'scale')

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True,
                 name='StudentT'):
        with name_scope(name, values=[df, loc, scale]) as name:
            checks = [value_checks.assert_positive(df)] if validate_args else []
            with control_dependencies(checks):
                self._df = identity(df, name='df')
                self._loc = identity(loc, name='loc')
                self._scale = identity(scale, name='scale')
                same_float_dtype(self._df, self._loc, self._scale)
        super().__init__(self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[self._df, self._loc, self._scale], name=name)

    @property
    def df(self):
        """The degrees of freedom."""
        return self._df

    @property
    def loc(self):
        """The centre."""
        return self._loc

    @property
    def scale(self):
        """The unit of distances from `loc`."""
        return self._scale

    def _sample_n(self, n, seed=None):
        # A normal number over the root of a chi-squared one per degree of freedom.
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        normal = random_normal(shape, dtype=self.dtype, seed=seed)
        df = self.df * constants.ones(self.batch_shape_tensor(), dtype=self.dtype)
        squares = random_gamma([n], 0.5 * df, beta=0.5, dtype=self.dtype,
                               seed=new_seed(seed, 'student_t'))
        return normal * math.rsqrt(squares / df) * self.scale + self.loc

    def _log_prob(self, x):
        z = (x - self.loc) / self.scale
        unnormalized = -0.5 * (self.df + 1.0) * math.log1p(z ** 2.0 / self.df)
        return unnormalized - self._log_normalization()

    def _log_normalization(self):
        return (math.log(math.abs(self.scale)) + 0.5 * math.log(self.df) + 0.5 * np.log(np.pi)
                + math.lgamma(0.5 * self.df) - math.lgamma(0.5 * (self.df + 1.0)))

    def _cdf(self, x):
        z = (x - self.loc) / math.abs(self.scale)
        x = self.df / (z ** 2.0 + self.df)
        tail = 0.5 * math.betainc(0.5 * self.df, 0.5, x)
        return where_v2(z < 0.0, tail, 1.0 - tail)

    def _entropy(self):
        ones = constants.ones(self.batch_shape_tensor(), dtype=self.dtype)[..., None]
        halves = joining.concat([ones * self.df[..., None], ones], -1) / 2.0
        return (math.log(math.abs(self.scale)) + 0.5 * math.log(self.df) + math.lbeta(halves)
                + 0.5 * (self.df + 1.0) * (math.digamma(0.5 * (self.df + 1.0))
                                           - math.digamma(0.5 * self.df)))

    def _mean(self):
        mean = self.loc * constants.ones(self.batch_shape_tensor(), dtype=self.dtype)
        return nan_unless(
            self.df > constants.ones(self.batch_shape_tensor(), dtype=self.dtype), mean,
            self.batch_shape_tensor, self.allow_nan_stats, lambda: self._more_than_one('mean'))

    def _more_than_one(self, what):
        return [value_checks.assert_less(constants.ones([], self.dtype), self.df,
                                         message=f'{what} not defined for components of df <= 1')]

    def _variance(self):
        # The denominator is used where it is positive; elsewhere it must not be 0.
        denominator = where_v2(self.df > 2.0, self.df - 2.0, constants.ones_like(self.df))
        variance = (constants.ones(self.batch_shape_tensor(), dtype=self.dtype)
                    * math.square(self.scale) * self.df / denominator)
        finite = self.df > constants.fill(self.batch_shape_tensor(), 2.0)
        infinity = constants.fill(self.batch_shape_tensor(), self.dtype.np.type(np.inf), name='inf')
        variance = where_v2(finite, variance, infinity)
        return nan_unless(
            self.df > constants.ones(self.batch_shape_tensor(), dtype=self.dtype),
            variance, self.batch_shape_tensor, self.allow_nan_stats,
            lambda: self._more_than_one('variance'))

    def _mode(self):
        return identity(self.loc)


__all__ = ['StudentT']
