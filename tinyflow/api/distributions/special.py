"""The standard normal distribution function, its logarithm and inverse; that of Laplace's.

The series for the tail of log_ndtr is Abramowitz and Stegun, Handbook of Mathematical Functions,
26.2.12; the rational functions of ndtri are those of the Cephes library (Moshier, 1987).
"""
from __future__ import annotations

import math as python_math

import numpy as np

from tinyflow.api import math
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, shape_ops
from tinyflow.ops.array.where_v2 import where_v2

# log_ndtr uses other formulas below and above these, by dtype: (lower, upper).
_LIMITS = {'float32': (-10.0, 5.0), 'float64': (-20.0, 8.0)}

# Of ndtri, by the distance to 1/2 and, in two ranges, by 1 / sqrt(-2 log p); leading powers first.
_MIDDLE = ([-59.9633501014107895267, 98.0010754185999661536, -56.6762857469070293439,
            13.9312609387279679503, -1.23916583867381258016],
           [1.0, 1.95448858338141759834, 4.67627912898881538453, 86.3602421390890590575,
            -225.462687854119370527, 200.260212380060660359, -82.0372256168333339912,
            15.9056225126211695515, -1.18331621121330003142])
_TAIL = ([4.05544892305962419923, 31.5251094599893866154, 57.1628192246421288162,
          44.0805073893200834700, 14.6849561928858024014, 2.18663306850790267539,
          -0.140256079171354495875, -0.0350424626827848203418, -0.000857456785154685413611],
         [1.0, 15.7799883256466749731, 45.3907635128879210584, 41.3172038254672030440,
          15.0425385692907503408, 2.50464946208309415979, -0.142182922854787788574,
          -0.0380806407691578277194, -0.000933259480895457427372])
_FAR_TAIL = ([3.23774891776946035970, 6.91522889068984211695, 3.93881025292474443415,
              1.33303460815807542389, 0.201485389549179081538, 0.0123716634817820021358,
              0.000301581553508235416007, 2.65806974686737550832e-6, 6.23974539184983293730e-9],
             [1.0, 6.02427039364742014255, 3.67983563856160859403, 1.37702099489081330271,
              0.216236993594496635890, 0.0134204006088543189037, 0.000328014464682127739104,
              2.89247864745380683936e-6, 6.79019408009981274425e-9])


def ndtr(x, name='ndtr'):
    """The probability that a standard normal number is at most x."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name='x')
        _check(x)
        return _ndtr(x)


def _check(x, dtypes=('float32', 'float64')):
    if x.dtype.name not in dtypes:
        raise misuse(TypeError(f'x.dtype={x.dtype!r} is not supported, only float32 and float64.'))


def _ndtr(x):
    half_sqrt_2 = constants.constant(0.5 * python_math.sqrt(2.0), x.dtype, name='half_sqrt_2')
    w = x * half_sqrt_2
    z = math.abs(w)
    near = math.less(z, half_sqrt_2)
    below = 1.0 + math.erf(w)
    right = math.greater(w, 0.0)
    above = 2.0 - math.erfc(z)
    return 0.5 * where_v2(near, below, where_v2(right, above, math.erfc(z)))


def log_ndtr(x, series_order=3, name='log_ndtr'):
    """The logarithm of ndtr, exact in both tails, too."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name='x')
        _check(x)
        lower, upper = _LIMITS[x.dtype.name]
        # Far up, log(1 - p) is -p; far down, a series. What is not used must not be NaN, because
        # its gradient would be.
        high = math.greater(x, upper)
        of_high = -_ndtr(-x)
        middle = math.greater(x, lower)
        of_middle = math.log(_ndtr(math.maximum(x, lower)))
        of_low = _log_ndtr_series(math.minimum(x, lower), series_order)
        return where_v2(high, of_high, where_v2(middle, of_middle, of_low))


def _log_ndtr_series(x, order):
    squared = math.square(x)
    scale = -0.5 * squared - math.log(-x) - 0.5 * python_math.log(2.0 * python_math.pi)
    return scale + math.log(_series(x, order))


def _series(x, order):
    """1 - 1/x^2 + 3/x^4 - 15/x^6 ..., with `order` terms after the first."""
    if order <= 0:
        return np.asarray(1, x.dtype.np)
    squared = math.square(x)
    even, odd = constants.zeros_like(x), constants.zeros_like(x)
    power = squared
    for n in range(1, order + 1):
        term = float(np.prod(np.arange(2 * n - 1, 1, -2))) / power
        if n % 2:
            odd += term
        else:
            even += term
        power *= squared
    return 1.0 + even - odd


def ndtri(p, name='ndtri'):
    """The inverse of ndtr: the quantile of a standard normal number."""
    with name_scope(name, values=[p]):
        p = convert_to_tensor(p, name='p')
        _check(p)
        upper_tail = math.greater(p, 1.0 - np.exp(-2.0))
        small = where_v2(upper_tail, 1.0 - p, p)
        inside = where_v2(math.less_equal(small, 0.0),
                          constants.fill(shape_ops.shape(p), np.array(0.5, p.dtype.np)), small)
        w = inside - 0.5
        squared = w ** 2
        central = w + w * squared * (_polynomial(_MIDDLE[0], squared)
                                     / _polynomial(_MIDDLE[1], squared))
        central *= -np.sqrt(2.0 * np.pi)
        z = math.sqrt(-2.0 * math.log(inside))
        first = z - math.log(z) / z
        far = _polynomial(_FAR_TAIL[0], 1.0 / z) / _polynomial(_FAR_TAIL[1], 1.0 / z) / z
        near = _polynomial(_TAIL[0], 1.0 / z) / _polynomial(_TAIL[1], 1.0 / z) / z
        of_far, of_near = first - far, first - near
        middle = math.greater(inside, np.exp(-2.0))
        tail = where_v2(math.greater_equal(z, 8.0), of_far, of_near)
        x = where_v2(middle, central, tail)
        x = where_v2(math.greater(p, 1.0 - np.exp(-2.0)), x, -x)
        infinite = constants.constant(np.inf, p.dtype)
        infinity = constants.fill(shape_ops.shape(p), infinite)
        lowest, down = math.less_equal(p, 0.0), -infinity
        x = where_v2(math.greater_equal(p, 1.0), infinity, x)
        return where_v2(lowest, down, x)


def _polynomial(coefficients, x):
    """By Horner's rule; the leading coefficient comes first."""
    result = constants.zeros_like(x)
    for c in coefficients:
        result = c + result * x
    return result


def log_cdf_laplace(x, name='log_cdf_laplace'):
    """The logarithm of the probability that a standard Laplace number is at most x."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name='x')
        below = -np.log(2.0) + x
        above = math.log1p(-0.5 * math.exp(-math.abs(x)))
        return where_v2(math.less(x, 0.0), below, above)


__all__ = ['log_cdf_laplace', 'log_ndtr', 'ndtr', 'ndtri']
