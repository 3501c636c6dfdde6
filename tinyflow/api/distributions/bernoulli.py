"""The Bernoulli distribution: 1 with a probability, else 0."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.api.distributions.distribution import NOT_REPARAMETERIZED
from tinyflow.api.distributions.divergence import RegisterKL
from tinyflow.api.distributions.parameters import logits_and_probs
from tinyflow.api.distributions.scalars import ScalarDistribution
from tinyflow.graph import dtypes
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array import constants, joining, shape_ops
from tinyflow.ops.array.identity_and_cast import cast, identity
from tinyflow.ops.checks import value_checks
from tinyflow.ops.control_flow.grouping import with_dependencies
from tinyflow.ops.nn.logistic import sigmoid_cross_entropy_with_logits
from tinyflow.ops.random.random_functions import random_uniform


class Bernoulli(ScalarDistribution):
    """1 with probability `probs`, which is sigmoid(logits); one of the two is given.

    Shapes: logits or probs [*a] -> batch [*a].
    """

    def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False,
                 allow_nan_stats=True, name='Bernoulli'):
        with name_scope(name) as name:
            self._logits, self._probs = logits_and_probs(logits, probs, False, validate_args,
                                                         name)
        super().__init__(dtypes.as_dtype(dtype), NOT_REPARAMETERIZED, validate_args,
                         allow_nan_stats, graph_parents=[self._logits, self._probs], name=name)

    @classmethod
    def _param_shapes(cls, sample_shape):
        return {'logits': constants.constant(sample_shape, dtypes.int32)}

    @property
    def logits(self):
        """The log odds of 1."""
        return self._logits

    @property
    def probs(self):
        """The probability of 1."""
        return self._probs

    def _batch_shape_tensor(self):
        return shape_ops.shape(self._logits)

    def _batch_shape(self):
        return self._logits.shape

    def _sample_n(self, n, seed=None):
        shape = joining.concat([[n], self.batch_shape_tensor()], 0)
        drawn = random_uniform(shape, seed=seed, dtype=self.probs.dtype)
        return cast(math.less(drawn, self.probs), self.dtype)

    def _log_prob(self, event):
        if self.validate_args:
            with name_scope('embed_check_casting_closed', values=[event]):
                event = with_dependencies([
                    value_checks.assert_non_negative(event,
                                                     message='Elements must be non-negative.'),
                    value_checks.assert_less_equal(event, 1,
                                                   message='Elements cannot exceed 1.')], event)
        event = cast(event, self.logits.dtype)
        logits = self.logits
        # The cross entropy does not broadcast.
        if not (event.shape.is_fully_defined() and event.raw_shape == logits.raw_shape):
            logits, event = (constants.ones_like(event) * logits,
                             constants.ones_like(logits) * event)
        return -sigmoid_cross_entropy_with_logits(labels=event, logits=logits)

    def _entropy(self):
        return -self.logits * (math.sigmoid(self.logits) - 1) + math.softplus(-self.logits)

    def _mean(self):
        return identity(self.probs)

    def _variance(self):
        return self._mean() * (1.0 - self.probs)

    def _mode(self):
        return cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _divergence(a, b, name=None):
    with name_scope(name, 'kl_bernoulli_bernoulli', [a.logits, b.logits]):
        of_zero = math.softplus(-b.logits) - math.softplus(-a.logits)
        of_one = math.softplus(b.logits) - math.softplus(a.logits)
        return math.sigmoid(a.logits) * of_zero + math.sigmoid(-a.logits) * of_one


__all__ = ['Bernoulli']
