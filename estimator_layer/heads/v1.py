"""TF1's heads, with tf.metrics and tf.train optimizers; the canned estimators use them.

tf.contrib.estimator creates them by functions (heads/v1_functions.py); the classes of tf.estimator,
such as BinaryClassHead, have the same tasks with Keras metrics (heads/base.py).
"""
from __future__ import annotations

import collections

import tinyflow as tf
from estimator_layer.heads import checks, v1_metrics
from estimator_layer.heads.keys import MetricKeys, PredictionKeys as Key, named
from estimator_layer.heads.tasks import Binary, MultiClass, MultiLabel, Regression
from estimator_layer.heads.tpu_spec import HeadWithTPUSpec
from estimator_layer.model_fn import EstimatorSpec, ModeKeys
from tinyflow.graph.support.errors import abstract, misuse

__all__ = ['BinaryHeadV1', 'HeadV1', 'LossSpec', 'MultiClassHeadV1', 'MultiLabelHeadV1',
           'RegressionHeadV1', 'binary_or_multi_class_head', 'create_train_op']

LossSpec = collections.namedtuple(
    'LossSpec', ['training_loss', 'unreduced_loss', 'weights', 'processed_labels'])
LossSpec.__doc__ = """The result of create_loss: the reduced loss and its parts.

Shapes: training_loss [], unreduced_loss [*batch, 1 or logits], weights 1.0 or [*batch, 1],
processed_labels as converted for the loss.
"""


class HeadV1(HeadWithTPUSpec):
    """Computes loss, predictions, metrics, train op and signatures of a model from its logits.

    A subclass defines the task, the order in which TF1 creates the predictions, and the metrics.
    """

    def __init__(self, task, loss_reduction, name=None):
        reductions = tf.losses.Reduction
        if loss_reduction not in reductions.all() or loss_reduction == reductions.NONE:
            raise misuse(ValueError(f'Invalid loss_reduction: {loss_reduction}'))
        if task.loss_fn:
            checks.check_loss_fn(task.loss_fn)
        self._task = task
        self._loss_reduction = loss_reduction
        self._name = name

    @property
    def name(self):
        """The suffix of metrics and summaries that distinguishes several heads of a model."""
        return self._name

    @property
    def logits_dimension(self):
        """The number of units of the last layer."""
        return self._task.logits_dimension

    def create_loss(self, features, mode, logits, labels):
        """The LossSpec of a batch."""
        task = self._task
        logits = tf.convert_to_tensor(logits)
        labels = task.labels(labels, logits)
        unreduced = task.unweighted_loss(labels, logits, features)
        weights = task.weights(features, logits)
        loss = tf.losses.compute_weighted_loss(unreduced, weights=weights,
                                               reduction=self._loss_reduction)
        return LossSpec(loss, unreduced, weights, labels)

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None,
                              train_op_fn=None, regularization_losses=None):
        """The EstimatorSpec of a mode. Pass all arguments by name.

        Args:
          features: a dict of tensors, which contains the weight_column.
          logits: [*batch, logits_dimension].
          labels: as the kind of head requires; needed in TRAIN and EVAL.
          optimizer: a tf.train.Optimizer that minimizes the loss, or
          train_op_fn: a function of the loss that returns the train op. TRAIN needs one of them.
          regularization_losses: scalars to add to the loss.

        Raises ValueError for invalid shapes, dtypes or arguments.
        """
        with tf.name_scope(self._name, 'head'):
            predictions = self._predictions(logits)
            logits = predictions[Key.LOGITS]
            exported = {key: predictions[key] for key in self._task.prediction_keys}
            if mode == ModeKeys.PREDICT:
                outputs = self._task.export_outputs(exported)
                return EstimatorSpec(mode, predictions=exported, export_outputs=outputs)
            spec = self.create_loss(features, mode, logits, labels)
            loss, penalty = _with_penalty(spec.training_loss, regularization_losses)
            if mode == ModeKeys.TRAIN:
                train_op = _with_updates(create_train_op(loss, optimizer, train_op_fn))
                mean_loss = self._mean_loss(spec)
        if mode == ModeKeys.EVAL:
            return EstimatorSpec(mode, predictions=exported, loss=loss,
                                 eval_metric_ops=self._metrics(predictions, spec, penalty))
        self._summarize(loss, mean_loss, penalty)
        return EstimatorSpec(mode, predictions=exported, loss=loss, train_op=train_op)

    def _mean_loss(self, spec):
        """The mean loss per example, if `loss` is the sum over the batch."""
        if self._loss_reduction != tf.losses.Reduction.SUM:
            return None
        total = tf.reduce_sum(spec.weights * tf.ones_like(spec.unreduced_loss))
        return spec.training_loss / total

    def _summarize(self, loss, mean_loss, penalty):
        with tf.name_scope(''):
            for key, value in ((MetricKeys.LOSS, loss), (MetricKeys.LOSS_MEAN, mean_loss),
                               (MetricKeys.LOSS_REGULARIZATION, penalty)):
                if value is not None:
                    tf.summary.scalar(named(key, self._name), value)

    def _predictions(self, logits):
        """All predictions by key; LOGITS are the checked logits."""
        raise abstract(self)

    def _metrics(self, predictions, spec, penalty):
        """{name: (value, update_op)}."""
        raise abstract(self)

    def _named(self, metrics, penalty):
        """The metrics by full key, with the mean of the regularization loss."""
        if penalty is not None:
            metrics[MetricKeys.LOSS_REGULARIZATION] = tf.metrics.mean(
                penalty, name=MetricKeys.LOSS_REGULARIZATION)
        return {named(key, self._name): metric for key, metric in metrics.items()}


class BinaryHeadV1(HeadV1):
    """Two classes, one logit: sigmoid cross entropy."""

    def __init__(self, weight_column=None, thresholds=None, label_vocabulary=None,
                 loss_reduction=tf.losses.Reduction.SUM, loss_fn=None, name=None):
        self._thresholds = checks.check_thresholds(thresholds)
        checks.check_label_vocabulary(label_vocabulary, TypeError)
        super().__init__(Binary(weight_column=weight_column, loss_fn=loss_fn,
                                label_vocabulary=label_vocabulary), loss_reduction, name)

    def _predictions(self, logits):
        with tf.name_scope(None, 'predictions', (logits,)):
            return self._task.predictions(checks.check_logits(logits, 1), (
                Key.LOGITS, Key.LOGISTIC, Key.PROBABILITIES, Key.CLASS_IDS, Key.ALL_CLASS_IDS,
                Key.ALL_CLASSES, Key.CLASSES))

    def _metrics(self, predictions, spec, penalty):
        logistic = predictions[Key.LOGISTIC]
        with tf.name_scope(None, 'metrics'):
            metrics = v1_metrics.binary_metrics(
                spec.processed_labels, logistic, predictions[Key.CLASS_IDS], spec.weights,
                spec.unreduced_loss)
            metrics = self._named(metrics, penalty)
            by_threshold = v1_metrics.threshold_metrics(
                spec.processed_labels, logistic, spec.weights, self._thresholds)
            return {**metrics, **self._named(by_threshold, None)}


class MultiClassHeadV1(HeadV1):
    """One of n > 2 classes, n logits: softmax cross entropy."""

    def __init__(self, n_classes, weight_column=None, label_vocabulary=None,
                 loss_reduction=tf.losses.Reduction.SUM, loss_fn=None, name=None):
        checks.check_label_vocabulary(label_vocabulary)
        super().__init__(
            MultiClass(checks.check_n_classes(n_classes), weight_column=weight_column,
                       label_vocabulary=label_vocabulary, loss_fn=loss_fn), loss_reduction, name)

    def _predictions(self, logits):
        logits = checks.check_logits(logits, self.logits_dimension)
        with tf.name_scope(None, 'predictions', (logits,)):
            return self._task.predictions(logits, (
                Key.LOGITS, Key.ALL_CLASS_IDS, Key.ALL_CLASSES, Key.CLASS_IDS, Key.CLASSES,
                Key.PROBABILITIES))

    def _metrics(self, predictions, spec, penalty):
        with tf.name_scope(None, 'metrics'):
            metrics = {
                MetricKeys.LOSS_MEAN: tf.metrics.mean(
                    spec.unreduced_loss, weights=spec.weights, name=MetricKeys.LOSS_MEAN),
                MetricKeys.ACCURACY: tf.metrics.accuracy(
                    spec.processed_labels, predictions[Key.CLASS_IDS], weights=spec.weights,
                    name=MetricKeys.ACCURACY)}
            return self._named(metrics, penalty)


class RegressionHeadV1(HeadV1):
    """Regression: squared error, or a loss_fn with the inverse of its link function."""

    def __init__(self, weight_column=None, label_dimension=1,
                 loss_reduction=tf.losses.Reduction.SUM, loss_fn=None, inverse_link_fn=None,
                 name=None):
        super().__init__(
            Regression(label_dimension, inverse_link_fn, weight_column=weight_column,
                       loss_fn=loss_fn), loss_reduction, name)

    def _predictions(self, logits):
        logits = checks.check_logits(logits, self.logits_dimension)
        return self._task.predictions(logits, (Key.LOGITS, Key.PREDICTIONS))

    def _metrics(self, predictions, spec, penalty):
        return self._named({
            MetricKeys.LOSS_MEAN: tf.metrics.mean(spec.unreduced_loss, weights=spec.weights),
            MetricKeys.PREDICTION_MEAN: v1_metrics.broadcast_mean(
                predictions[Key.PREDICTIONS], spec.weights, 'predictions',
                MetricKeys.PREDICTION_MEAN),
            MetricKeys.LABEL_MEAN: tf.metrics.mean(spec.processed_labels, weights=spec.weights),
        }, penalty)


class MultiLabelHeadV1(HeadV1):
    """Several of n classes per example: the mean over the classes of sigmoid cross entropies."""

    def __init__(self, n_classes, weight_column=None, thresholds=None, label_vocabulary=None,
                 loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE, loss_fn=None,
                 classes_for_class_based_metrics=None, name=None):
        self._thresholds = checks.check_thresholds(thresholds, multi_label=True)
        check_multi_label_arguments(n_classes, label_vocabulary)
        self._metric_class_ids = metric_class_ids(classes_for_class_based_metrics, n_classes,
                                                  label_vocabulary)
        super().__init__(
            MultiLabel(n_classes, weight_column=weight_column, loss_fn=loss_fn,
                       label_vocabulary=label_vocabulary), loss_reduction, name)

    def _predictions(self, logits):
        logits = checks.check_logits(logits, self.logits_dimension)
        with tf.name_scope(None, 'predictions', (logits,)):
            return self._task.predictions(logits)

    def _metrics(self, predictions, spec, penalty):
        labels, weights = spec.processed_labels, spec.weights
        probabilities = predictions[Key.PROBABILITIES]
        with tf.name_scope(None, 'metrics'):
            metrics = {
                MetricKeys.LOSS_MEAN: tf.metrics.mean(spec.unreduced_loss, weights=weights,
                                                      name=MetricKeys.LOSS_MEAN),
                MetricKeys.AUC: v1_metrics.auc_by_trapezoids(
                    labels, probabilities, weights, 'ROC', MetricKeys.AUC),
                MetricKeys.AUC_PR: v1_metrics.auc_by_trapezoids(
                    labels, probabilities, weights, 'PR', MetricKeys.AUC_PR)}
            metrics = self._named(metrics, penalty)
            more = v1_metrics.threshold_metrics(labels, probabilities, weights, self._thresholds)
            for class_id in self._metric_class_ids:
                more.update(v1_metrics.metrics_of_class(
                    labels, probabilities, weights, class_id, self._task.label_vocabulary))
            return {**metrics, **self._named(more, None)}


def binary_or_multi_class_head(n_classes, weight_column, label_vocabulary, loss_reduction):
    """The head of a classifier: one logit for two classes, else one per class."""
    settings = {'weight_column': weight_column, 'label_vocabulary': label_vocabulary,
                'loss_reduction': loss_reduction}
    return BinaryHeadV1(**settings) if n_classes == 2 else MultiClassHeadV1(n_classes, **settings)


def check_multi_label_arguments(n_classes, vocabulary):
    """Raises ValueError for an invalid number of classes or vocabulary of a multi-label head."""
    if n_classes is None or n_classes < 2:
        raise misuse(ValueError('n_classes must be > 1 for multi-label classification. Given: '
                                f'{n_classes}'))
    if vocabulary is not None and not isinstance(vocabulary, (list, tuple)):
        raise misuse(ValueError('label_vocabulary must be a list or tuple. Given type: '
                                f'{type(vocabulary)}'))
    if vocabulary is not None and len(vocabulary) != n_classes:
        raise misuse(ValueError(f'Length of label_vocabulary must be n_classes ({n_classes}). '
                                f'Given: {len(vocabulary)}'))


def metric_class_ids(classes, n_classes, vocabulary):
    """The ids of the classes with separate metrics, given as ids or names."""
    classes = tuple(classes or ())
    if classes and isinstance(classes[0], str):
        if not vocabulary:
            raise misuse(ValueError('label_vocabulary must be provided when '
                                    'classes_for_class_based_metrics are strings.'))
        return tuple(vocabulary.index(name) for name in classes)
    for class_id in classes:
        if not 0 <= class_id < n_classes:
            raise misuse(ValueError('All classes_for_class_based_metrics must be in range '
                                    f'[0, {n_classes - 1}]. Given: {class_id}'))
    return classes


def _with_penalty(loss, regularization_losses):
    """(loss to minimize, sum of the regularization losses or None)."""
    if not regularization_losses:
        return loss, None
    penalty = tf.add_n(regularization_losses)
    return tf.add_n([loss, penalty]), penalty


def create_train_op(loss, optimizer, train_op_fn):
    """The train op that minimizes the loss."""
    if optimizer is not None and train_op_fn is not None:
        raise misuse(ValueError('train_op_fn and optimizer cannot both be set.'))
    if optimizer is not None:
        return optimizer.minimize(loss, global_step=tf.train.get_global_step())
    if train_op_fn is None:
        raise misuse(ValueError('train_op_fn and optimizer cannot both be None.\n  Hint: in mode '
                                'TRAIN pass optimizer=tf.train.AdamOptimizer(), or a train_op_fn '
                                'of the loss.'))
    return train_op_fn(loss)


def _with_updates(train_op):
    """The train op with UPDATE_OPS, such as the moving averages of batch normalization."""
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    return tf.group(train_op, *updates) if updates else train_op
