"""Categorical distributions of vectors: one-hot, and relaxed to be differentiable.

Maddison, Mnih and Teh, The concrete distribution (2017).
"""
from __future__ import annotations

import numpy as np

from tinyflow.api import math
from tinyflow.api.distributions.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
)
from tinyflow.api.distributions.divergence import RegisterKL
from tinyflow.api.distributions.parameters import logits_and_probs
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array import constants, joining, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.where_onehot import one_hot
from tinyflow.ops.random.random_functions import multinomial, random_uniform


class _Classes(Distribution):
    """Base: logits or probs [*a, k] -> batch [*a], event [k]."""

    @property
    def logits(self):
        """The log probabilities, up to a constant."""
        return self._logits

    @property
    def probs(self):
        """The probabilities of the classes."""
        return self._probs

    @property
    def event_size(self):
        """The number of classes, as a tensor."""
        return shape_ops.shape(self._logits)[-1]

    def _batch_shape_tensor(self):
        return shape_ops.shape(self._logits)[:-1]

    def _batch_shape(self):
        return self._logits.shape[:-1]

    def _event_shape_tensor(self):
        return shape_ops.shape(self._logits)[-1:]

    def _event_shape(self):
        return self._logits.shape[-1:]


class OneHotCategorical(_Classes):
    """A vector with 1 at the class that was drawn, and 0 elsewhere."""

    def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False,
                 allow_nan_stats=True, name='OneHotCategorical'):
        with name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = logits_and_probs(logits, probs, True, validate_args, name)
        super().__init__(dtypes.as_dtype(dtype), NOT_REPARAMETERIZED, validate_args,
                         allow_nan_stats, graph_parents=[self._logits, self._probs], name=name)

    def _sample_n(self, n, seed=None):
        drawn = multinomial(shaping.reshape(self._logits, [-1, self.event_size]), n, seed=seed)
        drawn = shaping.reshape(shaping.transpose(drawn),
                                joining.concat([[n], self.batch_shape_tensor()], 0))
        return one_hot(drawn, self.event_size, dtype=self.dtype)

    def _log_prob(self, x):
        x = cast(x, self._logits.dtype)
        return math.reduce_sum(math.multiply_no_nan(math.log_softmax(self._logits), x), -1)

    def _entropy(self):
        return -math.reduce_sum(math.log_softmax(self._logits) * self._probs, axis=-1)

    def _mode(self):
        return one_hot(math.argmax(self._logits, -1), self.event_size, dtype=self.dtype)


@RegisterKL(OneHotCategorical, OneHotCategorical)
def _divergence(a, b, name=None):
    with name_scope(name, 'kl_categorical_categorical', [a.logits, b.logits]):
        ratio = math.log_softmax(a.logits) - math.log_softmax(b.logits)
        return math.reduce_sum(math.softmax(a.logits) * ratio, axis=-1)


class ExpRelaxedOneHotCategorical(_Classes):
    """log_softmax((logits + Gumbel noise) / temperature)."""

    def __init__(self, temperature, logits=None, probs=None, dtype=None, validate_args=False,
                 allow_nan_stats=True, name='ExpRelaxedOneHotCategorical'):
        with name_scope(name, values=[logits, probs, temperature]) as name:
            self._logits, self._probs = logits_and_probs(logits, probs, True, validate_args, name)
            dtype = self._logits.dtype if dtype is None else dtypes.as_dtype(dtype)
            self._temperature = convert_to_tensor(temperature, dtype, name='temperature')
        super().__init__(dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[self._logits, self._probs, self._temperature], name=name)

    @property
    def temperature(self):
        """Near 0 the vectors are nearly one-hot."""
        return self._temperature

    def _sample_n(self, n, seed=None):
        shape = joining.concat([[n], shape_ops.shape(self._logits)], 0)
        logits = self._logits * constants.ones(shape, self.dtype)
        flat = shaping.reshape(logits, [-1, self.event_size])
        drawn = random_uniform(shape_ops.shape(flat), minval=np.finfo(self.dtype.np).tiny,
                               maxval=1, dtype=self.dtype, seed=seed)
        noisy = (-math.log(-math.log(drawn)) + flat) / self._temperature
        return shaping.reshape(math.log_softmax(noisy), shape)

    def _log_prob(self, x):
        k = cast(self.event_size, x.dtype)
        normalization = math.lgamma(k) + (k - 1.0) * math.log(self._temperature)
        softened = math.log_softmax(self._logits - x * self._temperature)
        return math.reduce_sum(softened, axis=-1) + normalization


class RelaxedOneHotCategorical(ExpRelaxedOneHotCategorical):
    """softmax((logits + Gumbel noise) / temperature), a differentiable one-hot vector."""

    def __init__(self, temperature, logits=None, probs=None, dtype=None, validate_args=False,
                 allow_nan_stats=True, name='RelaxedOneHotCategorical'):
        super().__init__(temperature, logits, probs, dtype, validate_args, allow_nan_stats, name)

    def _sample_n(self, n, seed=None):
        return math.exp(super()._sample_n(n, seed))

    def _log_prob(self, x):
        logarithm = math.log(x)
        return super()._log_prob(logarithm) - math.reduce_sum(logarithm, axis=-1)


__all__ = ['ExpRelaxedOneHotCategorical', 'OneHotCategorical', 'RelaxedOneHotCategorical']
