"""Numbers of successes and failures in trials: Binomial, Geometric, NegativeBinomial.

Each takes the probability of a success as `probs` or as `logits`, its log-odds.
"""
from __future__ import annotations

import numpy as np

from tinyflow.api import math
from tinyflow.api.distributions.distribution import NOT_REPARAMETERIZED
from tinyflow.api.distributions.parameters import logits_and_probs, new_seed
from tinyflow.api.distributions.scalars import ScalarDistribution
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array import constants, joining, shape_ops
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.where_v2 import where_v2
from tinyflow.ops.random.random_functions import random_gamma, random_poisson, random_uniform


class _Trials(ScalarDistribution):
    """Base: probs or logits of a success."""

    _shaping = ('probs',)

    def __init__(self, logits, probs, validate_args, allow_nan_stats, name, total_count=None):
        with name_scope(name, values=[total_count, logits, probs]) as name:
            self._logits, self._probs = logits_and_probs(logits, probs, False, validate_args, name)
            if total_count is not None:
                self._total_count = convert_to_tensor(total_count, self._probs.dtype,
                                                      name='total_count')
        super().__init__(self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[self._probs], name=name)

    @property
    def probs(self):
        """The probability of a success."""
        return self._probs

    @property
    def logits(self):
        """The log-odds of a success."""
        return self._logits


class _CountedTrials(_Trials):
    """Base: a number of trials (or failures) is given, too."""

    _shaping = ('total_count', 'probs')

    @property
    def total_count(self):
        """The number of trials, or of failures."""
        return self._total_count


class Binomial(_CountedTrials):
    """The number of successes in total_count trials; it cannot be sampled, as in TensorFlow 1.15.

    Shapes: total_count [*a], probs [*b] -> batch [*broadcast(a, b)].
    """

    def __init__(self, total_count, logits=None, probs=None, validate_args=False,
                 allow_nan_stats=True, name='Binomial'):
        super().__init__(logits, probs, validate_args, allow_nan_stats, name, total_count)

    def _log_prob(self, k):
        n = self.total_count
        combinations = math.lgamma(1.0 + k) + math.lgamma(1.0 + n - k) - math.lgamma(1.0 + n)
        return k * math.log(self.probs) + (n - k) * math.log1p(-self.probs) - combinations

    def _cdf(self, k):
        k = constants.ones_like(self.probs * self.total_count) * k
        inside = math.logical_and(math.greater_equal(k, 0.0), math.less(k, self.total_count))
        within = math.betainc(self.total_count - math.floor(k), 1.0 + math.floor(k),
                              (1.0 - self.probs) * constants.ones_like(k))
        return where_v2(inside, within, cast(math.greater_equal(k, 0.0), self.dtype))

    def _mean(self):
        return self.total_count * self.probs

    def _variance(self):
        return self._mean() * (1.0 - self.probs)

    def _mode(self):
        return math.floor((1.0 + self.total_count) * self.probs)


class Geometric(_Trials):
    """The number of failures before the first success. Shapes: probs [*a] -> batch [*a]."""

    def __init__(self, logits=None, probs=None, validate_args=False, allow_nan_stats=True,
                 name='Geometric'):
        super().__init__(logits, probs, validate_args, allow_nan_stats, name)

    def _sample_n(self, n, seed=None):
        shape = joining.concat([[n], shape_ops.shape(self._probs)], 0)
        # Not 0, whose logarithm is infinite.
        drawn = random_uniform(shape, minval=np.finfo(self.dtype.np).tiny, maxval=1.0,
                               dtype=self.dtype, seed=seed)
        return math.floor(math.log(drawn) / math.log1p(-self.probs))

    def _log_prob(self, k):
        return math.multiply_no_nan(math.log1p(-self.probs), k) + math.log(self.probs)

    def _cdf(self, k):
        within = -math.expm1((1.0 + math.floor(k)) * math.log1p(-self.probs))
        return within * cast(math.greater_equal(k, 0.0), self.dtype)

    def _entropy(self):
        failure = 1.0 - self.probs
        return -failure * math.log1p(-self.probs) / self.probs - math.log(self.probs)

    def _mean(self):
        return math.exp(-self.logits)

    def _variance(self):
        return self._mean() / self.probs

    def _mode(self):
        return constants.zeros(self.batch_shape_tensor(), self.dtype)


class NegativeBinomial(_CountedTrials):
    """The number of successes before total_count failures.

    Shapes: total_count [*a], probs [*b] -> batch [*broadcast(a, b)].
    """

    def __init__(self, total_count, logits=None, probs=None, validate_args=False,
                 allow_nan_stats=True, name='NegativeBinomial'):
        super().__init__(logits, probs, validate_args, allow_nan_stats, name, total_count)

    def _sample_n(self, n, seed=None):
        # A Poisson variable whose mean is a gamma variable.
        means = random_gamma([n], self.total_count, math.exp(-self.logits), dtype=self.dtype,
                             seed=seed)
        return random_poisson(means, [], dtype=self.dtype, seed=new_seed(seed, 'negative_binom'))

    def _log_prob(self, k):
        n = self.total_count
        unnormalized = n * math.log_sigmoid(-self.logits) + k * math.log_sigmoid(self.logits)
        return unnormalized + math.lgamma(n + k) - math.lgamma(1.0 + k) - math.lgamma(n)

    def _cdf(self, k):
        ones = constants.ones_like(self.probs * self.total_count)
        within = math.betainc(self.total_count * ones, (1.0 + math.maximum(k, 0.0)) * ones,
                              (1.0 - self.probs) * ones)
        return within * cast(math.greater_equal(k, 0.0), self.dtype)

    def _mean(self):
        return self.total_count * math.exp(self.logits)

    def _variance(self):
        return self._mean() / math.sigmoid(-self.logits)

    def _mode(self):
        shifted = (self.total_count - 1.0) * math.exp(self.logits)
        return where_v2(math.less(self.total_count, 1.0 + 0.0 * shifted),
                          constants.zeros_like(shifted), math.floor(shifted))


__all__ = ['Binomial', 'Geometric', 'NegativeBinomial']
