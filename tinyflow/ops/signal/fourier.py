"""Fourier transforms: fft, ifft, rfft, irfft over one, two or three axes; fftshift, ifftshift."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, padding, shape_ops
from tinyflow.ops.math import arithmetic
from tinyflow.ops.signal import fourier_ops as ops


def fft(input, name=None):
    """The discrete Fourier transform over the last axis. Shapes: input [*a, n] -> [*a, n].

    Raises TypeError for numbers that are not complex.
    """
    return ops.FFT.apply(input, name=name)


def ifft(input, name=None):
    """The inverse of fft. Shapes: input [*a, n] -> [*a, n]."""
    return ops.IFFT.apply(input, name=name)


def fft2d(input, name=None):
    """The discrete Fourier transform over the last two axes. Shapes: input [*a, m, n] -> same."""
    return ops.FFT2D.apply(input, name=name)


def ifft2d(input, name=None):
    """The inverse of fft2d. Shapes: input [*a, m, n] -> [*a, m, n]."""
    return ops.IFFT2D.apply(input, name=name)


def fft3d(input, name=None):
    """The discrete Fourier transform over the last three axes. Shapes: [*a, l, m, n] -> same."""
    return ops.FFT3D.apply(input, name=name)


def ifft3d(input, name=None):
    """The inverse of fft3d. Shapes: input [*a, l, m, n] -> [*a, l, m, n]."""
    return ops.IFFT3D.apply(input, name=name)


def rfft(input_tensor, fft_length=None, name=None):
    """The frequencies 0 to n/2 of fft, for real numbers.

    Shapes: input_tensor [*a, n] -> [*a, fft_length[0] // 2 + 1]. `fft_length` [1] is n unless
    given; the last axis is cut or padded with zeros to it.
    """
    return _of_real(ops.RFFT, 1, input_tensor, fft_length, name, 'rfft')


def rfft2d(input_tensor, fft_length=None, name=None):
    """As rfft, over the last two axes. Shapes: [*a, m, n] -> [*a, m, n // 2 + 1]."""
    return _of_real(ops.RFFT2D, 2, input_tensor, fft_length, name, 'rfft2d')


def rfft3d(input_tensor, fft_length=None, name=None):
    """As rfft, over the last three axes; unlike in TensorFlow it has a gradient.

    Shapes: input_tensor [*a, l, m, n] -> [*a, l, m, n // 2 + 1].
    """
    return _of_real(ops.RFFT3D, 3, input_tensor, fft_length, name, 'rfft3d')


def irfft(input_tensor, fft_length=None, name=None):
    """The real numbers whose rfft the input is.

    Shapes: input_tensor [*a, k] -> [*a, fft_length[0]]. `fft_length` [1] is 2 (k - 1) unless given,
    which is one too little if the real numbers were an odd number.
    """
    return _of_real(ops.IRFFT, 1, input_tensor, fft_length, name, 'irfft')


def irfft2d(input_tensor, fft_length=None, name=None):
    """As irfft, over the last two axes. Shapes: [*a, m, k] -> [*a, m, 2 (k - 1)]."""
    return _of_real(ops.IRFFT2D, 2, input_tensor, fft_length, name, 'irfft2d')


def irfft3d(input_tensor, fft_length=None, name=None):
    """As irfft, over the last three axes; unlike in TensorFlow it has a gradient.

    Shapes: input_tensor [*a, l, m, k] -> [*a, l, m, 2 (k - 1)].
    """
    return _of_real(ops.IRFFT3D, 3, input_tensor, fft_length, name, 'irfft3d')


def _of_real(op, axes, x, fft_length, name, default_name):
    inverse = op.inputs[0].fixed is dtypes.complex64
    with name_scope(name, default_name, [x, fft_length]) as scope:
        x = convert_to_tensor(x, op.inputs[0].fixed)
        _check_rank(x, axes)
        if fft_length is None:
            fft_length = (_inverse_length if inverse else _length)(x, axes)
        else:
            fft_length = convert_to_tensor(fft_length, dtypes.int32)
        x = _padded(x, axes, fft_length, inverse)
        return op.apply(x, fft_length, name=scope)


def _check_rank(x, axes):
    if x.raw_shape is not None and len(x.raw_shape) < axes:
        raise misuse(ValueError(f'Shape {x.shape} must have rank at least {axes}'))


def _last_sizes(x, axes):
    """The last sizes of x if all of them are known, else None."""
    sizes = None if x.raw_shape is None else x.raw_shape[-axes:]
    return None if sizes is None or None in sizes else list(sizes)


def _length(x, axes):
    known = _last_sizes(x, axes)
    if known is not None:
        return constants.constant(known, dtypes.int32)
    return shape_ops.shape(x)[-axes:]


def _inverse_length(x, axes):
    known = _last_sizes(x, axes)
    if known is not None:
        return constants.constant([*known[:-1], max(0, 2 * (known[-1] - 1))], dtypes.int32)
    sizes = joining.unstack(shape_ops.shape(x)[-axes:], num=axes)
    sizes[-1] = arithmetic.maximum(0, 2 * (sizes[-1] - 1))
    return joining.stack(sizes)


def _padded(x, axes, fft_length, inverse):
    """x with zeros behind its last axes, up to the sizes that the transform needs."""
    known, wanted = _last_sizes(x, axes), constant_value(fft_length)
    if known is not None and wanted is not None and wanted.shape == (axes,) and min(wanted) >= 0:
        wanted = wanted.tolist()
        if inverse:
            wanted[-1] = wanted[-1] // 2 + 1
        more = [max(0, size - old) for size, old in zip(wanted, known)]
        if not any(more):
            return x
        return padding.pad(x, [[0, 0]] * (len(x.raw_shape) - axes) + [[0, n] for n in more])
    if fft_length.raw_shape not in (None, (None,), (axes,)):
        return x                                        # the op says what is wrong
    rank, sizes = shape_ops.rank(x), shape_ops.shape(x)[-axes:]
    before = constants.zeros([arithmetic.maximum(0, rank - axes)], dtypes.int32)
    if inverse:
        fft_length = joining.concat([fft_length[:-1], fft_length[-1:] // 2 + 1], 0)
    after = joining.concat([before, arithmetic.maximum(0, fft_length - sizes)], 0)
    return padding.pad(x, joining.stack([constants.zeros_like(after), after], axis=1))


def fftshift(x, axes=None, name=None):
    """Rolls x so that frequency 0 is in the middle of the axes (all of them unless given).

    Shapes: x [*a] -> [*a]; the sizes of the axes must be known.
    """
    return _shifted(x, axes, name, 'fftshift', 1)


def ifftshift(x, axes=None, name=None):
    """The inverse of fftshift. Shapes: x [*a] -> [*a]; the sizes of the axes must be known."""
    return _shifted(x, axes, name, 'ifftshift', -1)


def _shifted(x, axes, name, default_name, direction):
    with name_scope(name, default_name) as scope:
        x = convert_to_tensor(x)
        sizes = x.raw_shape
        if sizes is None or None in sizes:
            raise misuse(TypeError(
                f'{default_name} needs known sizes, but the shape of x is {x.shape}.\n'
                '  Hint: x.set_shape(...) or tf.roll(x, shift, axis).'))
        axes = list(range(len(sizes))) if axes is None else axes

        def shift(axis):
            return sizes[axis] // 2 if direction > 0 else -(sizes[axis] // 2)
        shifts = shift(axes) if isinstance(axes, int) else [shift(axis) for axis in axes]
        return padding.roll(x, shifts, axes, name=scope)


__all__ = ['fft', 'fft2d', 'fft3d', 'fftshift', 'ifft', 'ifft2d', 'ifft3d', 'ifftshift', 'irfft',
           'irfft2d', 'irfft3d', 'rfft', 'rfft2d', 'rfft3d']
