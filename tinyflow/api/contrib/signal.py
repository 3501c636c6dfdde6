"""tf.contrib.signal: the older home of a part of tf.signal."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.signal.framing import frame, overlap_and_add
from tinyflow.ops.signal.mel import linear_to_mel_weight_matrix, mfccs_from_log_mel_spectrograms
from tinyflow.ops.signal.short_time import inverse_stft, inverse_stft_window_fn, stft
from tinyflow.ops.signal.windows import hamming_window, hann_window

__all__ = ['frame', 'hamming_window', 'hann_window', 'inverse_stft', 'inverse_stft_window_fn',
           'linear_to_mel_weight_matrix', 'mfccs_from_log_mel_spectrograms', 'overlap_and_add',
           'stft']

__getattr__ = _explain_missing(__name__, __all__)
