"""Distributions of which a parameter goes through softplus, to be positive."""
from __future__ import annotations

from tinyflow.api import math
from tinyflow.api.distributions.beta import Beta
from tinyflow.api.distributions.gamma import Exponential, Gamma
from tinyflow.api.distributions.laplace import Laplace
from tinyflow.api.distributions.normal import Normal
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope


class NormalWithSoftplusScale(Normal):
    """Normal with the scale softplus(scale)."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True,
                 name='NormalWithSoftplusScale'):
        with name_scope(name, values=[scale]) as name:
            scale = math.softplus(scale, name='softplus_scale')
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)


class LaplaceWithSoftplusScale(Laplace):
    """Laplace with the scale softplus(scale)."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True,
                 name='LaplaceWithSoftplusScale'):
        with name_scope(name, values=[loc, scale]) as name:
            scale = math.softplus(scale, name='softplus_scale')
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)


class GammaWithSoftplusConcentrationRate(Gamma):
    """Gamma of the softplus of both parameters."""

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True,
                 name='GammaWithSoftplusConcentrationRate'):
        with name_scope(name, values=[concentration, rate]) as name:
            concentration = math.softplus(concentration, name='softplus_concentration')
            rate = math.softplus(rate, name='softplus_rate')
        super().__init__(concentration, rate, validate_args, allow_nan_stats, name)


class ExponentialWithSoftplusRate(Exponential):
    """Exponential with the rate softplus(rate)."""

    def __init__(self, rate, validate_args=False, allow_nan_stats=True,
                 name='ExponentialWithSoftplusRate'):
        with name_scope(name, values=[rate]) as name:
            rate = math.softplus(rate, name='softplus_rate')
        super().__init__(rate, validate_args, allow_nan_stats, name)


class BetaWithSoftplusConcentration(Beta):
    """Beta of the softplus of both parameters."""

    def __init__(self, concentration1, concentration0, validate_args=False, allow_nan_stats=True,
                 name='BetaWithSoftplusConcentration'):
        with name_scope(name, values=[concentration1, concentration0]) as name:
            concentration1 = math.softplus(concentration1, name='softplus_concentration1')
            concentration0 = math.softplus(concentration0, name='softplus_concentration0')
        super().__init__(concentration1, concentration0, validate_args, allow_nan_stats, name)


def softplus_inverse(x, name=None):
    """The y with softplus(y) = x, for x > 0: x + log(1 - exp(-x))."""
    with name_scope(name, 'softplus_inverse', [x]):
        x = convert_to_tensor(x, name='x')
        return x + math.log(-math.expm1(-x))


__all__ = ['BetaWithSoftplusConcentration', 'ExponentialWithSoftplusRate',
           'GammaWithSoftplusConcentrationRate', 'LaplaceWithSoftplusScale',
           'NormalWithSoftplusScale', 'softplus_inverse']
