"""Classification losses: cross entropies and the hinge loss."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.layers.losses.weighted import (
    Reduction,
    check_given,
    check_same_shape,
    compute_weighted_loss,
)
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    shape_ops,
    shaping,
)
from tinyflow.ops.control_flow import cond
from tinyflow.ops.math import arithmetic, logic
from tinyflow.ops.math.confusion import remove_squeezable_dimensions
from tinyflow.ops.nn import activations, cross_entropy, logistic

_DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS


def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES,
               reduction=_DEFAULT):
    """The mean of max(0, 1 - t logits), with t = 1 for label 1 and -1 for label 0.

    Shapes: labels [*a], 0 or 1; logits [*a] -> [], or [*a] if not reduced.
    """
    check_given(labels=labels, logits=logits)
    with name_scope(scope, 'hinge_loss', [logits, labels, weights]) as scope:
        logits = identity_and_cast.cast(logits, dtypes.float32)
        labels = identity_and_cast.cast(labels, dtypes.float32)
        check_same_shape(logits, labels, 'logits')
        ones = constants.ones_like(labels)
        signs = arithmetic.subtract(2 * labels, ones)
        losses = activations.relu(arithmetic.subtract(ones, arithmetic.multiply(signs, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    """The mean cross entropy of independent classes, each with the probability sigmoid(logit).

    Label smoothing s replaces labels by (1 - s) labels + s / 2.

    Shapes: multi_class_labels [batch, classes], logits [batch, classes] -> [], or
    [batch, classes] if not reduced.
    """
    check_given(multi_class_labels=multi_class_labels, logits=logits)
    with name_scope(scope, 'sigmoid_cross_entropy_loss',
                    [logits, multi_class_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels = identity_and_cast.cast(multi_class_labels, logits.dtype)
        check_same_shape(logits, labels, 'logits')
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = logistic.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits,
                                                            name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    """The mean cross entropy of exclusive classes with the probabilities softmax(logits).

    Label smoothing s replaces labels by (1 - s) labels + s / classes.

    Shapes: onehot_labels [*a, classes], logits [*a, classes], weights [] or [*a] -> [], or [*a]
    if not reduced.
    """
    check_given(onehot_labels=onehot_labels, logits=logits)
    with name_scope(scope, 'softmax_cross_entropy_loss',
                    [logits, onehot_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels = identity_and_cast.cast(onehot_labels, logits.dtype)
        check_same_shape(logits, labels, 'logits')
        if label_smoothing > 0:
            classes = identity_and_cast.cast(shape_ops.shape(labels)[-1], logits.dtype)
            others = label_smoothing / classes
            labels = labels * (1.0 - label_smoothing) + others
        labels = identity_and_cast.stop_gradient(labels, name='labels_stop_gradient')
        losses = cross_entropy.softmax_cross_entropy_with_logits_v2(
            labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None,
                                 loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    """The mean of -log softmax(logits)[label]: the cross entropy of labels that are class indices.

    Shapes: labels [*a] or [*a, 1], integers; logits [*a, classes]; weights [], [*a] or [*a, 1] ->
    [], or [*a] if not reduced.
    """
    check_given(labels=labels, logits=logits)
    with name_scope(scope, 'sparse_softmax_cross_entropy_loss',
                    [logits, labels, weights]) as scope:
        labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
        weights = None if weights is None else _squeezed(convert_to_tensor(weights), labels)
        losses = cross_entropy.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _squeezed(weights, labels):
    """Weights [*a, 1] as [*a]."""
    rank, rank_of_labels = weights.shape.ndims, labels.shape.ndims
    if rank is not None and rank_of_labels is not None:
        return shaping.squeeze(weights, [-1]) if rank - rank_of_labels == 1 else weights
    difference = shape_ops.rank(weights) - shape_ops.rank(labels)
    if rank is not None and (rank == 0 or weights.raw_shape[-1] not in (1, None)):
        return weights
    return cond.cond(logic.equal(1, difference),
                     lambda: shaping.squeeze(weights, [-1]), lambda: weights)


__all__ = ['hinge_loss', 'sigmoid_cross_entropy', 'softmax_cross_entropy',
           'sparse_softmax_cross_entropy']
