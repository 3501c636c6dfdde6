"""Distributions of a location and a scale."""
from __future__ import annotations

from tinyflow.api.distributions.distribution import FULLY_REPARAMETERIZED
from tinyflow.api.distributions.parameters import same_float_dtype
from tinyflow.api.distributions.scalars import ScalarDistribution
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.ops.array.identity_and_cast import identity
from tinyflow.ops.checks.value_checks import assert_positive


class LocationScale(ScalarDistribution):
    """The distribution of loc + scale x, for an x that a subclass draws."""

    _shaping = ('loc', 'scale')

    def __init__(self, loc, scale, validate_args, allow_nan_stats, name):
        with name_scope(name, values=[loc, scale]) as name:
            with control_dependencies([assert_positive(scale)] if validate_args else []):
                self._loc = identity(loc, name='loc')
                self._scale = identity(scale, name='scale')
                same_float_dtype(self._loc, self._scale)
        super().__init__(self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
                         graph_parents=[self._loc, self._scale], name=name)

    @property
    def loc(self):
        """The mean."""
        return self._loc

    @property
    def scale(self):
        """The unit of distances from `loc`."""
        return self._scale


__all__ = ['LocationScale']
