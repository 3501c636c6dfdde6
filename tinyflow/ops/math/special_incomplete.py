"""igamma, igammac, betainc, Bessel functions I0 and I1, nextafter."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import FLOATS
from tinyflow.graph.elementwise import Elementwise, Unary
from tinyflow.graph.op import nodes
from tinyflow.ops.array import constants
from tinyflow.ops.math import arithmetic, incomplete_functions, logic, special, unary

_WIDE = frozenset((dtypes.float32, dtypes.float64))


def _density(a, x):
    """The derivative of igamma in x."""
    return unary.exp(-x + (a - 1) * unary.log(x) - special.lgamma(a))


class _Incomplete(Elementwise, abstract=True):
    signature = 'a: T, x: T -> z: T'
    types = {'T': _WIDE}
    overwrites = ()


class Igamma(_Incomplete):
    kernel = incomplete_functions.igamma

    def gradient(op, dy):
        a, x = op.inputs
        return dy * IgammaGradA.apply(a, x), dy * _density(a, x)


class Igammac(_Incomplete):
    kernel = incomplete_functions.igammac

    def gradient(op, dy):
        a, x = op.inputs
        return -dy * IgammaGradA.apply(a, x), -dy * _density(a, x)


class IgammaGradA(_Incomplete):
    """The derivative of igamma in a. As in TF, it has no gradient."""

    kernel = incomplete_functions.igamma_grad_a


class Betainc(Elementwise):
    """The regularised incomplete beta function. As in TF, it has no gradient in a and b."""

    signature = 'a: T, b: T, x: T -> z: T'
    types = {'T': _WIDE}
    overwrites = ()
    kernel = incomplete_functions.betainc

    def gradient(op, dy):
        a, b, x = op.inputs
        log_beta = special.lgamma(a) + special.lgamma(b) - special.lgamma(a + b)
        density = unary.exp((b - 1) * unary.log1p(-x) + (a - 1) * unary.log(x)
                            - log_beta)
        return None, None, dy * density


class BesselI0e(Unary):
    types = {'T': FLOATS}
    overwrites = ()
    kernel = incomplete_functions.bessel_i0e

    def gradient(op, dy):
        x, y = op.inputs[0], op.outputs[0]
        return dy * (bessel_i1e(x) - arithmetic.sign(x) * y)


class BesselI1e(Unary):
    types = {'T': FLOATS}
    overwrites = ()
    kernel = incomplete_functions.bessel_i1e

    def gradient(op, dy):
        # I1'(x) = I0(x) - I1(x) / x (9.6.26), and I1(x) / x is 1/2 at 0.
        x, y = op.inputs[0], op.outputs[0]
        tiny = logic.equal(x, constants.zeros_like(x))
        safe = nodes.Select(tiny, constants.ones_like(x), x)
        ratio = nodes.Select(tiny, 0.5 * constants.ones_like(x), y / safe)
        return dy * (bessel_i0e(x) - arithmetic.sign(x) * y - ratio)


class NextAfter(Elementwise):
    """The next representable number after x1 towards x2."""

    signature = 'x1: T, x2: T -> output: T'
    types = {'T': _WIDE}
    kernel = np.nextafter

    def gradient(op, dy):
        return dy, None


# ---- public functions ------------------------------------------------------------------------

def igamma(a, x, name=None):
    """The integral of t^(a-1) exp(-t) from 0 to x, divided by gamma(a); NaN for a <= 0 or x < 0.

    Shapes: a [*a], x [*b] -> [*broadcast(a, b)].
    """
    return Igamma.apply(a, x, name=name)


def igammac(a, x, name=None):
    """1 - igamma(a, x), accurate where it is small.

    Shapes: a [*a], x [*b] -> [*broadcast(a, b)].
    """
    return Igammac.apply(a, x, name=name)


def betainc(a, b, x, name=None):
    """The integral of t^(a-1) (1-t)^(b-1) from 0 to x, divided by beta(a, b).

    Shapes: a [*a], b [*b], x [*c] -> [*broadcast(a, b, c)].
    """
    return Betainc.apply(a, b, x, name=name)


def bessel_i0e(x, name=None):
    """exp(-|x|) I0(x), which does not overflow. Shapes: x [*a] -> [*a]."""
    return BesselI0e.apply(x, name=name)


def bessel_i1e(x, name=None):
    """exp(-|x|) I1(x), which does not overflow. Shapes: x [*a] -> [*a]."""
    return BesselI1e.apply(x, name=name)


def bessel_i0(x, name=None):
    """The modified Bessel function of order 0. Shapes: x [*a] -> [*a]."""
    with name_scope(name, 'bessel_i0', [x]):
        return unary.exp(arithmetic.abs(x)) * bessel_i0e(x)


def bessel_i1(x, name=None):
    """The modified Bessel function of order 1. Shapes: x [*a] -> [*a]."""
    with name_scope(name, 'bessel_i1', [x]):
        return unary.exp(arithmetic.abs(x)) * bessel_i1e(x)


def nextafter(x1, x2, name=None):
    """The next representable number after x1 towards x2.

    Shapes: x1 [*a], x2 [*b] -> [*broadcast(a, b)].
    """
    return NextAfter.apply(x1, x2, name=name)


__all__ = ['bessel_i0', 'bessel_i0e', 'bessel_i1', 'bessel_i1e', 'betainc', 'igamma', 'igammac',
           'nextafter']
