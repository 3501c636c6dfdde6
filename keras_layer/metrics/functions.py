"""Metric functions: (y_true, y_pred) -> a value for each sample."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K

__all__ = ['accuracy', 'binary_accuracy', 'categorical_accuracy', 'sparse_categorical_accuracy',
           'sparse_top_k_categorical_accuracy', 'top_k_categorical_accuracy']


def accuracy(y_true, y_pred):
    """1 where the two are equal."""
    if y_true.dtype != y_pred.dtype:
        y_pred = tf.cast(y_pred, y_true.dtype)
    return tf.cast(tf.equal(y_true, y_pred), K.floatx())


def binary_accuracy(y_true, y_pred, threshold=0.5):
    """The fraction of outputs on the correct side of the threshold."""
    threshold = tf.cast(threshold, y_pred.dtype)
    y_pred = tf.cast(y_pred > threshold, y_pred.dtype)
    return K.mean(tf.equal(y_true, y_pred), axis=-1)


def categorical_accuracy(y_true, y_pred):
    """1 where the highest output is that of the (one-hot) label."""
    return tf.cast(tf.equal(tf.argmax(y_true, axis=-1), tf.argmax(y_pred, axis=-1)), K.floatx())


def sparse_categorical_accuracy(y_true, y_pred):
    """1 where the highest output is that of the (integer) label."""
    true, predicted = K.ndim(y_true), K.ndim(y_pred)
    if true is not None and predicted is not None and \
            len(K.int_shape(y_true)) == len(K.int_shape(y_pred)):
        y_true = tf.squeeze(y_true, [-1])
    y_pred = tf.argmax(y_pred, axis=-1)
    if K.dtype(y_pred) != K.dtype(y_true):
        y_pred = tf.cast(y_pred, K.dtype(y_true))
    return tf.cast(tf.equal(y_true, y_pred), K.floatx())


def top_k_categorical_accuracy(y_true, y_pred, k=5):
    """1 where the (one-hot) label is among the k highest outputs."""
    return tf.cast(tf.nn.in_top_k(y_pred, tf.argmax(y_true, axis=-1), k), K.floatx())


def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5):
    """1 where the (integer) label is among the k highest outputs."""
    if K.ndim(y_true) is not None and K.ndim(y_true) > 1:
        y_true = tf.squeeze(y_true, [-1])
    return tf.cast(tf.nn.in_top_k(y_pred, tf.cast(y_true, 'int32'), k), K.floatx())
