"""The public heads for regression: RegressionHead, PoissonRegressionHead, LogisticRegressionHead.
"""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.heads.base import MEAN, TaskHead, update_mean
from estimator_layer.heads.keys import MetricKeys, PredictionKeys
from estimator_layer.heads.tasks import Regression
from estimator_layer.heads.v1_functions import logistic_loss, poisson_loss
from keras_layer.metrics import Mean

__all__ = ['LogisticRegressionHead', 'PoissonRegressionHead', 'RegressionHead']


class RegressionHead(TaskHead):
    """Numbers: the squared error, averaged over the batch.

    Shapes: logits, labels [*batch, label_dimension]; labels [*batch] if it is 1. `loss_fn` takes
    (labels, logits[, features]) and returns [*batch, label_dimension]; `inverse_link_fn`
    converts logits to predictions.
    """

    def __init__(self, label_dimension=1, weight_column=None, loss_reduction=MEAN, loss_fn=None,
                 inverse_link_fn=None, name=None):
        super().__init__(
            Regression(label_dimension, inverse_link_fn, weight_column=weight_column,
                       loss_fn=loss_fn, public=True), loss_reduction, name)

    def metrics(self, regularization_losses=None):
        """New metrics: {key: Keras metric}."""
        return self._new_metrics(
            {key: lambda key: Mean(name=key) for key in (
                MetricKeys.LOSS_MEAN, MetricKeys.PREDICTION_MEAN, MetricKeys.LABEL_MEAN)},
            regularization_losses)

    def update_metrics(self, eval_metrics, features, logits, labels,
                       regularization_losses=None):
        """Updates `eval_metrics` with a batch and returns them."""
        predicted = self.predictions(logits)[PredictionKeys.PREDICTIONS]
        labels, losses, weights, _ = self._batch(labels, logits, features)
        for key, values in ((MetricKeys.LOSS_MEAN, losses), (MetricKeys.LABEL_MEAN, labels)):
            eval_metrics[self._summary_key(key)].update_state(values, sample_weight=weights)
        update_mean(eval_metrics[self._summary_key(MetricKeys.PREDICTION_MEAN)], predicted,
                    weights)
        self._update_penalty(eval_metrics, regularization_losses)
        return eval_metrics


class PoissonRegressionHead(RegressionHead):
    """Counts: the log likelihood of a Poisson distribution whose mean is exp(logits).

    Shapes: logits, labels [*batch, label_dimension]. `compute_full_loss` adds Stirling's
    approximation of log(labels!).
    """

    def __init__(self, label_dimension=1, weight_column=None, loss_reduction=MEAN,
                 compute_full_loss=True, name=None):
        super().__init__(label_dimension, weight_column, loss_reduction,
                         poisson_loss(compute_full_loss), tf.exp, name)


class LogisticRegressionHead(RegressionHead):
    """A probability, with labels in [0, 1]: sigmoid cross entropy.

    Shapes: logits, labels [*batch, 1].
    """

    def __init__(self, weight_column=None, loss_reduction=MEAN, name=None):
        super().__init__(1, weight_column, loss_reduction, logistic_loss(public=True),
                         tf.sigmoid, name)
