"""tf.signal: Fourier and cosine transforms, windows, frames and spectrograms of signals."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.signal import (
    cosine as _cosine,
    fourier as _fourier,
    framing as _framing,
    mel as _mel,
    short_time as _short_time,
    windows as _windows,
)
from tinyflow.ops.signal.cosine import *
from tinyflow.ops.signal.fourier import *
from tinyflow.ops.signal.framing import *
from tinyflow.ops.signal.mel import *
from tinyflow.ops.signal.short_time import *
from tinyflow.ops.signal.windows import *

__all__ = []
__all__ += _cosine.__all__
__all__ += _fourier.__all__
__all__ += _framing.__all__
__all__ += _mel.__all__
__all__ += _short_time.__all__
__all__ += _windows.__all__

__getattr__ = _explain_missing(__name__, __all__)
