"""tf.estimator.MultiHead: several public heads on one model."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.heads.base import Head, summarize, train_op_of, with_penalty
from estimator_layer.heads.keys import MetricKeys
from estimator_layer.heads.v1_multi import (
    checked_heads,
    merged_outputs,
    no_training,
    split_logits,
    weighted_sum,
)
from estimator_layer.model_fn import EstimatorSpec, ModeKeys
from keras_layer.metrics import Mean
from tinyflow.graph.support.errors import worded

__all__ = ['MultiHead']


class MultiHead(Head):
    """Several named heads on one model; the loss is the weighted sum of theirs.

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
        """That of all heads; ValueError if they differ."""
        found = [head.loss_reduction for head in self._heads]
        if len(set(found)) > 1:
            raise worded(ValueError('The loss_reduction must be the same for different heads. '
                                    f'Given: {found}'))
        return found[0]

    def _by_head(self, logits, labels=None):
        """The logits as a dict. ValueError if a head lacks logits or labels."""
        if not isinstance(logits, dict):
            logits = split_logits(self._heads, logits)
        if labels is not None and not isinstance(labels, dict):
            raise worded(ValueError(f'labels must be a dict. Given: {labels}'))
        for what, given in (('logits', logits), ('labels', labels)):
            missing = [h.name for h in self._heads if given is not None and h.name not in given]
            if missing:
                raise worded(ValueError(f'{what} has missing values for head(s): {missing}'))
        return logits

    def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
        """The weighted sum of the heads' losses, with the regularization."""
        logits = self._by_head(logits, labels)
        losses = [head.loss(labels[head.name], logits[head.name], features=features, mode=mode)
                  for head in self._heads]
        return with_penalty(weighted_sum(losses, self._head_weights), regularization_losses)

    def predictions(self, logits, keys=None):
        """{(head name, key): tensor}; `keys`, if given, are those wanted of each head."""
        logits = self._by_head(logits)
        with tf.name_scope('merge_pred'):
            return {(head.name, key): value for head in self._heads
                    for key, value in head.predictions(logits[head.name], keys).items()}

    def metrics(self, regularization_losses=None):
        """{key: a Keras metric} of the losses; update_metrics adds those of the heads."""
        made = {}
        if regularization_losses is not None:
            made[self._summary_key(MetricKeys.LOSS_REGULARIZATION)] = Mean(
                name=MetricKeys.LOSS_REGULARIZATION)
        with tf.name_scope('merge_eval'):
            for head in self._heads:
                key = f'{MetricKeys.LOSS}/{head.name}'
                made[key] = Mean(name=key)
        return made

    def update_metrics(self, eval_metrics, features, logits, labels,
                       regularization_losses=None):
        """`eval_metrics`, which took a batch, and those of the heads."""
        logits = self._by_head(logits, labels)
        if regularization_losses is not None:
            eval_metrics[self._summary_key(MetricKeys.LOSS_REGULARIZATION)].update_state(
                tf.add_n(regularization_losses))
        for head in self._heads:
            own_logits, own_labels = logits[head.name], labels[head.name]
            loss = head.loss(own_labels, own_logits, features=features)
            eval_metrics[f'{MetricKeys.LOSS}/{head.name}'].update_state(loss)
            eval_metrics.update(head.update_metrics(head.metrics(), features, own_logits,
                                                    own_labels))
        return eval_metrics

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None,
                              trainable_variables=None, train_op_fn=None, update_ops=None,
                              regularization_losses=None):
        """See Head."""
        with tf.name_scope(self.name, 'multi_head'):
            by_head = self._by_head(logits, labels)
            specs = [head.create_estimator_spec(
                features=features, mode=mode, logits=by_head[head.name],
                labels=labels[head.name] if labels else None, train_op_fn=no_training)
                for head in self._heads]
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions=predictions,
                                     export_outputs=merged_outputs(self._heads, specs))
            loss = self.loss(labels, logits, features, mode, regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self.update_metrics(
                    self.metrics(regularization_losses), features, logits, labels,
                    regularization_losses=regularization_losses)
                return EstimatorSpec(mode, predictions=predictions, loss=loss,
                                     eval_metric_ops=metrics)
            train_op = train_op_of(loss, optimizer, trainable_variables, train_op_fn, update_ops)
        summarize(loss, regularization_losses)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)
