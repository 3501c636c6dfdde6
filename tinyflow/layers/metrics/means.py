"""Metrics that are a mean over all examples so far."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import control_dependencies
from tinyflow.layers.losses.weighted import check_same_shape
from tinyflow.layers.metrics.streaming import collected, fitted, merged, metric_variable
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    indexing,
    shape_ops,
)
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.math.confusion import remove_squeezable_dimensions
from tinyflow.ops.nn.weights_broadcast import broadcast_weights
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable_scope import variable_scope


def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The (weighted) mean of all values so far; 0 before the first.

    Shapes: values [*a], weights broadcasting to them -> (value [], update []).
    """
    with variable_scope(name, 'mean', (values, weights)):
        values = identity_and_cast.cast(values, dtypes.float32)
        total = metric_variable([], dtypes.float32, name='total')
        count = metric_variable([], dtypes.float32, name='count')
        if weights is None:
            number = identity_and_cast.cast(shape_ops.size(values), dtypes.float32)
        else:
            values, weights = _weighted(values, weights)
            number = reduction.reduce_sum(weights)
        new_total = variable_ops.assign_add(total, reduction.reduce_sum(values))
        with control_dependencies([values]):
            new_count = variable_ops.assign_add(count, number)
        return _ratio(total, count, new_total, new_count, metrics_collections,
                      updates_collections)


def mean_tensor(values, weights=None, metrics_collections=None, updates_collections=None,
                name=None):
    """The (weighted) mean of each element over all runs so far.

    Shapes: values [*a], known; weights broadcasting to them -> (value [*a], update [*a]).
    """
    with variable_scope(name, 'mean', (values, weights)):
        values = identity_and_cast.cast(values, dtypes.float32)
        total = metric_variable(values.shape, dtypes.float32, name='total_tensor')
        count = metric_variable(values.shape, dtypes.float32, name='count_tensor')
        number = constants.ones_like(values)
        if weights is not None:
            values, weights = _weighted(values, weights)
            number = arithmetic.multiply(number, weights)
        new_total = variable_ops.assign_add(total, values)
        with control_dependencies([values]):
            new_count = variable_ops.assign_add(count, number)
        return _ratio(total, count, new_total, new_count, metrics_collections,
                      updates_collections)


def _weighted(values, weights):
    """(values * weights, the weights in the shape of the values)."""
    values, _, weights = fitted(values, None, weights)
    weights = broadcast_weights(identity_and_cast.cast(weights, dtypes.float32), values)
    return arithmetic.multiply(values, weights), weights


def _ratio(total, count, new_total, new_count, metrics_collections, updates_collections):
    def ratio(total, count, name):
        return arithmetic.div_no_nan(total, arithmetic.maximum(count, 0), name=name)

    value = merged(lambda *counts: ratio(*counts, 'value'), metrics_collections, total, count)
    return value, collected(ratio(new_total, new_count, 'update_op'), updates_collections)


def accuracy(labels, predictions, weights=None, metrics_collections=None,
             updates_collections=None, name=None):
    """The fraction of all predictions so far that equal their labels.

    Shapes: labels [*a], predictions [*a], weights broadcasting to them -> (value [], update []).
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = identity_and_cast.cast(predictions, labels.dtype)
    right = identity_and_cast.cast(logic.equal(predictions, labels), dtypes.float32)
    return mean(right, weights, metrics_collections, updates_collections, name or 'accuracy')


def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None,
                        updates_collections=None, name=None):
    """The mean of |predictions - labels| so far.

    Shapes: labels [*a], predictions [*a] -> (value [], update []).
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    return mean(arithmetic.abs(predictions - labels), weights, metrics_collections,
                updates_collections, name or 'mean_absolute_error')


def mean_squared_error(labels, predictions, weights=None, metrics_collections=None,
                       updates_collections=None, name=None):
    """The mean of (predictions - labels)^2 so far.

    Shapes: labels [*a], predictions [*a] -> (value [], update []).
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    return mean(arithmetic.squared_difference(labels, predictions), weights, metrics_collections,
                updates_collections, name or 'mean_squared_error')


def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None,
                            updates_collections=None, name=None):
    """The square root of the mean of (predictions - labels)^2 so far.

    Shapes: labels [*a], predictions [*a] -> (value [], update []).
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    value, update = mean_squared_error(labels, predictions, weights, None, None,
                                       name or 'root_mean_squared_error')
    value = merged(arithmetic.sqrt, metrics_collections, value)
    return value, collected(arithmetic.sqrt(update), updates_collections)


def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None,
                        updates_collections=None, name=None):
    """The mean of |labels - predictions| / normalizer so far, 0 where the normalizer is.

    Shapes: labels [*a], predictions [*a], normalizer [*a] -> (value [], update []).
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
    check_same_shape(predictions, normalizer)
    errors = indexing.where(
        logic.equal(normalizer, 0.0), constants.zeros_like(labels),
        arithmetic.div(arithmetic.abs(labels - predictions), normalizer))
    return mean(errors, weights, metrics_collections, updates_collections,
                name or 'mean_relative_error')


def mean_cosine_distance(labels, predictions, dim, weights=None, metrics_collections=None,
                         updates_collections=None, name=None):
    """1 - the mean inner product along `dim` of vectors of length 1, so far.

    Shapes: labels [*a], predictions [*a] -> (value [], update []).
    """
    predictions, labels, weights = fitted(predictions, labels, weights)
    products = reduction.reduce_sum(arithmetic.multiply(predictions, labels), axis=[dim],
                                    keepdims=True)
    value, update = mean(products, weights, None, None, name or 'mean_cosine_distance')
    value, update = arithmetic.subtract(1.0, value), arithmetic.subtract(1.0, update)
    return collected(value, metrics_collections), collected(update, updates_collections)


def percentage_below(values, threshold, weights=None, metrics_collections=None,
                     updates_collections=None, name=None):
    """The fraction of all values so far that are below the threshold.

    Shapes: values [*a] -> (value [], update []).
    """
    below = identity_and_cast.cast(logic.less(values, threshold), dtypes.float32)
    return mean(below, weights, metrics_collections, updates_collections,
                name or 'percentage_below_threshold')


__all__ = ['accuracy', 'mean', 'mean_absolute_error', 'mean_cosine_distance',
           'mean_relative_error', 'mean_squared_error', 'mean_tensor', 'percentage_below',
           'root_mean_squared_error']
