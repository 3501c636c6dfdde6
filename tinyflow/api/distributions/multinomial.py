"""The multinomial distribution: how often each of k classes is drawn."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.api.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from tinyflow.api.distributions.parameters import (
    check_counts,
    checked,
    log_combinations,
    logits_and_probs,
)
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array import constants, diagonals, joining, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast, identity
from tinyflow.ops.array.where_onehot import one_hot
from tinyflow.ops.checks import value_checks
from tinyflow.ops.control_flow.functional import map_fn
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.random.random_functions import multinomial


class Multinomial(Distribution):
    """How often each class came in `total_count` draws, with probs = softmax(logits).

    Shapes: total_count [*a], logits or probs [*a, k] -> batch [*a], event [k].
    """

    def __init__(self, total_count, logits=None, probs=None, validate_args=False,
                 allow_nan_stats=True, name='Multinomial'):
        with name_scope(name, values=[total_count, logits, probs]) as name:
            self._total_count = convert_to_tensor(total_count, name='total_count')
            if validate_args:
                self._total_count = check_counts(self._total_count, True)
            self._logits, self._probs = logits_and_probs(logits, probs, True, validate_args, name)
            self._expected = self._total_count[..., None] * self._probs
        super().__init__(self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[self._total_count, self._logits, self._probs], name=name)

    @property
    def total_count(self):
        """The number of draws."""
        return self._total_count

    @property
    def logits(self):
        """The log probabilities, up to a constant."""
        return self._logits

    @property
    def probs(self):
        """The probabilities of the classes."""
        return self._probs

    def _batch_shape_tensor(self):
        return shape_ops.shape(self._expected)[:-1]

    def _batch_shape(self):
        return self._expected.shape[:-1]

    def _event_shape_tensor(self):
        return shape_ops.shape(self._expected)[-1:]

    def _event_shape(self):
        return self._expected.shape[-1:]

    def _sample_n(self, n, seed=None):
        draws = cast(self.total_count, dtypes.int32)
        k = self.event_shape_tensor()[0]
        draws = constants.ones_like(self.logits[..., 0], dtype=draws.dtype) * draws
        logits = constants.ones_like(draws[..., None], dtype=self.logits.dtype) * self.logits
        logits = shaping.reshape(logits, [-1, k])
        draws = n * shaping.reshape(draws, [-1])

        def of_one(arguments):
            """The counts of n samples of one member of the batch: [n, k]."""
            drawn = multinomial(arguments[0][None, ...], arguments[1], seed=seed)
            drawn = shaping.reshape(drawn, [n, -1])
            return math.reduce_sum(one_hot(drawn, depth=k), axis=-2)

        x = map_fn(of_one, [logits, draws], dtype=self.dtype)
        x = shaping.transpose(x, perm=[1, 0, 2])
        shape = joining.concat([[n], self.batch_shape_tensor(), [k]], 0)
        return shaping.reshape(x, shape)

    def _log_prob(self, counts):
        counts = _of_total(counts, self.total_count, self.validate_args)
        unnormalized = math.reduce_sum(counts * math.log_softmax(self.logits), -1)
        normalization = -log_combinations(self.total_count, counts)
        return unnormalized - normalization

    def _mean(self):
        return identity(self._expected)

    def _covariance(self):
        p = self._one_draw()
        return diagonals.matrix_set_diag(-matmul(self._expected[..., None], p[..., None, :]),
                                         self._variance())

    def _variance(self):
        p = self._one_draw()
        return self._expected - self._expected * p

    def _one_draw(self):
        return self._probs * constants.ones_like(self.total_count)[..., None]


def _of_total(counts, total, validate):
    """Counts whose sum is the total, checked when run if `validate`."""
    counts = check_counts(counts, validate)
    return checked(lambda: [value_checks.assert_equal(
        total, math.reduce_sum(counts, -1),
        message='counts must sum to `self.total_count`')], counts, validate)


__all__ = ['Multinomial']
