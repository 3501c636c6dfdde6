"""Bijectors of each number."""
from __future__ import annotations

import numpy as np

from tinyflow.api import math
from tinyflow.api.contrib.distributions.bijectors.bijector import Bijector, init_scope
from tinyflow.api.contrib.distributions.softplus import softplus_inverse
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.array.identity_and_cast import identity
from tinyflow.ops.nn.activations import softplus


class _OfNumbers(Bijector):
    """Base: every number is an event."""

    def __init__(self, validate_args=False, name=None, is_constant_jacobian=False,
                 graph_parents=None):
        super().__init__(graph_parents=graph_parents, forward_min_event_ndims=0,
                         is_constant_jacobian=is_constant_jacobian, validate_args=validate_args,
                         name=name)


class Identity(_OfNumbers):
    """y = x"""

    def __init__(self, validate_args=False, name='identity'):
        super().__init__(validate_args, name, is_constant_jacobian=True)

    def _forward(self, x):
        return x

    def _inverse(self, y):
        return y

    def _inverse_log_det_jacobian(self, y):
        return constants.constant(0.0, y.dtype)

    def _forward_log_det_jacobian(self, x):
        return constants.constant(0.0, x.dtype)


class PowerTransform(_OfNumbers):
    """y = (1 + x c) ** (1 / c), for c = `power` >= 0; exp(x) for c = 0."""

    def __init__(self, power=0.0, validate_args=False, name='power_transform'):
        if power is None or power < 0:
            raise misuse(ValueError('`power` must be a non-negative TF constant.'))
        with init_scope(name, [power]):
            convert_to_tensor(power, name='power')
        super().__init__(validate_args, name)
        self._power = power

    @property
    def power(self):
        """The c of (1 + x c) ** (1 / c)."""
        return self._power

    def _forward(self, x):
        if self._power == 0.0:
            return math.exp(x)
        return math.exp(math.log1p(x * self._power) / self._power)

    def _inverse(self, y):
        if self._power == 0.0:
            return math.log(y)
        return math.expm1(math.log(y) * self._power) / self._power

    def _inverse_log_det_jacobian(self, y):
        return (self._power - 1.0) * math.log(y)

    def _forward_log_det_jacobian(self, x):
        if self._power == 0.0:
            return x
        return (1.0 / self._power - 1.0) * math.log1p(x * self._power)


class Exp(PowerTransform):
    """y = exp(x)"""

    def __init__(self, validate_args=False, name='exp'):
        super().__init__(validate_args=validate_args, name=name)


class Sigmoid(_OfNumbers):
    """y = 1 / (1 + exp(-x))"""

    def __init__(self, validate_args=False, name='sigmoid'):
        super().__init__(validate_args, name)

    def _forward(self, x):
        return math.sigmoid(x)

    def _inverse(self, y):
        return math.log(y) - math.log1p(-y)

    def _inverse_log_det_jacobian(self, y):
        return -math.log(y) - math.log1p(-y)

    def _forward_log_det_jacobian(self, x):
        return -softplus(-x) - softplus(x)


class Softplus(_OfNumbers):
    """y = c log(1 + exp(x / c)), for c = `hinge_softness`, 1 by default."""

    def __init__(self, hinge_softness=None, validate_args=False, name='softplus'):
        with name_scope(name, values=[hinge_softness]):
            self._softness = None if hinge_softness is None else convert_to_tensor(
                hinge_softness, name='hinge_softness')
        parents = [] if self._softness is None else [self._softness]
        super().__init__(validate_args, name, graph_parents=parents)

    @property
    def hinge_softness(self):
        """The c of c log(1 + exp(x / c))."""
        return self._softness

    def _forward(self, x):
        if self._softness is None:
            return softplus(x)
        return self._softness * softplus(x / self._softness)

    def _inverse(self, y):
        if self._softness is None:
            return softplus_inverse(y)
        return self._softness * softplus_inverse(y / self._softness)

    def _inverse_log_det_jacobian(self, y):
        if self._softness is not None:
            y = y / self._softness
        return -math.log(-math.expm1(-y))

    def _forward_log_det_jacobian(self, x):
        if self._softness is not None:
            x = x / self._softness
        return -softplus(-x)


class Softsign(_OfNumbers):
    """y = x / (1 + |x|)"""

    def __init__(self, validate_args=False, name='softsign'):
        super().__init__(validate_args, name)

    def _forward(self, x):
        return x / (1.0 + math.abs(x))

    def _inverse(self, y):
        return y / (1.0 - math.abs(y))

    def _forward_log_det_jacobian(self, x):
        return -2.0 * math.log1p(math.abs(x))

    def _inverse_log_det_jacobian(self, y):
        return -2.0 * math.log1p(-math.abs(y))


class Square(_OfNumbers):
    """y = x ** 2, for x that are not negative."""

    def __init__(self, validate_args=False, name='square'):
        super().__init__(validate_args, name)

    def _forward(self, x):
        return math.square(x)

    def _inverse(self, y):
        return math.sqrt(y)

    def _forward_log_det_jacobian(self, x):
        return np.log(2.0) + math.log(x)


class AbsoluteValue(_OfNumbers):
    """y = |x|; the inverse is the pair (-y, y)."""

    _is_injective = False

    def __init__(self, validate_args=False, name='absolute_value'):
        with name_scope(name):
            pass
        super().__init__(validate_args, name, is_constant_jacobian=True)

    def _forward(self, x):
        return math.abs(x)

    def _inverse(self, y):
        return -y, y

    def _inverse_log_det_jacobian(self, y):
        zero = constants.constant(0.0, y.dtype)
        return zero, zero


class AffineScalar(_OfNumbers):
    """y = scale x + shift"""

    def __init__(self, shift=None, scale=None, validate_args=False, name='affine_scalar'):
        with init_scope(name, [scale, shift]):
            self._shift = None if shift is None else convert_to_tensor(shift, name='shift')
            self._scale = None if scale is None else convert_to_tensor(scale, name='scale')
        super().__init__(validate_args, name, is_constant_jacobian=True)

    @property
    def shift(self):
        """What is added, or None."""
        return self._shift

    @property
    def scale(self):
        """What is multiplied, or None."""
        return self._scale

    def _forward(self, x):
        y = identity(x)
        if self._scale is not None:
            y = y * self._scale
        return y if self._shift is None else y + self._shift

    def _inverse(self, y):
        x = identity(y)
        if self._shift is not None:
            x = x - self._shift
        return x if self._scale is None else x / self._scale

    def _forward_log_det_jacobian(self, x):
        if self._scale is None:
            return constants.constant(0.0, x.dtype)
        return math.log(math.abs(self._scale))


class Gumbel(_OfNumbers):
    """y = exp(-exp(-(x - loc) / scale)), the distribution function of Gumbel's distribution."""

    def __init__(self, loc=0.0, scale=1.0, validate_args=False, name='gumbel'):
        with init_scope(name, [loc, scale]):
            self._loc = convert_to_tensor(loc, name='loc')
            self._scale = convert_to_tensor(scale, name='scale')
        super().__init__(validate_args, name, graph_parents=[self._loc, self._scale])

    @property
    def loc(self):
        """Where the density is highest."""
        return self._loc

    @property
    def scale(self):
        """The width."""
        return self._scale

    def _forward(self, x):
        z = (x - self._loc) / self._scale
        return math.exp(-math.exp(-z))

    def _inverse(self, y):
        return self._loc - self._scale * math.log(-math.log(y))

    def _inverse_log_det_jacobian(self, y):
        return math.log(self._scale / (-math.log(y) * y))

    def _forward_log_det_jacobian(self, x):
        z = (x - self._loc) / self._scale
        return -z - math.exp(-z) - math.log(self._scale)


class Kumaraswamy(_OfNumbers):
    """y = (1 - (1 - x) ** (1 / b)) ** (1 / a), whose inverse is a distribution function."""

    def __init__(self, concentration1=None, concentration0=None, validate_args=False,
                 name='kumaraswamy'):
        with init_scope(name, [concentration1, concentration0]):
            self._a = convert_to_tensor(concentration1, name='concentration1')
            self._b = convert_to_tensor(concentration0, name='concentration0')
        super().__init__(validate_args, name)

    @property
    def concentration1(self):
        """The a of (1 - (1 - x) ** (1 / b)) ** (1 / a)."""
        return self._a

    @property
    def concentration0(self):
        """The b of (1 - (1 - x) ** (1 / b)) ** (1 / a)."""
        return self._b

    def _forward(self, x):
        return math.exp(math.log1p(-math.exp(math.log1p(-x) / self._b)) / self._a)

    def _inverse(self, y):
        return math.exp(math.log1p(-((1 - y ** self._a) ** self._b)))

    def _inverse_log_det_jacobian(self, y):
        # log(1 - (1 - y ** a) ** b) has the derivative a b y ** (a - 1) (1 - y ** a) ** (b - 1).
        return (math.log(self._a) + math.log(self._b) + (self._a - 1) * math.log(y)
                + (self._b - 1) * math.log1p(-y ** self._a))


class SinhArcsinh(_OfNumbers):
    """y = sinh((arcsinh(x) + skewness) tailweight)"""

    def __init__(self, skewness=None, tailweight=None, validate_args=False, name='SinhArcsinh'):
        with init_scope(name, [skewness, tailweight]):
            self._skewness = convert_to_tensor(0.0 if skewness is None else skewness,
                                               name='skewness')
            self._tailweight = convert_to_tensor(1.0 if tailweight is None else tailweight,
                                                 self._skewness.dtype, name='tailweight')
        super().__init__(validate_args, name)

    @property
    def skewness(self):
        """Positive values make the right tail heavier."""
        return self._skewness

    @property
    def tailweight(self):
        """How heavy the tails are."""
        return self._tailweight

    def _forward(self, x):
        return math.sinh((math.asinh(x) + self._skewness) * self._tailweight)

    def _inverse(self, y):
        return math.sinh(math.asinh(y) / self._tailweight - self._skewness)

    def _inverse_log_det_jacobian(self, y):
        return (math.log(math.cosh(math.asinh(y) / self._tailweight - self._skewness)
                         / _sqrt_of_one_plus_square(y)) - math.log(self._tailweight))

    def _forward_log_det_jacobian(self, x):
        return (math.log(math.cosh((math.asinh(x) + self._skewness) * self._tailweight)
                         / _sqrt_of_one_plus_square(x)) + math.log(self._tailweight))


def _sqrt_of_one_plus_square(x):
    return math.sqrt(1.0 + x * x)


__all__ = ['AbsoluteValue', 'AffineScalar', 'Exp', 'Gumbel', 'Identity', 'Kumaraswamy',
           'PowerTransform', 'Sigmoid', 'SinhArcsinh', 'Softplus', 'Softsign', 'Square']
