"""Powers and roots: pow, square, sqrt, rsqrt, reciprocal, polyval."""
from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import INEXACT
from tinyflow.graph.elementwise import Elementwise, Unary
from tinyflow.graph.op import nodes
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.math import complex_numbers, logic
from tinyflow.ops.support.elementwise_helpers import output_buffer

_WIDE = INEXACT | dtypes.INDEX


class Pow(Elementwise):
    types = {'T': _WIDE}

    def kernel(x, y, out=None):
        if not y.ndim and x.dtype.kind in 'fc':
            # np.power takes some 20 times as long as a product, and 2 is the usual exponent.
            if y == 2:
                return np.multiply(x, x, out)
            if y == 1:
                return np.positive(x, out)
        return np.power(x, y, out)

    def gradient(op, dy):
        x, y = op.inputs
        conj = complex_numbers.conj
        exponent = constant_value(y)
        if exponent is not None and exponent.ndim == 0 and exponent == 2:
            to_x = dy * (conj(x) * 2)
        else:
            to_x = dy * conj(y) * pow(conj(x), conj(y) - 1)
        # The logarithm is only taken where it exists; elsewhere TF defines the gradient as 0.
        positive = logic.not_equal(x, 0) if x.dtype.is_complex else x > 0
        ones, zeros = constants.ones_like(x), constants.zeros_like(x)
        log_x = nodes.Select(positive, nodes.Log(nodes.Select(positive, x, ones)), zeros)
        return to_x, dy * conj(op.outputs[0]) * conj(log_x)


class SquaredDifference(Elementwise):
    """(x - y)^2, for complex numbers |x - y|^2."""

    types = {'T': _WIDE}

    def kernel(x, y, out=None):
        out = np.subtract(x, y, output_buffer(out, x, y))
        if out.dtype.kind == 'c':
            return np.multiply(out, out.conj(), out)
        return np.multiply(out, out, out)

    def gradient(op, dy):
        x, y = op.inputs
        to_x = dy * ((x - y) * 2)
        return to_x, -to_x


class Square(Unary):
    types = {'T': _WIDE}
    kernel = np.square

    def gradient(op, dy):
        return dy * (complex_numbers.conj(op.inputs[0]) * 2)


class Sqrt(Unary):
    types = {'T': INEXACT}
    kernel = np.sqrt

    def gradient(op, dy):
        return dy * 0.5 / complex_numbers.conj(op.outputs[0])


class Rsqrt(Unary):
    """1 / sqrt(x)."""

    types = {'T': INEXACT}

    def kernel(x, out=None):
        out = np.sqrt(x, output_buffer(out, x))
        return np.reciprocal(out, out)

    def gradient(op, dy):
        y = complex_numbers.conj(op.outputs[0])
        return dy * -0.5 * (y * y * y)


def _gradient_of_reciprocal(op, dy):
    y = complex_numbers.conj(op.outputs[0])
    return -dy * (y * y)


class Reciprocal(Unary):
    types = {'T': _WIDE}
    kernel = np.reciprocal
    gradient = _gradient_of_reciprocal


class Inv(Unary):
    types = {'T': _WIDE}
    kernel = np.reciprocal
    gradient = _gradient_of_reciprocal


# ---- public functions ------------------------------------------------------------------------

def pow(x, y, name=None):
    """x to the power y.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)]. Integers to negative powers are an error.
    """
    return Pow.apply(x, y, name=name)


def square(x, name=None):
    """x^2. Shapes: x [*a] -> [*a]."""
    return Square.apply(x, name=name)


def sqrt(x, name=None):
    """The square root; NaN for negative x. Shapes: x [*a] -> [*a]."""
    return Sqrt.apply(x, name=name)


def rsqrt(x, name=None):
    """1 / sqrt(x). Shapes: x [*a] -> [*a]."""
    return Rsqrt.apply(x, name=name)


def reciprocal(x, name=None):
    """1 / x. Shapes: x [*a] -> [*a]."""
    return Reciprocal.apply(x, name=name)


def polyval(coeffs, x, name=None):
    """coeffs[0] x^(n-1) + ... + coeffs[n-1], by Horner's rule.

    Shapes: coeffs n * [*a], x [*b] -> [*broadcast(a, b)]; 0 for an empty list of coefficients.
    """
    if not isinstance(coeffs, Iterable):
        raise misuse(TypeError(f'polyval takes a list of coefficients, not {coeffs!r}.'))
    with name_scope(name, 'polyval', [*coeffs, x]) as scope:
        x = convert_to_tensor(x, name='x')
        if not len(coeffs):
            return constants.zeros_like(x, name=scope)
        coeffs = [convert_to_tensor(c, name=f'coeff_{i}') for i, c in enumerate(coeffs)]
        total = coeffs[0]
        for coefficient in coeffs[1:]:
            total = coefficient + total * x
        return total


def squared_difference(x, y, name=None):
    """(x - y)^2, element by element.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return SquaredDifference.apply(x, y, name=name)


__all__ = [
    'polyval', 'pow', 'reciprocal', 'rsqrt', 'sqrt', 'square', 'squared_difference',
]
