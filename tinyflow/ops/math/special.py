"""Special functions: error functions, log gamma and its derivatives, zeta, beta."""
from __future__ import annotations

import math

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import FLOATS
from tinyflow.graph.elementwise import Elementwise, Unary
from tinyflow.ops.math import arithmetic, gamma_functions, reduction, unary

_ROOT = 2 / math.sqrt(math.pi)
_WIDE = frozenset((dtypes.float32, dtypes.float64))


class Erf(Unary):
    types = {'T': FLOATS}
    kernel = gamma_functions.erf

    def gradient(op, dy):
        return dy * (unary.exp(-arithmetic.square(op.inputs[0])) * _ROOT)


class Erfc(Unary):
    types = {'T': FLOATS}
    overwrites = ()
    kernel = gamma_functions.erfc

    def gradient(op, dy):
        return dy * (unary.exp(-arithmetic.square(op.inputs[0])) * -_ROOT)


class Lgamma(Unary):
    types = {'T': FLOATS}
    overwrites = ()
    kernel = gamma_functions.lgamma

    def gradient(op, dy):
        return dy * digamma(op.inputs[0])


class Digamma(Unary):
    types = {'T': FLOATS}
    overwrites = ()
    kernel = gamma_functions.digamma

    def gradient(op, dy):
        x = op.inputs[0]
        return dy * polygamma(convert_to_tensor(1, x.dtype.base_dtype), x)


class Zeta(Elementwise):
    """The Hurwitz zeta function. As in TF, it has no gradient in x."""

    signature = 'x: T, q: T -> z: T'
    types = {'T': _WIDE}
    overwrites = ()
    kernel = gamma_functions.zeta

    def gradient(op, dy):
        x, q = op.inputs
        return None, dy * (-x * zeta(x + 1, q))


class Polygamma(Elementwise):
    """The derivative of order a of digamma. As in TF, it has no gradient in a."""

    signature = 'a: T, x: T -> z: T'
    types = {'T': _WIDE}
    overwrites = ()
    kernel = gamma_functions.polygamma

    def gradient(op, dy):
        a, x = op.inputs
        return None, dy * polygamma(a + 1, x)


# ---- public functions ------------------------------------------------------------------------

def erf(x, name=None):
    """2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x. Shapes: x [*a] -> [*a]."""
    return Erf.apply(x, name=name)


def erfc(x, name=None):
    """1 - erf(x), exact where erf(x) is close to 1. Shapes: x [*a] -> [*a]."""
    return Erfc.apply(x, name=name)


def lgamma(x, name=None):
    """log |gamma(x)|. Shapes: x [*a] -> [*a]."""
    return Lgamma.apply(x, name=name)


def digamma(x, name=None):
    """The derivative of lgamma. Shapes: x [*a] -> [*a]."""
    return Digamma.apply(x, name=name)


def zeta(x, q, name=None):
    """sum over k >= 0 of (q + k)^-x. Shapes: x [*a], q [*b] -> [*broadcast(a, b)]."""
    return Zeta.apply(x, q, name=name)


def polygamma(a, x, name=None):
    """The derivative of order a of digamma, for integers a >= 0.

    Shapes: a [*a], x [*b] -> [*broadcast(a, b)].
    """
    return Polygamma.apply(a, x, name=name)


def lbeta(x, name=None):
    """log |beta(x)|: the sum of lgamma along the last axis minus the lgamma of the sum.

    Shapes: x [*a, n] -> [*a].
    """
    with name_scope(name, 'lbeta', [x]):
        x = convert_to_tensor(x, name='x')
        logs = reduction.reduce_sum(lgamma(x), [-1])
        return logs - lgamma(reduction.reduce_sum(x, [-1]))


__all__ = ['digamma', 'erf', 'erfc', 'lbeta', 'lgamma', 'polygamma', 'zeta']
