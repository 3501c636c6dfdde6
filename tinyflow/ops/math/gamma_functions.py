"""NumPy kernels of erf, erfc, lgamma, digamma, polygamma and zeta.

erfc uses a Chebyshev series in the variable of J. L. Schonfelder (Chebyshev expansions for the
error and related functions, 1978); its coefficients are computed from math.erfc when first needed.
The rest are the recurrences, reflections, Taylor and asymptotic series in M. Abramowitz and
I. A. Stegun, Handbook of Mathematical Functions (1964), chapters 6, 7 and 23, by their numbers.
"""
from __future__ import annotations

import functools
import math

import numpy as np

from tinyflow.graph.support.tiles import TILE, in_tiles, scratch

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510,
              43867 / 798, -174611 / 330)          # B2, B4, ...
_EULER = 0.57721566490153286061


def in_working_precision(function):
    """Decorator: float16 inputs are computed in float32."""
    @functools.wraps(function)
    def wrapped(*arrays):
        dtype = arrays[0].dtype
        if dtype == np.float16:
            return function(*[a.astype(np.float32) for a in arrays]).astype(dtype)
        return np.asarray(function(*arrays), dtype)
    return wrapped


# ---- erf and erfc ----------------------------------------------------------------------------

_MIDDLE = 3.75          # (x - 3.75) / (x + 3.75) takes [0, inf) to [-1, 1) most evenly
_SMALL = 0.5            # below, erf is x times a series in x^2; above, it is 1 - erfc


def _scaled_erfc(x):
    """exp(x^2) erfc(x) for one Python float, without the rounding error of x^2."""
    head = float(np.float32(x))
    return math.erfc(x) * math.exp(head * head) * math.exp((x - head) * (x + head))


def _at_tail(t):
    """_scaled_erfc times (x + 3.75), which has a limit as x grows, at t in [-1, 1)."""
    x = _MIDDLE * (1 + t) / (1 - t)
    if x > 20:      # asymptotic series (7.1.23)
        series = sum((-1) ** n * math.prod(range(1, 2 * n, 2)) / (2 * x * x) ** n
                     for n in range(9))
        return (x + _MIDDLE) / (x * math.sqrt(math.pi)) * series
    return _scaled_erfc(x) * (x + _MIDDLE)


@functools.cache
def _coefficients(function, double):
    """Chebyshev coefficients of a function on [-1, 1], as many as the precision needs."""
    coefficients = np.polynomial.chebyshev.chebinterpolate(np.vectorize(function), 40)
    needed = np.flatnonzero(np.abs(coefficients) > (1e-17 if double else 1e-9))[-1] + 1
    return [float(c) for c in coefficients[:needed]]


def _series(function, t):
    """The Chebyshev series of `function` at `t`, by Clenshaw's recurrence."""
    coefficients = _coefficients(function, t.dtype == np.float64)
    twice = t + t
    last, before = np.zeros_like(t), np.zeros_like(t)
    for coefficient in coefficients[:0:-1]:
        before *= -1
        before += twice * last
        before += coefficient
        last, before = before, last
    return t * last - before + coefficients[0]


def _erf_near_zero(x):
    square, total = x * x, 0
    for n in range(12, -1, -1):     # Taylor (7.1.5)
        total = total * square + (-1) ** n / (math.factorial(n) * (2 * n + 1))
    return 2 / math.sqrt(math.pi) * x * total


def _erfc_of_positive(x):
    series = _series(_at_tail, (x - _MIDDLE) / (x + _MIDDLE)) / (x + _MIDDLE)
    # x^2 loses digits that exp() would magnify: x = head + rest, with head^2 exact.
    head = x.astype(np.float32) if x.dtype == np.float64 else np.round(x * 128) / 128
    head = head.astype(x.dtype)
    return np.exp(-head * head) * np.exp((head - x) * (head + x)) * series


def erf(x, out=None):
    """2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x."""
    if x.dtype == np.float32 and not isinstance(x, np.ndarray):
        result = _erf32(x, *[np.empty_like(x) for _ in range(3)])   # a stand-in of a native loop
    elif x.dtype == np.float32:
        fits = out is not None and out.flags.c_contiguous
        result = out if fits else np.empty(x.shape, x.dtype)
        x, y = np.ascontiguousarray(x).reshape(-1), result.reshape(-1)
        in_tiles(len(x), lambda i, j: _erf32(x[i:j], y[i:j], *scratch(j - i, x.dtype, 2)),
                 TILE)
    else:
        result = _erf(x)
    if out is None or out is result:
        return result
    np.copyto(out, result)
    return out


# atanh(erf(x)) / x as a polynomial in x^2, fitted for the smallest error of its tanh: at most 5
# units in the last place. At 4.25 and beyond erf is 1 in float32.
_ATANH_OF_ERF = [np.float32(c) for c in (
    7.7341775e-10, 1.2504720e-07, -5.5365303e-06, 8.7167531e-05, -6.1900495e-04, -1.9238543e-04,
    1.0276919e-01, 1.1283793e+00)]
_END = np.float32(4.25)


def _erf32(x, out, near, square):
    """Shapes: all [n], float32. `out` may be x; the last two are overwritten."""
    np.clip(x, -_END, _END, near)
    np.multiply(near, near, square)
    first, *others, last = _ATANH_OF_ERF
    np.multiply(square, first, out)
    for coefficient in others:
        np.add(out, coefficient, out)
        np.multiply(out, square, out)
    np.add(out, last, out)
    np.multiply(out, near, out)
    return np.tanh(out, out)


@in_working_precision
def _erf(x):
    x = np.asarray(x)
    size = np.minimum(np.abs(x), 30)
    result = np.empty_like(size)
    small = ~(size > _SMALL)
    result[small] = _erf_near_zero(size[small])
    result[~small] = 1 - _erfc_of_positive(size[~small])
    return np.copysign(result, x)


@in_working_precision
def erfc(x):
    """1 - erf(x), exact where erf(x) is close to 1."""
    x = np.asarray(x)
    size = np.minimum(np.abs(x), 30)
    result = np.empty_like(size)
    small = ~(size > _SMALL)
    result[small] = 1 - np.copysign(_erf_near_zero(size[small]), x[small])
    tail = _erfc_of_positive(size[~small])
    result[~small] = np.where(x[~small] < 0, 2 - tail, tail)
    return result


# ---- the Hurwitz zeta function ---------------------------------------------------------------

@in_working_precision
def zeta(s, q):
    """sum over k >= 0 of (q + k)^-s, by the Euler-Maclaurin formula from q + k >= 10 on.

    Infinite at s = 1 and where q is 0, -1, ...; NaN for s < 1 and where a negative base would
    be raised to a fraction.
    """
    s, q = np.broadcast_arrays(s, q)
    pole = (s == 1) | ((q <= 0) & (q == np.floor(q)))
    undefined = (s < 1) | ((q < 0) & (s != np.floor(s))) | np.isnan(s) | np.isnan(q)
    s, q = np.where(undefined | pole, 2, s), np.where(undefined | pole, 1, q)
    total = np.zeros_like(q)
    # At least ten terms are summed one by one, so that the tail is small even where s is large.
    for _ in range(10):
        total += np.power(q, -s)
        q = q + 1
    for _ in range(int(np.clip(np.ceil(10 - q.min(initial=10)), 0, 10000))):
        low = q < 10
        total += np.where(low, np.power(q, -s), 0)
        q = np.where(low, q + 1, q)
    power = np.power(q, -s)
    total += power * q / (s - 1) + power / 2
    factor = power / q
    for j, bernoulli in enumerate(_BERNOULLI):
        # B_2j / (2j)! s (s + 1) ... (s + 2j - 2) q^(-s - 2j + 1)
        n = 2 * j
        factor = factor * (s if j == 0 else (s + n - 1) * (s + n) / (q * q)) / ((n + 1) * (n + 2))
        total += bernoulli * factor
    return np.where(undefined, np.nan, np.where(pole, np.inf, total))


# ---- log gamma and digamma -------------------------------------------------------------------

@functools.cache
def _taylor_at_two():
    """Coefficients of log gamma(2 + z) = z (c1 + z (c2 + ...)): (6.1.33), shifted by one."""
    orders = np.arange(2.0, 30.0)
    signs = np.where(orders % 2, -1, 1)
    return [1 - _EULER, *(signs * zeta(orders, np.full_like(orders, 2.0)) / orders).tolist()]


def _near_two(z):
    """log gamma(2 + z) for z in [-0.5, 0.5]; its zero at 0 is exact."""
    result = np.zeros_like(z)
    for coefficient in reversed(_taylor_at_two()):
        result = (result + coefficient) * z
    return result


def _stirling(x):
    """log gamma for x >= 8 (6.1.41)."""
    inverse, total = 1 / x, 0
    for j in range(7, -1, -1):
        n = 2 * j + 2
        total = total * inverse * inverse + _BERNOULLI[j] / (n * (n - 1))
    return (x - 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + total * inverse


def _lgamma_of_positive(x):
    """log gamma for x >= 0.5: brought into [1.5, 2.5] by gamma(x + 1) = x gamma(x)."""
    large = x > 8
    base = np.where(large | np.isnan(x), 2, x)
    low = base < 1.5
    product = np.ones_like(base)
    for _ in range(6):
        above = base > 2.5
        base = np.where(above, base - 1, base)
        product = np.where(above, product * base, product)
    # For low x, x + 1 would lose the distance to 1 to rounding.
    middle = _near_two(np.where(low, base - 1, base - 2)) + np.log(product)
    middle -= np.where(low, np.log(base), 0)
    return np.where(large, _stirling(np.where(large, x, 8)), np.where(np.isnan(x), x, middle))


@in_working_precision
def lgamma(x):
    """log |gamma(x)|; infinite at 0, -1, -2, ..."""
    x = np.asarray(x)
    low = x < 0.5
    result = _lgamma_of_positive(np.where(low, 1 - x, x))
    if low.any():
        # Reflection (6.1.17), with the angle reduced before pi rounds it.
        sine = np.sin(math.pi * np.abs(x - np.rint(x)))
        reflected = math.log(math.pi) - np.log(sine) - result
        result = np.where(low, np.where(np.isinf(x), np.inf, reflected), result)
    return np.where(np.isposinf(x), np.inf, result)


@in_working_precision
def digamma(x):
    """The derivative of log gamma; infinite at 0, -1, -2, ..."""
    x = np.asarray(x)
    low = x < 0.5
    base = np.where(low, 1 - x, x)
    total = np.zeros_like(base)
    for _ in range(10):
        small = base < 10
        total -= np.where(small, 1 / base, 0)
        base = np.where(small, base + 1, base)
    inverse = 1 / base
    squares, tail = inverse * inverse, 0
    for j in range(7, -1, -1):      # (6.3.18)
        tail = (tail + _BERNOULLI[j] / (2 * j + 2)) * squares
    total += np.log(base) - 0.5 * inverse - tail
    if low.any():                   # (6.3.7)
        angle = math.pi * (x - np.rint(x))
        pole = low & (x == np.rint(x))
        reflected = total - math.pi / np.tan(np.where(pole, 1, angle))
        total = np.where(pole, np.inf, np.where(low, reflected, total))
    return total


@in_working_precision
def polygamma(order, x):
    """The derivative of digamma of an integer order >= 0 (6.4.10); NaN for other orders."""
    order, x = np.broadcast_arrays(order, x)
    valid = (order >= 0) & (order == np.floor(order))
    safe = np.where(valid, order, 1)
    sign = np.where(safe % 2, 1, -1)
    result = sign * np.exp(lgamma(safe + 1)) * zeta(safe + 1, x)
    zeroth = safe == 0
    if zeroth.any():
        result = np.where(zeroth, digamma(x), result)
    return np.where(valid, result, np.nan)
