"""Reductions: sums, means, extrema, cumulative sums."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.backend.settings import floatx

__all__ = ['all', 'any', 'argmax', 'argmin', 'cumprod', 'cumsum', 'l2_normalize', 'logsumexp',
           'max', 'mean', 'min', 'prod', 'std', 'sum', 'var']


def max(x, axis=None, keepdims=False):
    """The largest element over `axis`."""
    return tf.reduce_max(x, axis, keepdims)


def min(x, axis=None, keepdims=False):
    """The smallest element over `axis`."""
    return tf.reduce_min(x, axis, keepdims)


def sum(x, axis=None, keepdims=False):
    """The sum over `axis`."""
    return tf.reduce_sum(x, axis, keepdims)


def prod(x, axis=None, keepdims=False):
    """The product over `axis`."""
    return tf.reduce_prod(x, axis, keepdims)


def mean(x, axis=None, keepdims=False):
    """The mean over `axis`; of booleans, the fraction that is true."""
    if x.dtype.base_dtype == tf.bool:
        x = tf.cast(x, floatx())
    return tf.reduce_mean(x, axis, keepdims)


def var(x, axis=None, keepdims=False):
    """The variance over `axis`."""
    if x.dtype.base_dtype == tf.bool:
        x = tf.cast(x, floatx())
    return tf.math.reduce_variance(x, axis=axis, keepdims=keepdims)


def std(x, axis=None, keepdims=False):
    """The standard deviation over `axis`."""
    if x.dtype.base_dtype == tf.bool:
        x = tf.cast(x, floatx())
    return tf.math.reduce_std(x, axis=axis, keepdims=keepdims)


def logsumexp(x, axis=None, keepdims=False):
    """log(sum(exp(x))) over `axis`, without overflow."""
    return tf.reduce_logsumexp(x, axis, keepdims)


def any(x, axis=None, keepdims=False):
    """True where an element is not zero."""
    return tf.reduce_any(tf.cast(x, tf.bool), axis, keepdims)


def all(x, axis=None, keepdims=False):
    """True where no element is zero."""
    return tf.reduce_all(tf.cast(x, tf.bool), axis, keepdims)


def argmax(x, axis=-1):
    """The index of the largest element along `axis`."""
    return tf.argmax(x, axis)


def argmin(x, axis=-1):
    """The index of the smallest element along `axis`."""
    return tf.argmin(x, axis)


def cumsum(x, axis=0):
    """Running sums along `axis`."""
    return tf.cumsum(x, axis=axis)


def cumprod(x, axis=0):
    """Running products along `axis`."""
    return tf.cumprod(x, axis=axis)


def l2_normalize(x, axis=None):
    """x divided by its norm over `axis`."""
    return tf.nn.l2_normalize(x, axis=axis)
