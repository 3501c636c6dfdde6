"""Mixtures: one of several distributions is drawn, then a value of it."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.api.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from tinyflow.api.distributions.parameters import new_seed
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import joining, shaping
from tinyflow.ops.array.where_onehot import one_hot
from tinyflow.ops.math.composed_reductions import reduce_logsumexp


class _Mixture(Distribution):
    """Base: a subclass has _weights() [*batch, k] and the values of components along an axis."""

    def _sample_n(self, n, seed=None):
        components = self._component_samples(n, seed)               # [n, *batch, k, *event]
        chosen = self._chosen.sample(n, seed=new_seed(seed, 'mixture'))
        mask = one_hot(chosen, self._count, dtype=components.dtype)
        for _ in range(self._event_rank()):
            mask = shaping.expand_dims(mask, -1)
        return math.reduce_sum(components * mask, axis=-1 - self._event_rank())

    def _log_prob(self, x):
        return reduce_logsumexp(self._component_log_probs(x) + self._log_weights(), axis=-1)

    def _mean(self):
        return self._weighted(self._component_statistic('mean'))

    def _variance(self):
        means = self._component_statistic('mean')
        mean = self._weighted(means)
        squares = self._component_statistic('variance') + math.square(means)
        return self._weighted(squares) - math.square(mean)

    def _weighted(self, x):
        weights = math.softmax(self._chosen.logits)
        for _ in range(self._event_rank()):
            weights = shaping.expand_dims(weights, -1)
        return math.reduce_sum(weights * x, axis=-1 - self._event_rank())

    def _log_weights(self):
        return math.log_softmax(self._chosen.logits)

    def _event_rank(self):
        return self.event_shape.ndims


class MixtureSameFamily(_Mixture):
    """The last axis of the batch of `components_distribution` are the components."""

    def __init__(self, mixture_distribution, components_distribution, validate_args=False,
                 allow_nan_stats=True, name='MixtureSameFamily'):
        with name_scope(name) as name:
            self._chosen, self._components = mixture_distribution, components_distribution
            self._count = components_distribution.batch_shape[-1].value
            if self._count is None or components_distribution.event_shape.ndims is None:
                raise misuse(ValueError('The number of components and the rank of an event must be '
                                        'known.'))
        super().__init__(components_distribution.dtype, NOT_REPARAMETERIZED, validate_args,
                         allow_nan_stats, name=name)

    @property
    def mixture_distribution(self):
        """The distribution of the components."""
        return self._chosen

    @property
    def components_distribution(self):
        """The components, along the last axis of its batch."""
        return self._components

    def _batch_shape_tensor(self):
        return self._components.batch_shape_tensor()[:-1]

    def _batch_shape(self):
        return self._components.batch_shape[:-1]

    def _event_shape_tensor(self):
        return self._components.event_shape_tensor()

    def _event_shape(self):
        return self._components.event_shape

    def _component_samples(self, n, seed):
        return self._components.sample(n, seed=seed)

    def _component_log_probs(self, x):
        return self._components.log_prob(shaping.expand_dims(x, -1 - self._event_rank()))

    def _component_statistic(self, name):
        return getattr(self._components, name)()

    def _cdf(self, x):
        return self._weighted(self._components.cdf(shaping.expand_dims(x, -1)))


class Mixture(_Mixture):
    """One of a list of distributions of the same batch and event, with the weights of `cat`."""

    def __init__(self, cat, components, validate_args=False, allow_nan_stats=True,
                 use_static_graph=False, name='Mixture'):
        if not components:
            raise misuse(ValueError('components must be a non-empty list or tuple'))
        kinds = {c.dtype for c in components}
        if len(kinds) > 1:
            raise misuse(TypeError('All components must have the same dtype, but saw dtypes: '
                                   f'{sorted(k.name for k in kinds)}'))
        count = cat.logits.shape[-1].value
        if count is not None and count != len(components):
            raise misuse(ValueError(
                f'cat.num_classes != len(components): {count} vs. {len(components)}'))
        with name_scope(name) as name:
            self._chosen, self._components = cat, list(components)
            self._count = len(components)
        super().__init__(components[0].dtype, NOT_REPARAMETERIZED, validate_args,
                         allow_nan_stats, name=name)

    @property
    def cat(self):
        """The distribution of the components."""
        return self._chosen

    @property
    def components(self):
        """The distributions."""
        return list(self._components)

    @property
    def num_components(self):
        """The number of components."""
        return self._count

    def _batch_shape_tensor(self):
        return self._chosen.batch_shape_tensor()

    def _batch_shape(self):
        return self._chosen.batch_shape

    def _event_shape_tensor(self):
        return self._components[0].event_shape_tensor()

    def _event_shape(self):
        return self._components[0].event_shape

    def _stacked(self, values):
        return joining.stack(values, axis=-1 - self._event_rank())

    def _component_samples(self, n, seed):
        return self._stacked([c.sample(n, seed=new_seed(seed, f'component {i}'))
                              for i, c in enumerate(self._components)])

    def _component_log_probs(self, x):
        return joining.stack([c.log_prob(x) for c in self._components], axis=-1)

    def _component_statistic(self, name):
        return self._stacked([getattr(c, name)() for c in self._components])

    def entropy_lower_bound(self, name='entropy_lower_bound'):
        """The mean of the entropies of the components, below the entropy of the mixture."""
        with self._name_scope(name):
            entropies = joining.stack([c.entropy() for c in self._components], axis=-1)
            return math.reduce_sum(math.softmax(self._chosen.logits) * entropies, axis=-1)


__all__ = ['Mixture', 'MixtureSameFamily']
