"""tf.contrib.losses: losses from before TF 1.0, with predictions as the first argument.

Weights are per example here: a loss is summed over the axes that the weights do not have, and
the mean is over all elements of examples with a nonzero weight.
"""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.layers.losses.collection import (
    add_loss,
    get_losses,
    get_regularization_losses,
    get_total_loss,
)
from tinyflow.layers.losses.weighted import check_same_shape
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    indexing,
    shape_ops,
    shaping,
    slicing,
)
from tinyflow.ops.math import arithmetic, logic, reduction, unary
from tinyflow.ops.nn import activations, cross_entropy, logistic


def compute_weighted_loss(losses, weights=1.0, scope=None):
    """The mean of losses * weights over elements with nonzero weights, added to GraphKeys.LOSSES.

    Shapes: losses [batch, *a], weights [], [batch], [batch, 1] or more -> []. ValueError for
    unknown ranks.
    """
    with name_scope(scope, 'weighted_loss', [losses, weights]):
        losses = convert_to_tensor(losses)
        dtype = losses.dtype
        losses = identity_and_cast.cast(losses, dtypes.float32)
        weights = identity_and_cast.cast(convert_to_tensor(weights), dtypes.float32)
        for name, tensor in (('losses', losses), ('weights', weights)):
            if tensor.shape.ndims is None:
                raise misuse(ValueError(f'{name}.get_shape().ndims cannot be None'))
        if weights.shape.ndims > 1 and weights.raw_shape[-1] in (1, None):
            weights = shaping.squeeze(weights, [-1])
        total = _scaled(losses, weights)
        present = _present(losses, weights)
        mean = arithmetic.div_no_nan(reduction.reduce_sum(total), present, name='value')
        mean = identity_and_cast.cast(mean, dtype)
        add_loss(mean)
        return mean


def _scaled(losses, weights):
    """The sum of losses * weights."""
    inner = list(range(weights.shape.ndims, losses.shape.ndims))
    each = reduction.reduce_sum(losses, axis=inner)
    return reduction.reduce_sum(arithmetic.multiply(each, weights))


def _present(losses, weights, per_batch=False):
    """The number of elements with a nonzero weight, in total or per example."""
    rank = weights.shape.ndims
    if rank == 0:
        batch = shaping.reshape(slicing.slice(shape_ops.shape(losses), [0], [1]), [])
        each = arithmetic.div(identity_and_cast.cast(shape_ops.size(losses), dtypes.float32),
                              identity_and_cast.cast(batch, dtypes.float32))
        each = indexing.where(logic.equal(weights, 0), 0.0, each)
        number = arithmetic.multiply(constants.ones(shaping.reshape(batch, [1])), each)
    else:
        weighted = reduction.reduce_sum(
            identity_and_cast.cast(logic.not_equal(weights, 0), dtypes.float32),
            axis=list(range(1, rank)))
        inner = slicing.slice(shape_ops.shape(losses), [rank], [-1])
        number = arithmetic.multiply(
            weighted, identity_and_cast.cast(reduction.reduce_prod(inner), dtypes.float32))
    return number if per_batch else reduction.reduce_sum(number)


def _floats(predictions, labels):
    check_same_shape(predictions, labels)
    return (identity_and_cast.cast(predictions, dtypes.float32),
            identity_and_cast.cast(labels, dtypes.float32))


def absolute_difference(predictions, labels=None, weights=1.0, scope=None):
    """The mean of |predictions - labels|.

    Shapes: predictions [batch, *a], labels [batch, *a] -> [].
    """
    with name_scope(scope, 'absolute_difference', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = arithmetic.abs(arithmetic.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope=scope)


def mean_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """The mean of (predictions - labels)^2.

    Shapes: predictions [batch, *a], labels [batch, *a] -> [].
    """
    with name_scope(scope, 'mean_squared_error', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        losses = arithmetic.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope=scope)


def log_loss(predictions, labels=None, weights=1.0, epsilon=1e-7, scope=None):
    """The mean of -labels log(predictions) - (1 - labels) log(1 - predictions).

    Shapes: predictions [batch, *a], labels [batch, *a] -> [].
    """
    with name_scope(scope, 'log_loss', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        of_ones = -arithmetic.multiply(labels, unary.log(predictions + epsilon))
        of_zeros = arithmetic.multiply(1 - labels, unary.log(1 - predictions + epsilon))
        return compute_weighted_loss(of_ones - of_zeros, weights, scope=scope)


def hinge_loss(logits, labels=None, scope=None):
    """max(0, 1 - t logits) of each element, with t = 1 for label 1 and -1 for label 0.

    Shapes: logits [*a], labels [*a] -> [*a]. It is not added to the collection.
    """
    with name_scope(scope, 'hinge_loss', [logits, labels]):
        check_same_shape(logits, labels, 'logits')
        labels = identity_and_cast.cast(labels, dtypes.float32)
        ones = constants.ones_like(labels)
        signs = arithmetic.subtract(2 * labels, ones)
        return activations.relu(arithmetic.subtract(ones, arithmetic.multiply(signs, logits)))


def sigmoid_cross_entropy(logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None):
    """The mean cross entropy of independent classes.

    Shapes: logits [batch, classes], multi_class_labels [batch, classes] -> [].
    """
    with name_scope(scope, 'sigmoid_cross_entropy_loss',
                    [logits, multi_class_labels, weights]) as scope:
        check_same_shape(logits, multi_class_labels, 'logits')
        labels = identity_and_cast.cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = logistic.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits,
                                                            name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)


def softmax_cross_entropy(logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None):
    """The mean cross entropy of exclusive classes.

    Shapes: logits [batch, classes], onehot_labels [batch, classes], weights [] or [batch] -> [].
    """
    with name_scope(scope, 'softmax_cross_entropy_loss',
                    [logits, onehot_labels, weights]) as scope:
        check_same_shape(logits, onehot_labels, 'logits')
        labels = identity_and_cast.cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            classes = identity_and_cast.cast(shape_ops.shape(labels)[1], logits.dtype)
            others = label_smoothing / classes
            labels = labels * (1.0 - label_smoothing) + others
        losses = cross_entropy.softmax_cross_entropy_with_logits(labels=labels, logits=logits,
                                                                 name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)


def sparse_softmax_cross_entropy(logits, labels, weights=1.0, scope=None):
    """The mean of -log softmax(logits)[label].

    Shapes: logits [batch, classes], labels [batch] or [batch, 1] -> [].
    """
    with name_scope(scope, 'sparse_softmax_cross_entropy_loss',
                    [logits, labels, weights]) as scope:
        labels = shaping.reshape(labels, shape=[shape_ops.shape(labels)[0]])
        losses = cross_entropy.sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name='xentropy')
        return compute_weighted_loss(losses, weights, scope=scope)


def cosine_distance(predictions, labels=None, axis=None, weights=1.0, scope=None, dim=None):
    """The mean of 1 - the inner products along `axis` of vectors of length 1.

    Shapes: predictions [*a], labels [*a] -> []. ValueError without an axis.
    """
    axis = dim if axis is None else axis
    if axis is None:
        raise misuse(ValueError("You must specify 'axis'."))
    with name_scope(scope, 'cosine_distance_loss', [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        products = arithmetic.multiply(predictions, labels)
        return compute_weighted_loss(1 - reduction.reduce_sum(products, axis=[axis]), weights,
                                     scope=scope)


def mean_pairwise_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """The squared error of the differences between each two elements of an example.

    Shapes: predictions [batch, *a], labels [batch, *a] -> [].
    """
    with name_scope(scope, 'mean_pairwise_squared_error',
                    [predictions, labels, weights]) as scope:
        predictions, labels = _floats(predictions, labels)
        weights = identity_and_cast.cast(convert_to_tensor(weights), dtypes.float32)
        errors = arithmetic.subtract(predictions, labels)
        axes = list(range(1, errors.shape.ndims))
        squares = reduction.reduce_sum(arithmetic.square(errors), axis=axes)
        number = _present(errors, weights, per_batch=True)
        of_squares = 2.0 * arithmetic.div_no_nan(squares, number, name='value')
        total = reduction.reduce_sum(errors, axis=axes)
        of_total = 2.0 * arithmetic.div_no_nan(arithmetic.square(total),
                                               arithmetic.square(number), name='value')
        loss = _scaled(of_squares - of_total, weights)
        mean = indexing.where(reduction.reduce_sum(number) > 0, loss,
                              constants.zeros_like(loss), name='value')
        add_loss(mean)
        return mean


__all__ = ['absolute_difference', 'add_loss', 'compute_weighted_loss', 'cosine_distance',
           'get_losses', 'get_regularization_losses', 'get_total_loss', 'hinge_loss', 'log_loss',
           'mean_pairwise_squared_error', 'mean_squared_error', 'sigmoid_cross_entropy',
           'softmax_cross_entropy', 'sparse_softmax_cross_entropy']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
