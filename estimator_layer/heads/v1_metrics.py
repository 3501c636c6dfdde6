"""Metrics of TF1's heads: tf.metrics with broadcast weights."""
from __future__ import annotations

import warnings

import tinyflow as tf
from estimator_layer.heads.keys import MetricKeys
from tinyflow.graph.support.errors import TinyflowWarning
from tinyflow.ops.nn.weights_broadcast import broadcast_weights

__all__ = ['auc_by_trapezoids', 'binary_metrics', 'broadcast_mean', 'metrics_of_class',
           'threshold_metrics']


def binary_metrics(labels, logistic, class_ids, weights, unreduced_loss):
    """{key: (value, update_op)} of a binary classifier.

    Shapes: labels, logistic, class_ids, unreduced_loss [*batch, 1], weights broadcasting to them.
    """
    keys = MetricKeys
    label_mean = broadcast_mean(labels, weights, 'labels', keys.LABEL_MEAN)
    metrics = {keys.LOSS_MEAN: tf.metrics.mean(unreduced_loss, weights=weights,
                                               name=keys.LOSS_MEAN)}
    for key, metric in ((keys.ACCURACY, tf.metrics.accuracy),
                        (keys.PRECISION, tf.metrics.precision), (keys.RECALL, tf.metrics.recall)):
        metrics[key] = metric(labels, class_ids, weights=weights, name=key)
    metrics[keys.PREDICTION_MEAN] = broadcast_mean(logistic, weights, 'predictions',
                                                   keys.PREDICTION_MEAN)
    metrics[keys.LABEL_MEAN] = label_mean
    metrics[keys.ACCURACY_BASELINE] = _accuracy_baseline(label_mean)
    metrics[keys.AUC] = _auc(labels, logistic, weights, 'ROC', keys.AUC)
    metrics[keys.AUC_PR] = _auc(labels, logistic, weights, 'PR', keys.AUC_PR)
    return metrics


def broadcast_mean(values, weights, kind, name):
    """The streaming mean of the values, with broadcast weights."""
    with tf.name_scope(name, f'{kind}_mean', (values, weights)) as scope:
        values = tf.to_float(values, name=kind)
        return tf.metrics.mean(values, weights=broadcast_weights(weights, values), name=scope)


def _accuracy_baseline(label_mean):
    """The accuracy of always predicting the more frequent class."""
    with tf.name_scope(None, 'accuracy_baseline', label_mean):
        value, update = label_mean
        return (tf.maximum(value, 1. - value, name='value'),
                tf.maximum(update, 1 - update, name='update_op'))


def _auc(labels, predictions, weights, curve, name):
    with tf.name_scope(name, 'auc', (predictions, labels, weights)) as scope:
        predictions = tf.to_float(predictions, name='predictions')
        weights = broadcast_weights(weights, predictions)
        return auc_by_trapezoids(labels, predictions, weights, curve, scope)


def auc_by_trapezoids(labels, predictions, weights, curve, name):
    """tf.metrics.auc by trapezoids, as in TF1's heads, without the warning about accuracy."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', TinyflowWarning)
        return tf.metrics.auc(labels, predictions, weights=weights, curve=curve, name=name)


def threshold_metrics(labels, predictions, weights, thresholds):
    """Accuracy, precision and recall if predictions >= threshold are positive, for each."""
    keys, metrics = MetricKeys, {}
    for threshold in thresholds:
        key = keys.ACCURACY_AT_THRESHOLD % threshold
        metrics[key] = _accuracy_at(labels, predictions, weights, threshold, key)
        for key, metric in ((keys.PRECISION_AT_THRESHOLD, tf.metrics.precision_at_thresholds),
                            (keys.RECALL_AT_THRESHOLD, tf.metrics.recall_at_thresholds)):
            key = key % threshold
            metrics[key] = _ratio_at(metric, labels, predictions, weights, threshold, key)
    return metrics


def _accuracy_at(labels, predictions, weights, threshold, name):
    with tf.name_scope(name, f'accuracy_at_{threshold}', (predictions, labels)) as scope:
        positive = tf.to_float(tf.greater_equal(predictions, threshold))
        return tf.metrics.accuracy(labels, positive, weights=weights, name=scope)


def _ratio_at(metric, labels, predictions, weights, threshold, name):
    with tf.name_scope(name, f'ratio_at_{threshold}', (predictions, labels)) as scope:
        value, update = metric(labels, predictions, thresholds=(threshold,), weights=weights,
                               name=scope)
        return tf.squeeze(value), tf.squeeze(update)


def metrics_of_class(labels, probabilities, weights, class_id, vocabulary):
    """The mean probability and both AUC metrics of one of many classes.

    Shapes: labels, probabilities [*batch, classes].
    """
    keys = MetricKeys
    batch_rank = tf.rank(probabilities) - 1
    begin = tf.concat([tf.zeros([batch_rank], dtype=tf.int32), [class_id]], axis=0)
    size = tf.concat([-1 * tf.ones([batch_rank], dtype=tf.int32), [1]], axis=0)
    probabilities = tf.slice(probabilities, begin=begin, size=size)
    labels = tf.slice(labels, begin=begin, size=size)
    mean_key, auc_key, auc_pr_key = (
        (key % class_id if vocabulary is None else by_name % vocabulary[class_id])
        for key, by_name in ((keys.PROBABILITY_MEAN_AT_CLASS, keys.PROBABILITY_MEAN_AT_NAME),
                             (keys.AUC_AT_CLASS, keys.AUC_AT_NAME),
                             (keys.AUC_PR_AT_CLASS, keys.AUC_PR_AT_NAME)))
    return {mean_key: broadcast_mean(probabilities, weights, 'predictions', mean_key),
            auc_key: _auc(labels, probabilities, weights, 'ROC', auc_key),
            auc_pr_key: _auc(labels, probabilities, weights, 'PR', auc_pr_key)}
