"""Metrics of a confusion matrix: mean accuracy and intersection over union of the classes."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.layers.losses.weighted import check_same_shape
from tinyflow.layers.metrics.streaming import collected, merged, metric_variable
from tinyflow.ops.array import (
    constants,
    diagonals,
    identity_and_cast,
    indexing,
    shape_ops,
    shaping,
)
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.math.confusion import confusion_matrix
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable_scope import variable_scope


def mean_per_class_accuracy(labels, predictions, num_classes, weights=None,
                            metrics_collections=None, updates_collections=None, name=None):
    """The mean over classes of the accuracy so far on the examples of a class.

    Shapes: labels [*a], predictions [*a], weights [*a] -> (value [], update [num_classes]).
    """
    with variable_scope(name, 'mean_accuracy', (predictions, labels, weights)):
        labels = _flat(identity_and_cast.cast(labels, dtypes.int64))
        predictions = _flat(predictions)
        check_same_shape(predictions, labels)
        total = metric_variable([num_classes], dtypes.float32, name='total')
        count = metric_variable([num_classes], dtypes.float32, name='count')
        ones = constants.ones([shape_ops.size(labels)], dtypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = identity_and_cast.cast(predictions, labels.dtype)
        right = identity_and_cast.cast(logic.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = identity_and_cast.cast(_flat(weights), dtypes.float32)
            right *= weights
            ones *= weights
        new_total = variable_ops.scatter_add(total, labels, ones)
        new_count = variable_ops.scatter_add(count, labels, right)

        def mean_accuracy(count, total):
            accuracies = arithmetic.div_no_nan(count, arithmetic.maximum(total, 0))
            return reduction.reduce_mean(accuracies, name='mean_accuracy')

        value = merged(mean_accuracy, metrics_collections, count, total)
        update = arithmetic.div_no_nan(new_count, arithmetic.maximum(new_total, 0),
                                       name='update_op')
        return value, collected(update, updates_collections)


def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None,
             updates_collections=None, name=None):
    """The mean over classes of true positives / (true positives + false of both kinds), so far.

    Shapes: labels [*a], predictions [*a], weights [*a] -> (value [], update
    [num_classes, num_classes], the confusion matrix).
    """
    with variable_scope(name, 'mean_iou', (predictions, labels, weights)):
        check_same_shape(predictions, labels)
        matrix, update = _streaming_confusion_matrix(labels, predictions, num_classes, weights)
        value = merged(_mean_iou, metrics_collections, matrix)
        return value, collected(update, updates_collections)


def _streaming_confusion_matrix(labels, predictions, num_classes, weights):
    total = metric_variable([num_classes, num_classes], dtypes.float64,
                            name='total_confusion_matrix')
    predictions = identity_and_cast.cast(predictions, dtypes.int64)
    labels = identity_and_cast.cast(labels, dtypes.int64)
    num_classes = identity_and_cast.cast(num_classes, dtypes.int64)
    predictions, labels = _flat(predictions), _flat(labels)
    weights = None if weights is None else _flat(weights)
    current = confusion_matrix(labels, predictions, num_classes, weights=weights,
                               dtype=dtypes.float64)
    return total, variable_ops.assign_add(total, current)


def _flat(tensor):
    return shaping.reshape(tensor, [-1]) if tensor.shape.ndims > 1 else tensor


def _mean_iou(matrix):
    of_rows = identity_and_cast.cast(reduction.reduce_sum(matrix, 0), dtypes.float32)
    of_columns = identity_and_cast.cast(reduction.reduce_sum(matrix, 1), dtypes.float32)
    right = identity_and_cast.cast(diagonals.diag_part(matrix), dtypes.float32)
    union = of_rows + of_columns - right
    met = reduction.reduce_sum(identity_and_cast.cast(logic.not_equal(union, 0), dtypes.float32))
    union = indexing.where(logic.greater(union, 0), union, constants.ones_like(union))
    shares = arithmetic.div(right, union)
    return indexing.where(logic.greater(met, 0),
                          reduction.reduce_sum(shares, name='mean_iou') / met, 0)


__all__ = ['mean_iou', 'mean_per_class_accuracy']
