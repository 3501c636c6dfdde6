"""Division and remainders: truediv, div, floordiv, truncatediv, floormod, div_no_nan."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtype_hints, dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import FLOATS, INEXACT
from tinyflow.graph.elementwise import Elementwise
from tinyflow.graph.op import NOT_DIFFERENTIABLE
from tinyflow.graph.support.errors import OpFailure, misuse, report
from tinyflow.ops.array import constants
from tinyflow.ops.math import complex_numbers
from tinyflow.ops.support.elementwise_helpers import output_buffer, same_dtype

_ALL = INEXACT | dtypes.INDEX | {dtypes.uint8, dtypes.int8, dtypes.uint16, dtypes.int16}


def _check_nonzero_divisor(x, y):
    if x.size and not np.all(y):
        raise OpFailure('Integer division by zero',
                        'the divisor contains a 0; tf.where can replace it.')


def _gradient_of_quotient(op, dy):
    x, y = op.inputs
    y = complex_numbers.conj(y)
    return dy / y, -dy * complex_numbers.conj(op.outputs[0]) / y


class RealDiv(Elementwise):
    types = {'T': _ALL}
    kernel = np.true_divide
    gradient = _gradient_of_quotient


def _truncated_quotient(x, y, out=None):
    """The quotient of integers, rounded towards zero."""
    _check_nonzero_divisor(x, y)
    if x.dtype.kind == 'u':
        return np.floor_divide(x, y, out)
    remainder = np.fmod(x, y)
    return np.floor_divide(x - remainder, y, out)


class Div(Elementwise):
    """The older division op: integer quotients are rounded towards zero."""

    types = {'T': _ALL}

    def kernel(x, y, out=None):
        if x.dtype.kind in 'iu':
            return _truncated_quotient(x, y, out)
        return np.true_divide(x, y, out)

    gradient = _gradient_of_quotient


class TruncateDiv(Elementwise):
    types = {'T': _ALL}

    def kernel(x, y, out=None):
        if x.dtype.kind in 'iu':
            return _truncated_quotient(x, y, out)
        return np.trunc(np.true_divide(x, y, out), out)

    gradient = NOT_DIFFERENTIABLE


class FloorDiv(Elementwise):
    types = {'T': _ALL}

    def kernel(x, y, out=None):
        if x.dtype.kind in 'iu':
            _check_nonzero_divisor(x, y)
            return np.floor_divide(x, y, out)
        return np.floor(np.true_divide(x, y, out), out)

    gradient = NOT_DIFFERENTIABLE


class DivNoNan(Elementwise):
    """x / y, and 0 wherever y is 0."""

    types = {'T': INEXACT}

    def kernel(x, y, out=None):
        zero = y == 0
        out = np.true_divide(x, y, output_buffer(out, x, y))
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
            _check_nonzero_divisor(x, y)
        return np.mod(x, y, out)

    def gradient(op, dy):
        x, y = op.inputs
        return dy, -dy * floordiv(x, y)


class TruncateMod(Elementwise):
    """The remainder with the sign of x."""

    types = {'T': FLOATS | dtypes.INDEX}

    def kernel(x, y, out=None):
        if x.dtype.kind in 'iu':
            _check_nonzero_divisor(x, y)
        return np.fmod(x, y, out)

    def gradient(op, dy):
        x, y = op.inputs
        return dy, -dy * truncatediv(x, y)


class Mod(Elementwise):
    types = {'T': FLOATS | dtypes.INDEX}
    kernel = TruncateMod.kernel


# ---- public functions ------------------------------------------------------------------------

def divide(x, y, name=None):
    """x / y as in Python: integers give a float64.

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
    """x / y as in Python 3: integers of 32 bits or more give a float64, others a float32.

    Shapes: x [*a], y [*b] -> [*broadcast(a, b)]. Raises TypeError if the dtypes differ.
    """
    with name_scope(name, 'truediv', [x, y]) as scope:
        x, y = convert_to_tensor(x, name='x'), convert_to_tensor(y, name='y')
        _check_same_dtype(x, y)
        dtype = x.dtype.base_dtype
        if dtype not in INEXACT:
            if dtype not in _QUOTIENT_DTYPE:
                raise misuse(TypeError(f'Invalid dtype {dtype!r} in __truediv__'))
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
    x, y, scope = same_dtype(x, y, name, 'div_no_nan')
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


def _check_same_dtype(x, y):
    if x.dtype.base_dtype is not y.dtype.base_dtype:
        raise misuse(TypeError(report(
            f'x and y must have the same dtype, got {x.dtype.base_dtype!r} != '
            f'{y.dtype.base_dtype!r}', inputs=[('x', x), ('y', y)],
            hint=dtype_hints.for_mismatch('RealDiv', ('x', x), ('y', y)))))


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


__all__ = [
    'div', 'div_no_nan', 'divide', 'divide_no_nan', 'floor_div', 'floordiv', 'floormod', 'mod',
    'realdiv', 'reciprocal_no_nan', 'truediv', 'truncatediv', 'truncatemod',
]
