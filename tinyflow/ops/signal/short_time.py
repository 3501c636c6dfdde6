"""Short-time Fourier transforms: stft, inverse_stft, inverse_stft_window_fn."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import joining, padding, shape_ops, shaping
from tinyflow.ops.array.constants import zeros_like
from tinyflow.ops.math import arithmetic, powers, reduction
from tinyflow.ops.signal import fourier
from tinyflow.ops.signal.framing import frame, overlap_and_add, scalar
from tinyflow.ops.signal.windows import hann_window


def stft(signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False,
         name=None):
    """The rfft of each frame of signals, which is multiplied by a window before.

    Shapes: signals [*a, n] -> [*a, frames, fft_length // 2 + 1]. `fft_length` is the least power of
    two that holds a frame unless given; `window_fn(frame_length, dtype=...)` makes the window,
    None leaves the frames as they are.
    """
    with name_scope(name, 'stft', [signals, frame_length, frame_step]):
        signals = convert_to_tensor(signals, name='signals')
        if signals.raw_shape == ():
            raise misuse(ValueError('Shape () must have rank at least 1'))
        frame_length = scalar(frame_length, 'frame_length')
        frame_step = scalar(frame_step, 'frame_step')
        fft_length = _fft_length(fft_length, frame_length)
        framed = frame(signals, frame_length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            framed *= window_fn(frame_length, dtype=framed.dtype)
        return fourier.rfft(framed, [fft_length])


def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window,
                 name=None):
    """The overlapping sum of the irfft of each frame, multiplied by a window.

    Shapes: stfts [*a, frames, k] -> [*a, frame_length + (frames - 1) frame_step]. With the window
    inverse_stft_window_fn(frame_step) it is the inverse of stft.
    """
    with name_scope(name, 'inverse_stft', [stfts]):
        stfts = convert_to_tensor(stfts, name='stfts')
        if stfts.raw_shape is not None and len(stfts.raw_shape) < 2:
            raise misuse(ValueError(f'Shape {stfts.shape} must have rank at least 2'))
        frame_length = scalar(frame_length, 'frame_length')
        frame_step = scalar(frame_step, 'frame_step')
        fft_length = _fft_length(fft_length, frame_length)
        frames = _of_length(fourier.irfft(stfts, [fft_length]), fft_length, frame_length)
        if window_fn is not None:
            frames *= window_fn(frame_length, dtype=frames.dtype)
        return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """A window for inverse_stft that undoes `forward_window_fn`.

    It is that window, divided by the sum of squares of all windows that overlap at a place. Source:
    Griffin and Lim, Signal estimation from modified short-time Fourier transform (1984).

    Shapes: frame_step [] -> a function of (frame_length [], dtype) -> [frame_length].
    """
    with name_scope(name, 'inverse_stft_window_fn', [forward_window_fn]):
        frame_step = scalar(frame_step, 'frame_step')

    def inverse_window(frame_length, dtype):
        """The window of a length and dtype."""
        with name_scope(name, 'inverse_stft_window_fn', [forward_window_fn]):
            length = scalar(frame_length, 'frame_length')
            window = forward_window_fn(length, dtype=dtype)
            squares = powers.square(window)
            steps = -(-length // frame_step)
            squares = padding.pad(squares, [[0, steps * frame_step - length]])
            squares = shaping.reshape(squares, [steps, frame_step])
            sums = reduction.reduce_sum(squares, 0, keepdims=True)
            sums = shaping.reshape(joining.tile(sums, [steps, 1]), [steps * frame_step])
            return window / sums[:length]
    return inverse_window


def _fft_length(fft_length, frame_length):
    if fft_length is not None:
        return scalar(fft_length, 'fft_length')
    length = constant_value(frame_length)
    if length is None:
        raise misuse(ValueError(
            'fft_length is needed where frame_length is not known while the graph is built.\n'
            '  Hint: fft_length=1024, or whatever holds a frame.'))
    return convert_to_tensor(1 << max(0, int(length) - 1).bit_length(), dtypes.int32)


def _of_length(frames, fft_length, frame_length):
    """The frames with their last axis cut or padded with zeros to frame_length."""
    known, wanted = constant_value(fft_length), constant_value(frame_length)
    if known is None or wanted is None:
        frames = frames[..., :frame_length]
        after = arithmetic.maximum(0, frame_length - shape_ops.shape(frames)[-1:])
        paddings = joining.concat([zeros_like(shape_ops.shape(frames)[:-1]), after], 0)
        return padding.pad(frames, joining.stack([zeros_like(paddings), paddings], 1))
    if wanted < known:
        return frames[..., :int(wanted)]
    if wanted > known and frames.raw_shape is not None:
        others = [[0, 0]] * (len(frames.raw_shape) - 1)
        return padding.pad(frames, [*others, [0, int(wanted - known)]])
    return frames


__all__ = ['inverse_stft', 'inverse_stft_window_fn', 'stft']
