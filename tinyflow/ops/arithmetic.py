"""Arithmetic, element by element: sums, products, quotients, remainders, powers, rounding.

Every gradient rule here may ignore broadcasting: gradients() undoes it (see graph/op.py).
"""
from __future__ import annotations

import numpy as np

from tinyflow.errors import report, worded
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.dtypes import COMPLEX, FLOATS, INEXACT, NUMBERS
from tinyflow.graph.graph import name_scope
from tinyflow.graph.op import NOT_DIFFERENTIABLE, Elementwise, Op, Unary
from tinyflow.graph.operation import Tensor
from tinyflow.graph.static import constant_value
from tinyflow.ops import choosing, complex_numbers, constants, elementary, logic

_WIDE = INEXACT | dtypes.INDEX
_SMALL = _WIDE | {dtypes.uint8, dtypes.int8, dtypes.uint16, dtypes.int16}


def room(out, *inputs):
    """`out`, or where there is none a new array for an elementwise result of `inputs`."""
    if out is not None:
        return out
    return np.empty(np.broadcast_shapes(*[x.shape for x in inputs]), inputs[0].dtype)


def refuse_zero(y):
    if not np.all(y):
        raise ValueError('Integer division by zero|the divisor holds a 0; tf.where can replace it.')


# ---- sums and products -----------------------------------------------------------------------

class Add(Elementwise):
    types = {'T': _SMALL | {dtypes.string}}
    kernel = np.add

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
        out = np.multiply(x, y, room(out, x, y))
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
        for other in others:
            if other.shape != first.shape:
                raise ValueError('Inputs to operation AddN must have the same size and shape: '
                                 f'{list(first.shape)} != {list(other.shape)}')
        if not others:
            return np.positive(first, out)
        out = np.add(first, others[0], room(out, first))
        for other in others[1:]:
            np.add(out, other, out)
        return out

    def gradient(op, dy):
        return [dy] * len(op.inputs)


class AccumulateNV2(Op):
    """The sum of N tensors of one shape, known while the graph is built."""

    signature = 'inputs: N*T -> sum: T'
    types = {'T': NUMBERS}
    attrs = {'shape': None}
    partial_rank = True

    def shape(inputs, *, shape):
        return shapes.raw(shape)

    kernel = AddN.kernel
    gradient = AddN.gradient


# ---- quotients and remainders ----------------------------------------------------------------

def _gradient_of_quotient(op, dy):
    x, y = op.inputs
    y = complex_numbers.conj(y)
    return dy / y, -dy * complex_numbers.conj(op.outputs[0]) / y


class RealDiv(Elementwise):
    types = {'T': _SMALL}
    kernel = np.true_divide
    gradient = _gradient_of_quotient


def _truncated_quotient(x, y, out=None):
    """The quotient of integers, rounded towards zero."""
    refuse_zero(y)
    if x.dtype.kind == 'u':
        return np.floor_divide(x, y, out)
    remainder = np.fmod(x, y)
    return np.floor_divide(x - remainder, y, out)


class Div(Elementwise):
    """Python 2's quotient: integers are rounded towards zero."""

    types = {'T': _SMALL}

    def kernel(x, y, out=None):
        if x.dtype.kind in 'iu':
            return _truncated_quotient(x, y, out)
        return np.true_divide(x, y, out)

    gradient = _gradient_of_quotient


class TruncateDiv(Elementwise):
    types = {'T': _SMALL}

    def kernel(x, y, out=None):
        if x.dtype.kind in 'iu':
            return _truncated_quotient(x, y, out)
        return np.trunc(np.true_divide(x, y, out), out)

    gradient = NOT_DIFFERENTIABLE


class FloorDiv(Elementwise):
    types = {'T': _SMALL}

    def kernel(x, y, out=None):
        if x.dtype.kind in 'iu':
            refuse_zero(y)
            return np.floor_divide(x, y, out)
        return np.floor(np.true_divide(x, y, out), out)

    gradient = NOT_DIFFERENTIABLE


class DivNoNan(Elementwise):
    """x / y, and 0 wherever y is 0."""

    types = {'T': INEXACT}

    def kernel(x, y, out=None):
        zero = y == 0
        out = np.true_divide(x, y, room(out, x, y))
        np.copyto(out, 0, where=zero)
        return out

    def gradient(op, dy):
        x, y = op.inputs
        return div_no_nan(dy, y), -dy * div_no_nan(op.outputs[0], y)


class FloorMod(Elementwise):
    """The remainder with the sign of y."""

    types = {'T': FLOATS | dtypes.INDEX}

    def kernel(x, y, out=None):
        if x.dtype.kind in 'iu':
            refuse_zero(y)
        return np.mod(x, y, out)

    def gradient(op, dy):
        x, y = op.inputs
        return dy, -dy * floordiv(x, y)


class TruncateMod(Elementwise):
    """The remainder with the sign of x."""

    types = {'T': FLOATS | dtypes.INDEX}

    def kernel(x, y, out=None):
        if x.dtype.kind in 'iu':
            refuse_zero(y)
        return np.fmod(x, y, out)

    def gradient(op, dy):
        x, y = op.inputs
        return dy, -dy * truncatediv(x, y)


class Mod(Elementwise):
    types = {'T': FLOATS | dtypes.INDEX}
    kernel = TruncateMod.kernel


# ---- powers ----------------------------------------------------------------------------------

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
        log_x = choosing.where(positive, elementary.log(choosing.where(positive, x, ones)), zeros)
        return to_x, dy * conj(op.outputs[0]) * conj(log_x)


class SquaredDifference(Elementwise):
    """(x - y)^2, for complex numbers |x - y|^2."""

    types = {'T': _WIDE}

    def kernel(x, y, out=None):
        out = np.subtract(x, y, room(out, x, y))
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
        out = np.sqrt(x, room(out, x))
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
    kernel = np.sign
    gradient = NOT_DIFFERENTIABLE


class Maximum(Elementwise):
    types = {'T': FLOATS | dtypes.INDEX}

    def kernel(x, y, out=None):
        return _chosen(np.maximum, np.less, x, y, out)

    def gradient(op, dy):
        x, y = op.inputs
        return _to_chosen(x >= y, dy)


class Minimum(Elementwise):
    types = {'T': FLOATS | dtypes.INDEX}

    def kernel(x, y, out=None):
        return _chosen(np.minimum, np.greater, x, y, out)

    def gradient(op, dy):
        x, y = op.inputs
        return _to_chosen(x <= y, dy)


def _chosen(extreme, prefers_y, x, y, out):
    """x, unless y is preferred: so a y that is not a number loses, and an x that is not wins."""
    if y.dtype.kind == 'f' and np.isnan(y).any():
        result = np.where(prefers_y(x, y), y, x)
        return result if out is None else np.positive(result, out)
    return extreme(x, y, out=out)


def _to_chosen(first, dy):
    """The gradient of a choice between two inputs."""
    mask = constants.cast(first, dy.dtype)
    to_first = dy * mask
    return to_first, dy - to_first


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
        raise worded(ValueError(f'Only scalar multiply works, got shape {scalar.shape}\n'
                                '  Mend: tf.multiply(x, y) broadcasts.'))
    if not isinstance(x, Tensor) and hasattr(x, 'dense_shape') and hasattr(x, 'indices'):
        return type(x)(Mul.apply(scalar, x.values, name=name), x.indices, x.dense_shape)
    return Mul.apply(scalar, x, name=name)


def multiply_no_nan(x, y, name=None):
    """x * y, and 0 wherever y is 0, even if x is infinite or not a number.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    x, y, scope = _same_dtype(x, y, name, 'multiply_no_nan')
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
        raise worded(ValueError('inputs must be a list of at least one Tensor with the same dtype '
                                'and shape'))
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) is not dtype:
        raise worded(TypeError(f'tensor_dtype is {dtypes.as_dtype(tensor_dtype)}, but input is of '
                               f'type {dtype}'))
    merged = shapes.TensorShape(shape).raw if shape is not None else None
    for tensor in inputs:
        merged = shapes.merge(merged, tensor.raw_shape)
    if len(inputs) == 1:
        return inputs[0] if name is None else constants.identity(inputs[0], name=name)
    return AccumulateNV2.apply(inputs, name=name, shape=shapes.TensorShape(merged))


def _tensor_list(inputs):
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise worded(ValueError('inputs must be a list of at least one Tensor with the same dtype '
                                f'and shape, not {inputs!r}'))
    return [convert_to_tensor(i) for i in inputs]


def divide(x, y, name=None):
    """x / y as Python divides: integers give a float64.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    if name is None:
        return x / y
    return truediv(x, y, name)


def realdiv(x, y, name=None):
    """x / y of floats or complex numbers.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return RealDiv.apply(x, y, name=name)


_QUOTIENT_DTYPE = {dtypes.uint8: dtypes.float32, dtypes.int8: dtypes.float32,
                   dtypes.uint16: dtypes.float32, dtypes.int16: dtypes.float32,
                   dtypes.int32: dtypes.float64, dtypes.int64: dtypes.float64}


def truediv(x, y, name=None):
    """x / y as Python 3 divides: integers of 32 bits or more give a float64, others a float32.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)]. Raises TypeError if the dtypes differ.
    """
    with name_scope(name, 'truediv', [x, y]) as scope:
        x, y = convert_to_tensor(x, name='x'), convert_to_tensor(y, name='y')
        _check_same_dtype(x, y)
        dtype = x.dtype.base_dtype
        if dtype not in INEXACT:
            if dtype not in _QUOTIENT_DTYPE:
                raise worded(TypeError(f'Invalid dtype {dtype!r} in __truediv__'))
            dtype = _QUOTIENT_DTYPE[dtype]
            x, y = constants.cast(x, dtype), constants.cast(y, dtype)
        return RealDiv.apply(x, y, name=scope)


def div(x, y, name=None):
    """x / y of floats, floor(x / y) of integers.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)]. Raises TypeError if the dtypes differ.
    """
    with name_scope(name, 'div', [x, y]) as scope:
        x = convert_to_tensor(x, name='x')
        y = convert_to_tensor(y, x.dtype.base_dtype, 'y')
        quotient = RealDiv if x.dtype.base_dtype in INEXACT else FloorDiv
        return quotient.apply(x, y, name=scope)


def div_no_nan(x, y, name=None):
    """x / y, and 0 wherever y is 0.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    x, y, scope = _same_dtype(x, y, name, 'div_no_nan')
    return DivNoNan.apply(x, y, name=scope)


divide_no_nan = div_no_nan


def reciprocal_no_nan(x, name=None):
    """1 / x, and 0 wherever x is 0.

    Shapes: x [*a] -> [*a].
    """
    with name_scope(name, 'reciprocal_no_nan', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        one = convert_to_tensor(1, x.dtype.base_dtype, 'one')
        return DivNoNan.apply(one, x, name=scope)


def _same_dtype(x, y, name, default_name):
    with name_scope(name, default_name, [x, y]) as scope:
        x = convert_to_tensor(x, name='x')
        y = convert_to_tensor(y, x.dtype.base_dtype, 'y')
    return x, y, scope


def _check_same_dtype(x, y):
    if x.dtype.base_dtype is not y.dtype.base_dtype:
        raise worded(TypeError(report(
            f'x and y must have the same dtype, got {x.dtype.base_dtype!r} != '
            f'{y.dtype.base_dtype!r}', inputs=[('x', x), ('y', y)],
            mend=f'tf.cast(y, {x.dtype.base_dtype!r}), if that is the dtype meant.')))


def floordiv(x, y, name=None):
    """floor(x / y).

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return FloorDiv.apply(x, y, name=name or 'floordiv')


def floor_div(x, y, name=None):
    """floor(x / y).

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return FloorDiv.apply(x, y, name=name)


def truncatediv(x, y, name=None):
    """x / y rounded towards zero.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return TruncateDiv.apply(x, y, name=name)


def floormod(x, y, name=None):
    """x - y floor(x / y): the remainder with the sign of y.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return FloorMod.apply(x, y, name=name)


mod = floormod


def truncatemod(x, y, name=None):
    """The remainder with the sign of x.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return TruncateMod.apply(x, y, name=name)


def pow(x, y, name=None):
    """x to the power y.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)]. Integers to negative powers are an error.
    """
    return Pow.apply(x, y, name=name)


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


def squared_difference(x, y, name=None):
    """(x - y)^2, element by element.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)].
    """
    return SquaredDifference.apply(x, y, name=name)


def square(x, name=None):
    """x^2. Shapes: x [*a] -> [*a]."""
    return Square.apply(x, name=name)


def sqrt(x, name=None):
    """The square root; not a number for negative x. Shapes: x [*a] -> [*a]."""
    return Sqrt.apply(x, name=name)


def rsqrt(x, name=None):
    """1 / sqrt(x). Shapes: x [*a] -> [*a]."""
    return Rsqrt.apply(x, name=name)


def reciprocal(x, name=None):
    """1 / x. Shapes: x [*a] -> [*a]."""
    return Reciprocal.apply(x, name=name)


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


def polyval(coeffs, x, name=None):
    """coeffs[0] x^(n-1) + ... + coeffs[n-1], by Horner's rule.

    Shapes: coeffs n * [*a], x [*b] -> [*broadcast(a, b)]; 0 if there are no coefficients.
    """
    with name_scope(name, 'polyval', [*coeffs, x]) as scope:
        x = convert_to_tensor(x, name='x')
        if not len(coeffs):
            return constants.zeros_like(x, name=scope)
        coeffs = [convert_to_tensor(c, name=f'coeff_{i}') for i, c in enumerate(coeffs)]
        total = coeffs[0]
        for coefficient in coeffs[1:]:
            total = coefficient + total * x
        return total


__all__ = [
    'abs', 'accumulate_n', 'add', 'add_n', 'ceil', 'div', 'div_no_nan', 'divide', 'divide_no_nan',
    'floor', 'floor_div', 'floordiv', 'floormod', 'maximum', 'minimum', 'mod', 'multiply',
    'multiply_no_nan', 'negative', 'polyval', 'pow', 'realdiv', 'reciprocal', 'reciprocal_no_nan', 'rint',
    'round', 'rsqrt', 'scalar_mul', 'sign', 'sqrt', 'square', 'squared_difference', 'subtract',
    'truediv', 'truncatediv', 'truncatemod',
]
