"""Comparisons, logical and bitwise operations. None of them has a gradient."""
from __future__ import annotations

import operator

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.dtypes import FLOATS, INTEGERS, NUMBERS, REAL
from tinyflow.graph.elementwise import Elementwise, Unary
from tinyflow.graph.op import NOT_DIFFERENTIABLE

_EQUAL_TYPES = {'T': NUMBERS | {dtypes.bool, dtypes.string}}


class _Predicate(Elementwise, abstract=True):
    """Base of the comparisons."""

    signature = 'x: T, y: T -> z: bool'
    types = {'T': REAL}
    overwrites = ()
    gradient = NOT_DIFFERENTIABLE


class Equal(_Predicate):
    types = _EQUAL_TYPES
    attrs = {'incompatible_shape_error': True}

    def kernel(x, y, out=None):
        return np.equal(x, y, out) if x.dtype != object else \
            _of_objects(operator.eq, x, y, out)


class NotEqual(_Predicate):
    types = _EQUAL_TYPES
    attrs = {'incompatible_shape_error': True}

    def kernel(x, y, out=None):
        return np.not_equal(x, y, out) if x.dtype != object else \
            _of_objects(operator.ne, x, y, out)


def _of_objects(relation, x, y, out):
    result = np.frompyfunc(relation, 2, 1)(x, y)
    if out is None:
        return np.asarray(result, np.bool_)
    out[...] = result
    return out


class Less(_Predicate):
    kernel = np.less


class LessEqual(_Predicate):
    kernel = np.less_equal


class Greater(_Predicate):
    kernel = np.greater


class GreaterEqual(_Predicate):
    kernel = np.greater_equal


class ApproximateEqual(_Predicate):
    types = {'T': NUMBERS}
    attrs = {'tolerance': 1e-5}

    def shape(x, y):
        return shapes.merge(x, y)

    def kernel(x, y, out=None, *, tolerance):
        if x.shape != y.shape:
            raise ValueError('x and y must be of the same shape. '
                             f'x shape: {list(x.shape)}. y shape: {list(y.shape)}')
        return np.less(np.abs(x - y), tolerance, out)


class LogicalAnd(Elementwise):
    signature = 'x: bool, y: bool -> z: bool'
    kernel = np.logical_and
    gradient = NOT_DIFFERENTIABLE


class LogicalOr(Elementwise):
    signature = 'x: bool, y: bool -> z: bool'
    kernel = np.logical_or
    gradient = NOT_DIFFERENTIABLE


class LogicalNot(Unary):
    signature = 'x: bool -> y: bool'
    kernel = np.logical_not
    gradient = NOT_DIFFERENTIABLE


class _Test(Unary, abstract=True):
    signature = 'x: T -> y: bool'
    types = {'T': FLOATS}
    overwrites = ()
    gradient = NOT_DIFFERENTIABLE


class IsNan(_Test):
    kernel = np.isnan


class IsInf(_Test):
    kernel = np.isinf


class IsFinite(_Test):
    kernel = np.isfinite


class _Bitwise(Elementwise, abstract=True):
    types = {'T': INTEGERS}
    gradient = NOT_DIFFERENTIABLE


class BitwiseAnd(_Bitwise):
    kernel = np.bitwise_and


class BitwiseOr(_Bitwise):
    kernel = np.bitwise_or


class BitwiseXor(_Bitwise):
    kernel = np.bitwise_xor


class LeftShift(_Bitwise):
    kernel = np.left_shift


class RightShift(_Bitwise):
    kernel = np.right_shift


class Invert(Unary):
    types = {'T': INTEGERS}
    kernel = np.invert
    gradient = NOT_DIFFERENTIABLE


# ---- public functions ------------------------------------------------------------------------

def equal(x, y, name=None):
    """x == y, element by element, as booleans.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return Equal.apply(x, y, name=name)


def not_equal(x, y, name=None):
    """x != y, element by element, as booleans.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return NotEqual.apply(x, y, name=name)


def less(x, y, name=None):
    """x < y, element by element, as booleans.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return Less.apply(x, y, name=name)


def less_equal(x, y, name=None):
    """x <= y, element by element, as booleans.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return LessEqual.apply(x, y, name=name)


def greater(x, y, name=None):
    """x > y, element by element, as booleans.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return Greater.apply(x, y, name=name)


def greater_equal(x, y, name=None):
    """x >= y, element by element, as booleans.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return GreaterEqual.apply(x, y, name=name)


def approximate_equal(x, y, tolerance=1e-5, name=None):
    """|x - y| < tolerance, element by element, as booleans.

    Shapes: x [*a], y [*a] -> [*a].
    """
    return ApproximateEqual.apply(x, y, tolerance=tolerance, name=name)


def logical_and(x, y, name=None):
    """x and y, element by element.

    Shapes: x [*a] bool, y [*b] bool -> [*broadcast(a, b)].
    """
    return LogicalAnd.apply(x, y, name=name)


def logical_or(x, y, name=None):
    """x or y, element by element.

    Shapes: x [*a] bool, y [*b] bool -> [*broadcast(a, b)].
    """
    return LogicalOr.apply(x, y, name=name)


def logical_not(x, name=None):
    """not x, element by element. Shapes: x [*a] bool -> [*a]."""
    return LogicalNot.apply(x, name=name)


def logical_xor(x, y, name='LogicalXor'):
    """Whether exactly one of x and y holds, element by element.

    Shapes: x [*a] bool, y [*b] bool -> [*broadcast(a, b)].
    """
    return LogicalAnd.apply(LogicalOr.apply(x, y), LogicalNot.apply(LogicalAnd.apply(x, y)),
                            name=name)


def is_nan(x, name=None):
    """Whether x is NaN. Shapes: x [*a] -> [*a] bool."""
    return IsNan.apply(x, name=name)


def is_inf(x, name=None):
    """Whether x is infinite, of either sign. Shapes: x [*a] -> [*a] bool."""
    return IsInf.apply(x, name=name)


def is_finite(x, name=None):
    """Whether x is neither infinite nor NaN. Shapes: x [*a] -> [*a] bool."""
    return IsFinite.apply(x, name=name)


def bitwise_and(x, y, name=None):
    """The bits set in both x and y. Shapes: x [*a], y [*b] -> [*broadcast(a, b)]."""
    return BitwiseAnd.apply(x, y, name=name)


def bitwise_or(x, y, name=None):
    """The bits set in x or y. Shapes: x [*a], y [*b] -> [*broadcast(a, b)]."""
    return BitwiseOr.apply(x, y, name=name)


def bitwise_xor(x, y, name=None):
    """The bits set in just one of x and y. Shapes: x [*a], y [*b] -> [*broadcast(a, b)]."""
    return BitwiseXor.apply(x, y, name=name)


def left_shift(x, y, name=None):
    """x with its bits shifted left by y. Shapes: x [*a], y [*b] -> [*broadcast(a, b)]."""
    return LeftShift.apply(x, y, name=name)


def right_shift(x, y, name=None):
    """x with its bits shifted right by y. Shapes: x [*a], y [*b] -> [*broadcast(a, b)]."""
    return RightShift.apply(x, y, name=name)


def invert(x, name=None):
    """x with every bit flipped. Shapes: x [*a] -> [*a]."""
    return Invert.apply(x, name=name)


__all__ = [
    'approximate_equal', 'bitwise_and', 'bitwise_or', 'bitwise_xor', 'equal', 'greater',
    'greater_equal', 'invert', 'is_finite', 'is_inf', 'is_nan', 'left_shift', 'less',
    'less_equal', 'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'not_equal',
    'right_shift',
]
