"""The public heads for classification: BinaryClassHead, MultiClassHead, MultiLabelHead."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.heads import checks
from estimator_layer.heads.base import MEAN, TaskHead, update_mean
from estimator_layer.heads.keys import MetricKeys, PredictionKeys
from estimator_layer.heads.tasks import Binary, MultiClass, MultiLabel
from estimator_layer.heads.v1 import check_multi_label_arguments, metric_class_ids
from keras_layer import metrics as keras_metrics
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.nn.weights_broadcast import broadcast_weights

__all__ = ['BinaryClassHead', 'MultiClassHead', 'MultiLabelHead']


class _AccuracyBaseline(keras_metrics.Mean):
    """The accuracy of always predicting the more frequent class."""

    def compute_from(self, label_mean):
        """Takes total and count from the metric `label_mean`."""
        self.total = tf.maximum(label_mean.total, label_mean.count - label_mean.total)
        self.count = label_mean.count
        self.add_update(tf.no_op())


def _curve(curve):
    return lambda key: keras_metrics.AUC(curve=curve, name=key)


def _mean(key):
    return keras_metrics.Mean(name=key)


def _at_thresholds(thresholds):
    """{key: function of the key that creates the metric} for each threshold."""
    constructors = {}
    for threshold in thresholds:
        for key, make in (
                (MetricKeys.ACCURACY_AT_THRESHOLD, lambda key, at=threshold:
                 keras_metrics.BinaryAccuracy(name=key, threshold=at)),
                (MetricKeys.PRECISION_AT_THRESHOLD, lambda key, at=threshold:
                 keras_metrics.Precision(name=key, thresholds=at)),
                (MetricKeys.RECALL_AT_THRESHOLD, lambda key, at=threshold:
                 keras_metrics.Recall(name=key, thresholds=at))):
            constructors[key % threshold] = make
    return constructors


class BinaryClassHead(TaskHead):
    """Two classes, one logit: sigmoid cross entropy, averaged over the batch.

    Shapes: logits [*batch, 1], labels [*batch] or [*batch, 1] in [0, 1], or names of
    `label_vocabulary`. `loss_fn` takes (labels, logits[, features]) and returns [*batch, 1].
    `thresholds` add metrics accuracy, precision and recall at each threshold.
    """

    def __init__(self, weight_column=None, thresholds=None, label_vocabulary=None,
                 loss_reduction=MEAN, loss_fn=None, name=None):
        checks.check_label_vocabulary(label_vocabulary)
        self._at_thresholds = _at_thresholds(checks.check_thresholds(thresholds))
        super().__init__(
            Binary(weight_column=weight_column, label_vocabulary=label_vocabulary,
                   loss_fn=loss_fn, public=True), loss_reduction, name)

    def metrics(self, regularization_losses=None):
        """New metrics: {key: Keras metric}."""
        keys = MetricKeys
        return self._new_metrics({
            keys.LOSS_MEAN: _mean,
            keys.ACCURACY: lambda key: keras_metrics.Accuracy(name=key),
            keys.PRECISION: lambda key: keras_metrics.Precision(name=key),
            keys.RECALL: lambda key: keras_metrics.Recall(name=key),
            keys.PREDICTION_MEAN: _mean,
            keys.LABEL_MEAN: _mean,
            keys.ACCURACY_BASELINE: lambda key: _AccuracyBaseline(name=key),
            keys.AUC: _curve('ROC'),
            keys.AUC_PR: _curve('PR'),
            **self._at_thresholds,
        }, regularization_losses)

    def update_metrics(self, eval_metrics, features, logits, labels,
                       regularization_losses=None):
        """Updates `eval_metrics` with a batch and returns them."""
        keys = MetricKeys
        class_ids = self.predictions(logits)[PredictionKeys.CLASS_IDS]
        labels, losses, weights, logits = self._batch(labels, logits, features)
        logistic = self.predictions(logits, [PredictionKeys.LOGISTIC])[PredictionKeys.LOGISTIC]

        def metric(key):
            return eval_metrics[self._summary_key(key)]
        metric(keys.LOSS_MEAN).update_state(losses, sample_weight=weights)
        for key in (keys.ACCURACY, keys.PRECISION, keys.RECALL):
            metric(key).update_state(labels, class_ids, sample_weight=weights)
        update_mean(metric(keys.PREDICTION_MEAN), logistic, weights)
        update_mean(metric(keys.LABEL_MEAN), labels, weights)
        metric(keys.ACCURACY_BASELINE).compute_from(metric(keys.LABEL_MEAN))
        for key in (keys.AUC, keys.AUC_PR):
            metric(key).update_state(labels, logistic,
                                     sample_weight=broadcast_weights(weights, logistic))
        self._update_penalty(eval_metrics, regularization_losses)
        for key in self._at_thresholds:
            metric(key).update_state(labels, logistic, sample_weight=weights)
        return eval_metrics


class MultiClassHead(TaskHead):
    """One of n > 2 classes, n logits: softmax cross entropy, averaged over the batch.

    Shapes: logits [*batch, n_classes], labels [*batch] or [*batch, 1] ids, or names of
    `label_vocabulary`. `loss_fn` takes (labels, logits[, features]) and returns [*batch, 1].
    """

    def __init__(self, n_classes, weight_column=None, label_vocabulary=None, loss_reduction=MEAN,
                 loss_fn=None, name=None):
        checks.check_label_vocabulary(label_vocabulary)
        checks.check_n_classes(n_classes)
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise misuse(ValueError(
                '"label_vocabulary" does not have "n_classes" items. '
                f'len(label_vocabulary)={len(label_vocabulary)}, n_classes={n_classes}, '
                f'label_vocabulary={label_vocabulary}'))
        super().__init__(
            MultiClass(n_classes, weight_column=weight_column, label_vocabulary=label_vocabulary,
                       loss_fn=loss_fn, public=True), loss_reduction, name)

    def metrics(self, regularization_losses=None):
        """New metrics: {key: Keras metric}."""
        return self._new_metrics({
            MetricKeys.LOSS_MEAN: _mean,
            MetricKeys.ACCURACY: lambda key: keras_metrics.Accuracy(name=key),
        }, regularization_losses)

    def update_metrics(self, eval_metrics, features, logits, labels,
                       regularization_losses=None):
        """Updates `eval_metrics` with a batch and returns them."""
        class_ids = self.predictions(logits)[PredictionKeys.CLASS_IDS]
        labels, losses, weights, _ = self._batch(labels, logits, features)
        eval_metrics[self._summary_key(MetricKeys.LOSS_MEAN)].update_state(
            losses, sample_weight=weights)
        eval_metrics[self._summary_key(MetricKeys.ACCURACY)].update_state(
            labels, class_ids, sample_weight=weights)
        self._update_penalty(eval_metrics, regularization_losses)
        return eval_metrics


class MultiLabelHead(TaskHead):
    """Several of n classes per example: the mean of sigmoid cross entropies.

    Shapes: logits [*batch, n_classes], labels [*batch, n_classes] of 0 and 1, or a SparseTensor
    of ids or of names of `label_vocabulary`. `loss_fn` takes (labels, logits[, features]) and
    returns [*batch, 1]. `classes_for_class_based_metrics` are classes with separate metrics.
    """

    def __init__(self, n_classes, weight_column=None, thresholds=None, label_vocabulary=None,
                 loss_reduction=MEAN, loss_fn=None, classes_for_class_based_metrics=None,
                 name=None):
        check_multi_label_arguments(n_classes, label_vocabulary)
        self._at_thresholds = _at_thresholds(checks.check_thresholds(thresholds, multi_label=True))
        self._metric_class_ids = metric_class_ids(classes_for_class_based_metrics, n_classes,
                                                  label_vocabulary)
        super().__init__(
            MultiLabel(n_classes, weight_column=weight_column, label_vocabulary=label_vocabulary,
                       loss_fn=loss_fn, public=True), loss_reduction, name)

    def _class_keys(self, class_id):
        """The keys of the mean probability and both AUC metrics of one class."""
        names = self._task.label_vocabulary
        return [(key % class_id if names is None else by_name % names[class_id])
                for key, by_name in (
                    (MetricKeys.PROBABILITY_MEAN_AT_CLASS, MetricKeys.PROBABILITY_MEAN_AT_NAME),
                    (MetricKeys.AUC_AT_CLASS, MetricKeys.AUC_AT_NAME),
                    (MetricKeys.AUC_PR_AT_CLASS, MetricKeys.AUC_PR_AT_NAME))]

    def metrics(self, regularization_losses=None):
        """New metrics: {key: Keras metric}."""
        constructors = {MetricKeys.LOSS_MEAN: _mean, MetricKeys.AUC: _curve('ROC'),
                        MetricKeys.AUC_PR: _curve('PR'), **self._at_thresholds}
        for class_id in self._metric_class_ids:
            constructors.update(zip(self._class_keys(class_id),
                                    (_mean, _curve('ROC'), _curve('PR'))))
        return self._new_metrics(constructors, regularization_losses)

    def update_metrics(self, eval_metrics, features, logits, labels,
                       regularization_losses=None):
        """Updates `eval_metrics` with a batch and returns them."""
        labels, losses, weights, logits = self._batch(labels, logits, features)
        key = PredictionKeys.PROBABILITIES
        probabilities = self.predictions(logits, [key])[key]
        eval_metrics[self._summary_key(MetricKeys.LOSS_MEAN)].update_state(
            losses, sample_weight=weights)
        for key in (MetricKeys.AUC, MetricKeys.AUC_PR, *self._at_thresholds):
            eval_metrics[self._summary_key(key)].update_state(labels, probabilities,
                                                              sample_weight=weights)
        self._update_penalty(eval_metrics, regularization_losses)
        for class_id in self._metric_class_ids:
            self._update_class(eval_metrics, labels, probabilities, weights, class_id)
        return eval_metrics

    def _update_class(self, eval_metrics, labels, probabilities, weights, class_id):
        probabilities, labels = (x[..., class_id:class_id + 1] for x in (probabilities, labels))
        mean, *areas = (eval_metrics[self._summary_key(key)]
                        for key in self._class_keys(class_id))
        update_mean(mean, probabilities, weights)
        for area in areas:
            area.update_state(labels, probabilities, sample_weight=weights)
