"""TransformedDistribution: a distribution whose samples go through a bijector."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.api.contrib.distributions.bijectors import Identity
from tinyflow.api.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast


class TransformedDistribution(Distribution):
    """y = bijector.forward(x) for x of a distribution.

    `batch_shape` and `event_shape` replace those of a distribution of single numbers: as many
    independent ones are drawn.
    """

    def __init__(self, distribution, bijector=None, batch_shape=None, event_shape=None,
                 validate_args=False, name=None):
        if name is None:
            name = ('' if bijector is None else bijector.name) + distribution.name
        name = name.rstrip('/')
        with name_scope(name, values=[event_shape, batch_shape]) as scope:
            self._distribution = distribution
            self._bijector = Identity(validate_args) if bijector is None else bijector
            self._new_batch = _override(batch_shape, distribution.batch_shape, 'batch')
            self._new_event = _override(event_shape, distribution.event_shape, 'event')
            if self._new_event is not None and self._new_batch is None \
                    and distribution.batch_shape.ndims != 0:
                raise misuse(ValueError('event_shape needs a distribution of scalar batch, or '
                                        'batch_shape.'))
        super().__init__(distribution.dtype, distribution.reparameterization_type, validate_args,
                         distribution.allow_nan_stats, name=scope)

    @property
    def distribution(self):
        """The distribution of x."""
        return self._distribution

    @property
    def bijector(self):
        """The function x -> y."""
        return self._bijector

    # ---- shapes ----------------------------------------------------------------------------

    def _inner_batch(self):
        return self._distribution.batch_shape if self._new_batch is None else self._new_batch

    def _inner_event(self):
        return self._distribution.event_shape if self._new_event is None else self._new_event

    def _batch_shape(self):
        return self._inner_batch()

    def _event_shape(self):
        return self._bijector.forward_event_shape(self._inner_event())

    def _batch_shape_tensor(self):
        return self._distribution.batch_shape_tensor()

    def _event_shape_tensor(self):
        return self._bijector.forward_event_shape_tensor(self._distribution.event_shape_tensor())

    def _event_ndims(self):
        rank = self.event_shape.ndims
        if rank is None:
            raise misuse(NotImplementedError('a TransformedDistribution needs events of known '
                                             'rank'))
        return rank

    # ---- samples and densities -------------------------------------------------------------

    def _sample_n(self, n, seed=None):
        if self._new_batch is None and self._new_event is None:
            x = self._distribution.sample(_vector(n), seed=seed)
        else:
            more = [] if self._new_batch is None else self._new_batch.as_list()
            more = more + ([] if self._new_event is None else self._new_event.as_list())
            sizes = joining.concat([_vector(n), convert_to_tensor(more, dtypes.int32)], 0)
            x = self._distribution.sample(sizes, seed=seed)
        return self._bijector.forward(x)

    def _summed(self, x):
        """The sum over the axes that `event_shape` gave the event."""
        count = 0 if self._new_event is None else self._new_event.ndims
        return math.reduce_sum(x, axis=list(range(-count, 0))) if count else x

    def _log_prob(self, y):
        x = self._bijector.inverse(y)
        ildj = self._bijector.inverse_log_det_jacobian(y, event_ndims=self._event_ndims())
        if self._bijector._is_injective:
            return self._one_log_prob(x, ildj)
        return math.reduce_logsumexp([self._one_log_prob(a, b) for a, b in zip(x, ildj)], axis=0)

    def _one_log_prob(self, x, ildj):
        total = self._summed(self._distribution.log_prob(x))
        return total + cast(ildj, total.dtype)

    def _prob(self, y):
        x = self._bijector.inverse(y)
        ildj = self._bijector.inverse_log_det_jacobian(y, event_ndims=self._event_ndims())
        if self._bijector._is_injective:
            return self._one_prob(x, ildj)
        return math.add_n([self._one_prob(a, b) for a, b in zip(x, ildj)])

    def _one_prob(self, x, ildj):
        density = self._distribution.prob(x)
        if self._new_event is not None:
            density = math.reduce_prod(density, axis=list(range(-self._new_event.ndims, 0)))
        return density * math.exp(cast(ildj, density.dtype))

    def _of_inverse(self, method, y):
        if self._new_event is not None:
            raise misuse(NotImplementedError(f'{method} is not implemented when overriding '
                                             'event_shape'))
        if not self._bijector._is_injective:
            raise misuse(NotImplementedError(f'{method} is not implemented when bijector is not '
                                             'injective.'))
        return getattr(self._distribution, method)(self._bijector.inverse(y))

    def _log_cdf(self, y):
        return self._of_inverse('log_cdf', y)

    def _cdf(self, y):
        return self._of_inverse('cdf', y)

    def _log_survival_function(self, y):
        return self._of_inverse('log_survival_function', y)

    def _survival_function(self, y):
        return self._of_inverse('survival_function', y)

    def _quantile(self, value):
        return self._bijector.forward(self._distribution.quantile(value))

    # ---- statistics ------------------------------------------------------------------------

    def _entropy(self):
        if not self._bijector.is_constant_jacobian:
            raise misuse(NotImplementedError('entropy is not implemented'))
        entropy = self._distribution.entropy()
        if self._new_event is not None:
            entropy = entropy * float(self._new_event.num_elements())
        if self._new_batch is not None:
            entropy = shape_ops.broadcast_to(entropy, self._new_batch.as_list())
        ildj = self._bijector.inverse_log_det_jacobian(
            constants.zeros(self.event_shape.as_list(), self.dtype),
            event_ndims=self._event_ndims())
        return entropy - cast(ildj, entropy.dtype)


def _vector(n):
    return shaping.reshape(convert_to_tensor(n, dtypes.int32), [1])


def _override(shape, own, what):
    """A static shape that replaces the distribution's own, which must be that of a number."""
    if shape is None:
        return None
    known = constant_value(convert_to_tensor(shape, dtypes.int32))
    if known is None:
        raise misuse(NotImplementedError(f'{what}_shape that is not known before the graph runs'))
    if known.size and own.ndims != 0:
        raise misuse(ValueError(f'base distribution is not scalar: its {what} shape is {own}'))
    return TensorShape(known.tolist()) if known.size else None


__all__ = ['FULLY_REPARAMETERIZED', 'TransformedDistribution']
