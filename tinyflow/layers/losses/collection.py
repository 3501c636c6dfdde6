"""The losses of a graph: GraphKeys.LOSSES, the regularization losses, and their sum."""
from __future__ import annotations

from tinyflow.graph.defaults import add_to_collection, get_collection
from tinyflow.graph.keys import GraphKeys
from tinyflow.ops.array import constants
from tinyflow.ops.math import arithmetic


def add_loss(loss, loss_collection=GraphKeys.LOSSES):
    """Adds a loss to the collection that get_total_loss sums.

    Shapes: loss [].
    """
    if loss_collection:
        add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=GraphKeys.LOSSES):
    """The losses of the collection; `scope` keeps those whose names match it.

    Shapes: a list of losses, each [].
    """
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    """The regularization losses; `scope` keeps those whose names match it.

    Shapes: a list of losses, each [].
    """
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope=None, name='total_regularization_loss'):
    """The sum of the regularization losses; 0 if there are none.

    Shapes: -> [].
    """
    losses = get_regularization_losses(scope)
    return arithmetic.add_n(losses, name=name) if losses else constants.constant(0.0)


def get_total_loss(add_regularization_losses=True, name='total_loss', scope=None):
    """The sum of the losses and the regularization losses: the value to minimize.

    Shapes: -> []. ValueError without a loss.
    """
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope=scope)
    return arithmetic.add_n(losses, name=name)


__all__ = ['add_loss', 'get_losses', 'get_regularization_loss', 'get_regularization_losses',
           'get_total_loss']
