"""tf.spectral: Fourier and cosine transforms."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.signal.cosine import dct, idct
from tinyflow.ops.signal.fourier import (
    fft,
    fft2d,
    fft3d,
    ifft,
    ifft2d,
    ifft3d,
    irfft,
    irfft2d,
    irfft3d,
    rfft,
    rfft2d,
    rfft3d,
)

__all__ = ['dct', 'fft', 'fft2d', 'fft3d', 'idct', 'ifft', 'ifft2d', 'ifft3d', 'irfft', 'irfft2d',
           'irfft3d', 'rfft', 'rfft2d', 'rfft3d']

__getattr__ = _explain_missing(__name__, __all__)
