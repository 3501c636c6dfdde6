"""Elementwise functions."""
from __future__ import annotations

import tinyflow as tf

__all__ = [
    'abs', 'cast', 'clip', 'constant_of', 'cos', 'elu', 'equal', 'exp', 'greater', 'greater_equal',
    'hard_sigmoid', 'less', 'less_equal', 'log', 'maximum', 'minimum', 'not_equal', 'pow', 'relu',
    'round', 'sigmoid', 'sign', 'sin', 'softmax', 'softmax_of_rows', 'softplus', 'softsign',
    'sqrt', 'square', 'tanh',
]

abs, square, exp, log, sign, sin, cos = tf.abs, tf.square, tf.exp, tf.log, tf.sign, tf.sin, tf.cos
round = tf.round
equal, not_equal = tf.equal, tf.not_equal
greater, greater_equal, less, less_equal = tf.greater, tf.greater_equal, tf.less, tf.less_equal
maximum, minimum = tf.maximum, tf.minimum
sigmoid, tanh = tf.nn.sigmoid, tf.nn.tanh
softmax_of_rows = tf.nn.softmax


def pow(x, a):
    """x to the power a."""
    return tf.pow(x, a)


def softmax(x, axis=-1):
    """exp(x) divided by its sum over `axis`."""
    return tf.nn.softmax(x, axis=axis)


def softplus(x):
    """log(exp(x) + 1)."""
    return tf.nn.softplus(x)


def softsign(x):
    """x / (|x| + 1)."""
    return tf.nn.softsign(x)


def constant_of(value, dtype):
    """A number as a constant of that dtype."""
    return tf.convert_to_tensor(value, dtype=dtype)


def sqrt(x):
    """The square root; of negative numbers, 0."""
    zero, infinity = constant_of(0., x.dtype.base_dtype), constant_of(float('inf'),
                                                                      x.dtype.base_dtype)
    return tf.sqrt(tf.clip_by_value(x, zero, infinity))


def clip(x, min_value, max_value):
    """x, at least `min_value` and at most `max_value` (None: no limit)."""
    if max_value is not None and min_value is not None and max_value < min_value:
        max_value = min_value
    if max_value is None:
        max_value = float('inf')
    dtype = x.dtype.base_dtype
    return tf.clip_by_value(x, constant_of(min_value, dtype), constant_of(max_value, dtype))


def cast(x, dtype):
    """x in that dtype."""
    return tf.cast(x, dtype)


def elu(x, alpha=1.):
    """x where positive, alpha (exp(x) - 1) elsewhere."""
    result = tf.nn.elu(x)
    if alpha == 1:
        return result
    return tf.where(x > 0, result, alpha * result)


def relu(x, alpha=0., max_value=None, threshold=0):
    """x where it is at least `threshold`, at most `max_value`; alpha (x - threshold) below."""
    clip_max = max_value is not None
    if alpha != 0.:
        if max_value is None and threshold == 0:
            return tf.nn.leaky_relu(x, alpha=alpha)
        negative = tf.nn.relu(-x + threshold) if threshold != 0 else tf.nn.relu(-x)
    if threshold != 0:
        x = x * tf.cast(tf.greater(x, threshold), x.dtype.base_dtype)
    elif max_value == 6:
        x, clip_max = tf.nn.relu6(x), False
    else:
        x = tf.nn.relu(x)
    if clip_max:
        dtype = x.dtype.base_dtype
        x = tf.clip_by_value(x, constant_of(0., dtype), constant_of(max_value, dtype))
    if alpha != 0.:
        x -= constant_of(alpha, x.dtype.base_dtype) * negative
    return x


def hard_sigmoid(x):
    """0.2 x + 0.5, kept in [0, 1]."""
    dtype = x.dtype.base_dtype
    slope, middle = constant_of(0.2, dtype), constant_of(0.5, dtype)
    return tf.clip_by_value(tf.add(tf.multiply(x, slope), middle), 0., 1.)
