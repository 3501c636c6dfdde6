"""Loss functions: (y_true, y_pred) -> the loss of each sample, over the last axis."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K

__all__ = ['KLD', 'MAE', 'MAPE', 'MSE', 'MSLE', 'binary_crossentropy', 'categorical_crossentropy',
           'categorical_hinge', 'cosine', 'cosine_proximity', 'cosine_similarity', 'hinge',
           'huber_loss', 'kld', 'kullback_leibler_divergence', 'logcosh', 'mae', 'mape',
           'mean_absolute_error', 'mean_absolute_percentage_error', 'mean_squared_error',
           'mean_squared_logarithmic_error', 'mse', 'msle', 'poisson',
           'sparse_categorical_crossentropy', 'squared_hinge']


def _floats(y_true, y_pred):
    y_pred = tf.convert_to_tensor(y_pred)
    return tf.cast(y_true, y_pred.dtype), y_pred


def mean_squared_error(y_true, y_pred):
    """The mean of (y_pred - y_true)^2."""
    y_true, y_pred = _floats(y_true, y_pred)
    return K.mean(tf.squared_difference(y_pred, y_true), axis=-1)


def mean_absolute_error(y_true, y_pred):
    """The mean of |y_pred - y_true|."""
    y_true, y_pred = _floats(y_true, y_pred)
    return K.mean(tf.abs(y_pred - y_true), axis=-1)


def mean_absolute_percentage_error(y_true, y_pred):
    """100 times the mean of |y_true - y_pred| / |y_true|."""
    y_true, y_pred = _floats(y_true, y_pred)
    diff = tf.abs((y_true - y_pred) / K.clip(tf.abs(y_true), K.epsilon(), None))
    return 100. * K.mean(diff, axis=-1)


def mean_squared_logarithmic_error(y_true, y_pred):
    """The mean of (log(y_pred + 1) - log(y_true + 1))^2."""
    y_true, y_pred = _floats(y_true, y_pred)
    first = tf.log(K.clip(y_pred, K.epsilon(), None) + 1.)
    second = tf.log(K.clip(y_true, K.epsilon(), None) + 1.)
    return K.mean(tf.squared_difference(first, second), axis=-1)


def _signs(y_true):
    """Labels 0 and 1 as -1 and 1; others unchanged."""
    binary = tf.reduce_all(tf.logical_or(tf.equal(y_true, 0), tf.equal(y_true, 1)))
    return tf.cond(binary, lambda: 2. * y_true - 1., lambda: y_true)


def hinge(y_true, y_pred):
    """The mean of max(1 - y_true y_pred, 0), for labels -1 and 1 (or 0 and 1)."""
    y_true, y_pred = _floats(y_true, y_pred)
    y_true = _signs(y_true)
    return K.mean(tf.maximum(1. - y_true * y_pred, 0.), axis=-1)


def squared_hinge(y_true, y_pred):
    """The mean of max(1 - y_true y_pred, 0)^2."""
    y_true, y_pred = _floats(y_true, y_pred)
    y_true = _signs(y_true)
    return K.mean(tf.square(tf.maximum(1. - y_true * y_pred, 0.)), axis=-1)


def categorical_hinge(y_true, y_pred):
    """max(0, 1 + highest wrong score - right score), for one-hot labels."""
    y_true, y_pred = _floats(y_true, y_pred)
    right = tf.reduce_sum(y_true * y_pred, axis=-1)
    wrong = tf.reduce_max((1. - y_true) * y_pred, axis=-1)
    return tf.maximum(0., wrong - right + 1.)


def huber_loss(y_true, y_pred, delta=1.0):
    """x^2 / 2 for |x| <= delta, linear beyond; x = y_pred - y_true, element by element."""
    y_pred = tf.cast(y_pred, K.floatx())
    y_true = tf.cast(y_true, K.floatx())
    magnitude = tf.abs(tf.subtract(y_pred, y_true))
    quadratic = tf.minimum(magnitude, delta)
    linear = tf.subtract(magnitude, quadratic)
    half = tf.convert_to_tensor(0.5, dtype=quadratic.dtype)
    return tf.add(tf.multiply(half, tf.multiply(quadratic, quadratic)),
                  tf.multiply(delta, linear))


def logcosh(y_true, y_pred):
    """The mean of log(cosh(y_pred - y_true))."""
    y_true, y_pred = _floats(y_true, y_pred)
    x = y_pred - y_true
    return K.mean(x + tf.nn.softplus(-2. * x) - tf.cast(tf.log(2.), x.dtype), axis=-1)


def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0):
    """-sum(y_true log(y_pred)), for one-hot labels [..., classes]."""
    y_true, y_pred = _floats(y_true, y_pred)
    smoothing = tf.convert_to_tensor(label_smoothing, dtype=K.floatx())
    if label_smoothing:
        classes = tf.cast(tf.shape(y_true)[1], y_pred.dtype)
        y_true = y_true * (1.0 - smoothing) + smoothing / classes
    return K.categorical_crossentropy(y_true, y_pred, from_logits=from_logits)


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, axis=-1):
    """-log(y_pred of the label), for integer labels."""
    return K.sparse_categorical_crossentropy(y_true, y_pred, from_logits=from_logits, axis=axis)


def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0):
    """The mean of -y_true log(y_pred) - (1 - y_true) log(1 - y_pred)."""
    y_true, y_pred = _floats(y_true, y_pred)
    smoothing = tf.convert_to_tensor(label_smoothing, dtype=K.floatx())
    if label_smoothing:
        y_true = y_true * (1.0 - smoothing) + 0.5 * smoothing
    return K.mean(K.binary_crossentropy(y_true, y_pred, from_logits=from_logits), axis=-1)


def kullback_leibler_divergence(y_true, y_pred):
    """The sum of y_true log(y_true / y_pred)."""
    y_true, y_pred = _floats(y_true, y_pred)
    y_true = K.clip(y_true, K.epsilon(), 1)
    y_pred = K.clip(y_pred, K.epsilon(), 1)
    return tf.reduce_sum(y_true * tf.log(y_true / y_pred), axis=-1)


def poisson(y_true, y_pred):
    """The mean of y_pred - y_true log(y_pred)."""
    y_true, y_pred = _floats(y_true, y_pred)
    return K.mean(y_pred - y_true * tf.log(y_pred + K.epsilon()), axis=-1)


def cosine_proximity(y_true, y_pred, axis=-1):
    """The cosine of the angle between y_true and y_pred; as in TF 1.15, without a minus sign."""
    y_true = tf.nn.l2_normalize(y_true, axis=axis)
    y_pred = tf.nn.l2_normalize(y_pred, axis=axis)
    return tf.reduce_sum(y_true * y_pred, axis=axis)


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence
cosine = cosine_similarity = cosine_proximity
