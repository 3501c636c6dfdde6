"""The gamma distribution of positive numbers, and the exponential one, its special case."""
from __future__ import annotations

import numpy as np

from tinyflow.api import math
from tinyflow.api.distributions.distribution import FULLY_REPARAMETERIZED
from tinyflow.api.distributions.divergence import RegisterKL
from tinyflow.api.distributions.parameters import (
    checked,
    nan_unless,
    positive,
    same_float_dtype,
)
from tinyflow.api.distributions.scalars import ScalarDistribution
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array import constants, joining, shape_ops
from tinyflow.ops.checks import value_checks
from tinyflow.ops.math.unary import xlogy
from tinyflow.ops.random.random_functions import random_gamma, random_uniform


class ConcentrationAndRate(ScalarDistribution):
    """The base of the gamma distribution and of the inverse one."""

    _shaping = ('concentration', 'rate')

    def __init__(self, concentration, rate, validate_args, allow_nan_stats, name):
        with name_scope(name, values=[concentration, rate]) as name:
            self._concentration, self._rate = positive([concentration, rate], validate_args,
                                                       'concentration', 'rate')
            same_float_dtype(self._concentration, self._rate)
        super().__init__(self._concentration.dtype, FULLY_REPARAMETERIZED, validate_args,
                         allow_nan_stats, graph_parents=[self._concentration, self._rate],
                         name=name)

    @property
    def concentration(self):
        """The parameter of the shape."""
        return self._concentration

    @property
    def rate(self):
        """The inverse of the scale of the gamma variable."""
        return self._rate


class Gamma(ConcentrationAndRate):
    """rate^concentration x^(concentration - 1) exp(-rate x) / gamma(concentration).

    Shapes: concentration [*a], rate [*b] -> batch [*broadcast(a, b)].
    """

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True,
                 name='Gamma'):
        super().__init__(concentration, rate, validate_args, allow_nan_stats, name)

    def _sample_n(self, n, seed=None):
        return random_gamma([n], self.concentration, self.rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, x):
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _cdf(self, x):
        return math.igamma(self.concentration, self.rate * self._sample_checked(x))

    def _sample_checked(self, x):
        return checked(lambda: [value_checks.assert_positive(x)], x, self.validate_args)

    def _log_unnormalized_prob(self, x):
        x = self._sample_checked(x)
        return xlogy(self.concentration - 1.0, x) - self.rate * x

    def _log_normalization(self):
        return math.lgamma(self.concentration) - self.concentration * math.log(self.rate)

    def _entropy(self):
        return (self.concentration - math.log(self.rate) + math.lgamma(self.concentration)
                + (1.0 - self.concentration) * math.digamma(self.concentration))

    def _mean(self):
        return self.concentration / self.rate

    def _variance(self):
        return self.concentration / math.square(self.rate)

    def _stddev(self):
        return math.sqrt(self.concentration) / self.rate

    def _mode(self):
        return nan_unless(
            lambda: self.concentration > 1.0, (self.concentration - 1.0) / self.rate,
            self.batch_shape_tensor, self.allow_nan_stats,
            lambda: [value_checks.assert_less(
                constants.ones([], self.dtype), self.concentration,
                message='mode not defined when any concentration <= 1')])


class Exponential(Gamma):
    """rate exp(-rate x), for x >= 0. Shapes: rate [*a] -> batch [*a]."""

    _shaping = ('rate',)

    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name='Exponential'):
        with name_scope(name, values=[rate]) as name:
            self._rate = convert_to_tensor(rate, name='rate')
        super().__init__(constants.ones([], dtype=self._rate.dtype), self._rate,
                         validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)

    def _sample_n(self, n, seed=None):
        shape = joining.concat([[n], shape_ops.shape(self._rate)], 0)
        # Not 0, whose logarithm is infinite.
        drawn = random_uniform(shape, minval=np.finfo(self.dtype.np).tiny, maxval=1.0, seed=seed,
                               dtype=self.dtype)
        return -math.log(drawn) / self._rate


@RegisterKL(Gamma, Gamma)
def _divergence(a, b, name=None):
    with name_scope(name, 'kl_gamma_gamma',
                    [a.concentration, a.rate, b.concentration, b.rate]):
        return ((a.concentration - b.concentration) * math.digamma(a.concentration)
                + math.lgamma(b.concentration) - math.lgamma(a.concentration)
                + b.concentration * math.log(a.rate) - b.concentration * math.log(b.rate)
                + a.concentration * (b.rate / a.rate - 1.0))


__all__ = ['ConcentrationAndRate', 'Exponential', 'Gamma']
