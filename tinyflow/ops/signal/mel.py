"""The mel scale of pitch: linear_to_mel_weight_matrix, mfccs_from_log_mel_spectrograms.

A frequency f in hertz is 1127 ln(1 + f / 700) mel, the formula of the Hidden Markov Model Toolkit.
"""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants, joining, padding, shape_ops, shaping
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.math import arithmetic, powers, unary
from tinyflow.ops.signal.cosine import dct
from tinyflow.ops.signal.framing import frame


def linear_to_mel_weight_matrix(num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000,
                                lower_edge_hertz=125.0, upper_edge_hertz=3800.0,
                                dtype=dtypes.float32, name=None):
    """The matrix that turns a spectrogram of linear frequencies into one of mel frequencies.

    Shapes: -> [num_spectrogram_bins, num_mel_bins]. Each column is a triangle in mel; the bands
    overlap by half and reach from the lower to the upper edge.
    """
    with name_scope(name, 'linear_to_mel_weight_matrix') as scope:
        if isinstance(sample_rate, Tensor):
            sample_rate = _known_rate(sample_rate)
        _check(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype)
        rate = convert_to_tensor(sample_rate, dtype, name='sample_rate')
        lower = convert_to_tensor(lower_edge_hertz, dtype, name='lower_edge_hertz')
        upper = convert_to_tensor(upper_edge_hertz, dtype, name='upper_edge_hertz')
        zero = convert_to_tensor(0.0, dtype)
        # The constant part, frequency 0, has no mel; its row of zeros comes last.
        frequencies = constants.linspace(zero, rate / 2.0, num_spectrogram_bins)[1:]
        mels = shaping.expand_dims(_mel(frequencies), 1)
        edges = constants.linspace(_mel(lower), _mel(upper), num_mel_bins + 2)
        triangles = frame(edges, frame_length=3, frame_step=1)
        low, middle, high = [shaping.reshape(t, [1, num_mel_bins])
                             for t in joining.split(triangles, constants.constant(3), axis=1)]
        rising = (mels - low) / (middle - low)
        falling = (high - mels) / (high - middle)
        weights = arithmetic.maximum(zero, arithmetic.minimum(rising, falling))
        return padding.pad(weights, [[1, 0], [0, 0]], name=scope)


def _known_rate(sample_rate):
    value = constant_value(sample_rate)
    if value is None:
        raise misuse(ValueError('`sample_rate` was a non-constant Tensor. Must be a Python float '
                                'or a constant Tensor.'))
    return value


def _check(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype):
    if num_mel_bins <= 0:
        raise misuse(ValueError(f'num_mel_bins must be positive. Got: {num_mel_bins}'))
    if lower_edge_hertz < 0.0:
        raise misuse(ValueError(f'lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}'))
    if lower_edge_hertz >= upper_edge_hertz:
        raise misuse(ValueError(f'lower_edge_hertz {lower_edge_hertz:.1f} >= upper_edge_hertz '
                                f'{upper_edge_hertz:.1f}'))
    if sample_rate <= 0.0:
        raise misuse(ValueError(f'sample_rate must be positive. Got: {sample_rate}'))
    if upper_edge_hertz > sample_rate / 2:
        raise misuse(ValueError(
            'upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). '
            f'Got: {upper_edge_hertz} for sample_rate: {sample_rate}'))
    if not dtypes.as_dtype(dtype).is_floating:
        raise misuse(ValueError(f'dtype must be a floating point type. Got: {dtype!r}'))


def _mel(hertz):
    with name_scope(None, 'hertz_to_mel', [hertz]):
        return 1127.0 * unary.log(1.0 + hertz / 700.0)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """Mel frequency cepstral coefficients: the scaled cosine transform of log mel spectrograms.

    Shapes: log_mel_spectrograms [*a, bins] -> [*a, bins]; usually the first 13 are used.
    """
    with name_scope(name, 'mfccs_from_log_mel_spectrograms', [log_mel_spectrograms]):
        log_mels = convert_to_tensor(log_mel_spectrograms)
        bins = None if log_mels.raw_shape is None else log_mels.raw_shape[-1]
        if bins == 0:
            raise misuse(ValueError(f'num_mel_bins must be positive. Got: {log_mel_spectrograms}'))
        if bins is None:
            bins = shape_ops.shape(log_mels)[-1]
        coefficients = dct(log_mels)
        return coefficients * powers.rsqrt(cast(bins, dtypes.float32) * 2.0)


__all__ = ['linear_to_mel_weight_matrix', 'mfccs_from_log_mel_spectrograms']
