"""Regression losses: squared, absolute, Huber and log errors, cosine distance."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.losses.collection import add_loss
from tinyflow.layers.losses.weighted import (
    Reduction,
    check_given,
    check_same_shape,
    compute_weighted_loss,
    num_present,
)
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    indexing,
    shape_ops,
)
from tinyflow.ops.math import arithmetic, reduction as reducing, unary
from tinyflow.ops.nn.weights_broadcast import assert_broadcastable

_DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS


def _floats(labels, predictions):
    """(labels, predictions) as float32; ValueError unless of one shape."""
    predictions = identity_and_cast.cast(predictions, dtypes.float32)
    labels = identity_and_cast.cast(labels, dtypes.float32)
    check_same_shape(predictions, labels)
    return labels, predictions


def absolute_difference(labels, predictions, weights=1.0, scope=None,
                        loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    """The mean of |predictions - labels|.

    Shapes: labels [*a], predictions [*a] -> [], or [*a] if not reduced.
    """
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, 'absolute_difference', [predictions, labels, weights]) as scope:
        labels, predictions = _floats(labels, predictions)
        losses = arithmetic.abs(arithmetic.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_squared_error(labels, predictions, weights=1.0, scope=None,
                       loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    """The mean of (predictions - labels)^2.

    Shapes: labels [*a], predictions [*a] -> [], or [*a] if not reduced.
    """
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, 'mean_squared_error', [predictions, labels, weights]) as scope:
        labels, predictions = _floats(labels, predictions)
        losses = arithmetic.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None,
               loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    """The mean of e^2 / 2 where |e| <= delta and delta |e| - delta^2 / 2 elsewhere.

    Shapes: labels [*a], predictions [*a] -> [], or [*a] if not reduced. Huber (1964).
    """
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, 'huber_loss', [predictions, labels, weights]) as scope:
        labels, predictions = _floats(labels, predictions)
        error = arithmetic.abs(arithmetic.subtract(predictions, labels))
        quadratic = arithmetic.minimum(error, delta)
        linear = arithmetic.subtract(error, quadratic)
        losses = arithmetic.add(
            arithmetic.multiply(convert_to_tensor(0.5, quadratic.dtype),
                                arithmetic.multiply(quadratic, quadratic)),
            arithmetic.multiply(delta, linear))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None,
             loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    """The mean of -labels log(predictions) - (1 - labels) log(1 - predictions).

    Shapes: labels [*a], predictions [*a], probabilities -> [], or [*a] if not reduced.
    """
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, 'log_loss', [predictions, labels, weights]) as scope:
        labels, predictions = _floats(labels, predictions)
        of_ones = -arithmetic.multiply(labels, unary.log(predictions + epsilon))
        of_zeros = arithmetic.multiply(1 - labels, unary.log(1 - predictions + epsilon))
        return compute_weighted_loss(of_ones - of_zeros, weights, scope, loss_collection,
                                     reduction)


def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None,
                    loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT, dim=None):
    """The mean of 1 - the inner products along `axis` of vectors of length 1.

    Shapes: labels [*a], predictions [*a] -> []. ValueError without an axis.
    """
    if dim is not None:
        if axis is not None:
            raise misuse(ValueError("Cannot specify both 'axis' and 'dim'"))
        axis = dim
    if axis is None:
        raise misuse(ValueError("You must specify 'axis'."))
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, 'cosine_distance_loss', [predictions, labels, weights]) as scope:
        labels, predictions = _floats(labels, predictions)
        products = arithmetic.multiply(predictions, labels)
        losses = 1 - reducing.reduce_sum(products, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None,
                                loss_collection=GraphKeys.LOSSES):
    """The squared error of the differences between each two elements of an example.

    Shapes: labels [batch, *a], predictions [batch, *a] -> [].
    """
    check_given(labels=labels, predictions=predictions)
    with name_scope(scope, 'mean_pairwise_squared_error',
                    [predictions, labels, weights]) as scope:
        weights = identity_and_cast.cast(weights, dtypes.float32)
        labels = identity_and_cast.cast(labels, dtypes.float32)
        with control_dependencies([assert_broadcastable(weights, labels)]):
            predictions = identity_and_cast.cast(predictions, dtypes.float32)
            check_same_shape(predictions, labels)
            loss = _pairwise(arithmetic.subtract(predictions, labels), weights)
            add_loss(loss, loss_collection)
            return loss


def _pairwise(errors, weights):
    """Sum over examples of 2 (mean of e^2 - mean e^2), with means over n (n - 1) pairs."""
    axes = constants.range(1, shape_ops.rank(errors))
    squares = reducing.reduce_sum(arithmetic.square(errors), axis=axes, keepdims=True)
    number = num_present(errors, weights, per_batch=True)
    of_squares = 2.0 * arithmetic.div_no_nan(
        squares, arithmetic.maximum(number - 1, 0), name='value')
    total = reducing.reduce_sum(errors, axis=axes, keepdims=True)
    of_total = 2.0 * arithmetic.div_no_nan(
        arithmetic.square(total),
        arithmetic.maximum(arithmetic.multiply(number, number - 1), 0), name='value')
    loss = reducing.reduce_sum(arithmetic.multiply(of_squares - of_total, weights))
    return indexing.where(reducing.reduce_sum(number) > 0, loss, constants.zeros_like(loss),
                          name='value')


__all__ = ['absolute_difference', 'cosine_distance', 'huber_loss', 'log_loss',
           'mean_pairwise_squared_error', 'mean_squared_error']
