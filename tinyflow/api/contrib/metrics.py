"""tf.contrib.metrics: tf.metrics by older names, with predictions as the first argument."""
from __future__ import annotations

import functools
import inspect

from tinyflow.api import metrics
from tinyflow.graph import dtypes
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.array import constants, identity_and_cast, ranking
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.math.confusion import confusion_matrix
from tinyflow.ops.sparse.set_ops import set_difference, set_intersection, set_size, set_union


def _turned(metric):
    """The metric with its first two arguments, labels and predictions, swapped."""
    first, second, *others = inspect.signature(metric).parameters.values()
    signature = inspect.Signature([second, first, *others])

    @functools.wraps(metric)
    def streaming(*args, **kwargs):
        return metric(**signature.bind(*args, **kwargs).arguments)
    streaming.__signature__ = signature
    return streaming


streaming_accuracy = _turned(metrics.accuracy)
streaming_auc = _turned(metrics.auc)
streaming_false_negatives = _turned(metrics.false_negatives)
streaming_false_positives = _turned(metrics.false_positives)
streaming_mean = metrics.mean
streaming_mean_absolute_error = _turned(metrics.mean_absolute_error)
streaming_mean_cosine_distance = _turned(metrics.mean_cosine_distance)
streaming_mean_iou = _turned(metrics.mean_iou)
streaming_mean_relative_error = _turned(metrics.mean_relative_error)
streaming_mean_squared_error = _turned(metrics.mean_squared_error)
streaming_mean_tensor = metrics.mean_tensor
streaming_percentage_less = metrics.percentage_below
streaming_precision = _turned(metrics.precision)
streaming_precision_at_thresholds = _turned(metrics.precision_at_thresholds)
streaming_recall = _turned(metrics.recall)
streaming_recall_at_thresholds = _turned(metrics.recall_at_thresholds)
streaming_root_mean_squared_error = _turned(metrics.root_mean_squared_error)
streaming_sensitivity_at_specificity = _turned(metrics.sensitivity_at_specificity)
streaming_sparse_average_precision_at_k = _turned(metrics.average_precision_at_k)
streaming_sparse_precision_at_k = _turned(metrics.precision_at_k)
streaming_sparse_recall_at_k = _turned(metrics.recall_at_k)
streaming_specificity_at_sensitivity = _turned(metrics.specificity_at_sensitivity)
streaming_true_negatives = _turned(metrics.true_negatives)
streaming_true_positives = _turned(metrics.true_positives)


def streaming_recall_at_k(predictions, labels, k, weights=None, metrics_collections=None,
                          updates_collections=None, name=None):
    """The fraction of the examples so far whose label is among the k best predictions.

    Shapes: predictions [batch, classes], labels [batch] -> (value [], update []).
    """
    found = identity_and_cast.cast(ranking.in_top_k(predictions, labels, k), dtypes.float32)
    return metrics.mean(found, weights, metrics_collections, updates_collections,
                        name or f'recall_at_{k}')


def accuracy(predictions, labels, weights=None, name=None):
    """The fraction of the predictions of this batch that equal their labels.

    Shapes: predictions [*a], labels [*a] -> []. ValueError for floating-point labels, or if
    labels and predictions differ in dtype.
    """
    if not (labels.dtype.is_integer or labels.dtype.base_dtype in (dtypes.bool, dtypes.string)):
        raise misuse(ValueError('Labels should have bool, integer, or string dtype, not '
                                f'{labels.dtype!r}'))
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise misuse(ValueError(
            f'Dtypes of predictions and labels should match. Given: predictions '
            f'({predictions.dtype!r}) and labels ({labels.dtype!r})'))
    with name_scope(name, 'accuracy', [predictions, labels]):
        right = identity_and_cast.cast(logic.equal(predictions, labels), dtypes.float32)
        if weights is None:
            return reduction.reduce_mean(right)
        right = arithmetic.multiply(right, weights)
        number = arithmetic.multiply(weights, constants.ones_like(right))
        return arithmetic.div(reduction.reduce_sum(right), reduction.reduce_sum(number))


def aggregate_metrics(*value_update_tuples):
    """(all values, all updates) of several metrics. ValueError for none."""
    if not value_update_tuples:
        raise misuse(ValueError('Expected at least one value_tensor/update_op pair'))
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples):
    """(name -> value, name -> update) of metrics by name."""
    return ({name: value for name, (value, _) in names_to_tuples.items()},
            {name: update for name, (_, update) in names_to_tuples.items()})


__all__ = [
    'accuracy', 'aggregate_metric_map', 'aggregate_metrics', 'confusion_matrix',
    'set_difference', 'set_intersection', 'set_size', 'set_union', 'streaming_accuracy',
    'streaming_auc', 'streaming_false_negatives', 'streaming_false_positives', 'streaming_mean',
    'streaming_mean_absolute_error', 'streaming_mean_cosine_distance', 'streaming_mean_iou',
    'streaming_mean_relative_error', 'streaming_mean_squared_error', 'streaming_mean_tensor',
    'streaming_percentage_less', 'streaming_precision', 'streaming_precision_at_thresholds',
    'streaming_recall', 'streaming_recall_at_k', 'streaming_recall_at_thresholds',
    'streaming_root_mean_squared_error', 'streaming_sensitivity_at_specificity',
    'streaming_sparse_average_precision_at_k', 'streaming_sparse_precision_at_k',
    'streaming_sparse_recall_at_k', 'streaming_specificity_at_sensitivity',
    'streaming_true_negatives', 'streaming_true_positives',
]

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
