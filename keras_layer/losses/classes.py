"""Loss classes: the functions of losses/functions.py with weights and a reduction."""
from __future__ import annotations

from keras_layer.losses import functions
from keras_layer.losses.base import LossFunctionWrapper, Reduction

__all__ = ['BinaryCrossentropy', 'CategoricalCrossentropy', 'CategoricalHinge', 'CosineSimilarity',
           'Hinge', 'Huber', 'KLDivergence', 'LogCosh', 'MeanAbsoluteError',
           'MeanAbsolutePercentageError', 'MeanSquaredError', 'MeanSquaredLogarithmicError',
           'Poisson', 'SparseCategoricalCrossentropy', 'SquaredHinge']


class _Plain(LossFunctionWrapper):
    function = None
    default_name = None

    def __init__(self, reduction=Reduction.AUTO, name=None):
        own = type(self)
        super().__init__(own.function, name=name or own.default_name or own.function.__name__,
                         reduction=reduction)


class MeanSquaredError(_Plain):
    """`mean_squared_error` as an object."""

    function = staticmethod(functions.mean_squared_error)


class MeanAbsoluteError(_Plain):
    """`mean_absolute_error` as an object."""

    function = staticmethod(functions.mean_absolute_error)


class MeanAbsolutePercentageError(_Plain):
    """`mean_absolute_percentage_error` as an object."""

    function = staticmethod(functions.mean_absolute_percentage_error)


class MeanSquaredLogarithmicError(_Plain):
    """`mean_squared_logarithmic_error` as an object."""

    function = staticmethod(functions.mean_squared_logarithmic_error)


class Hinge(_Plain):
    """`hinge` as an object."""

    function = staticmethod(functions.hinge)


class SquaredHinge(_Plain):
    """`squared_hinge` as an object."""

    function = staticmethod(functions.squared_hinge)


class CategoricalHinge(_Plain):
    """`categorical_hinge` as an object."""

    function = staticmethod(functions.categorical_hinge)


class Poisson(_Plain):
    """`poisson` as an object."""

    function = staticmethod(functions.poisson)


class LogCosh(_Plain):
    """`logcosh` as an object."""

    function = staticmethod(functions.logcosh)


class KLDivergence(_Plain):
    """`kullback_leibler_divergence` as an object."""

    function = staticmethod(functions.kullback_leibler_divergence)


class Huber(LossFunctionWrapper):
    """`huber_loss` as an object."""

    def __init__(self, delta=1.0, reduction=Reduction.AUTO, name='huber_loss'):
        super().__init__(functions.huber_loss, name=name, reduction=reduction, delta=delta)


class CosineSimilarity(LossFunctionWrapper):
    """`cosine_similarity` as an object."""

    def __init__(self, axis=-1, reduction=Reduction.AUTO, name='cosine_similarity'):
        super().__init__(functions.cosine_similarity, reduction=reduction, name=name, axis=axis)


class BinaryCrossentropy(LossFunctionWrapper):
    """`binary_crossentropy` as an object, of probabilities or (from_logits) of logits."""

    def __init__(self, from_logits=False, label_smoothing=0, reduction=Reduction.AUTO,
                 name='binary_crossentropy'):
        super().__init__(functions.binary_crossentropy, name=name, reduction=reduction,
                         from_logits=from_logits, label_smoothing=label_smoothing)
        self.from_logits = from_logits


class CategoricalCrossentropy(LossFunctionWrapper):
    """`categorical_crossentropy` as an object, of probabilities or (from_logits) of logits."""

    def __init__(self, from_logits=False, label_smoothing=0, reduction=Reduction.AUTO,
                 name='categorical_crossentropy'):
        super().__init__(functions.categorical_crossentropy, name=name, reduction=reduction,
                         from_logits=from_logits, label_smoothing=label_smoothing)


class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """`sparse_categorical_crossentropy` as an object, of probabilities or of logits."""

    def __init__(self, from_logits=False, reduction=Reduction.AUTO,
                 name='sparse_categorical_crossentropy'):
        super().__init__(functions.sparse_categorical_crossentropy, name=name,
                         reduction=reduction, from_logits=from_logits)
