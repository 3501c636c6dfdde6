"""The beta distribution, of numbers between 0 and 1."""
from __future__ import annotations

import numpy as np

from tinyflow.api import math
from tinyflow.api.distributions.distribution import FULLY_REPARAMETERIZED
from tinyflow.api.distributions.divergence import RegisterKL
from tinyflow.api.distributions.parameters import checked, nan_unless, new_seed, same_float_dtype
from tinyflow.api.distributions.scalars import ScalarDistribution
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array import constants
from tinyflow.ops.checks import value_checks
from tinyflow.ops.control_flow.grouping import with_dependencies
from tinyflow.ops.math.unary import xlogy
from tinyflow.ops.random.random_functions import random_gamma


class Beta(ScalarDistribution):
    """x^(concentration1 - 1) (1 - x)^(concentration0 - 1) / B(concentration1, concentration0).

    Shapes: concentration1 [*a], concentration0 [*b] -> batch [*broadcast(a, b)].
    """

    _shaping = ('total_concentration',)

    def __init__(self, concentration1=None, concentration0=None, validate_args=False,
                 allow_nan_stats=True, name='Beta'):
        with name_scope(name, values=[concentration1, concentration0]) as name:
            self._concentration1 = _positive(concentration1, 'concentration1', validate_args)
            self._concentration0 = _positive(concentration0, 'concentration0', validate_args)
            same_float_dtype(self._concentration1, self._concentration0)
            self._total = self._concentration1 + self._concentration0
        super().__init__(self._total.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[self._concentration1, self._concentration0, self._total],
                         name=name)

    @classmethod
    def _param_shapes(cls, sample_shape):
        shape = convert_to_tensor(sample_shape, np.int32)
        return {'concentration1': shape, 'concentration0': shape}

    @property
    def concentration1(self):
        """The parameter of x."""
        return self._concentration1

    @property
    def concentration0(self):
        """The parameter of 1 - x."""
        return self._concentration0

    @property
    def total_concentration(self):
        """The sum of both parameters."""
        return self._total

    def _sample_n(self, n, seed=None):
        ones = constants.ones_like(self.total_concentration, dtype=self.dtype)
        first = ones * self.concentration1
        second = constants.ones_like(self.total_concentration,
                                     dtype=self.dtype) * self.concentration0
        x = random_gamma([n], first, dtype=self.dtype, seed=seed)
        y = random_gamma([n], second, dtype=self.dtype, seed=new_seed(seed, 'beta'))
        return x / (x + y)

    def _sample_checked(self, x):
        return checked(lambda: [
            value_checks.assert_positive(x, message='sample must be positive'),
            value_checks.assert_less(x, constants.ones([], self.dtype),
                                     message='sample must be less than `1`.')],
            x, self.validate_args)

    def _log_prob(self, x):
        x = self._sample_checked(x)
        unnormalized = (xlogy(self.concentration1 - 1.0, x)
                        + (self.concentration0 - 1.0) * math.log1p(-x))
        return unnormalized - self._log_normalization()

    def _cdf(self, x):
        return math.betainc(self.concentration1, self.concentration0, x)

    def _log_normalization(self):
        return (math.lgamma(self.concentration1) + math.lgamma(self.concentration0)
                - math.lgamma(self.total_concentration))

    def _entropy(self):
        return (self._log_normalization()
                - (self.concentration1 - 1.0) * math.digamma(self.concentration1)
                - (self.concentration0 - 1.0) * math.digamma(self.concentration0)
                + (self.total_concentration - 2.0) * math.digamma(self.total_concentration))

    def _mean(self):
        return self._concentration1 / self._total

    def _variance(self):
        return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration)

    def _mode(self):
        mode = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        return nan_unless(
            lambda: math.logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0),
            mode, self.batch_shape_tensor, self.allow_nan_stats,
            lambda: [value_checks.assert_less(
                constants.ones([], self.dtype), c,
                message=f'Mode undefined for {name} <= 1.')
                for c, name in ((self.concentration1, 'concentration1'),
                                (self.concentration0, 'concentration0'))])


def _positive(x, name, validate):
    x = convert_to_tensor(x, name=name)
    if not validate:
        return x
    return with_dependencies([value_checks.assert_positive(
        x, message='Concentration parameter must be positive.')], x)


@RegisterKL(Beta, Beta)
def _divergence(a, b, name=None):
    def difference(field):
        x, y = getattr(a, field), getattr(b, field)
        return x, y
    values = [a.concentration1, b.concentration1, a.concentration0, b.concentration0,
              a.total_concentration, b.total_concentration]
    with name_scope(name, 'kl_beta_beta', values):
        # The digamma stands before the difference, as nodes are made.
        result = b._log_normalization() - a._log_normalization()
        x, y = difference('concentration1')
        result = result - math.digamma(x) * (y - x)
        x, y = difference('concentration0')
        result = result - math.digamma(x) * (y - x)
        x, y = difference('total_concentration')
        return result + math.digamma(x) * (y - x)


__all__ = ['Beta']
