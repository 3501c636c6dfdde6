"""Distributions of positive numbers besides the gamma one: Chi2, HalfNormal, InverseGamma."""
from __future__ import annotations

import math as python_math

from tinyflow.api import math
from tinyflow.api.distributions.distribution import FULLY_REPARAMETERIZED
from tinyflow.api.distributions.gamma import ConcentrationAndRate, Gamma
from tinyflow.api.distributions.parameters import nan_unless, positive
from tinyflow.api.distributions.scalars import ScalarDistribution
from tinyflow.api.distributions.special import ndtri
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array import constants, joining
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.checks import value_checks
from tinyflow.ops.random.random_functions import random_gamma, random_normal


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal variables. Shapes: df [*a] -> batch [*a]."""

    _shaping = ('df',)

    def __init__(self, df, validate_args=False, allow_nan_stats=True, name='Chi2'):
        with name_scope(name, values=[df]) as name:
            [self._df] = positive([df], validate_args, 'df')
            super().__init__(0.5 * self._df, constants.constant(0.5, self._df.dtype),
                             validate_args, allow_nan_stats, name)

    @property
    def df(self):
        """The degrees of freedom."""
        return self._df


class HalfNormal(ScalarDistribution):
    """The absolute value of a normal variable of mean 0. Shapes: scale [*a] -> batch [*a]."""

    _shaping = ('scale',)

    def __init__(self, scale, validate_args=False, allow_nan_stats=True, name='HalfNormal'):
        with name_scope(name, values=[scale]) as name:
            [self._scale] = positive([scale], validate_args, 'scale')
        super().__init__(self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[self._scale], name=name)

    @property
    def scale(self):
        """The standard deviation of the normal variable."""
        return self._scale

    def _sample_n(self, n, seed=None):
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        return math.abs(random_normal(shape, dtype=self.dtype, seed=seed) * self.scale)

    def _prob(self, x):
        density = (python_math.sqrt(2 / python_math.pi) / self.scale
                   * math.exp(-0.5 * math.square(x / self.scale)))
        return density * cast(math.greater_equal(x, 0.0), self.dtype)

    def _cdf(self, x):
        return math.erf(math.maximum(x, 0.0) / self.scale / python_math.sqrt(2.0))

    def _quantile(self, p):
        return self.scale * ndtri(0.5 + 0.5 * p)

    def _entropy(self):
        return 0.5 * math.log(python_math.pi * math.square(self.scale) / 2.0) + 0.5

    def _mean(self):
        return self.scale * python_math.sqrt(2 / python_math.pi)

    def _mode(self):
        return constants.zeros(self.batch_shape_tensor(), self.dtype)

    def _variance(self):
        return math.square(self.scale) * (1.0 - 2.0 / python_math.pi)


class InverseGamma(ConcentrationAndRate):
    """1 / x of a gamma variable x, whose rate is the scale here.

    Shapes: concentration [*a], rate [*b] -> batch [*broadcast(a, b)].
    """

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True,
                 name='InverseGamma'):
        super().__init__(concentration, rate, validate_args, allow_nan_stats, name)

    def _sample_n(self, n, seed=None):
        return 1.0 / random_gamma([n], self.concentration, self.rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, x):
        normalization = math.lgamma(self.concentration) - self.concentration * math.log(self.rate)
        return -(1.0 + self.concentration) * math.log(x) - self.rate / x - normalization

    def _cdf(self, x):
        return math.igammac(self.concentration, self.rate / x)

    def _entropy(self):
        return (self.concentration + math.log(self.rate) + math.lgamma(self.concentration)
                - (1.0 + self.concentration) * math.digamma(self.concentration))

    def _mean(self):
        return self._moment(1, self.rate / (self.concentration - 1.0))

    def _variance(self):
        return self._moment(2, math.square(self.rate) / math.square(self.concentration - 1.0)
                            / (self.concentration - 2.0))

    def _moment(self, order, value):
        """A moment, which exists where concentration > order."""
        return nan_unless(
            lambda: self.concentration > order, value, self.batch_shape_tensor,
            self.allow_nan_stats, lambda: [value_checks.assert_less(
                constants.constant(float(order), self.dtype), self.concentration,
                message=f'moment undefined when any concentration <= {order}')])

    def _mode(self):
        return self.rate / (1.0 + self.concentration)


__all__ = ['Chi2', 'HalfNormal', 'InverseGamma']
