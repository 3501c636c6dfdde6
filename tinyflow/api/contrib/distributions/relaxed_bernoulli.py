"""A Bernoulli variable that is relaxed to be differentiable.

Maddison, Mnih and Teh, The concrete distribution (2017).
"""
from __future__ import annotations

from tinyflow.api.contrib.distributions.bijectors import Sigmoid
from tinyflow.api.contrib.distributions.logistic import Logistic
from tinyflow.api.contrib.distributions.transformed import TransformedDistribution
from tinyflow.api.distributions.parameters import logits_and_probs
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array.identity_and_cast import identity


class RelaxedBernoulli(TransformedDistribution):
    """sigmoid((logits + logistic noise) / temperature), which is near 0 or 1.

    Shapes: temperature [*a], logits or probs [*b] -> batch [*broadcast(a, b)].
    """

    def __init__(self, temperature, logits=None, probs=None, validate_args=False,
                 allow_nan_stats=True, name='RelaxedBernoulli'):
        with name_scope(name, values=[logits, probs, temperature]) as name:
            self._temperature = identity(temperature, name='temperature')
            self._logits, self._probs = logits_and_probs(logits, probs, False, validate_args,
                                                         'get_logits_and_probs')
            noise = Logistic(self._logits / self._temperature, 1.0 / self._temperature,
                             validate_args, allow_nan_stats, name=name + '/Logistic')
            super().__init__(noise, Sigmoid(validate_args=validate_args), name=name)

    @property
    def temperature(self):
        """Near 0 the values are nearly 0 or 1."""
        return self._temperature

    @property
    def logits(self):
        """The log-odds of 1."""
        return self._logits

    @property
    def probs(self):
        """The probability of 1."""
        return self._probs


__all__ = ['RelaxedBernoulli']
