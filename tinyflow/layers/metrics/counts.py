"""True and false positives and negatives; precision and recall."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import control_dependencies
from tinyflow.layers.metrics.streaming import collected, fitted, merged, metric_variable, read
from tinyflow.ops.array import identity_and_cast, indexing, shape_ops
from tinyflow.ops.checks import shape_checks, type_checks
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable_scope import variable_scope


def _booleans(labels, predictions, weights):
    return fitted(identity_and_cast.cast(predictions, dtypes.bool),
                  identity_and_cast.cast(labels, dtypes.bool), weights)


def _counted(label, prediction, default_name, labels, predictions, weights, collections, name):
    """(the number of examples so far with this label and this prediction, the update)."""
    with variable_scope(name, default_name, (predictions, labels, weights)):
        predictions, labels, weights = _booleans(labels, predictions, weights)
        met = logic.logical_and(logic.equal(labels, label), logic.equal(predictions, prediction))
        return _count(met, weights, *collections)


def _count(condition, weights, metrics_collections, updates_collections):
    type_checks.assert_type(condition, dtypes.bool)
    count = metric_variable([], dtypes.float32, name='count')
    values = identity_and_cast.cast(condition, dtypes.float32)
    if weights is not None:
        with control_dependencies([
                shape_checks.assert_rank_in(weights, (0, shape_ops.rank(values)))]):
            weights = identity_and_cast.cast(weights, dtypes.float32)
            values = arithmetic.multiply(values, weights)
    value = read(count, metrics_collections)
    update = variable_ops.assign_add(count, reduction.reduce_sum(values))
    return value, collected(update, updates_collections)


def true_positives(labels, predictions, weights=None, metrics_collections=None,
                   updates_collections=None, name=None):
    """The number of positive predictions for positive labels, so far.

    Shapes: labels [*a], predictions [*a], taken as bool -> (value [], update []).
    """
    return _counted(True, True, 'true_positives', labels, predictions, weights,
                    (metrics_collections, updates_collections), name)


def true_negatives(labels, predictions, weights=None, metrics_collections=None,
                   updates_collections=None, name=None):
    """The number of negative predictions for negative labels, so far.

    Shapes: labels [*a], predictions [*a], taken as bool -> (value [], update []).
    """
    return _counted(False, False, 'true_negatives', labels, predictions, weights,
                    (metrics_collections, updates_collections), name)


def false_positives(labels, predictions, weights=None, metrics_collections=None,
                    updates_collections=None, name=None):
    """The number of positive predictions for negative labels, so far.

    Shapes: labels [*a], predictions [*a], taken as bool -> (value [], update []).
    """
    return _counted(False, True, 'false_positives', labels, predictions, weights,
                    (metrics_collections, updates_collections), name)


def false_negatives(labels, predictions, weights=None, metrics_collections=None,
                    updates_collections=None, name=None):
    """The number of negative predictions for positive labels, so far.

    Shapes: labels [*a], predictions [*a], taken as bool -> (value [], update []).
    """
    return _counted(True, False, 'false_negatives', labels, predictions, weights,
                    (metrics_collections, updates_collections), name)


def precision(labels, predictions, weights=None, metrics_collections=None,
              updates_collections=None, name=None):
    """The fraction of the positive predictions so far that was correct; 0 if there were none.

    Shapes: labels [*a], predictions [*a], taken as bool -> (value [], update []).
    """
    return _share('precision', false_positives, labels, predictions, weights,
                  (metrics_collections, updates_collections), name)


def recall(labels, predictions, weights=None, metrics_collections=None,
           updates_collections=None, name=None):
    """The fraction of the positive labels so far that was predicted; 0 if there were none.

    Shapes: labels [*a], predictions [*a], taken as bool -> (value [], update []).
    """
    return _share('recall', false_negatives, labels, predictions, weights,
                  (metrics_collections, updates_collections), name)


def _share(default_name, wrong, labels, predictions, weights, collections, name):
    """true positives / (true positives + the counts of `wrong`)."""
    with variable_scope(name, default_name, (predictions, labels, weights)):
        predictions, labels, weights = _booleans(labels, predictions, weights)
        right, new_right = true_positives(labels, predictions, weights)
        missed, new_missed = wrong(labels, predictions, weights)
        value = merged(lambda *counts: _ratio(*counts, 'value'), collections[0], right, missed)
        return value, collected(_ratio(new_right, new_missed, 'update_op'), collections[1])


def _ratio(right, wrong, name):
    return indexing.where(logic.greater(right + wrong, 0),
                          arithmetic.div(right, right + wrong), 0, name)


__all__ = ['false_negatives', 'false_positives', 'precision', 'recall', 'true_negatives',
           'true_positives']
