"""Elementary functions: exp, log, trigonometric and hyperbolic functions, sigmoid, xlogy.

Gradients are written in terms of the output where that saves a pass: d tanh = 1 - tanh^2.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import FLOATS, INDEX, INEXACT
from tinyflow.graph.elementwise import Elementwise, Unary
from tinyflow.graph.op import nodes
from tinyflow.ops.array import constants
from tinyflow.ops.math import arithmetic, complex_numbers, logic
from tinyflow.ops.support.elementwise_helpers import output_buffer


def _conj(x):
    return complex_numbers.conj(x)


# TF declares tan and the inverse functions for integers too, without an integer kernel.
_DECLARED_WIDE = INEXACT | INDEX


# ---- exponential and logarithm ---------------------------------------------------------------

class Exp(Unary):
    types = {'T': INEXACT}
    kernel = np.exp

    def gradient(op, dy):
        return dy * _conj(op.outputs[0])


class Expm1(Unary):
    """exp(x) - 1, exact for small x."""

    types = {'T': INEXACT}
    kernel = np.expm1

    def gradient(op, dy):
        return dy * exp(_conj(op.inputs[0]))


class Log(Unary):
    types = {'T': INEXACT}
    kernel = np.log

    def gradient(op, dy):
        return dy / _conj(op.inputs[0])


class Log1p(Unary):
    """log(1 + x), exact for small x."""

    types = {'T': INEXACT}
    kernel = np.log1p

    def gradient(op, dy):
        return dy / (_conj(op.inputs[0]) + 1)


class Xlogy(Elementwise):
    """x log(y), and 0 wherever x is 0."""

    types = {'T': INEXACT}

    def kernel(x, y, out=None):
        zero = x == 0
        result = np.multiply(x, np.log(y), output_buffer(out, x, y))
        np.copyto(result, 0, where=zero)
        return result

    def gradient(op, dy):
        x, y = op.inputs
        # Where x is 0 the result does not depend on y, and TF takes the derivative in x as 0 too.
        one_where_counted = constants.cast(logic.not_equal(x, 0), x.dtype)
        return dy * xlogy(one_where_counted, y), dy * xdivy(x, y)


class Xdivy(Elementwise):
    """x / y, and 0 wherever x is 0."""

    types = {'T': INEXACT}

    def kernel(x, y, out=None):
        zero = x == 0
        result = np.true_divide(x, y, output_buffer(out, x, y))
        np.copyto(result, 0, where=zero)
        return result

    def gradient(op, dy):
        x, y = op.inputs
        one_where_counted = constants.cast(logic.not_equal(x, 0), x.dtype)
        return dy * xdivy(one_where_counted, y), -dy * xdivy(x, arithmetic.square(y))


# ---- trigonometric functions -----------------------------------------------------------------

class Sin(Unary):
    types = {'T': INEXACT}
    kernel = np.sin

    def gradient(op, dy):
        return dy * cos(_conj(op.inputs[0]))


class Cos(Unary):
    types = {'T': INEXACT}
    kernel = np.cos

    def gradient(op, dy):
        return -dy * sin(_conj(op.inputs[0]))


class Tan(Unary):
    types = {'T': _DECLARED_WIDE}
    kernel = np.tan

    def gradient(op, dy):
        return dy * (arithmetic.square(_conj(op.outputs[0])) + 1)


class Asin(Unary):
    types = {'T': _DECLARED_WIDE}
    kernel = np.arcsin

    def gradient(op, dy):
        return dy * arithmetic.rsqrt(1 - arithmetic.square(_conj(op.inputs[0])))


class Acos(Unary):
    types = {'T': _DECLARED_WIDE}
    kernel = np.arccos

    def gradient(op, dy):
        return -dy * arithmetic.rsqrt(1 - arithmetic.square(_conj(op.inputs[0])))


class Atan(Unary):
    types = {'T': _DECLARED_WIDE}
    kernel = np.arctan

    def gradient(op, dy):
        return dy / (arithmetic.square(_conj(op.inputs[0])) + 1)


class Atan2(Elementwise):
    """The angle of the point (x, y), in all four quadrants."""

    signature = 'y: T, x: T -> z: T'
    types = {'T': FLOATS}
    kernel = np.arctan2

    def gradient(op, dy):
        y, x = op.inputs
        scaled = dy / (arithmetic.square(x) + arithmetic.square(y))
        return x * scaled, -y * scaled


# ---- hyperbolic functions and the sigmoid ----------------------------------------------------

class Sinh(Unary):
    types = {'T': INEXACT}
    kernel = np.sinh

    def gradient(op, dy):
        return dy * cosh(_conj(op.inputs[0]))


class Cosh(Unary):
    types = {'T': INEXACT}
    kernel = np.cosh

    def gradient(op, dy):
        return dy * sinh(_conj(op.inputs[0]))


class Tanh(Unary):
    types = {'T': INEXACT}
    kernel = np.tanh

    def gradient(op, dy):
        return dy * (1 - arithmetic.square(_conj(op.outputs[0])))


class Asinh(Unary):
    types = {'T': INEXACT}
    kernel = np.arcsinh

    def gradient(op, dy):
        return dy / cosh(_conj(op.outputs[0]))


class Acosh(Unary):
    types = {'T': INEXACT}
    kernel = np.arccosh

    def gradient(op, dy):
        return dy / sinh(_conj(op.outputs[0]))


class Atanh(Unary):
    types = {'T': INEXACT}
    kernel = np.arctanh

    def gradient(op, dy):
        return dy / (1 - arithmetic.square(_conj(op.inputs[0])))


class Sigmoid(Unary):
    types = {'T': INEXACT}

    def kernel(x, out=None):
        # Where exp(-x) overflows, its reciprocal is the right answer, 0; no branch is needed, and
        # the relative error stays small on both sides. The engine runs kernels with NumPy's
        # floating point warnings off.
        out = np.negative(x, output_buffer(out, x))
        np.exp(out, out)
        np.add(out, 1, out)
        return np.reciprocal(out, out)

    def emit(call):
        # 1 / x has the same bits as np.reciprocal and is faster.
        y = call.outputs[0]
        if not y.known_shape or call.out == 'None' or not y.dtype.is_floating:
            return None
        x, out = call.args[0], call.out
        return f'np.divide(1, np.add(np.exp(np.negative({x}, {out}), {out}), 1, {out}), {out})'

    def gradient(op, dy):
        y = _conj(op.outputs[0])
        return dy * y * (1 - y)


# ---- public functions ------------------------------------------------------------------------

def exp(x, name=None):
    """e^x. Shapes: x [*a] -> [*a]."""
    return Exp.apply(x, name=name)


def expm1(x, name=None):
    """e^x - 1, exact for small x. Shapes: x [*a] -> [*a]."""
    return Expm1.apply(x, name=name)


def log(x, name=None):
    """The natural logarithm. Shapes: x [*a] -> [*a]."""
    return Log.apply(x, name=name)


def log1p(x, name=None):
    """log(1 + x), exact for small x. Shapes: x [*a] -> [*a]."""
    return Log1p.apply(x, name=name)


def sin(x, name=None):
    """The sine. Shapes: x [*a] -> [*a]."""
    return Sin.apply(x, name=name)


def cos(x, name=None):
    """The cosine. Shapes: x [*a] -> [*a]."""
    return Cos.apply(x, name=name)


def tan(x, name=None):
    """The tangent. Shapes: x [*a] -> [*a]."""
    return Tan.apply(x, name=name)


def asin(x, name=None):
    """The angle in [-pi/2, pi/2] whose sine is x. Shapes: x [*a] -> [*a]."""
    return Asin.apply(x, name=name)


def acos(x, name=None):
    """The angle in [0, pi] whose cosine is x. Shapes: x [*a] -> [*a]."""
    return Acos.apply(x, name=name)


def atan(x, name=None):
    """The angle in (-pi/2, pi/2) whose tangent is x. Shapes: x [*a] -> [*a]."""
    return Atan.apply(x, name=name)


def sinh(x, name=None):
    """(e^x - e^-x) / 2. Shapes: x [*a] -> [*a]."""
    return Sinh.apply(x, name=name)


def cosh(x, name=None):
    """(e^x + e^-x) / 2. Shapes: x [*a] -> [*a]."""
    return Cosh.apply(x, name=name)


def tanh(x, name=None):
    """sinh(x) / cosh(x). Shapes: x [*a] -> [*a]."""
    return Tanh.apply(x, name=name)


def asinh(x, name=None):
    """The inverse of sinh. Shapes: x [*a] -> [*a]."""
    return Asinh.apply(x, name=name)


def acosh(x, name=None):
    """The inverse of cosh, for x >= 1. Shapes: x [*a] -> [*a]."""
    return Acosh.apply(x, name=name)


def atanh(x, name=None):
    """The inverse of tanh, for |x| < 1. Shapes: x [*a] -> [*a]."""
    return Atanh.apply(x, name=name)


def atan2(y, x, name=None):
    """The angle in [-pi, pi] of the point (x, y), seen from the x axis.

    Shapes: y [*a], x [*b] -> [*broadcast(a, b)].
    """
    return Atan2.apply(y, x, name=name)


def sigmoid(x, name=None):
    """1 / (1 + exp(-x)), accurate for large |x| too. Shapes: x [*a] -> [*a]."""
    return Sigmoid.apply(x, name=name)


def log_sigmoid(x, name=None):
    """log(sigmoid(x)) = -softplus(-x), exact where sigmoid(x) would round to 0.

    Shapes: x [*a] -> [*a].
    """
    with name_scope(name, 'LogSigmoid', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        return arithmetic.negative(nodes.Softplus(-x), name=scope)


def xlogy(x, y, name=None):
    """x log(y), and 0 wherever x is 0.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return Xlogy.apply(x, y, name=name)


def xdivy(x, y, name=None):
    """x / y, and 0 wherever x is 0.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return Xdivy.apply(x, y, name=name)


__all__ = [
    'acos', 'acosh', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'cos', 'cosh', 'exp', 'expm1',
    'log', 'log1p', 'log_sigmoid', 'sigmoid', 'sin', 'sinh', 'tan', 'tanh', 'xdivy', 'xlogy',
]
