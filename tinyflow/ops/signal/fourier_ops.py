"""The ops of Fourier transforms over the last one, two or three axes, on numpy.fft.

FFT and IFFT take complex numbers. RFFT takes real ones and leaves out the negative frequencies,
which are the conjugates of the positive ones; IRFFT is its inverse.

The gradient of a complex tensor is here dL/d(re) + i dL/d(im). A transform y = F x is linear, and
its gradient is conj(F)^T dy, the inverse transform without its factor 1/n. The frequencies that
RFFT leaves out count as zeros in dy, and the real part of the result is the gradient. In IRFFT a
stored frequency counts twice if it stands for its conjugate, too.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.dtypes import COMPLEX
from tinyflow.graph.op import Op, nodes
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.array import constants, identity_and_cast, joining, padding, shape_ops
from tinyflow.ops.math import complex_numbers, reduction


def _has_axes(shape, axes):
    if len(shape) < axes:
        raise OpFailure(f'Shape must be at least rank {axes} but is rank {len(shape)}',
                        f'the transform is over the last {axes} axes.')


def _count(x, axes, dtype):
    """The product of the last sizes of a tensor, as a tensor."""
    return identity_and_cast.cast(reduction.reduce_prod(shape_ops.shape(x)[-axes:]), dtype)


def _op(kind, axes):
    """The function that makes a node of, e.g., FFT2D."""
    return getattr(nodes, kind if axes == 1 else f'{kind}{axes}D')


# ---- of complex numbers --------------------------------------------------------------------

class _Complex(Op, abstract=True):
    signature = 'input: Tcomplex -> output: Tcomplex'
    types = {'Tcomplex': COMPLEX}
    attrs = {'Tcomplex': dtypes.complex64}


def _same_shape(axes):
    def shape(input):
        _has_axes(input, axes)
        return input
    return shape


def _complex_kernel(function, axes):
    def kernel(input):
        if not input.size:
            return np.zeros_like(input)
        return function(input, axes=tuple(range(-axes, 0))).astype(input.dtype, copy=False)
    return kernel


def _forward_gradient(axes):
    def gradient(op, dy):
        return _op('IFFT', axes)(dy) * _count(dy, axes, dy.dtype)
    return gradient


def _inverse_gradient(axes):
    def gradient(op, dy):
        return _op('FFT', axes)(dy) / _count(dy, axes, dy.dtype)
    return gradient


class FFT(_Complex):
    """y_k = sum over m of x_m exp(-2 pi i k m / n)."""

    shape = _same_shape(1)
    kernel = _complex_kernel(np.fft.fftn, 1)
    gradient = _forward_gradient(1)


class FFT2D(_Complex):
    shape = _same_shape(2)
    kernel = _complex_kernel(np.fft.fftn, 2)
    gradient = _forward_gradient(2)


class FFT3D(_Complex):
    shape = _same_shape(3)
    kernel = _complex_kernel(np.fft.fftn, 3)
    gradient = _forward_gradient(3)


class IFFT(_Complex):
    """y_m = 1/n times the sum over k of x_k exp(2 pi i k m / n)."""

    shape = _same_shape(1)
    kernel = _complex_kernel(np.fft.ifftn, 1)
    gradient = _inverse_gradient(1)


class IFFT2D(_Complex):
    shape = _same_shape(2)
    kernel = _complex_kernel(np.fft.ifftn, 2)
    gradient = _inverse_gradient(2)


class IFFT3D(_Complex):
    shape = _same_shape(3)
    kernel = _complex_kernel(np.fft.ifftn, 3)
    gradient = _inverse_gradient(3)


# ---- of real numbers -----------------------------------------------------------------------

class _Real(Op, abstract=True):
    signature = 'input: float32, fft_length: int32 -> output: complex64'
    static = {'fft_length': 1}


class _RealInverse(Op, abstract=True):
    signature = 'input: complex64, fft_length: int32 -> output: float32'
    static = {'fft_length': 1}


def _frequencies(length):
    """How many frequencies, from 0 up, the transform of `length` real numbers has."""
    return None if length is None else length and length // 2 + 1


def _real_shape(axes, last_size):
    """Sizes fft_length, of which the last axis stores `last_size(length)` numbers."""
    def shape(input, fft_length):
        if fft_length is not None and len(fft_length) != axes:
            raise OpFailure(f'Dimension must be {axes} but is {len(fft_length)}',
                            'fft_length has one size for each axis of the transform.')
        _has_axes(input, axes)
        lengths = fft_length or (None,) * axes
        return (*input[:-axes], *lengths[:-1], last_size(lengths[-1]))
    return shape


def _real_kernel(axes):
    def kernel(input, fft_length):
        _has_sizes(input, fft_length)
        if not input.size or 0 in fft_length:
            return np.zeros((*input.shape[:-axes], *fft_length[:-1], _frequencies(fft_length[-1])),
                            np.complex64)
        return np.fft.rfftn(input, fft_length, range(-axes, 0)).astype(np.complex64, copy=False)
    return kernel


def _real_inverse_kernel(axes):
    def kernel(input, fft_length):
        _has_sizes(input, (*fft_length[:-1], _frequencies(fft_length[-1])))
        if not input.size or 0 in fft_length:
            return np.zeros((*input.shape[:-axes], *fft_length), np.float32)
        return np.fft.irfftn(input, fft_length, range(-axes, 0)).astype(np.float32, copy=False)
    return kernel


def _has_sizes(input, least):
    for axis, size in enumerate(least, input.ndim - len(least)):
        if size < 0 or input.shape[axis] < size:
            raise OpFailure(f'Input dimension {axis} must have length of at least {size} '
                            f'but got: {input.shape[axis]}',
                            "the functions of tf.signal pad their input to fft_length.")


def _real_gradient(axes):
    def gradient(op, dy):
        x, fft_length = op.inputs
        missing = fft_length[-1:] - shape_ops.shape(dy)[-1:]
        whole = padding.pad(dy, _behind(dy, missing))
        dx = _op('IFFT', axes)(whole) * _count(whole, axes, dy.dtype)
        return _uncut(complex_numbers.real(dx), x, axes), None
    return gradient


def _real_inverse_gradient(axes):
    def gradient(op, dy):
        x, fft_length = op.inputs
        weights = _occurrences(fft_length[-1]) / _count(dy, axes, dtypes.float32)
        dx = _op('RFFT', axes)(dy, fft_length) * identity_and_cast.cast(weights, dtypes.complex64)
        return _uncut(dx, x, axes), None
    return gradient


def _occurrences(length):
    """1, 2, ..., 2 and, for an even length, 1: how often each stored frequency counts."""
    one = constants.ones([1])
    return joining.concat([one, 2.0 * constants.ones([(length - 1) // 2]),
                           constants.ones([1 - length % 2])], 0)


def _behind(x, sizes):
    """The paddings that add `sizes` (a vector) zeros behind the last axes of x."""
    others = constants.zeros([shape_ops.rank(x) - shape_ops.size(sizes)], dtypes.int32)
    after = joining.concat([others, sizes], 0)
    return joining.stack([constants.zeros_like(after), after], axis=1)


def _uncut(dx, x, axes):
    """dx with zeros for the end of x that the transform did not use."""
    used = shape_ops.shape(dx)[-axes:]
    return padding.pad(dx, _behind(dx, shape_ops.shape(x)[-axes:] - used))


class RFFT(_Real):
    """The first n/2 + 1 numbers of the FFT of n real numbers."""

    shape = _real_shape(1, _frequencies)
    kernel = _real_kernel(1)
    gradient = _real_gradient(1)


class RFFT2D(_Real):
    shape = _real_shape(2, _frequencies)
    kernel = _real_kernel(2)
    gradient = _real_gradient(2)


class RFFT3D(_Real):
    shape = _real_shape(3, _frequencies)
    kernel = _real_kernel(3)
    gradient = _real_gradient(3)


class IRFFT(_RealInverse):
    """The n real numbers of which the input is the RFFT."""

    shape = _real_shape(1, lambda length: length)
    kernel = _real_inverse_kernel(1)
    gradient = _real_inverse_gradient(1)


class IRFFT2D(_RealInverse):
    shape = _real_shape(2, lambda length: length)
    kernel = _real_inverse_kernel(2)
    gradient = _real_inverse_gradient(2)


class IRFFT3D(_RealInverse):
    shape = _real_shape(3, lambda length: length)
    kernel = _real_inverse_kernel(3)
    gradient = _real_inverse_gradient(3)
