"""Bijectors of bijectors: one after the other, or backwards."""
from __future__ import annotations

from tinyflow.api.contrib.distributions.bijectors.bijector import Bijector
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants


class Invert(Bijector):
    """The inverse of a bijector."""

    def __init__(self, bijector, validate_args=False, name=None):
        if not bijector._is_injective:
            raise misuse(NotImplementedError('Invert is not implemented for non-injective '
                                             'bijectors.'))
        self._bijector = bijector
        super().__init__(graph_parents=bijector.graph_parents,
                         forward_min_event_ndims=bijector.inverse_min_event_ndims,
                         inverse_min_event_ndims=bijector.forward_min_event_ndims,
                         is_constant_jacobian=bijector.is_constant_jacobian,
                         validate_args=validate_args, dtype=bijector.dtype,
                         name=name or '_'.join(['invert', bijector.name]))

    @property
    def bijector(self):
        """The bijector that is inverted."""
        return self._bijector

    def _forward_event_shape(self, shape):
        return self._bijector._inverse_event_shape(shape)

    def _forward_event_shape_tensor(self, shape):
        return self._bijector._inverse_event_shape_tensor(shape)

    def _inverse_event_shape(self, shape):
        return self._bijector._forward_event_shape(shape)

    def _inverse_event_shape_tensor(self, shape):
        return self._bijector._forward_event_shape_tensor(shape)

    def _forward(self, x, **kwargs):
        return self._bijector._inverse(x, **kwargs)

    def _inverse(self, y, **kwargs):
        return self._bijector._forward(y, **kwargs)

    def _ildj(self, given, value, kwargs):
        # What is y here is x of the inner bijector.
        forward = getattr(self._bijector, '_forward_log_det_jacobian', None)
        if given == 'y' and forward is not None:
            return forward(value, **kwargs)
        return -self._bijector._ildj('y' if given == 'x' else 'x', value, kwargs)


class Chain(Bijector):
    """Bijectors one after the other; the last of the list comes first, as in f(g(x))."""

    def __init__(self, bijectors=None, validate_args=False, name=None):
        bijectors = tuple(bijectors or ())
        for b in bijectors:
            if not b._is_injective:
                raise misuse(NotImplementedError(
                    f'Invert is not implemented for non-injective bijector ({b.name})'))
        self._bijectors = bijectors
        kinds = {b.dtype for b in bijectors} - {None}
        if len(kinds) > 1:
            raise misuse(ValueError(f'incompatible dtypes: {sorted(k.name for k in kinds)}'))
        super().__init__(
            graph_parents=[parent for b in bijectors for parent in b.graph_parents],
            forward_min_event_ndims=_least(bijectors[::-1], False),
            inverse_min_event_ndims=_least(bijectors, True),
            is_constant_jacobian=all(b.is_constant_jacobian for b in bijectors),
            validate_args=validate_args, dtype=kinds.pop() if kinds else None,
            name=name or ('identity' if not bijectors
                          else '_of_'.join(['chain', *(b.name for b in bijectors)])))

    @property
    def bijectors(self):
        """The bijectors, outermost first."""
        return self._bijectors

    def _shape(self, shape, bijectors, method):
        for b in bijectors:
            shape = getattr(b, method)(shape)
        return shape

    def _forward_event_shape(self, shape):
        return self._shape(shape, self._bijectors[::-1], 'forward_event_shape')

    def _forward_event_shape_tensor(self, shape):
        return self._shape(shape, self._bijectors[::-1], 'forward_event_shape_tensor')

    def _inverse_event_shape(self, shape):
        return self._shape(shape, self._bijectors, 'inverse_event_shape')

    def _inverse_event_shape_tensor(self, shape):
        return self._shape(shape, self._bijectors, 'inverse_event_shape_tensor')

    def _forward(self, x, **kwargs):
        for b in reversed(self._bijectors):
            x = b.forward(x, **kwargs.get(b.name, {}))
        return x

    def _inverse(self, y, **kwargs):
        for b in self._bijectors:
            y = b.inverse(y, **kwargs.get(b.name, {}))
        return y

    def _inverse_log_det_jacobian(self, y, **kwargs):
        total = constants.constant(0.0, y.dtype, name='inverse_log_det_jacobian')
        ndims = self.inverse_min_event_ndims
        for b in self._bijectors:
            total = total + b.inverse_log_det_jacobian(y, ndims, **kwargs.get(b.name, {}))
            ndims += b.forward_min_event_ndims - b.inverse_min_event_ndims
            y = b.inverse(y, **kwargs.get(b.name, {}))
        return total

    def _forward_log_det_jacobian(self, x, **kwargs):
        total = constants.constant(0.0, x.dtype, name='forward_log_det_jacobian')
        ndims = self.forward_min_event_ndims
        for b in reversed(self._bijectors):
            total = total + b.forward_log_det_jacobian(x, ndims, **kwargs.get(b.name, {}))
            ndims += b.inverse_min_event_ndims - b.forward_min_event_ndims
            x = b.forward(x, **kwargs.get(b.name, {}))
        return total


def _least(bijectors, inverse):
    """The rank of the smallest event that the bijectors take, in the order of use."""
    needed, changed = 0, 0
    for b in bijectors:
        takes, gives = b.forward_min_event_ndims, b.inverse_min_event_ndims
        if inverse:
            takes, gives = gives, takes
        needed = max(needed, takes - changed)
        changed += gives - takes
    return needed


__all__ = ['Chain', 'Invert']
