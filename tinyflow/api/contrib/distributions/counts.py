"""The Poisson distribution, and the one with a single value: Poisson, Deterministic."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.api.distributions.distribution import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED
from tinyflow.api.distributions.scalars import ScalarDistribution
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, shape_ops
from tinyflow.ops.array.identity_and_cast import cast, identity
from tinyflow.ops.array.shape_ops import broadcast_to
from tinyflow.ops.random.random_functions import random_poisson


class Poisson(ScalarDistribution):
    """rate^k exp(-rate) / k!, for k = 0, 1, ...; `rate` or its logarithm is given: [*a]."""

    _shaping = ('rate',)

    def __init__(self, rate=None, log_rate=None, validate_args=False, allow_nan_stats=True,
                 name='Poisson'):
        with name_scope(name, values=[rate]) as name:
            if (rate is None) == (log_rate is None):
                raise misuse(ValueError('Must specify exactly one of `rate` and `log_rate`.'))
            if log_rate is None:
                self._rate = convert_to_tensor(rate, name='rate')
                self._log_rate = math.log(self._rate, name='log_rate')
            else:
                self._log_rate = convert_to_tensor(log_rate, name='log_rate')
                self._rate = math.exp(self._log_rate, name='rate')
        super().__init__(self._rate.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[self._rate], name=name)

    @property
    def rate(self):
        """The mean."""
        return self._rate

    @property
    def log_rate(self):
        """The logarithm of the mean."""
        return self._log_rate

    def _sample_n(self, n, seed=None):
        return random_poisson(self.rate, [n], dtype=self.dtype, seed=seed)

    def _log_prob(self, x):
        return math.multiply_no_nan(self.log_rate, x) - math.lgamma(1.0 + x) - self.rate

    def _cdf(self, x):
        return math.igammac(1.0 + math.floor(math.maximum(x, 0.0)), self.rate)

    def _mean(self):
        return identity(self.rate)

    def _variance(self):
        return identity(self.rate)

    def _mode(self):
        return math.floor(self.rate)


class Deterministic(ScalarDistribution):
    """Always `loc`, up to atol + rtol |loc|. Shapes: loc [*a] -> batch [*a]."""

    _shaping = ('loc',)

    def __init__(self, loc, atol=None, rtol=None, validate_args=False, allow_nan_stats=True,
                 name='Deterministic'):
        with name_scope(name, values=[loc, atol, rtol]) as name:
            self._loc = convert_to_tensor(loc, name='loc')
            self._slack = ((0 if atol is None else atol)
                           + (0 if rtol is None else rtol) * math.abs(self._loc))
        super().__init__(self._loc.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[self._loc], name=name)

    @property
    def loc(self):
        """The value."""
        return self._loc

    def _sample_n(self, n, seed=None):
        return broadcast_to(self._loc, joining.concat([[n], shape_ops.shape(self._loc)], 0))

    def _prob(self, x):
        return cast(math.less_equal(math.abs(x - self._loc), self._slack), self.dtype)

    def _cdf(self, x):
        return cast(math.greater_equal(x, self._loc - self._slack), self.dtype)

    def _entropy(self):
        return constants.zeros_like(self._loc)

    def _mean(self):
        return identity(self._loc)

    _mode = _mean

    def _variance(self):
        return constants.zeros_like(self._loc)


__all__ = ['Deterministic', 'Poisson']
