"""Kullback-Leibler divergences, by the classes of two distributions: kl_divergence, RegisterKL."""
from __future__ import annotations

from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array.identity_and_cast import check_numerics, identity

_DIVERGENCES: dict[tuple[type, type], object] = {}


def _registered(a, b):
    """The function of the two classes, or of the nearest of their base classes; or None."""
    bases_a, bases_b = a.__mro__, b.__mro__
    found = [(i + j, _DIVERGENCES[x, y]) for i, x in enumerate(bases_a)
             for j, y in enumerate(bases_b) if (x, y) in _DIVERGENCES]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    """The Kullback-Leibler divergence KL(a || b), the mean under a of log(a / b): [*batch].

    Raises NotImplementedError for classes without a formula; tf.distributions.RegisterKL adds one.
    """
    function = _registered(type(distribution_a), type(distribution_b))
    if function is None:
        raise misuse(NotImplementedError(
            'No KL(distribution_a || distribution_b) registered for distribution_a type '
            f'{type(distribution_a).__name__} and distribution_b type '
            f'{type(distribution_b).__name__}'))
    with name_scope('KullbackLeibler'):
        divergence = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return divergence
        divergence = identity(divergence, name='kl')
        with control_dependencies([check_numerics(
                divergence, 'KL calculation between distributions has NaN')]):
            return identity(divergence, name='checked_kl')


def cross_entropy(ref, other, allow_nan_stats=True, name=None):
    """The entropy of `ref` plus its divergence from `other`."""
    with name_scope(name, 'cross_entropy'):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)


class RegisterKL:
    """A decorator of f(a, b, name=None), the divergence of two classes of distributions."""

    def __init__(self, dist_cls_a, dist_cls_b):
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn):
        if not callable(kl_fn):
            raise misuse(TypeError(f'kl_fn must be callable, received: {kl_fn}'))
        if self._key in _DIVERGENCES:
            a, b = (c.__name__ for c in self._key)
            raise misuse(ValueError(f'KL({a} || {b}) has already been registered to: '
                                    f'{_DIVERGENCES[self._key]}'))
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn


__all__ = ['RegisterKL', 'cross_entropy', 'kl_divergence']
