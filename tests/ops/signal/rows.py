"""Rows of Fourier transforms, of real and of complex numbers."""
import numpy as np

from tests.ops.rows import row


def complex_row(name, axes, function):
    return row(name, lambda tf, x: getattr(tf.signal, name.lower())(x), [(2, 3, 2, 4)[-axes - 1:]],
               ref=lambda x: function(x, axes=range(-axes, 0)), dtype='complex128', grad=False,
               bad=[lambda tf: getattr(tf.signal, name.lower())(tf.zeros([], tf.complex64))])


def forward_row(axes):
    name = 'rfft' if axes == 1 else f'rfft{axes}d'
    return row(name.upper(), lambda tf, x: getattr(tf.signal, name)(x), [(2, 3, 2, 4)[-axes - 1:]],
               ref=lambda x: np.fft.rfftn(x, axes=range(-axes, 0)), dtype='float32', grad=False,
               bad=[lambda tf: getattr(tf.signal, name)(tf.zeros([4] * axes), [2] * (axes + 1))])


def back_row(axes):
    name = 'irfft' if axes == 1 else f'irfft{axes}d'
    return row(name.upper(), lambda tf, x: getattr(tf.signal, name)(x), [(2, 3, 2, 4)[-axes - 1:]],
               ref=lambda x: np.fft.irfftn(x, axes=range(-axes, 0)), dtype='complex64',
               grad=False, bad=[lambda tf: getattr(tf.signal, name)(
                   tf.zeros([4] * axes, tf.complex64), [2] * (axes + 1))])


ROWS = [
    *[complex_row(name + suffix, axes, function)
      for name, function in (('FFT', np.fft.fftn), ('IFFT', np.fft.ifftn))
      for axes, suffix in ((1, ''), (2, '2D'), (3, '3D'))],
    *[forward_row(axes) for axes in (1, 2, 3)],
    *[back_row(axes) for axes in (1, 2, 3)],
]
