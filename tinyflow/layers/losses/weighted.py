"""compute_weighted_loss: losses of examples, weighted and reduced to one number."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, get_default_graph, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import misuse, report, why
from tinyflow.layers.losses.collection import add_loss
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    indexing,
    shape_ops,
)
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.nn.weights_broadcast import assert_broadcastable, broadcast_weights
from tinyflow.ops.variables.replica_context import LOSS_REDUCTION


class Reduction:
    """How the losses of the examples are reduced to one number."""

    NONE = 'none'
    SUM = 'weighted_sum'
    SUM_OVER_BATCH_SIZE = 'weighted_sum_over_batch_size'
    MEAN = 'weighted_mean'
    SUM_BY_NONZERO_WEIGHTS = 'weighted_sum_by_nonzero_weights'
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls):
        """All reductions, as a tuple."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE,
                cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key):
        """Raises ValueError if `key` is not a Reduction."""
        if key not in cls.all():
            raise misuse(ValueError(f'Invalid Reduction Key {key}.\n  known: '
                                    f'{", ".join(dict.fromkeys(cls.all()))}'))


def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES,
                          reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    """losses * weights, reduced to one number, which is added to the collection.

    SUM; MEAN: divided by the sum of weights; SUM_BY_NONZERO_WEIGHTS: by their number that is not
    0; SUM_OVER_BATCH_SIZE: by the number of losses; NONE: not reduced.

    Shapes: losses [*a], weights [] or the rank of losses with each size 1 or the same -> [], or
    [*a] for NONE. ValueError for weights that do not fit.
    """
    Reduction.validate(reduction)
    get_default_graph().annotations[LOSS_REDUCTION] = reduction
    with name_scope(scope, 'weighted_loss', [losses, weights]), \
            control_dependencies([assert_broadcastable(weights, losses)]):
        losses = convert_to_tensor(losses)
        dtype = losses.dtype
        losses = identity_and_cast.cast(losses, dtypes.float32)
        weights = identity_and_cast.cast(weights, dtypes.float32)
        loss = _reduced(losses, weights, reduction)
        loss = identity_and_cast.cast(loss, dtype)
        add_loss(loss, loss_collection)
        return loss


def _reduced(losses, weights, how):
    weighted = arithmetic.multiply(losses, weights)
    if how == Reduction.NONE:
        return weighted
    total = reduction.reduce_sum(weighted)
    if how == Reduction.MEAN:
        return _mean(total, reduction.reduce_sum(constants.ones_like(losses) * weights))
    if how == Reduction.SUM_BY_NONZERO_WEIGHTS:
        return _mean(total, num_present(losses, weights))
    if how == Reduction.SUM_OVER_BATCH_SIZE:
        return _mean(total, _num_elements(losses))
    return total


def _mean(total, number):
    return arithmetic.div_no_nan(reduction.reduce_sum(total), number, name='value')


def num_present(losses, weights, per_batch=False):
    """The number of losses with a nonzero weight, in total or per example."""
    with name_scope(None, 'num_present', [losses, weights]) as scope:
        weights = identity_and_cast.cast(weights, dtypes.float32)
        present = indexing.where(logic.equal(weights, 0.0), constants.zeros_like(weights),
                                 constants.ones_like(weights))
        present = broadcast_weights(present, losses)
        if not per_batch:
            return reduction.reduce_sum(present, name=scope)
        return reduction.reduce_sum(present, axis=constants.range(1, shape_ops.rank(present)),
                                    keepdims=True, name=scope)


def _num_elements(losses):
    with name_scope(None, 'num_elements', [losses]) as scope:
        return identity_and_cast.cast(shape_ops.size(losses, name=scope), losses.dtype)


def check_given(**tensors):
    """ValueError for an argument that is None."""
    for name, tensor in tensors.items():
        if tensor is None:
            hint = ('\n  Hint: in mode PREDICT a model_fn gets labels=None: return tf.estimator.'
                    'EstimatorSpec(mode, predictions=...) before the loss.'
                    + why('estimator-labels-none')
                    if name == 'labels' else '')
            raise misuse(ValueError(f'{name} must not be None.{hint}'))


def check_same_shape(predictions, labels, name='predictions'):
    """ValueError unless the shapes agree: broadcasting (n, 1) with (n,) is a mistake here."""
    if predictions.shape.is_compatible_with(labels.shape):
        return
    ours, theirs = predictions.shape, labels.shape
    hint = None
    if None not in (ours.ndims, theirs.ndims) and abs(ours.ndims - theirs.ndims) == 1:
        longer = name if ours.ndims > theirs.ndims else 'labels'
        hint = f'tf.squeeze({longer}, [-1]), so that both have the same shape.'
    elif None not in (ours.ndims, theirs.ndims) and ours.ndims > theirs.ndims:
        hint = (f'one row of {name} for each example: tf.layers.flatten before the last '
                'tf.layers.dense, or tf.reduce_mean over the extra axes.')
    scope = get_default_graph().get_name_scope()
    raise misuse(ValueError(report(
        f"{repr(scope) + ': ' if scope else ''}Shapes {ours} and {theirs} are incompatible",
        inputs=[(name, predictions), ('labels', labels)], hint=hint, site=user_site())))


__all__ = ['Reduction', 'compute_weighted_loss']
