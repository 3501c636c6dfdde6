"""Precision and recall among the k best predictions: labels as sets of classes."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.sparse_tensor import (
    SparseTensor,
    SparseTensorValue,
    convert_to_tensor_or_sparse_tensor,
)
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.metrics.streaming import collected, merged, metric_variable
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    indexing,
    joining,
    ranking,
    shape_ops,
    shaping,
    where_v2,
)
from tinyflow.ops.control_flow import cond
from tinyflow.ops.math import arithmetic, logic, reduction, scans
from tinyflow.ops.nn.weights_broadcast import assert_broadcastable, broadcast_weights
from tinyflow.ops.sparse import set_ops
from tinyflow.ops.variables import variable_ops


def precision_at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None,
                   updates_collections=None, name=None):
    """The fraction of the k best predictions so far that are among the labels.

    Shapes: labels [*a, labels] or [*a] int64, or a SparseTensor; predictions [*a, classes] ->
    (value [], update []). With class_id, of that class alone.
    """
    with name_scope(name, _at_k('precision', k, class_id), [predictions, labels, weights]) as scope:
        _, best = ranking.top_k(predictions, k)
        return precision_at_top_k(labels, best, k, class_id, weights, metrics_collections,
                                  updates_collections, scope)


def precision_at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None,
                       metrics_collections=None, updates_collections=None, name=None):
    """The fraction of the predicted classes so far that are among the labels.

    Shapes: labels [*a, labels] or [*a] int64, or a SparseTensor; predictions_idx [*a, k] ->
    (value [], update []). With class_id, of that class alone.
    """
    return _share('precision', 'false_positive', labels, predictions_idx, k, class_id, weights,
                  (metrics_collections, updates_collections), name)


def recall_at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None,
                updates_collections=None, name=None):
    """The fraction of the labels so far that are among the k best predictions.

    Shapes: labels [*a, labels] or [*a] int64, or a SparseTensor; predictions [*a, classes] ->
    (value [], update []). With class_id, of that class alone.
    """
    with name_scope(name, _at_k('recall', k, class_id), [predictions, labels, weights]) as scope:
        _, best = ranking.top_k(predictions, k)
        return recall_at_top_k(labels, best, k, class_id, weights, metrics_collections,
                               updates_collections, scope)


def recall_at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None,
                    metrics_collections=None, updates_collections=None, name=None):
    """The fraction of the labels so far that are among the predicted classes.

    Shapes: labels [*a, labels] or [*a] int64, or a SparseTensor; predictions_idx [*a, k] ->
    (value [], update []). With class_id, of that class alone.
    """
    return _share('recall', 'false_negative', labels, predictions_idx, k, class_id, weights,
                  (metrics_collections, updates_collections), name)


def _share(what, wrong, labels, best, k, class_id, weights, collections, name):
    """true positives / (true positives + the counts of `wrong`)."""
    with name_scope(name, _at_k(what, k, class_id), [best, labels, weights]) as scope:
        labels = _as_rows(labels, best)
        best = identity_and_cast.cast(best, dtypes.int64)
        right, new_right = _streamed('true_positive', labels, best, k, class_id, weights)
        missed, new_missed = _streamed(wrong, labels, best, k, class_id, weights)
        value = merged(
            lambda right, missed: arithmetic.div(right, arithmetic.add(right, missed), name=scope),
            collections[0], right, missed)
        update = arithmetic.div(new_right, arithmetic.add(new_right, new_missed), name='update')
        return value, collected(update, collections[1])


def _at_k(name, k=None, class_id=None):
    name = f'{name}_at_k' if k is None else f'{name}_at_{k}'
    return name if class_id is None else f'{name}_class{class_id}'


_COMBINED = {
    'true_positive': set_ops.set_intersection,
    'false_positive': lambda best, labels: set_ops.set_difference(best, labels, True),
    'false_negative': lambda best, labels: set_ops.set_difference(best, labels, False),
}


def _streamed(what, labels, best, k, class_id, weights):
    """(the count so far, the count after this batch)."""
    with name_scope(None, _at_k(what, k, class_id), [best, labels, weights]) as scope:
        number = _count(what, labels, best, class_id, weights)
        total = identity_and_cast.cast(reduction.reduce_sum(number), dtypes.float64)
        variable = metric_variable([], dtypes.float64, name=scope)
        return variable, variable_ops.assign_add(variable, total, name='update')


def _count(what, labels, best, class_id=None, weights=None, name=None):
    """How many classes of each row are in the intersection or difference of best and labels."""
    with name_scope(name, what + 's', [best, labels, weights]):
        if class_id is not None:
            labels, best = _only(labels, class_id), _only(best, class_id)
        number = set_ops.set_size(_COMBINED[what](best, labels))
        number = identity_and_cast.cast(number, dtypes.float64)
        if weights is None:
            return number
        with control_dependencies([assert_broadcastable(weights, number)]):
            return arithmetic.multiply(number, identity_and_cast.cast(weights, dtypes.float64))


def _only(ids, class_id):
    """The sets reduced to one class."""
    ids = convert_to_tensor_or_sparse_tensor(ids)
    if isinstance(ids, SparseTensor):
        kept = shaping.reshape(indexing.where(logic.equal(ids.values, class_id)), [-1])
        return SparseTensor(gathering.gather(ids.indices, kept),
                            gathering.gather(ids.values, kept), ids.dense_shape)
    shape = shape_ops.shape(ids, out_type=dtypes.int64)
    last = shape_ops.size(shape) - 1
    one_each = _with_one(shape, shaping.reshape(last, [1]))
    filled = constants.fill(one_each, identity_and_cast.cast(class_id, dtypes.int64))
    found = set_ops.set_intersection(filled, ids)
    return SparseTensor(found.indices, found.values, shape)


def _with_one(shape, axes):
    """The shape, as int32, with size 1 at the axes."""
    shape = identity_and_cast.cast(shape, dtypes.int32)
    axes = identity_and_cast.cast(axes, dtypes.int32)
    rank = shape_ops.size(shape)
    axes = (axes + rank) % rank
    ones_shape = shape_ops.shape(axes)
    return indexing.dynamic_stitch([constants.range(rank), axes],
                                   [shape, constants.fill(ones_shape, 1)])


def _as_rows(labels, best):
    """Labels [*a] as [*a, 1]: one label for each row."""
    with name_scope(None, 'expand_labels', [labels, best]) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            _refuse_sparse_vector(labels, best)
            return labels
        rank, wanted = labels.shape.ndims, best.shape.ndims
        if rank is not None and wanted is not None:
            if wanted == rank:
                return labels
            if wanted == rank + 1:
                return shaping.expand_dims(labels, -1, name=scope)
            raise misuse(ValueError(f'Unexpected labels shape {labels.shape} for predictions '
                                    f'shape {best.shape}.'))
        return cond.cond(
            logic.equal(shape_ops.rank(best), shape_ops.rank(labels) + 1),
            lambda: shaping.expand_dims(labels, -1, name=scope), lambda: labels)


def _refuse_sparse_vector(labels, best):
    rank, wanted = labels.shape.ndims, best.shape.ndims
    if None not in (rank, wanted) and rank != wanted:
        raise misuse(ValueError(
            f'sparse labels of shape {labels.shape} do not fit predictions of shape {best.shape}'
            '\n  Hint: labels of the same rank, each row the set of its classes.'))


def average_precision_at_k(labels, predictions, k, weights=None, metrics_collections=None,
                           updates_collections=None, name=None):
    """The mean over rows so far of the average precision of the k best predictions.

    The average over the ranks 1 ... k that hold a label of the precision up to there.

    Shapes: labels [*a, labels] or [*a] int64, predictions [*a, classes], weights broadcasting to
    [*a] -> (value [], update []). NotImplementedError for sparse labels.
    """
    if k < 1:
        raise misuse(ValueError(f'Invalid k={k}.'))
    if isinstance(labels, (SparseTensor, SparseTensorValue)):
        raise misuse(NotImplementedError(
            'tinyflow does not implement average_precision_at_k of sparse labels.\n  Hint: dense '
            'labels, with -1 where a row has fewer: tf.sparse_tensor_to_dense(labels, -1).'))
    with name_scope(name, _at_k('average_precision', k),
                    [predictions, labels, weights]) as scope:
        _, best = ranking.top_k(predictions, k)
        classes = identity_and_cast.cast(shape_ops.shape(predictions)[-1], dtypes.int64)
        labels = _without_unknown(labels, classes)
        with name_scope(scope, values=[best, labels, weights]) as scope:
            return _average_precision(labels, best, weights, scope, metrics_collections,
                                      updates_collections)


def sparse_average_precision_at_k(labels, predictions, k, weights=None, metrics_collections=None,
                                  updates_collections=None, name=None):
    """`average_precision_at_k` by its older name (deprecated in TF1).

    Shapes: as average_precision_at_k.
    """
    return average_precision_at_k(labels, predictions, k, weights, metrics_collections,
                                  updates_collections, name)


def sparse_precision_at_k(labels, predictions, k, class_id=None, weights=None,
                          metrics_collections=None, updates_collections=None, name=None):
    """`precision_at_k` by its older name (deprecated in TF1).

    Shapes: as precision_at_k.
    """
    return precision_at_k(labels, predictions, k, class_id, weights, metrics_collections,
                          updates_collections, name)


def _without_unknown(labels, classes):
    """Labels outside of the classes as -1, which is never predicted."""
    labels = convert_to_tensor(labels)

    def cleaned():
        return where_v2.where_v2(logic.greater_equal(labels, classes),
                                 -1 * constants.ones_like(labels), labels)
    return cond.cond(logic.greater_equal(reduction.reduce_max(labels), classes), cleaned,
                     lambda: labels)


def _average_precision(labels, best, weights, scope, metrics_collections, updates_collections):
    precision = _of_rows(labels, best)
    if weights is not None:
        weights = broadcast_weights(identity_and_cast.cast(weights, dtypes.float64), precision)
        precision = arithmetic.multiply(precision, weights)
    with name_scope(None, 'max', [precision]) as inner:
        most = metric_variable([], dtypes.float64, name=inner)
        if weights is None:
            number = identity_and_cast.cast(shape_ops.size(precision, name='batch_max'),
                                            dtypes.float64)
        else:
            number = reduction.reduce_sum(weights, name='batch_max')
        new_most = variable_ops.assign_add(most, number, name='update')
    with name_scope(None, 'total', [precision]) as inner:
        total = metric_variable([], dtypes.float64, name=inner)
        new_total = variable_ops.assign_add(
            total, reduction.reduce_sum(precision, name='batch_total'), name='update')
    value = merged(lambda *counts: arithmetic.div_no_nan(*counts, name='mean'),
                   metrics_collections, total, most)
    update = arithmetic.div_no_nan(new_total, new_most, name=scope)
    return value, collected(update, updates_collections)


def _of_rows(labels, best):
    """The average precision of each row."""
    with name_scope(None, 'average_precision', [best, labels]) as scope:
        best = identity_and_cast.cast(best, dtypes.int64, name='predictions_idx')
        k = best.shape.as_list()[-1]
        if k is None:
            raise misuse(ValueError('The last dimension of predictions_idx must be set.'))
        labels = _as_rows(labels, best)
        each = shaping.expand_dims(best, -1, name='predictions_idx_per_k')
        relevant = _count('true_positive', _repeated(labels, k), each, name='relevant_per_k')
        right = scans.cumsum(relevant, axis=-1, name='tp_per_k')
        retrieved = scans.cumsum(constants.ones_like(relevant), axis=-1, name='retrieved_per_k')
        precision = arithmetic.div(identity_and_cast.cast(right, dtypes.float64),
                                   identity_and_cast.cast(retrieved, dtypes.float64),
                                   name='precision_per_k')
        at_labels = arithmetic.multiply(precision, identity_and_cast.cast(relevant, dtypes.float64),
                                        name='relevant_precision_per_k')
        total = reduction.reduce_sum(at_labels, axis=(-1,), name='precision_sum')
        return arithmetic.div(total, identity_and_cast.cast(_relevant(labels, k), dtypes.float64),
                              name=scope)


def _repeated(labels, k):
    """[*a, labels] -> [*a, k, labels]."""
    with name_scope('labels_per_k', 'expand_and_tile', [labels]) as scope:
        expanded = shaping.expand_dims(labels, -2, name='expand')
        if k == 1:
            return expanded
        ones = constants.ones_like(shape_ops.shape(labels))
        multiples = joining.concat((ones[:-1], (k,), ones[-1:]), 0, name='multiples')
        return shaping.tile(expanded, multiples, name=scope)


def _relevant(labels, k):
    """How many labels of each row can be among the k best."""
    with name_scope(None, 'num_relevant', [labels]) as scope:
        number = reduction.reduce_sum(
            where_v2.where_v2(logic.greater_equal(labels, 0), constants.ones_like(labels),
                              constants.zeros_like(labels)), axis=-1)
        return arithmetic.minimum(number, k, name=scope)


__all__ = ['average_precision_at_k', 'precision_at_k', 'precision_at_top_k', 'recall_at_k',
           'recall_at_top_k', 'sparse_average_precision_at_k', 'sparse_precision_at_k']
