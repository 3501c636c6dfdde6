"""Losses and metrics as Keras 2.1 averages them, where there are masks or sample weights."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.training.compiling import Compiled
from keras_layer.keras2.stateful_metrics import with_state
from keras_layer.metrics.base import MeanMetricWrapper


class CompiledAsKeras2(Compiled):
    """Losses that are means over what is not masked, and over samples whose weight is not 0.

    tf.keras divides by the number of all of them. Metrics that are functions are averaged in the
    same way in each batch, and over the samples of the batches.
    """

    @staticmethod
    def _loss_of(endpoint):
        loss = endpoint.loss
        if getattr(loss, 'reduction', None) not in ('auto', 'sum_over_batch_size'):
            return Compiled._loss_of(endpoint)
        with K.name_scope(endpoint.loss_name):
            return _mean(loss.call(endpoint.target, endpoint.output), endpoint.mask,
                         endpoint.sample_weight)

    @staticmethod
    def _reported_loss(endpoint, loss):
        """The mean over the samples."""
        return endpoint.loss_metric(tf.fill(tf.shape(endpoint.output)[:1], loss))

    def _all_named(self, metrics, endpoint, weighted):
        found = super()._all_named(map(with_state, metrics), endpoint, weighted)
        for metric in found:
            if type(metric) is MeanMetricWrapper:
                metric._fn = _of_batch(metric._fn, endpoint, weighted)
        return found

    @staticmethod
    def _result_of(metric, endpoint, weight):
        if type(metric) is MeanMetricWrapper:       # has its own masks and weights
            return metric(endpoint.target, endpoint.output)
        return Compiled._result_of(metric, endpoint, weight)


def _mean(values, mask, weight):
    """The mean of the values [batch, *a] that are not masked and whose weight is not 0."""
    if mask is not None:
        mask = tf.cast(mask, values.dtype)
        values = values * mask / tf.reduce_mean(mask)
    if weight is not None:
        inner = list(range(weight.shape.ndims, values.shape.ndims))
        if inner:
            values = tf.reduce_mean(values, inner)
        given = tf.cast(tf.not_equal(weight, 0.), values.dtype)
        values = values * tf.cast(weight, values.dtype) / tf.reduce_mean(given)
    return tf.reduce_mean(values)


def _of_batch(function, endpoint, weighted):
    """The metric of a batch, once for each sample, so that the mean weighs batches by size."""
    def metric(y_true, y_pred, **settings):
        value = _mean(tf.cast(function(y_true, y_pred, **settings), K.floatx()), endpoint.mask,
                      endpoint.sample_weight if weighted else None)
        return tf.fill(tf.shape(y_pred)[:1], value)
    metric.__name__ = getattr(function, '__name__', 'metric')
    return metric
