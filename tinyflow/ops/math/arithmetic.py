"""Elementwise arithmetic: add, multiply, maximum, minimum, sign, rounding.

Division and powers have their own modules, and their functions are re-exported here. Gradient rules
may ignore broadcasting: gradients() sums over the broadcast axes (gradients/reduce_broadcast.py).
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import FLOATS, INEXACT, NUMBERS
from tinyflow.graph.elementwise import Elementwise, Unary
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Op
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, where_v2
from tinyflow.ops.control_flow import tensor_lists
from tinyflow.ops.math import complex_numbers
from tinyflow.ops.math.division import (
    div,
    div_no_nan,
    divide,
    divide_no_nan,
    floor_div,
    floordiv,
    floormod,
    mod,
    realdiv,
    reciprocal_no_nan,
    truediv,
    truncatediv,
    truncatemod,
)
from tinyflow.ops.math.powers import (
    polyval,
    pow,
    reciprocal,
    rsqrt,
    sqrt,
    square,
    squared_difference,
)
from tinyflow.ops.support.elementwise_helpers import holds_nan, output_buffer, same_dtype

_WIDE = INEXACT | dtypes.INDEX
_SMALL = _WIDE | {dtypes.uint8, dtypes.int8, dtypes.uint16, dtypes.int16}


# ---- addition and multiplication -------------------------------------------------------------

class Add(Elementwise):
    types = {'T': _SMALL | {dtypes.string}}
    kernel = np.add

    def emit(call):                         # two strings give bytes, not an array
        is_string = call.inputs[0].dtype is dtypes.string
        return f'np.asarray(np.add({", ".join(call.args)}), object)' if is_string else None

    @classmethod
    def call(cls, attrs, arrays, first=()):
        result, = super().call(attrs, arrays, first)
        return (np.asarray(result, object) if type(result) is bytes else result),

    def gradient(op, dy):
        return dy, dy


class AddV2(Elementwise):
    types = {'T': _SMALL}
    kernel = np.add

    def gradient(op, dy):
        return dy, dy


class Sub(Elementwise):
    types = {'T': _SMALL}
    kernel = np.subtract

    def gradient(op, dy):
        return dy, -dy


class Mul(Elementwise):
    types = {'T': _SMALL}
    kernel = np.multiply

    def gradient(op, dy):
        x, y = op.inputs
        conj = complex_numbers.conj
        return dy * conj(y), dy * conj(x)


class MulNoNan(Elementwise):
    """x * y, and 0 wherever y is 0, whatever x is."""

    types = {'T': INEXACT}

    def kernel(x, y, out=None):
        zero = y == 0
        out = np.multiply(x, y, output_buffer(out, x, y))
        np.copyto(out, 0, where=zero)
        return out

    def gradient(op, dy):
        x, y = op.inputs
        return multiply_no_nan(dy, y), multiply_no_nan(x, dy)


class AddN(Op):
    """The sum of N tensors of one shape."""

    signature = 'inputs: N*T -> sum: T'
    types = {'T': NUMBERS | {dtypes.variant}}
    partial_rank = True

    def shape(inputs):
        merged = None
        for shape in inputs:
            merged = shapes.merge(merged, shape)
        return merged

    def kernel(inputs, out=None):
        first, *others = inputs
        if first.dtype == np.object_:
            return tensor_lists.total(inputs)
        for other in others:
            if other.shape != first.shape:
                raise ValueError('Inputs to operation AddN must have the same size and shape: '
                                 f'{list(first.shape)} != {list(other.shape)}')
        if not others:
            return np.positive(first, out)
        out = np.add(first, others[0], output_buffer(out, first))
        for other in others[1:]:
            np.add(out, other, out)
        return out

    def emit(call):
        if len(call.inputs) != 2 or call.inputs[0].dtype.np.kind == 'O' or not all(
                v.known_shape and v.raw_shape == call.inputs[0].raw_shape for v in call.inputs):
            return None
        return f'np.add({call.args[0]}, {call.args[1]}, {call.out})'

    def gradient(op, dy):
        return [dy] * len(op.inputs)


class AccumulateNV2(Op):
    """The sum of N tensors of one shape, which is an attribute."""

    signature = 'inputs: N*T -> sum: T'
    types = {'T': NUMBERS}
    attrs = {'shape': None}
    partial_rank = True

    def shape(inputs, *, shape):
        return shapes.raw(shape)

    kernel = AddN.kernel
    gradient = AddN.gradient


# ---- sign and rounding -----------------------------------------------------------------------

class Neg(Unary):
    types = {'T': _WIDE}
    kernel = np.negative

    def gradient(op, dy):
        return -dy


class Abs(Unary):
    types = {'T': FLOATS | dtypes.INDEX | {dtypes.int8, dtypes.int16}}
    kernel = np.absolute

    def gradient(op, dy):
        return dy * sign(op.inputs[0])


class Sign(Unary):
    """-1, 0 or 1; for complex numbers x / |x|."""

    types = {'T': _WIDE}

    def kernel(x, out=None):
        if x.dtype.kind != 'f':
            return np.sign(x, out)
        out = np.sign(x, output_buffer(out, x))
        if holds_nan(out):      # TF compares with 0: the sign of NaN is 0
            np.copyto(out, 0, where=np.isnan(out))
        return out

    def gradient(op, dy):
        return constants.zeros_like(op.inputs[0])


class Maximum(Elementwise):
    types = {'T': FLOATS | dtypes.INDEX}

    def kernel(x, y, out=None):
        return _selected(np.maximum, np.less_equal, x, y, out)

    def gradient(op, dy):
        x, y = op.inputs
        return _to_selected(x >= y, dy)


class Minimum(Elementwise):
    types = {'T': FLOATS | dtypes.INDEX}

    def kernel(x, y, out=None):
        return _selected(np.minimum, np.greater_equal, x, y, out)

    def gradient(op, dy):
        x, y = op.inputs
        return _to_selected(x <= y, dy)


def _selected(extreme, prefers_y, x, y, out):
    """y if it compares as better or equal, else x. As in TF, NaN is ignored in y but not in x."""
    if holds_nan(y):
        result = np.where(prefers_y(x, y), y, x)
        return result if out is None else np.positive(result, out)
    return extreme(x, y, out=out)


def _to_selected(first_selected, dy):
    """(dy where the first input was selected, dy elsewhere). A product could give infinity * 0."""
    zero = constants.zeros([], dy.dtype)
    select = where_v2.SelectV2.apply
    return select(first_selected, dy, zero), select(first_selected, zero, dy)


class Ceil(Unary):
    types = {'T': FLOATS}
    kernel = np.ceil
    gradient = NOT_DIFFERENTIABLE


class Floor(Unary):
    types = {'T': FLOATS}
    kernel = np.floor
    gradient = NOT_DIFFERENTIABLE


class Round(Unary):
    """To the nearest integer, halves to the even one."""

    types = {'T': _WIDE}
    kernel = np.rint
    gradient = NOT_DIFFERENTIABLE


class Rint(Unary):
    types = {'T': FLOATS}
    kernel = np.rint
    gradient = NOT_DIFFERENTIABLE


# ---- public functions ------------------------------------------------------------------------

def add(x, y, name=None):
    """x + y, element by element.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return Add.apply(x, y, name=name)


def subtract(x, y, name=None):
    """x - y, element by element.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return Sub.apply(x, y, name=name)


def multiply(x, y, name=None):
    """x * y, element by element.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return Mul.apply(x, y, name=name)


def scalar_mul(scalar, x, name=None):
    """scalar * x.

    Shapes: scalar [], x [*a] -> [*a]. Raises ValueError if `scalar` is not a scalar.
    """
    scalar = convert_to_tensor(scalar, x.dtype.base_dtype, 'scalar')
    if scalar.raw_shape != ():
        raise misuse(ValueError(f'Only scalar multiply works, got shape {scalar.shape}\n'
                                '  Hint: tf.multiply(x, y) broadcasts.'))
    if not isinstance(x, Tensor) and hasattr(x, 'dense_shape') and hasattr(x, 'indices'):
        return type(x)(Mul.apply(scalar, x.values, name=name), x.indices, x.dense_shape)
    return Mul.apply(scalar, x, name=name)


def multiply_no_nan(x, y, name=None):
    """x * y, and 0 wherever y is 0, even if x is infinite or NaN.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    x, y, scope = same_dtype(x, y, name, 'multiply_no_nan')
    return MulNoNan.apply(x, y, name=scope)


def add_n(inputs, name=None):
    """The sum of a list of tensors of one shape and dtype.

    Shapes: inputs N * [*a] -> [*a]. Raises ValueError for an empty list or different shapes.
    """
    inputs = _tensor_list(inputs)
    if len(inputs) == 1:
        return constants.identity(inputs[0], name=name) if name else inputs[0]
    return AddN.apply(inputs, name=name)


def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """The sum of a list of tensors of one shape and dtype, as add_n.

    Shapes: inputs N * [*a] -> [*a]. Raises ValueError for an empty list or different dtypes or
    shapes, TypeError if `tensor_dtype` is not theirs.
    """
    inputs = _tensor_list(inputs)
    dtype = inputs[0].dtype.base_dtype
    if any(t.dtype.base_dtype is not dtype for t in inputs):
        raise misuse(ValueError('inputs must be a list of at least one Tensor with the same dtype '
                                'and shape'))
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) is not dtype:
        raise misuse(TypeError(f'tensor_dtype is {dtypes.as_dtype(tensor_dtype)}, but input is of '
                               f'type {dtype}'))
    merged = shapes.TensorShape(shape).raw if shape is not None else None
    for tensor in inputs:
        merged = shapes.merge(merged, tensor.raw_shape)
    if len(inputs) == 1:
        return inputs[0] if name is None else constants.identity(inputs[0], name=name)
    return AccumulateNV2.apply(inputs, name=name, shape=shapes.TensorShape(merged))


def _tensor_list(inputs):
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise misuse(ValueError('inputs must be a list of at least one Tensor with the same dtype '
                                f'and shape, not {inputs!r}'))
    return [convert_to_tensor(i) for i in inputs]


def maximum(x, y, name=None):
    """The larger of x and y, element by element.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return Maximum.apply(x, y, name=name)


def minimum(x, y, name=None):
    """The smaller of x and y, element by element.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return Minimum.apply(x, y, name=name)


def negative(x, name=None):
    """-x. Shapes: x [*a] -> [*a]."""
    return Neg.apply(x, name=name)


def abs(x, name=None):
    """|x|; the modulus of complex numbers, as real numbers. Shapes: x [*a] -> [*a]."""
    with name_scope(name, 'Abs', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        if x.dtype.is_complex:
            return complex_numbers.ComplexAbs.apply(x, Tout=x.dtype.real_dtype, name=scope)
        return Abs.apply(x, name=scope)


def sign(x, name=None):
    """-1, 0 or 1, as x is below, at or above 0. Shapes: x [*a] -> [*a]."""
    return Sign.apply(x, name=name)


def ceil(x, name=None):
    """The smallest integer not below x, as a float. Shapes: x [*a] -> [*a]."""
    return Ceil.apply(x, name=name)


def floor(x, name=None):
    """The largest integer not above x, as a float. Shapes: x [*a] -> [*a]."""
    return Floor.apply(x, name=name)


def round(x, name=None):
    """The nearest integer, halves to the even one (2.5 -> 2). Shapes: x [*a] -> [*a]."""
    x = convert_to_tensor(x, name='x')
    return x if x.dtype.is_integer else Round.apply(x, name=name)


def rint(x, name=None):
    """The nearest integer, halves to the even one. Shapes: x [*a] -> [*a]."""
    return Rint.apply(x, name=name)


__all__ = [
    'abs', 'accumulate_n', 'add', 'add_n', 'ceil', 'div', 'div_no_nan', 'divide', 'divide_no_nan',
    'floor', 'floor_div', 'floordiv', 'floormod', 'maximum', 'minimum', 'mod', 'multiply',
    'multiply_no_nan', 'negative', 'polyval', 'pow', 'realdiv', 'reciprocal', 'reciprocal_no_nan',
    'rint', 'round', 'rsqrt', 'scalar_mul', 'sign', 'sqrt', 'square', 'squared_difference',
    'subtract', 'truediv', 'truncatediv', 'truncatemod',
]
