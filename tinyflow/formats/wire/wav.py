"""WAV files of 16-bit samples."""
from __future__ import annotations

import io
import wave

import numpy as np


def encode(samples, sample_rate):
    """The bytes of a WAV file.

    Shapes: samples [frames, channels], floats from -1 to 1 (clipped beyond); sample_rate in
    frames a second, an int.
    """
    scaled = samples.astype(np.float32) * np.float32(1 << 15)
    # Half away from zero, as C's roundf; np.round rounds halves to even.
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    data = np.nan_to_num(np.clip(rounded, -32768, 32767)).astype(np.int16).tobytes()
    file = io.BytesIO()
    with wave.open(file, 'wb') as sound:
        sound.setparams((samples.shape[1], 2, sample_rate, 0, 'NONE', ''))
        sound.writeframes(data)
    return file.getvalue()
