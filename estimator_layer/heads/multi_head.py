"""tf.estimator.MultiHead: several public heads of one model."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.heads.base import Head, create_train_op, summarize, with_penalty
from estimator_layer.heads.keys import MetricKeys
from estimator_layer.heads.v1_multi_head import (
    checked_heads,
    merge_export_outputs,
    no_op_train_op_fn,
    split_logits,
    weighted_sum,
)
from estimator_layer.model_fn import EstimatorSpec, ModeKeys
from keras_layer.metrics import Mean
from tinyflow.graph.support.errors import misuse

__all__ = ['MultiHead']


class MultiHead(Head):
    """Several named heads of one model; the loss is the weighted sum of their losses.

    Logits are a dict by head name, or one tensor whose last axis is split among the heads. Labels
    are a dict by head name, predictions a dict by (head name, key).
    """

    def __init__(self, heads, head_weights=None):
        self._heads, self._head_weights = checked_heads(heads, head_weights)

    @property
    def name(self):
        return '_'.join(head.name for head in self._heads)

    @property
    def logits_dimension(self):
        return sum(head.logits_dimension for head in self._heads)

    @property
    def loss_reduction(self):
        """The reduction of all heads; ValueError if they differ."""
        return self._shared_reduction()

    def _shared_reduction(self):
        reductions = [head.loss_reduction for head in self._heads]
        if len(set(reductions)) > 1:
            raise misuse(ValueError('The loss_reduction must be the same for different heads. '
                                    f'Given: {reductions}'))
        return reductions[0]

    def _by_head(self, logits, labels=None):
        """The logits as a dict. ValueError if logits or labels of a head are missing."""
        if not isinstance(logits, dict):
            logits = split_logits(self._heads, logits)
        if labels is not None and not isinstance(labels, dict):
            raise misuse(ValueError(f'labels must be a dict. Given: {labels}'))
        for what, by_head in (('logits', logits), ('labels', labels)):
            missing = [h.name for h in self._heads
                       if by_head is not None and h.name not in by_head]
            if missing:
                raise misuse(ValueError(f'{what} has missing values for head(s): {missing}'))
        return logits

    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
        """The weighted sum of the losses of the heads, plus the regularization losses."""
        logits = self._by_head(logits, labels)
        losses = [head.loss(labels[head.name], logits[head.name], features=features, mode=mode)
                  for head in self._heads]
        return with_penalty(weighted_sum(losses, self._head_weights), regularization_losses)

    def predictions(self, logits, keys=None):
        """{(head name, key): tensor} for `keys` of each head, by default for all."""
        logits = self._by_head(logits)
        with tf.name_scope('merge_pred'):
            return {(head.name, key): value for head in self._heads
                    for key, value in head.predictions(logits[head.name], keys).items()}

    def metrics(self, regularization_losses=None):
        """{key: Keras metric} for the losses; update_metrics adds those of the heads."""
        metrics = {}
        if regularization_losses is not None:
            metrics[self._summary_key(MetricKeys.LOSS_REGULARIZATION)] = Mean(
                name=MetricKeys.LOSS_REGULARIZATION)
        with tf.name_scope('merge_eval'):
            for head in self._heads:
                key = f'{MetricKeys.LOSS}/{head.name}'
                metrics[key] = Mean(name=key)
        return metrics

    def update_metrics(self, eval_metrics, features, logits, labels,
                       regularization_losses=None):
        """Updates `eval_metrics` with a batch; returns them with those of the heads."""
        logits = self._by_head(logits, labels)
        if regularization_losses is not None:
            eval_metrics[self._summary_key(MetricKeys.LOSS_REGULARIZATION)].update_state(
                tf.add_n(regularization_losses))
        for head in self._heads:
            head_logits, head_labels = logits[head.name], labels[head.name]
            loss = head.loss(head_labels, head_logits, features=features)
            eval_metrics[f'{MetricKeys.LOSS}/{head.name}'].update_state(loss)
            eval_metrics.update(head.update_metrics(head.metrics(), features, head_logits,
                                                    head_labels))
        return eval_metrics

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None,
                              trainable_variables=None, train_op_fn=None, update_ops=None,
                              regularization_losses=None):
        """See Head."""
        with tf.name_scope(self.name, 'multi_head'):
            by_head = self._by_head(logits, labels)
            self._shared_reduction()
            specs = [head.create_estimator_spec(
                features=features, mode=mode, logits=by_head[head.name],
                labels=labels[head.name] if labels else None, train_op_fn=no_op_train_op_fn)
                for head in self._heads]
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions=predictions,
                                     export_outputs=merge_export_outputs(self._heads, specs))
            loss = self.loss(labels, logits, features, mode, regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self.update_metrics(
                    self.metrics(regularization_losses), features, logits, labels,
                    regularization_losses=regularization_losses)
                return EstimatorSpec(mode, predictions=predictions, loss=loss,
                                     eval_metric_ops=metrics)
            train_op = create_train_op(loss, optimizer, trainable_variables, train_op_fn,
                                       update_ops)
        summarize(loss, regularization_losses)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)
