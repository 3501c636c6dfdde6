"""Helpers of all metrics: Variables that accumulate over runs, collections, matching shapes.

A metric is two tensors: the value so far, and an update that adds a batch and returns the value
after it. The accumulators are local Variables: tf.local_variables_initializer() sets them to zero,
before the first batch and before each new evaluation.
"""
from __future__ import annotations

from tinyflow.graph import eager_mode
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import add_to_collections
from tinyflow.graph.keys import GraphKeys
from tinyflow.layers.losses.weighted import check_same_shape
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    shape_ops,
    shaping,
)
from tinyflow.ops.control_flow import cond
from tinyflow.ops.math import logic
from tinyflow.ops.math.confusion import remove_squeezable_dimensions
from tinyflow.ops.variables import replica_context
from tinyflow.ops.variables.variable import Variable, VariableAggregation, VariableSynchronization


def metric_variable(shape, dtype, validate_shape=True, name=None):
    """A Variable of zeros in LOCAL_VARIABLES and METRIC_VARIABLES."""
    eager_mode.refuse('tf.metrics are not supported', 'Hint: tf.keras.metrics, whose objects keep '
                      'their values.')
    return Variable(
        lambda: constants.zeros(shape, dtype), trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape, synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM, name=name)


def collected(value, collections):
    """`value`, after it was added to the collections (a list of names, or None)."""
    if collections:
        add_to_collections(collections, value)
    return value


def merged(compute, collections, *counts):
    """`compute(*counts)`, added to the collections: a metric's value so far.

    Under a strategy it is one value for all replicas, computed from their combined counts; `counts`
    are Variables, or nests of Variables.
    """
    replica = replica_context.active_replica_context()
    if replica is None:
        return collected(compute(*counts), collections)
    return replica.merge_call(lambda strategy, *whole: collected(compute(*whole), collections),
                              args=counts)


def read(variable, collections):
    """The value of a Variable, as a metric."""
    return merged(identity_and_cast.identity, collections, variable)


def fitted(predictions, labels, weights):
    """(predictions, labels, weights) as tensors, with trailing axes of size 1 removed or added.

    Labels and predictions get one shape; weights of another rank get that of the predictions.
    """
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        check_same_shape(predictions, labels)
    if weights is None:
        return predictions, labels, None
    return predictions, labels, _fitted_weights(convert_to_tensor(weights), predictions)


def _fitted_weights(weights, predictions):
    rank, wanted = weights.shape.ndims, predictions.shape.ndims
    if rank == 0:
        return weights
    if rank is not None and wanted is not None:
        if rank - wanted == 1:
            return shaping.squeeze(weights, [-1])
        return shaping.expand_dims(weights, [-1]) if wanted - rank == 1 else weights
    return _fitted_at_run_time(weights, predictions)


def _fitted_at_run_time(weights, predictions):
    rank = shape_ops.rank(weights)
    difference = rank - shape_ops.rank(predictions)

    def expanded():
        return cond.cond(logic.equal(difference, -1),
                         lambda: shaping.expand_dims(weights, [-1]), lambda: weights)

    def squeezed():
        if weights.raw_shape is not None and weights.raw_shape[-1] not in (1, None):
            return weights
        return shaping.squeeze(weights, [-1])

    return cond.cond(
        logic.equal(rank, 0), lambda: weights,
        lambda: cond.cond(logic.equal(difference, 1), squeezed, expanded))
