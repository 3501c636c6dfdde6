"""exp, log, tanh and their relatives on vectors, for float32 and float64.

The approximations are those of Cephes (S. L. Moshier, netlib.org/cephes): ranges are reduced to
where a polynomial, or a quotient of two, is right to the last bit or two. tanh of float32 is the
quotient that TensorFlow uses. NaN and infinities come out as from NumPy.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence

from tinyflow.native.loops.vectors import Vectors

__all__ = ['FUNCTIONS']

_BITS = {'f4': 'i4', 'f8': 'i8'}            # the integer as wide as a number
_FRACTION = {'f4': 23, 'f8': 52}            # bits of the fraction
_BIAS = {'f4': 127, 'f8': 1023}
_ROUNDER = {'f4': 1.5 * 2 ** 23, 'f8': 1.5 * 2 ** 52}       # adding it rounds to an integer

_EXP_RANGE = {'f4': (-87.3365447505531, 88.7228390520684), 'f8': (-708.396418532264106,
                                                                  709.782712893383973)}
_LN2 = {'f4': (0.693359375, -2.12194440e-4), 'f8': (6.93145751953125e-1, 1.42860682030941723212e-6)}
_EXP32 = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
          5.0000001201e-1)
_EXP64_P = (1.26177193074810590878e-4, 3.02994407707441961300e-2, 9.99999999999999999910e-1)
_EXP64_Q = (3.00198505138664455042e-6, 2.52448340349684104192e-3, 2.27265548208155028766e-1, 2.0)
_LOG32 = (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
          -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
_LOG64_P = (1.01875663804580931796e-4, 4.97494994976747001425e-1, 4.70579119878881725854,
            1.44989225341610930846e1, 1.79368678507819816313e1, 7.70838733755885391666)
_LOG64_Q = (1.0, 1.12873587189167450590e1, 4.52279145837532221105e1, 8.29875266912776603211e1,
            7.11544750618563894466e1, 2.31251620126765340583e1)
_LOG_LN2 = (0.693359375, -2.121944400546905827679e-4)
_TANH32_P = (-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11,
             5.12229709037114e-08, 1.48572235717979e-05, 6.37261928875436e-04,
             4.89352455891786e-03)
_TANH32_Q = (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03,
             4.89352518554385e-03)
_TANH32_END = 7.90531110763549805           # the largest argument for which it is not 1
_TANH64_P = (-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3)
_TANH64_Q = (1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3)


def _polynomial(v: Vectors, t: str, x: str, coefficients: Sequence[float]) -> str:
    """c[0] x^n + ... + c[n]."""
    result = v.constant(coefficients[0], t)
    for c in coefficients[1:]:
        result = v.call('fmuladd', t, result, x, v.constant(c, t))
    return result


def exp(v: Vectors, t: str, x: str) -> str:
    """2^n e^r, where n is an integer and |r| <= ln(2) / 2; 0 for denormal results, as in TF."""
    i = _BITS[t]
    low, high = _EXP_RANGE[t]
    rounder = v.constant(_ROUNDER[t], t)
    shifted = v.call('fmuladd', t, x, v.constant(1.44269504088896340736, t), rounder)
    minus = v.op('fsub', t, rounder, shifted)               # -n
    r = x
    for part in _LN2[t]:
        r = v.call('fmuladd', t, minus, v.constant(part, t), r)
    square = v.op('fmul', t, r, r)
    one, zero = v.constant(1, t), v.constant(0, t)
    if t == 'f4':
        y = v.op('fadd', t, v.call('fmuladd', t, _polynomial(v, t, r, _EXP32), square, r), one)
    else:
        p = v.op('fmul', t, r, _polynomial(v, t, square, _EXP64_P))
        q = v.op('fsub', t, _polynomial(v, t, square, _EXP64_Q), p)
        y = v.call('fmuladd', t, v.op('fdiv', t, p, q), v.constant(2, t), one)
    # The lowest bits of `shifted` are n, which is added to the exponent.
    n = v.op('shl', i, v.convert('bitcast', t, i, shifted), v.constant(_FRACTION[t], i))
    y = v.convert('bitcast', i, t, v.op('add', i, v.convert('bitcast', t, i, y), n))
    y = v.select(v.compare('ogt', t, x, v.constant(high, t)), t, v.constant(float('inf'), t), y)
    nothing = v.select(v.compare('ogt', t, zero, x), t, zero, x)        # 0, or NaN
    return v.select(v.compare('oge', t, x, v.constant(low, t)), t, y, nothing)


def log(v: Vectors, t: str, x: str) -> str:
    """n ln(2) + log(m), where x = 2^n m and m is between sqrt(1/2) and sqrt(2)."""
    i = _BITS[t]
    tiny = v.compare('olt', t, x, v.constant(2.0 ** (1 - _BIAS[t]), t))
    scale = _FRACTION[t]
    normal = v.select(tiny, t, v.op('fmul', t, x, v.constant(2.0 ** scale, t)), x)
    bits = v.convert('bitcast', t, i, normal)
    exponent = v.op('sub', i, v.op('lshr', i, bits, v.constant(_FRACTION[t], i)),
                    v.constant(_BIAS[t] - 1, i))
    exponent = v.op('sub', i, exponent, v.select(tiny, i, v.constant(scale, i),
                                                 v.constant(0, i)))
    fraction = v.op('and', i, bits, v.constant((1 << _FRACTION[t]) - 1, i))
    half = v.op('or', i, fraction, v.constant((_BIAS[t] - 1) << _FRACTION[t], i))
    m = v.convert('bitcast', i, t, half)                    # in [1/2, 1)
    small = v.compare('olt', t, m, v.constant(0.70710678118654752440, t))
    n = v.convert('sitofp', i, t, v.op('sub', i, exponent, v.convert('zext', 'b1', i, small)))
    m = v.op('fsub', t, v.op('fadd', t, m, v.select(small, t, m, v.constant(0, t))),
             v.constant(1, t))
    square = v.op('fmul', t, m, m)
    if t == 'f4':
        y = v.op('fmul', t, v.op('fmul', t, m, square), _polynomial(v, t, m, _LOG32))
    else:
        quotient = v.op('fdiv', t, v.op('fmul', t, square, _polynomial(v, t, m, _LOG64_P)),
                        _polynomial(v, t, m, _LOG64_Q))
        y = v.op('fmul', t, m, quotient)
    y = v.call('fmuladd', t, n, v.constant(_LOG_LN2[1], t), y)
    y = v.call('fmuladd', t, square, v.constant(-0.5, t), y)
    y = v.call('fmuladd', t, n, v.constant(_LOG_LN2[0], t), v.op('fadd', t, m, y))
    infinite = float('inf')
    y = v.select(v.compare('oeq', t, x, v.constant(infinite, t)), t, x, y)
    y = v.select(v.compare('oeq', t, x, v.constant(0, t)), t, v.constant(-infinite, t), y)
    return v.select(v.compare('ult', t, x, v.constant(0, t)), t, v.constant(float('nan'), t), y)


def log1p(v: Vectors, t: str, x: str) -> str:
    """log(u) x / (u - 1) for u = 1 + x, whose rounding cancels   (W. Kahan)"""
    one = v.constant(1, t)
    u = v.op('fadd', t, one, x)
    logarithm, rest = log(v, t, u), v.op('fsub', t, u, one)
    y = v.op('fmul', t, logarithm, v.op('fdiv', t, x, rest))
    y = v.select(v.compare('oeq', t, u, v.constant(float('inf'), t)), t, logarithm, y)
    return v.select(v.compare('oeq', t, rest, v.constant(0, t)), t, x, y)


def tanh(v: Vectors, t: str, x: str) -> str:
    """For float32 a quotient of polynomials; for float64 that near 0, elsewhere by exp."""
    return _tanh32(v, x) if t == 'f4' else _tanh64(v, x)


def _tanh32(v: Vectors, x: str) -> str:
    t, end = 'f4', _TANH32_END
    small = v.compare('olt', t, v.call('fabs', t, x), v.constant(4e-4, t))
    inside = x
    for condition, limit in (('olt', -end), ('ogt', end)):
        edge = v.constant(limit, t)
        inside = v.select(v.compare(condition, t, inside, edge), t, edge, inside)
    square = v.op('fmul', t, inside, inside)
    p = v.op('fmul', t, inside, _polynomial(v, t, square, _TANH32_P))
    y = v.op('fdiv', t, p, _polynomial(v, t, square, _TANH32_Q))
    return v.select(small, t, x, y)


def _tanh64(v: Vectors, x: str) -> str:
    """x + x^3 P(x^2) / Q(x^2), or 1 - 2 / (e^2|x| + 1) with the sign of x."""
    t = 'f8'
    size, square = v.call('fabs', t, x), v.op('fmul', t, x, x)
    p = v.op('fdiv', t, _polynomial(v, t, square, _TANH64_P), _polynomial(v, t, square, _TANH64_Q))
    near = v.call('fmuladd', t, v.op('fmul', t, p, square), x, x)
    one = v.constant(1, t)
    growth = v.op('fadd', t, exp(v, t, v.op('fadd', t, size, size)), one)
    far = v.op('fsub', t, one, v.op('fdiv', t, v.constant(2, t), growth))
    y = v.select(v.compare('olt', t, size, v.constant(0.625, t)), t, near, far)
    return v.call('copysign', t, y, x)


FUNCTIONS: dict[str, Callable[..., str]] = {'exp': exp, 'log': log, 'log1p': log1p, 'tanh': tanh}
