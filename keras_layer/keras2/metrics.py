"""keras.metrics of Keras 2.1: those of tf.keras; two of them are means over the batch."""
from __future__ import annotations

from keras_layer import backend as K, metrics as _metrics

__all__ = _metrics.__all__


def top_k_categorical_accuracy(y_true, y_pred, k=5):
    """How often the (one-hot) label is among the k highest outputs: a scalar."""
    return K.mean(_metrics.top_k_categorical_accuracy(y_true, y_pred, k), axis=-1)


def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5):
    """How often the (integer) label is among the k highest outputs: a scalar."""
    return K.mean(_metrics.sparse_top_k_categorical_accuracy(y_true, y_pred, k), axis=-1)


def __getattr__(name):
    return getattr(_metrics, name)


def __dir__():
    return __all__
