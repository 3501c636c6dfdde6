"""tf.estimator.Head, and the base of the public heads: a task with Keras metrics and optimizers.

TF1's heads, which the canned estimators use, have the same tasks with tf.metrics (heads/v1.py).
"""
from __future__ import annotations

import abc

import tinyflow as tf
from estimator_layer.heads import checks
from estimator_layer.heads.keys import MetricKeys, named
from estimator_layer.heads.tpu_spec import HeadWithTPUSpec
from estimator_layer.model_fn import EstimatorSpec, ModeKeys
from keras_layer.losses.base import compute_weighted_loss
from keras_layer.metrics import Mean
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.nn.weights_broadcast import broadcast_weights

__all__ = ['Head', 'MEAN', 'TaskHead', 'checked_keys', 'checked_reduction', 'summarize',
           'create_train_op', 'update_mean']

MEAN = 'sum_over_batch_size'        # tf.keras.losses.Reduction.SUM_OVER_BATCH_SIZE
_REDUCTIONS = ('auto', 'sum', MEAN)


class Head(HeadWithTPUSpec, abc.ABC):
    """Computes loss, predictions, metrics and training op of a model from its logits.

    A custom head implements the abstract members and create_estimator_spec.
    """

    _base = 'Head'

    @property
    @abc.abstractmethod
    def name(self):
        """The suffix of metrics and summaries that distinguishes several heads of a model."""

    @property
    @abc.abstractmethod
    def logits_dimension(self):
        """The number of units of the last layer."""

    @property
    @abc.abstractmethod
    def loss_reduction(self):
        """The reduction of the losses of a batch: 'sum' or 'sum_over_batch_size'."""

    @abc.abstractmethod
    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
        """The loss of a batch plus the regularization losses, a scalar."""

    @abc.abstractmethod
    def predictions(self, logits, keys=None):
        """{key: tensor} for `keys`, by default for all keys."""

    @abc.abstractmethod
    def metrics(self, regularization_losses=None):
        """New metrics: {key: Keras metric}."""

    @abc.abstractmethod
    def update_metrics(self, eval_metrics, features, logits, labels, mode=None,
                       regularization_losses=None):
        """Updates `eval_metrics` with a batch and returns them."""

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None,
                              trainable_variables=None, train_op_fn=None, update_ops=None,
                              regularization_losses=None):
        """The EstimatorSpec of a mode. Pass all arguments by name.

        Args:
          optimizer: of tf.keras, with `trainable_variables`; or of tf.train.
          train_op_fn: instead of an optimizer, a function of the loss that returns the train op.
          update_ops: ops to run in the same step, such as those of batch normalization.

        Raises ValueError for invalid shapes, dtypes or arguments.
        """
        return super().create_estimator_spec(
            features=features, mode=mode, logits=logits, labels=labels, optimizer=optimizer,
            trainable_variables=trainable_variables, train_op_fn=train_op_fn,
            update_ops=update_ops, regularization_losses=regularization_losses)

    def _summary_key(self, key):
        return named(key, self.name)


class TaskHead(Head):
    """A head for one task; a subclass adds the metrics."""

    def __init__(self, task, loss_reduction, name):
        checked_reduction(loss_reduction)
        if task.loss_fn:
            checks.check_loss_fn(task.loss_fn, ('features', 'loss_reduction'))
        self._task = task
        self._loss_reduction = loss_reduction
        self._name = name

    @property
    def name(self):
        return self._name

    @property
    def logits_dimension(self):
        return self._task.logits_dimension

    @property
    def loss_reduction(self):
        return self._loss_reduction

    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
        """The loss of a batch plus the regularization losses, a scalar.

        Shapes: logits [*batch, logits_dimension]. `features` contain the weight_column.
        """
        with tf.name_scope(None, 'losses', (logits, labels)):
            labels, losses, weights, logits = self._batch(labels, logits, features)
            loss = compute_weighted_loss(losses, sample_weight=weights,
                                         reduction=self._loss_reduction)
            return with_penalty(loss, regularization_losses)

    def _batch(self, labels, logits, features):
        """(labels, loss per example, weights, logits), all checked."""
        logits = checks.check_logits(logits, self.logits_dimension)
        labels = self._task.labels(labels, logits)
        return labels, *self._unweighted_loss_and_weights(logits, labels, features or {}), logits

    def _unweighted_loss_and_weights(self, logits, labels, features):
        """(loss per example, weights) of checked labels; TensorFlow's name."""
        return (self._task.unweighted_loss(labels, logits, features),
                self._task.weights(features, logits))

    def predictions(self, logits, keys=None):
        """{key: tensor} for `keys`, by default for all. Raises ValueError for an unknown key."""
        keys = checked_keys(keys, self._task.prediction_keys)
        logits = checks.check_logits(logits, self.logits_dimension)
        with tf.name_scope(None, 'predictions', (logits,)):
            return self._task.predictions(logits, keys)

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None,
                              trainable_variables=None, train_op_fn=None, update_ops=None,
                              regularization_losses=None):
        """See Head."""
        with tf.name_scope(self._name, 'head'):
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions=predictions,
                                     export_outputs=self._task.export_outputs(predictions))
            loss = self.loss(labels, logits, features=features, mode=mode,
                             regularization_losses=regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self.metrics(regularization_losses=regularization_losses)
            else:
                train_op = create_train_op(loss, optimizer, trainable_variables, train_op_fn,
                                           update_ops)
        if mode == ModeKeys.EVAL:
            metrics = self.update_metrics(metrics, features, logits, labels,
                                          regularization_losses=regularization_losses)
            return EstimatorSpec(mode, predictions=predictions, loss=loss,
                                 eval_metric_ops=metrics)
        summarize(loss, regularization_losses, self._summary_key)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _new_metrics(self, constructors, regularization_losses):
        """{full key: metric} for {key: function of the name that creates the metric}."""
        with tf.name_scope(None, 'metrics'):
            metrics = {self._summary_key(key): construct(key)
                       for key, construct in constructors.items()}
            if regularization_losses is not None:
                key = MetricKeys.LOSS_REGULARIZATION
                metrics[self._summary_key(key)] = Mean(name=key)
            return metrics

    def _update_penalty(self, metrics, regularization_losses):
        if regularization_losses is not None:
            metrics[self._summary_key(MetricKeys.LOSS_REGULARIZATION)].update_state(
                tf.add_n(regularization_losses))


def with_penalty(loss, regularization_losses):
    """The loss plus the regularization losses."""
    return loss if regularization_losses is None else loss + tf.add_n(regularization_losses)


def create_train_op(loss, optimizer, trainable_variables, train_op_fn, update_ops):
    """The train op that minimizes the loss, in the name scope 'training'."""
    if update_ops is not None and not isinstance(update_ops, (list, tuple)):
        raise misuse(ValueError('update_ops should be a list or a tuple. Given type: '
                                f'{type(update_ops)}.'))
    with tf.name_scope(''), tf.name_scope('training'):
        if optimizer is not None and train_op_fn is not None:
            raise misuse(ValueError('train_op_fn and optimizer cannot both be set.'))
        if optimizer is not None:
            train_op = _minimize(loss, optimizer, trainable_variables)
        elif train_op_fn is not None:
            train_op = train_op_fn(loss)
        else:
            raise misuse(ValueError('train_op_fn and optimizer cannot both be None.'))
        if update_ops is None and isinstance(optimizer, tf.train.Optimizer):
            update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        return tf.group(train_op, *update_ops) if update_ops else train_op


def _minimize(loss, optimizer, variables):
    """Unlike TF1 also for an optimizer of tf.train, so that DNNEstimator accepts these heads."""
    if isinstance(optimizer, tf.train.Optimizer):
        return optimizer.minimize(loss, global_step=tf.train.get_global_step(),
                                  var_list=variables)
    if not hasattr(optimizer, 'get_updates'):
        raise misuse(ValueError('The given optimizer is not a tf.keras.optimizers.Optimizer '
                                f'instance. Given: {optimizer}'))
    if variables is None:
        raise misuse(ValueError(
            'trainable_variables cannot be None.\n  Hint: '
            'trainable_variables=tf.trainable_variables(), or model.trainable_weights.'))
    if not isinstance(variables, (list, tuple)):
        raise misuse(ValueError(
            f'trainable_variables should be a list or a tuple. Given type: {type(variables)}.\n'
            '  Hint: trainable_variables=tf.trainable_variables(), or model.trainable_weights.'))
    return optimizer.get_updates(loss, variables)[0]


def summarize(loss, regularization_losses, key_of=lambda key: key):
    """The summaries of a training step."""
    with tf.name_scope(''):
        tf.summary.scalar(key_of(MetricKeys.LOSS), loss)
        if regularization_losses is not None:
            tf.summary.scalar(key_of(MetricKeys.LOSS_REGULARIZATION),
                              tf.add_n(regularization_losses))


def checked_reduction(reduction):
    """Raises ValueError unless the reduction yields a scalar."""
    if reduction not in _REDUCTIONS:
        raise misuse(ValueError(
            f'Invalid loss_reduction: {reduction}. See `tf.keras.losses.Reduction` for valid '
            'options.\n  Hint: use tf.keras.losses.Reduction.SUM or SUM_OVER_BATCH_SIZE; '
            'tf.losses.Reduction is for the heads of tf.contrib.estimator.'))


def checked_keys(keys, valid):
    """The selected prediction keys, a tuple; ValueError for an unknown key."""
    for key in keys or ():
        if key not in valid:
            raise misuse(ValueError(f'Prediction key must be in PredictionKeys, given: {key}. '
                                    f'Valid prediction keys include {list(valid)}.'))
    return tuple(keys or valid)


def update_mean(metric, values, weights):
    """Updates a mean with values, whose weights are broadcast."""
    values = tf.to_float(values)
    metric.update_state(values, sample_weight=broadcast_weights(weights, values))
