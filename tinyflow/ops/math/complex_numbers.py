"""Complex numbers: complex, real, imag, conj, angle, absolute value."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import COMPLEX
from tinyflow.graph.elementwise import Elementwise, Unary
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants

_REAL = frozenset((dtypes.float32, dtypes.float64))


class ComplexAbs(Unary):
    signature = 'x: T -> y: Tout'
    types = {'T': COMPLEX, 'Tout': _REAL}
    attrs = {'Tout': dtypes.float32}
    overwrites = ()
    kernel = np.absolute

    def gradient(op, dy):
        dy = complex(dy, constants.zeros_like(dy))
        return dy * nodes.Sign(op.inputs[0])


class Real(Unary):
    signature = 'input: T -> output: Tout'
    types = {'T': COMPLEX, 'Tout': _REAL}
    attrs = {'Tout': dtypes.float32}
    overwrites = ()

    def kernel(x, out=None):
        return np.positive(x.real, out)

    def gradient(op, dy):
        return complex(dy, constants.zeros_like(dy))


class Imag(Unary):
    signature = 'input: T -> output: Tout'
    types = {'T': COMPLEX, 'Tout': _REAL}
    attrs = {'Tout': dtypes.float32}
    overwrites = ()

    def kernel(x, out=None):
        return np.positive(x.imag, out)

    def gradient(op, dy):
        return complex(constants.zeros_like(dy), dy)


class Conj(Unary):
    signature = 'input: T -> output: T'
    types = {'T': COMPLEX}
    attrs = {'T': dtypes.complex64}
    kernel = np.conjugate

    def gradient(op, dy):
        return conj(dy)


class Angle(Unary):
    signature = 'input: T -> output: Tout'
    types = {'T': COMPLEX, 'Tout': _REAL}
    attrs = {'Tout': dtypes.float32}
    overwrites = ()

    def kernel(x, out=None):
        return np.arctan2(x.imag, x.real, out)

    def gradient(op, dy):
        # d angle / d(re, im) = (-im, re) / |z|^2, which is i / conj(z) as a complex number.
        dy = complex(constants.zeros_like(dy), dy)
        return dy / conj(op.inputs[0])


class Complex(Elementwise):
    signature = 'real: T, imag: T -> out: Tout'
    types = {'T': _REAL, 'Tout': COMPLEX}
    attrs = {'Tout': dtypes.complex64}
    overwrites = ()

    def kernel(x, y, out=None):
        if out is None:
            out = np.empty(np.broadcast_shapes(x.shape, y.shape), np.result_type(x, np.complex64))
        out.real, out.imag = x, y
        return out

    def gradient(op, dy):
        return real(dy), imag(dy)


def complex(real, imag, name=None):
    """real + i imag: complex64 from float32 parts, complex128 from float64 parts.

    Shapes: real [*a], imag [*b] -> [*broadcast(a, b)]. Raises TypeError for other dtypes.
    """
    real, imag = convert_to_tensor(real, name='real'), convert_to_tensor(imag, name='imag')
    with name_scope(name, 'Complex', [real, imag]) as scope:
        pair = real.dtype.base_dtype, imag.dtype.base_dtype
        if pair == (dtypes.float64, dtypes.float64):
            dtype = dtypes.complex128
        elif pair == (dtypes.float32, dtypes.float32):
            dtype = dtypes.complex64
        else:
            raise misuse(TypeError('real and imag have incorrect types: '
                                   f'{pair[0].name} {pair[1].name}'))
        return Complex.apply(real, imag, Tout=dtype, name=scope)


def real(input, name=None):
    """The real part; real tensors are returned as they are. Shapes: input [*a] -> [*a]."""
    with name_scope(name, 'Real', [input]) as scope:
        input = convert_to_tensor(input, name='input')
        if not input.dtype.is_complex:
            return input
        return Real.apply(input, Tout=input.dtype.real_dtype, name=scope)


def imag(input, name=None):
    """The imaginary part; 0 for real tensors. Shapes: input [*a] -> [*a]."""
    with name_scope(name, 'Imag', [input]) as scope:
        input = convert_to_tensor(input, name='input')
        if not input.dtype.is_complex:
            return constants.zeros_like(input)
        return Imag.apply(input, Tout=input.dtype.real_dtype, name=scope)


def angle(input, name=None):
    """The angle of complex numbers in (-pi, pi]; 0 for real tensors. Shapes: input [*a] -> [*a]."""
    with name_scope(name, 'Angle', [input]) as scope:
        input = convert_to_tensor(input, name='input')
        if not input.dtype.is_complex:
            return constants.zeros_like(input)
        return Angle.apply(input, Tout=input.dtype.real_dtype, name=scope)


def conj(x, name=None):
    """The complex conjugate; real tensors are returned as they are. Shapes: x [*a] -> [*a].

    Raises TypeError for tensors that are not numeric.
    """
    if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
        return x
    with name_scope(name, 'Conj', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        if x.dtype.is_complex:
            return Conj.apply(x, name=scope)
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise misuse(TypeError(f'Expected numeric or variant tensor, got dtype {x.dtype!r}'))


__all__ = ['angle', 'complex', 'conj', 'imag', 'real']
