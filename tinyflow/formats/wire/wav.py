"""WAV files of 16-bit samples."""
from __future__ import annotations

import struct

import numpy as np


def encode(samples, sample_rate):
    """The bytes of a WAV file.

    Shapes: samples [frames, channels], floats from -1 to 1 (what is beyond is cut); sample_rate in
    frames a second, an int.
    """
    channels = samples.shape[1]
    scaled = samples.astype(np.float32) * np.float32(1 << 15)
    # Half away from zero, as C's roundf has it; np.round goes to the even neighbour.
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    data = np.nan_to_num(np.clip(rounded, -32768, 32767)).astype('<i2').tobytes()
    size = 2 * channels
    return struct.pack('<4sI4s4sIHHIIHH4sI', b'RIFF', 36 + len(data), b'WAVE', b'fmt ', 16, 1,
                       channels, sample_rate, sample_rate * size, size, 16, b'data',
                       len(data)) + data
