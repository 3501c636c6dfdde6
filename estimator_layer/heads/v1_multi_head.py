"""MultiHeadV1, tf.contrib.estimator.multi_head: several heads of one model."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.export.export_output import PredictOutput
from estimator_layer.heads.keys import (
    DEFAULT_SERVING_KEY,
    PREDICT_SERVING_KEY,
    MetricKeys,
    named,
)
from estimator_layer.heads.v1 import LossSpec, create_train_op
from estimator_layer.model_fn import EstimatorSpec, ModeKeys
from tinyflow.graph.support.errors import misuse

__all__ = ['MultiHeadV1', 'checked_heads', 'merge_export_outputs', 'no_op_train_op_fn',
           'split_logits', 'weighted_sum']


class MultiHeadV1:
    """Several named heads of one model; the loss is the weighted sum of their losses.

    Logits are a dict by head name, or one tensor whose last axis is split among the heads. Labels
    are a dict by head name.
    """

    def __init__(self, heads, head_weights=None):
        self._heads, self._head_weights = checked_heads(heads, head_weights)

    @property
    def name(self):
        return '_'.join(head.name for head in self._heads)

    @property
    def logits_dimension(self):
        return sum(head.logits_dimension for head in self._heads)

    def create_loss(self, features, mode, logits, labels):
        """The LossSpec of a batch; except the loss its fields are dicts by head name."""
        logits = logits if isinstance(logits, dict) else split_logits(self._heads, logits)
        specs = {head.name: head.create_loss(features, mode, logits[head.name], labels[head.name])
                 for head in self._heads}
        unreduced = {name: spec.unreduced_loss for name, spec in specs.items()}
        weights = {name: spec.weights for name, spec in specs.items()}
        for name, weight in zip(specs, self._head_weights):
            unreduced[name] = tf.multiply(unreduced[name], weight)
            weights[name] = tf.multiply(weights[name], weight)
        loss = weighted_sum([spec.training_loss for spec in specs.values()], self._head_weights)
        return LossSpec(loss, unreduced, weights,
                        {name: spec.processed_labels for name, spec in specs.items()})

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None,
                              train_op_fn=None):
        """The EstimatorSpec of a mode, merged from the EstimatorSpecs of the heads."""
        logits = logits if isinstance(logits, dict) else split_logits(self._heads, logits)
        if labels and not isinstance(labels, dict):
            raise misuse(ValueError(f'labels must be a dict. Given: {labels}'))
        specs = [head.create_estimator_spec(
            features=features, mode=mode, logits=logits[head.name],
            labels=labels[head.name] if labels else None, train_op_fn=no_op_train_op_fn)
            for head in self._heads]
        predictions = {(head.name, key): value for head, spec in zip(self._heads, specs)
                       for key, value in spec.predictions.items()}
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions=predictions,
                                 export_outputs=merge_export_outputs(self._heads, specs))
        if mode == ModeKeys.EVAL:
            loss, metrics = self._merged_metrics(specs)
            return EstimatorSpec(mode, predictions=predictions, loss=loss,
                                 eval_metric_ops=metrics)
        loss = weighted_sum([spec.loss for spec in specs], self._head_weights)
        train_op = create_train_op(loss, optimizer, train_op_fn)
        with tf.name_scope(''):
            tf.summary.scalar(MetricKeys.LOSS, loss)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _merged_metrics(self, specs):
        metrics = {}
        with tf.name_scope('merge_eval'):
            for head, spec in zip(self._heads, specs):
                key = named(MetricKeys.LOSS, head.name)
                metrics[key] = tf.metrics.mean(spec.loss, name=key)
                metrics.update(spec.eval_metric_ops)
            loss = weighted_sum([spec.loss for spec in specs], self._head_weights)
        return loss, metrics


def checked_heads(heads, head_weights):
    """(heads, weights) as tuples. ValueError unless all have names, and all or none weights."""
    if not heads:
        raise misuse(ValueError(f'Must specify heads. Given: {heads}'))
    if head_weights and len(head_weights) != len(heads):
        raise misuse(ValueError(
            'heads and head_weights must have the same size. Given len(heads): '
            f'{len(heads)}. Given len(head_weights): {len(head_weights)}.'))
    for head in heads:
        if not head.name:
            raise misuse(ValueError(f'All given heads must have name specified. Given: {head}\n'
                                    "  Hint: name='...' for each; it distinguishes labels, "
                                    'predictions and metrics.'))
    return tuple(heads), tuple(head_weights or ())


def split_logits(heads, logits):
    """{head name: the slice of the last axis for this head}.

    Shapes: logits [*batch, sum of logits_dimension] -> each [*batch, logits_dimension].
    """
    sizes = [head.logits_dimension for head in heads]
    with tf.name_scope(None, 'split_logits', [logits]):
        logits = tf.convert_to_tensor(logits)
        shape = logits.shape.as_list()
        if shape[-1] is not None and shape[-1] != sum(sizes):
            raise misuse(ValueError(
                f'Could not split logits of shape {shape} among the heads with individual logits '
                f'dimensions: {sizes}. The last dimension of the logits tensor should equal '
                f'{sum(sizes)} but is {shape[-1]}.'))
        batch = tf.shape(logits)[:-1]
        zeros, minus_ones = tf.zeros_like(batch), -1 * tf.ones_like(batch)
        parts, begin = {}, 0
        for head, size in zip(heads, sizes):
            parts[head.name] = tf.slice(logits, begin=tf.concat([zeros, [begin]], axis=0),
                                        size=tf.concat([minus_ones, [size]], axis=0))
            begin += size
    return parts


def weighted_sum(losses, weights):
    """The sum of the losses of several heads, weighted if there are weights."""
    with tf.name_scope('merge_losses', values=[*losses, *weights]):
        if weights:
            losses = [tf.multiply(loss, weight) for loss, weight in zip(losses, weights)]
        return tf.add_n(losses)


def no_op_train_op_fn(loss):
    """The train_op_fn of the single heads: only the merged loss is minimized."""
    return tf.no_op()


def merge_export_outputs(heads, specs):
    """The export_outputs of all heads; the first head's is the default."""
    outputs = {DEFAULT_SERVING_KEY: _default_output(specs[0].export_outputs, heads[0].name)}
    predicted = {}
    for head, spec in zip(heads, specs):
        for key, output in spec.export_outputs.items():
            full = head.name if key == DEFAULT_SERVING_KEY else f'{head.name}/{key}'
            outputs[full] = output
            if key == PREDICT_SERVING_KEY and isinstance(output, PredictOutput):
                predicted.update({f'{head.name}/{name}': tensor
                                  for name, tensor in output.outputs.items()})
    outputs[PREDICT_SERVING_KEY] = PredictOutput(predicted)
    return outputs


def _default_output(outputs, head_name):
    if len(outputs) == 1:
        return next(iter(outputs.values()))
    if DEFAULT_SERVING_KEY not in outputs:
        raise misuse(ValueError(f'{head_name} did not specify default export_outputs. Given: '
                                f'{outputs}\n  Hint: include key {DEFAULT_SERVING_KEY} in its '
                                'export_outputs.'))
    return outputs[DEFAULT_SERVING_KEY]
