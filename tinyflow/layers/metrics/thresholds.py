"""Metrics of probabilities: counts, precision and recall at thresholds, and areas under curves."""
from __future__ import annotations

import warnings

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import control_dependencies
from tinyflow.graph.support.errors import TinyflowWarning, misuse
from tinyflow.layers.metrics.streaming import collected, fitted, merged, metric_variable, read
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    indexing,
    ranking,
    shape_ops,
    shaping,
)
from tinyflow.ops.checks import value_checks
from tinyflow.ops.math import arithmetic, logic, reduction, scans, unary
from tinyflow.ops.nn.weights_broadcast import broadcast_weights
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable_scope import variable_scope

_NAMES = {'tp': 'true_positives', 'fn': 'false_negatives', 'tn': 'true_negatives',
          'fp': 'false_positives'}
_TINY = 1e-7            # separates thresholds 0 and 1 from probabilities of exactly 0 and 1


def _confusion(labels, predictions, thresholds, weights=None, includes=tuple(_NAMES)):
    """({'tp': Variable [thresholds], ...}, {'tp': its update, ...}) for the counts included."""
    predictions, labels, weights = _probabilities(labels, predictions, weights)
    number = len(thresholds)
    column = shaping.reshape(predictions, [-1, 1])
    row_of_labels = shaping.reshape(identity_and_cast.cast(labels, dtypes.bool), [1, -1])
    size = column.shape.as_list()[0]
    if size is None:
        size = shape_ops.shape(column)[0]
    limits = shaping.tile(shaping.expand_dims(constants.constant(thresholds), [1]),
                          shaping.stack([1, size]))
    positive = logic.greater(shaping.tile(shaping.transpose(column), [number, 1]), limits)
    negative = logic.logical_not(positive) if {'fn', 'tn'} & set(includes) else None
    truly = shaping.tile(row_of_labels, [number, 1])
    falsely = logic.logical_not(truly) if {'fp', 'tn'} & set(includes) else None
    if weights is not None:
        weights = broadcast_weights(identity_and_cast.cast(weights, dtypes.float32), predictions)
        weights = shaping.tile(shaping.reshape(weights, [1, -1]), [number, 1])
    meetings = {'tp': (truly, positive), 'fn': (truly, negative), 'tn': (falsely, negative),
                'fp': (falsely, positive)}
    values, updates = {}, {}
    for key in (k for k in _NAMES if k in includes):
        values[key] = metric_variable([number], dtypes.float32, name=_NAMES[key])
        met = identity_and_cast.cast(logic.logical_and(*meetings[key]), dtypes.float32)
        if weights is not None:
            met *= weights
        updates[key] = variable_ops.assign_add(values[key], reduction.reduce_sum(met, 1))
    return values, updates


def _probabilities(labels, predictions, weights):
    zero = identity_and_cast.cast(0.0, predictions.dtype)
    message = 'predictions must be in [0, 1]'
    at_least = value_checks.assert_greater_equal(predictions, zero, message=message)
    one = identity_and_cast.cast(1.0, predictions.dtype)
    at_most = value_checks.assert_less_equal(predictions, one, message=message)
    with control_dependencies([at_least, at_most]):
        return fitted(identity_and_cast.cast(predictions, dtypes.float32),
                      identity_and_cast.cast(labels, dtypes.bool), weights)


def _count_at(key, labels, predictions, thresholds, weights, collections, name):
    with variable_scope(name, _NAMES[key], (predictions, labels, weights)):
        values, updates = _confusion(labels, predictions, thresholds, weights, (key,))
        value = read(values[key], collections[0])
        return value, collected(updates[key], collections[1])


def true_positives_at_thresholds(labels, predictions, thresholds, weights=None,
                                 metrics_collections=None, updates_collections=None, name=None):
    """The number so far of predictions above each threshold for positive labels.

    Shapes: labels [*a] bool, predictions [*a] in [0, 1] -> (value [thresholds], update the same).
    """
    return _count_at('tp', labels, predictions, thresholds, weights,
                     (metrics_collections, updates_collections), name)


def true_negatives_at_thresholds(labels, predictions, thresholds, weights=None,
                                 metrics_collections=None, updates_collections=None, name=None):
    """The number so far of predictions not above each threshold for negative labels.

    Shapes: labels [*a] bool, predictions [*a] in [0, 1] -> (value [thresholds], update the same).
    """
    return _count_at('tn', labels, predictions, thresholds, weights,
                     (metrics_collections, updates_collections), name)


def false_positives_at_thresholds(labels, predictions, thresholds, weights=None,
                                  metrics_collections=None, updates_collections=None, name=None):
    """The number so far of predictions above each threshold for negative labels.

    Shapes: labels [*a] bool, predictions [*a] in [0, 1] -> (value [thresholds], update the same).
    """
    return _count_at('fp', labels, predictions, thresholds, weights,
                     (metrics_collections, updates_collections), name)


def false_negatives_at_thresholds(labels, predictions, thresholds, weights=None,
                                  metrics_collections=None, updates_collections=None, name=None):
    """The number so far of predictions not above each threshold for positive labels.

    Shapes: labels [*a] bool, predictions [*a] in [0, 1] -> (value [thresholds], update the same).
    """
    return _count_at('fn', labels, predictions, thresholds, weights,
                     (metrics_collections, updates_collections), name)


def precision_at_thresholds(labels, predictions, thresholds, weights=None,
                            metrics_collections=None, updates_collections=None, name=None):
    """The fraction of the predictions above each threshold that was correct, so far.

    Shapes: labels [*a] bool, predictions [*a] in [0, 1] -> (value [thresholds], update the same).
    """
    return _share_at('precision', 'fp', labels, predictions, thresholds, weights,
                     (metrics_collections, updates_collections), name)


def recall_at_thresholds(labels, predictions, thresholds, weights=None,
                         metrics_collections=None, updates_collections=None, name=None):
    """The fraction of the positive labels with predictions above each threshold, so far.

    Shapes: labels [*a] bool, predictions [*a] in [0, 1] -> (value [thresholds], update the same).
    """
    return _share_at('recall', 'fn', labels, predictions, thresholds, weights,
                     (metrics_collections, updates_collections), name)


def _share_at(what, wrong, labels, predictions, thresholds, weights, collections, name):
    with variable_scope(name, what + '_at_thresholds', (predictions, labels, weights)):
        values, updates = _confusion(labels, predictions, thresholds, weights, ('tp', wrong))

        def share(counts, which):
            return arithmetic.div(counts['tp'], _TINY + counts['tp'] + counts[wrong],
                                  name=f'{what}_{which}')
        value = merged(lambda counts: share(counts, 'value'), collections[0], values)
        return value, collected(share(updates, 'update_op'), collections[1])


def _spread(number, last=1.0 + _TINY):
    """`number` equidistant thresholds from just below 0 to `last`."""
    inner = [(i + 1) * 1.0 / (number - 1) for i in range(number - 2)]
    return [0.0 - _TINY, *inner, last]


def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None,
        updates_collections=None, curve='ROC', name=None, summation_method='trapezoidal',
        thresholds=None):
    """The area under the ROC or precision-recall curve of all predictions so far.

    Shapes: labels [*a] bool, predictions [*a] in [0, 1] -> (value [], update []). The curve is
    sampled at equidistant thresholds, or at the given ones. For curve='PR' the only correct
    summation_method is 'careful_interpolation': Davis and Goadrich (2006).
    """
    with variable_scope(name, 'auc', (labels, predictions, weights)):
        if curve not in ('ROC', 'PR'):
            raise misuse(ValueError(f'curve must be either ROC or PR, {curve} unknown'))
        if thresholds is None:
            thresholds = _spread(num_thresholds)
        else:
            thresholds = [0.0 - _TINY, *sorted(thresholds), 1.0 + _TINY]
        values, updates = _confusion(labels, predictions, thresholds, weights)
        size = len(thresholds)
        value = merged(lambda counts: _area(counts, size, curve, summation_method, 'value'),
                       metrics_collections, values)
        update = _area(updates, size, curve, summation_method, 'update_op')
        return value, collected(update, updates_collections)


def _area(counts, size, curve, method, name):
    tp, fn, tn, fp = (counts[k] for k in ('tp', 'fn', 'tn', 'fp'))
    if curve == 'PR' and method == 'careful_interpolation':
        return _interpolated(tp, fp, fn, size)
    if curve == 'PR' and method == 'trapezoidal':
        warnings.warn('[pr-auc] tf.metrics.auc: the trapezoidal rule is known to produce incorrect '
                      "PR-AUCs.\n  Hint: summation_method='careful_interpolation'.",
                      TinyflowWarning, stacklevel=5)
    small = 1.0e-6
    recall = arithmetic.div(tp + small, tp + fn + small)
    if curve == 'ROC':
        x, y = arithmetic.div(fp, fp + tn + small), recall
    else:
        x, y = recall, arithmetic.div(tp + small, tp + fp + small)
    if method not in ('trapezoidal', 'careful_interpolation', 'minoring', 'majoring'):
        raise misuse(ValueError(f'Invalid summation_method: {method}'))
    width = x[:size - 1] - x[1:]
    if method == 'minoring':
        height = arithmetic.minimum(y[:size - 1], y[1:])
    elif method == 'majoring':
        height = arithmetic.maximum(y[:size - 1], y[1:])
    else:
        height = (y[:size - 1] + y[1:]) / 2.
    return reduction.reduce_sum(arithmetic.multiply(width, height), name=name)


def _interpolated(tp, fp, fn, size):
    """The area below a curve on which tp grows linearly with tp + fp between two thresholds."""
    gained = tp[:size - 1] - tp[1:]
    found = tp + fp
    slope = arithmetic.div_no_nan(gained, arithmetic.maximum(found[:size - 1] - found[1:], 0),
                                  name='prec_slope')
    intercept = tp[1:] - arithmetic.multiply(slope, found[1:])
    ratio = indexing.where(
        logic.logical_and(found[:size - 1] > 0, found[1:] > 0),
        arithmetic.div_no_nan(found[:size - 1], arithmetic.maximum(found[1:], 0),
                              name='recall_relative_ratio'),
        constants.ones_like(found[1:]))
    parts = arithmetic.div_no_nan(slope * (gained + intercept * unary.log(ratio)),
                                  arithmetic.maximum(tp[1:] + fn[1:], 0),
                                  name='pr_auc_increment')
    return reduction.reduce_sum(parts, name='interpolate_pr_auc')


def sensitivity_at_specificity(labels, predictions, specificity, weights=None,
                               num_thresholds=200, metrics_collections=None,
                               updates_collections=None, name=None):
    """The true positive rate at the threshold whose specificity is nearest.

    Shapes: labels [*a] bool, predictions [*a] in [0, 1] -> (value [], update []).
    """
    if specificity < 0 or specificity > 1:
        raise misuse(ValueError('`specificity` must be in the range [0, 1].'))

    def sensitivity(tp, fn, tn, fp, name):
        specificities = arithmetic.div(tn, tn + fp + _TINY)
        index = ranking.argmin(arithmetic.abs(specificities - specificity), 0)
        index = identity_and_cast.cast(index, dtypes.int32)
        return arithmetic.div(tp[index], tp[index] + fn[index] + _TINY, name)

    with variable_scope(name, 'sensitivity_at_specificity', (predictions, labels, weights)):
        return _at_best(sensitivity, labels, predictions, weights, _spread(num_thresholds),
                        metrics_collections, updates_collections)


def specificity_at_sensitivity(labels, predictions, sensitivity, weights=None,
                               num_thresholds=200, metrics_collections=None,
                               updates_collections=None, name=None):
    """The true negative rate at the threshold whose sensitivity is nearest.

    Shapes: labels [*a] bool, predictions [*a] in [0, 1] -> (value [], update []).
    """
    if sensitivity < 0 or sensitivity > 1:
        raise misuse(ValueError('`sensitivity` must be in the range [0, 1].'))

    def specificity(tp, fn, tn, fp, name):
        sensitivities = arithmetic.div(tp, tp + fn + _TINY)
        nearest = reduction.reduce_min(arithmetic.abs(sensitivities - sensitivity))
        near = logic.equal(arithmetic.abs(sensitivities - sensitivity), nearest)
        # Of several equally near ones the last: the cumulative count first reaches its maximum
        # there.
        index = ranking.argmax(scans.cumsum(identity_and_cast.cast(near, dtypes.int64)), 0)
        index = identity_and_cast.cast(index, dtypes.int32)
        return arithmetic.div(tn[index], tn[index] + fp[index] + _TINY, name)

    with variable_scope(name, 'specificity_at_sensitivity', (predictions, labels, weights)):
        return _at_best(specificity, labels, predictions, weights,
                        _spread(num_thresholds, 1.0 - _TINY), metrics_collections,
                        updates_collections)


def _at_best(compute, labels, predictions, weights, thresholds, metrics_collections,
             updates_collections):
    values, updates = _confusion(labels, predictions, thresholds, weights)

    def computed(counts, name):
        return compute(*(counts[k] for k in ('tp', 'fn', 'tn', 'fp')), name)
    value = merged(lambda counts: computed(counts, 'value'), metrics_collections, values)
    return value, collected(computed(updates, 'update_op'), updates_collections)


__all__ = ['auc', 'false_negatives_at_thresholds', 'false_positives_at_thresholds',
           'precision_at_thresholds', 'recall_at_thresholds', 'sensitivity_at_specificity',
           'specificity_at_sensitivity', 'true_negatives_at_thresholds',
           'true_positives_at_thresholds']
