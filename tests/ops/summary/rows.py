"""Rows for summaries: the bytes of the messages, made here by protobuf's rules or read back."""
import struct

import numpy as np

from tests.golden.png import decode
from tests.ops.rows import row


def _bytes(data):
    out = np.empty((), object)
    out[()] = data
    return out


def _field(number, data):
    """A protobuf field of bytes (below 128 of them)."""
    return bytes([number << 3 | 2, len(data)]) + data


def _value(tag, number, data):
    return _field(1, _field(1, tag) + _field(number, data))


def _doubles(*values):
    return struct.pack(f'<{len(values)}d', *values)


def _histogram(x):
    """The message for zeros and ones: they fall below 1e-12 and below the first limit after 1."""
    limit = 1e-12
    while limit <= 1:
        before, limit = limit, limit * 1.1
    numbers = [x.min(), x.max(), x.size, x.sum(), (x * x).sum()]
    fields = b''.join(bytes([i << 3 | 1]) + _doubles(v) for i, v in enumerate(numbers, 1) if v)
    largest = np.finfo(np.float64).max
    packed = _field(6, _doubles(0., 1e-12, before, limit, largest)) \
        + _field(7, _doubles(0, (x == 0).sum(), 0, (x == 1).sum(), 0))
    return np.frombuffer(_value(b'h', 5, fields + packed), np.uint8)


def _wav(samples, rate):
    data = samples.tobytes()
    channels = samples.shape[1]
    return (b'RIFF' + struct.pack('<I', 36 + len(data)) + b'WAVEfmt '
            + struct.pack('<IHHIIHH', 16, 1, channels, rate, rate * 2 * channels, 2 * channels, 16)
            + b'data' + struct.pack('<I', len(data)) + data)


def _audio(x):
    samples = (x[0] * 32768).astype('<i2')
    inside = (b'\x0d' + struct.pack('<f', 8000) + b'\x10\x02\x18\x03'
              + _field(4, _wav(samples, 8000)) + _field(5, b'audio/wav'))
    return _bytes(_value(b'a/audio', 6, inside))


def _pixels(tf, summary):
    """The pixels of the one image of a summary."""
    def look(data):
        value, = tf.Summary.FromString(data).value
        return decode(np, value.image.encoded_image_string)
    return tf.py_func(look, [summary], tf.uint8)


def _uint8(x):
    """Zero at 128, the farthest value at 1 or 255."""
    return np.trunc(x[0].astype(np.float64) * 127 / np.abs(x).max() + 128).astype(np.uint8)


def _twice(tf):
    return tf.summary.merge([tf.summary.scalar('a', 1.)] * 2)


def _with_one(tf, x):
    return tf.summary.merge([tf.summary.scalar('b', x), tf.constant(ONE)])


ONE = b'\n\x08\n\x01a\x15\x00\x00\x80\x3f'           # tag 'a', number 1.0

ROWS = [
    row('HistogramSummary', lambda tf, x: tf.decode_raw(tf.summary.histogram('h', x), tf.uint8),
        [np.array([[0., 1.], [1., 1.]])], ref=_histogram, grad=False, static_result=False,
        bad=[lambda tf: tf.summary.histogram('h', 'text')],
        run_bad=[lambda tf: tf.summary.histogram('h', [1., np.nan]),
                 lambda tf: tf.summary.histogram('h', [np.inf])]),
    row('ImageSummary', lambda tf, x: _pixels(tf, tf.summary.image('i', x, 1)), [(2, 3, 4, 3)],
        ref=_uint8, grad=False, dtype='float32', static_result=False,
        bad=[lambda tf: tf.summary.image('i', tf.zeros([1, 2, 2, 1], tf.int32)),
             lambda tf: tf.summary.image('i', tf.zeros([1, 2, 2, 1]), 0)],
        run_bad=[lambda tf: tf.summary.image('i', tf.zeros([2, 2])),
                 lambda tf: tf.summary.image('i', tf.zeros([1, 2, 2, 2])),
                 lambda tf: tf.summary.image('i', tf.zeros([1, 0, 2, 1]))]),
    row('AudioSummaryV2', lambda tf, x: tf.summary.audio('a', x, 8000, 1),
        [np.float32([[[.5, -.25], [.125, -1], [0, .75]]])], ref=_audio, grad=False,
        bad=[lambda tf: tf.summary.audio('a', tf.zeros([1, 2]), 1, 0)],
        run_bad=[lambda tf: tf.summary.audio('a', tf.zeros([2]), 1),
                 lambda tf: tf.summary.audio('a', tf.zeros([1, 0]), 1),
                 lambda tf: tf.summary.audio('a', tf.zeros([1, 2, 0]), 1),
                 lambda tf: tf.summary.audio('a', tf.zeros([1, 2]), 0),
                 lambda tf: tf.summary.audio('a', tf.zeros([1, 2]), [1, 1])]),
    row('TensorSummaryV2', lambda tf, x: tf.summary.text('t', x), [_bytes(b'said')], grad=False,
        ref=lambda x: _bytes(_field(1, _field(1, b't') + _field(8, b'\x08\x07\x12\x00'
                                                                + _field(8, b'said'))
                                    + _field(9, _field(1, _field(1, b'text'))))),
        bad=[lambda tf: tf.summary.text('t', tf.constant(1))]),
    row('MergeSummary', _with_one, [np.float32(1)], grad=False,
        ref=lambda x: _bytes(ONE.replace(b'a', b'b') + ONE),
        bad=[lambda tf: tf.summary.merge([]), lambda tf: tf.summary.merge([None])],
        run_bad=[_twice, lambda tf: tf.summary.merge(['no message'])]),
]
