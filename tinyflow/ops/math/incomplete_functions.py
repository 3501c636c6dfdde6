"""NumPy kernels of the incomplete gamma and beta functions and of Bessel I0 and I1.

Sources: M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions (1964), by the numbers
of their formulas; the continued fractions are evaluated from the front (W. J. Lentz, 1976).
"""
from __future__ import annotations

import numpy as np

from tinyflow.ops.math.gamma_functions import digamma, lgamma

_TINY, _EPS, _MAX_TERMS = 1e-300, 1e-16, 10000


def _double(function):
    """Decorator: broadcasts, computes in float64 and returns the dtype of the inputs."""
    def computed(*arrays):
        dtype = arrays[0].dtype
        with np.errstate(all='ignore'):
            wide = np.broadcast_arrays(*[np.asarray(a, np.float64) for a in arrays])
            return np.asarray(function(*wide)).astype(dtype)
    return computed


def _front(a, x):
    """x^a exp(-x) / gamma(a)."""
    return np.exp(a * np.log(x) - x - lgamma(a))


def _lower_series(a, x, weigh=None):
    """Lower incomplete gamma by 6.5.29: the sum of x^(a+n) exp(-x) / gamma(a+n+1).

    With `weigh`, each term is multiplied by weigh(a + n + 1).
    """
    term = _front(a, x) / a
    total = term.copy() if weigh is None else term * weigh(a + 1)
    for n in range(1, _MAX_TERMS):
        term = term * (x / (a + n))
        total = total + (term if weigh is None else term * weigh(a + n + 1))
        if not np.any(np.abs(term) > _EPS * np.abs(total)) and not np.any(x > a + n):
            break
    return total


def _upper_fraction(a, x):
    """Upper incomplete gamma by the continued fraction 6.5.31, for x > a + 1."""
    b = x + 1 - a
    c = np.full_like(x, 1 / _TINY)
    d = 1 / b
    result = d
    for n in range(1, _MAX_TERMS):
        factor = -n * (n - a)
        b = b + 2
        d = factor * d + b
        d = 1 / np.where(np.abs(d) < _TINY, _TINY, d)
        c = b + factor / c
        c = np.where(np.abs(c) < _TINY, _TINY, c)
        step = d * c
        result = result * step
        if not np.any(np.abs(step - 1) > _EPS * 4):
            break
    return _front(a, x) * result


def _gamma_parts(a, x):
    """(lower, upper), each by the formula that is accurate there."""
    lower = np.full(a.shape, np.nan)
    upper = np.full(a.shape, np.nan)
    valid = (a > 0) & (x >= 0)
    lower[valid & (x == 0)], upper[valid & (x == 0)] = 0, 1
    lower[valid & np.isinf(x)], upper[valid & np.isinf(x)] = 1, 0
    valid &= (x > 0) & ~np.isinf(x)
    small = valid & (x < a + 1)
    if small.any():
        lower[small] = _lower_series(a[small], x[small])
        upper[small] = 1 - lower[small]
    large = valid & ~small
    if large.any():
        upper[large] = _upper_fraction(a[large], x[large])
        lower[large] = 1 - upper[large]
    return lower, upper


@_double
def igamma(a, x):
    """The regularised lower incomplete gamma function P(a, x)."""
    return _gamma_parts(a, x)[0]


@_double
def igammac(a, x):
    """The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x)."""
    return _gamma_parts(a, x)[1]


@_double
def igamma_grad_a(a, x):
    """dP(a, x)/da: each term of the series, differentiated."""
    result = np.full(a.shape, np.nan)
    valid = (a > 0) & (x >= 0)
    result[valid & ((x == 0) | np.isinf(x))] = 0
    valid &= (x > 0) & ~np.isinf(x)
    if valid.any():
        inner_a, inner_x = a[valid], x[valid]
        log_x = np.log(inner_x)
        result[valid] = _lower_series(inner_a, inner_x, lambda z: log_x - digamma(z))
    return result


def _beta_fraction(a, b, x):
    """The continued fraction 26.5.8 of the incomplete beta function."""
    c = np.ones_like(x)
    d = 1 - (a + b) * x / (a + 1)
    d = 1 / np.where(np.abs(d) < _TINY, _TINY, d)
    result = d
    for m in range(1, _MAX_TERMS):
        for factor in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                       -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 + factor * d
            d = 1 / np.where(np.abs(d) < _TINY, _TINY, d)
            c = 1 + factor / c
            c = np.where(np.abs(c) < _TINY, _TINY, c)
            step = d * c
            result = result * step
        if not np.any(np.abs(step - 1) > _EPS * 4):
            break
    return result


@_double
def betainc(a, b, x):
    """The regularised incomplete beta function I_x(a, b)."""
    result = np.full(x.shape, np.nan)
    valid = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
    result[valid & (x == 0)], result[valid & (x == 1)] = 0, 1
    valid &= (x > 0) & (x < 1)
    a, b, x = a[valid], b[valid], x[valid]
    swapped = x > (a + 1) / (a + b + 2)          # I_x(a, b) = 1 - I_(1-x)(b, a), 26.5.2
    p, q, t = np.where(swapped, b, a), np.where(swapped, a, b), np.where(swapped, 1 - x, x)
    front = np.exp(lgamma(a + b) - lgamma(a) - lgamma(b) + p * np.log(t) + q * np.log1p(-t)) / p
    part = front * _beta_fraction(p, q, t)
    result[valid] = np.where(swapped, 1 - part, part)
    return result


def _bessel(order, x):
    """exp(-|x|) I_order(x) for x >= 0: the series 9.6.10, for large x the asymptotic one 9.7.1."""
    near = np.minimum(x, 25.0)
    term = np.exp(-near) * (near / 2) ** order
    total = term.copy()
    for k in range(1, 120):
        term = term * (near * near / 4) / (k * (k + order))
        total = total + term
    far = np.maximum(x, 25.0)
    term, series = np.ones_like(far), np.ones_like(far)
    for k in range(1, 30):
        term = term * -(4 * order * order - (2 * k - 1) ** 2) / (8 * k * far)
        series = series + term
    return np.where(x <= 25.0, total, series / np.sqrt(2 * np.pi * far))


@_double
def bessel_i0e(x):
    """exp(-|x|) I0(x)."""
    return _bessel(0, np.abs(x))


@_double
def bessel_i1e(x):
    """exp(-|x|) I1(x)."""
    return np.sign(x) * _bessel(1, np.abs(x))
