"""Independent: a part of the batch becomes a part of the event."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.api.distributions.distribution import Distribution
from tinyflow.api.distributions.divergence import RegisterKL, kl_divergence
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import joining


class Independent(Distribution):
    """The last `reinterpreted_batch_ndims` axes of the batch (all but one unless given) as event.
    """

    def __init__(self, distribution, reinterpreted_batch_ndims=None, validate_args=False,
                 name=None):
        rank = distribution.batch_shape.ndims
        if rank is None and reinterpreted_batch_ndims is None:
            raise misuse(ValueError('Independent needs reinterpreted_batch_ndims where the rank of '
                                    'the batch is unknown.'))
        if reinterpreted_batch_ndims is None:
            reinterpreted_batch_ndims = max(0, rank - 1)
        if rank is not None and reinterpreted_batch_ndims > rank:
            raise misuse(ValueError(
                f'reinterpreted_batch_ndims({reinterpreted_batch_ndims}) cannot exceed '
                f'distribution.batch_ndims({rank})'))
        self._distribution, self._count = distribution, int(reinterpreted_batch_ndims)
        with name_scope(name or 'Independent' + distribution.name) as name:
            pass
        super().__init__(distribution.dtype, distribution.reparameterization_type, validate_args,
                         distribution.allow_nan_stats, name=name)

    @property
    def distribution(self):
        """The distribution with the larger batch."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self):
        """How many axes of the batch belong to the event."""
        return self._count

    def _batch_shape_tensor(self):
        sizes = self._distribution.batch_shape_tensor()
        return sizes[:-self._count] if self._count else sizes

    def _batch_shape(self):
        shape = self._distribution.batch_shape
        return shape[:-self._count] if self._count else shape

    def _event_shape_tensor(self):
        sizes = self._distribution.batch_shape_tensor()
        moved = sizes[-self._count:] if self._count else sizes[:0]
        return joining.concat([moved, self._distribution.event_shape_tensor()], 0)

    def _event_shape(self):
        shape = self._distribution.batch_shape
        moved = shape[-self._count:] if self._count else shape[:0]
        return moved.concatenate(self._distribution.event_shape)

    def _summed(self, x):
        return math.reduce_sum(x, axis=list(range(-self._count, 0)))

    def _sample_n(self, n, seed=None):
        return self._distribution.sample(n, seed=seed)

    def _log_prob(self, x):
        return self._summed(self._distribution.log_prob(x))

    def _entropy(self):
        return self._summed(self._distribution.entropy())

    def _mean(self):
        return self._distribution.mean()

    def _variance(self):
        return self._distribution.variance()

    def _stddev(self):
        return self._distribution.stddev()

    def _mode(self):
        return self._distribution.mode()


@RegisterKL(Independent, Independent)
def _divergence(a, b, name=None):
    with name_scope(name, 'kl_independent'):
        return a._summed(kl_divergence(a.distribution, b.distribution))


__all__ = ['Independent']
