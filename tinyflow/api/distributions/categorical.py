"""The categorical distribution: one of k classes."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.api.distributions.distribution import NOT_REPARAMETERIZED
from tinyflow.api.distributions.divergence import RegisterKL
from tinyflow.api.distributions.parameters import checked, logits_and_probs
from tinyflow.api.distributions.scalars import ScalarDistribution
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.shapes import TensorShape
from tinyflow.ops.array import constants, joining, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast, identity
from tinyflow.ops.array.where_onehot import sequence_mask, where
from tinyflow.ops.checks import value_checks
from tinyflow.ops.math.reduction import reduce_sum
from tinyflow.ops.nn.cross_entropy import sparse_softmax_cross_entropy_with_logits
from tinyflow.ops.random.random_functions import multinomial


class Categorical(ScalarDistribution):
    """Class i with probability probs[..., i], which is softmax(logits); one of the two is given.

    Shapes: logits or probs [*a, k] -> batch [*a].
    """

    def __init__(self, logits=None, probs=None, dtype=dtypes.int32, validate_args=False,
                 allow_nan_stats=True, name='Categorical'):
        with name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = logits_and_probs(logits, probs, True, validate_args, name)
            shape = self._logits.raw_shape
            if shape is not None:
                self._batch_rank = convert_to_tensor(len(shape) - 1, dtypes.int32,
                                                     name='batch_rank')
            else:
                with name_scope('batch_rank'):
                    self._batch_rank = shape_ops.rank(self._logits) - 1
            sizes = shape_ops.shape(self._logits, name='logits_shape')
            if shape is not None and shape[-1] is not None:
                self._event_size = convert_to_tensor(shape[-1], dtypes.int32, name='event_size')
            else:
                with name_scope('event_size'):
                    self._event_size = sizes[self._batch_rank]
            if shape is not None and None not in shape[:-1]:
                self._batch_sizes = constants.constant(shape[:-1], dtypes.int32,
                                                       name='batch_shape')
            else:
                with name_scope('batch_shape'):
                    self._batch_sizes = sizes[:-1]
        super().__init__(dtypes.as_dtype(dtype), NOT_REPARAMETERIZED, validate_args,
                         allow_nan_stats, graph_parents=[self._logits, self._probs], name=name)

    @property
    def event_size(self):
        """The number of classes, as a tensor."""
        return self._event_size

    @property
    def logits(self):
        """The log probabilities, up to a constant."""
        return self._logits

    @property
    def probs(self):
        """The probabilities of the classes."""
        return self._probs

    def _batch_shape_tensor(self):
        return identity(self._batch_sizes)

    def _batch_shape(self):
        return self.logits.shape[:-1]

    def _sample_n(self, n, seed=None):
        logits = self.logits
        if logits.shape.ndims != 2:
            logits = shaping.reshape(logits, [-1, self.event_size])
        drawn = multinomial(logits, n, seed=seed, output_dtype=(
            self.dtype if self.dtype in (dtypes.int32, dtypes.int64) else dtypes.int64))
        drawn = shaping.transpose(drawn)
        drawn = shaping.reshape(drawn, joining.concat([[n], self.batch_shape_tensor()], 0))
        return cast(drawn, self.dtype)

    def _checked(self, k):
        k = convert_to_tensor(k, name='k')
        return checked(lambda: [value_checks.assert_non_negative(k), value_checks.assert_less(
            k, cast(self.event_size, k.dtype))], k, self.validate_args)

    def _cdf(self, k):
        k, probs = _broadcast(self._checked(k), self.probs)
        shape = TensorShape(k.shape)
        probs = shaping.reshape(probs, [-1, self._event_size])
        rows = shaping.reshape(k, [-1])
        kept = where(sequence_mask(rows, self._event_size), probs, constants.zeros_like(probs))
        result = shaping.reshape(reduce_sum(kept, axis=-1), shape_ops.shape(k))
        result.set_shape(shape)
        return result

    def _log_prob(self, k):
        k, logits = _broadcast(self._checked(k), self.logits)
        return -sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _entropy(self):
        return -reduce_sum(math.log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self):
        result = cast(math.argmax(self.logits, axis=self._batch_rank), self.dtype)
        result.set_shape(self.batch_shape)
        return result


def _broadcast(k, weights):
    """Classes [*a] and weights [*b, k], both broadcast to what a and b give."""
    if k.shape.ndims is None or weights.shape.ndims is None or \
            k.shape.ndims != weights.shape.ndims - 1 or \
            not weights.shape[:-1].is_compatible_with(k.shape) or \
            not weights.shape[:-1].is_fully_defined() or not k.shape.is_fully_defined():
        weights = weights * constants.ones_like(
            shaping.expand_dims(k, -1) if k.shape.ndims is None else k[..., None],
            dtype=weights.dtype)
        k = k * constants.ones(shape_ops.shape(weights)[:-1], k.dtype)
        k.set_shape(weights.shape[:-1])
    return k, weights


@RegisterKL(Categorical, Categorical)
def _divergence(a, b, name=None):
    with name_scope(name, 'kl_categorical_categorical', [a.logits, b.logits]):
        ratio = math.log_softmax(a.logits) - math.log_softmax(b.logits)
        return reduce_sum(math.softmax(a.logits) * ratio, axis=-1)


__all__ = ['Categorical']
