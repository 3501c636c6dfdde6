"""Metrics that are means of a function over all samples."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.losses import functions as losses
from keras_layer.losses.base import squeeze_or_expand_dimensions
from keras_layer.metrics import functions
from keras_layer.metrics.base import Mean, MeanMetricWrapper

__all__ = ['Accuracy', 'BinaryAccuracy', 'BinaryCrossentropy', 'CategoricalAccuracy',
           'CategoricalCrossentropy', 'CategoricalHinge', 'CosineSimilarity', 'Hinge',
           'KLDivergence', 'LogCoshError', 'MeanAbsoluteError', 'MeanAbsolutePercentageError',
           'MeanRelativeError', 'MeanSquaredError', 'MeanSquaredLogarithmicError', 'Poisson',
           'RootMeanSquaredError', 'SparseCategoricalAccuracy', 'SparseCategoricalCrossentropy',
           'SparseTopKCategoricalAccuracy', 'SquaredHinge', 'TopKCategoricalAccuracy']


def _plain(name, function, label):
    """The class of a metric whose function takes no options."""
    class Plain(MeanMetricWrapper):
        def __init__(self, name=label, dtype=None):
            super().__init__(function, name, dtype=dtype)

        @classmethod
        def from_config(cls, config):
            return cls(**config)
    Plain.__name__ = Plain.__qualname__ = name
    Plain.__doc__ = f'The mean of `{function.__name__}` over all samples.'
    return Plain


Accuracy = _plain('Accuracy', functions.accuracy, 'accuracy')
CategoricalAccuracy = _plain('CategoricalAccuracy', functions.categorical_accuracy,
                             'categorical_accuracy')
SparseCategoricalAccuracy = _plain('SparseCategoricalAccuracy',
                                   functions.sparse_categorical_accuracy,
                                   'sparse_categorical_accuracy')
MeanAbsoluteError = _plain('MeanAbsoluteError', losses.mean_absolute_error, 'mean_absolute_error')
MeanAbsolutePercentageError = _plain(
    'MeanAbsolutePercentageError', losses.mean_absolute_percentage_error,
    'mean_absolute_percentage_error')
MeanSquaredError = _plain('MeanSquaredError', losses.mean_squared_error, 'mean_squared_error')
MeanSquaredLogarithmicError = _plain(
    'MeanSquaredLogarithmicError', losses.mean_squared_logarithmic_error,
    'mean_squared_logarithmic_error')
Hinge = _plain('Hinge', losses.hinge, 'hinge')
SquaredHinge = _plain('SquaredHinge', losses.squared_hinge, 'squared_hinge')
CategoricalHinge = _plain('CategoricalHinge', losses.categorical_hinge, 'categorical_hinge')
LogCoshError = _plain('LogCoshError', losses.logcosh, 'logcosh')
Poisson = _plain('Poisson', losses.poisson, 'poisson')
KLDivergence = _plain('KLDivergence', losses.kullback_leibler_divergence,
                      'kullback_leibler_divergence')


class BinaryAccuracy(MeanMetricWrapper):
    """The fraction of outputs on the right side of `threshold`."""

    def __init__(self, name='binary_accuracy', dtype=None, threshold=0.5):
        super().__init__(functions.binary_accuracy, name, dtype=dtype, threshold=threshold)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the (one-hot) label is among the k highest outputs."""

    def __init__(self, k=5, name='top_k_categorical_accuracy', dtype=None):
        super().__init__(functions.top_k_categorical_accuracy, name, dtype=dtype, k=k)


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the (integer) label is among the k highest outputs."""

    def __init__(self, k=5, name='sparse_top_k_categorical_accuracy', dtype=None):
        super().__init__(functions.sparse_top_k_categorical_accuracy, name, dtype=dtype, k=k)


class CosineSimilarity(MeanMetricWrapper):
    """The mean cosine of the angle between labels and outputs."""

    def __init__(self, name='cosine_similarity', dtype=None, axis=-1):
        super().__init__(losses.cosine_similarity, name, dtype=dtype, axis=axis)


class BinaryCrossentropy(MeanMetricWrapper):
    """The mean binary cross entropy."""

    def __init__(self, name='binary_crossentropy', dtype=None, from_logits=False,
                 label_smoothing=0):
        super().__init__(losses.binary_crossentropy, name, dtype=dtype, from_logits=from_logits,
                         label_smoothing=label_smoothing)


class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross entropy of one-hot labels."""

    def __init__(self, name='categorical_crossentropy', dtype=None, from_logits=False,
                 label_smoothing=0):
        super().__init__(losses.categorical_crossentropy, name, dtype=dtype,
                         from_logits=from_logits, label_smoothing=label_smoothing)


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross entropy of integer labels."""

    def __init__(self, name='sparse_categorical_crossentropy', dtype=None, from_logits=False,
                 axis=-1):
        super().__init__(losses.sparse_categorical_crossentropy, name, dtype=dtype,
                         from_logits=from_logits, axis=axis)


class RootMeanSquaredError(Mean):
    """The square root of the mean of (y_pred - y_true)^2."""

    def __init__(self, name='root_mean_squared_error', dtype=None):
        super().__init__(name, dtype=dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Adds a batch."""
        y_true, y_pred = tf.cast(y_true, self._dtype), tf.cast(y_pred, self._dtype)
        y_pred, y_true, sample_weight = squeeze_or_expand_dimensions(y_pred, y_true,
                                                                     sample_weight)
        return super().update_state(tf.squared_difference(y_pred, y_true),
                                    sample_weight=sample_weight)

    def result(self):
        """The root so far."""
        return tf.sqrt(K.div_no_nan(self.total, self.count))


class MeanRelativeError(Mean):
    """The mean of |y_pred - y_true| / normalizer."""

    def __init__(self, normalizer, name=None, dtype=None):
        super().__init__(name=name or 'mean_relative_error', dtype=dtype)
        self.normalizer = tf.cast(normalizer, self._dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Adds a batch."""
        y_true, y_pred = tf.cast(y_true, self._dtype), tf.cast(y_pred, self._dtype)
        y_pred, y_true, sample_weight = squeeze_or_expand_dimensions(y_pred, y_true,
                                                                     sample_weight)
        error = K.div_no_nan(tf.abs(y_true - y_pred), self.normalizer)
        return super().update_state(error, sample_weight=sample_weight)

    def get_config(self):
        return {**super().get_config(), 'normalizer': K.eval(self.normalizer)}
