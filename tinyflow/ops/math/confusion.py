"""confusion_matrix: counts of examples by true and predicted class."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.ops.array.constants import cast, ones_like, zeros
from tinyflow.ops.array.shape_ops import rank
from tinyflow.ops.array.shaping import squeeze, stack
from tinyflow.ops.checks import value_checks
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.math.arithmetic import maximum
from tinyflow.ops.math.logic import equal
from tinyflow.ops.math.reduction import reduce_max
from tinyflow.ops.sparse.dense_add import SparseTensorDenseAdd


def confusion_matrix(labels, predictions, num_classes=None, dtype=dtypes.int32, name=None,
                     weights=None):
    """matrix[i, j] is the number (or sum of weights) of examples of class i predicted as class j.

    Without num_classes, it is one more than the largest class in labels and predictions.

    Shapes: labels [n] or [n, 1], predictions [n] or [n, 1], weights [n] ->
    [num_classes, num_classes]. Raises ValueError for other shapes; while running,
    InvalidArgumentError for a class that is negative or not below num_classes.
    """
    with name_scope(name, 'confusion_matrix', [predictions, labels, num_classes, weights]):
        labels, predictions = remove_squeezable_dimensions(
            convert_to_tensor(labels, name='labels'),
            convert_to_tensor(predictions, name='predictions'))
        predictions, labels = cast(predictions, dtypes.int64), cast(labels, dtypes.int64)
        for classes in (labels, predictions):
            classes.shape.assert_has_rank(1)
        labels = _checked(labels, 'labels')
        predictions = _checked(predictions, 'predictions')
        if num_classes is None:
            num_classes = maximum(reduce_max(predictions), reduce_max(labels)) + 1
        else:
            size = cast(num_classes, dtypes.int64)
            labels = _checked(labels, 'labels', size)
            predictions = _checked(predictions, 'predictions', size)
        if weights is not None:
            weights = convert_to_tensor(weights, name='weights')
            predictions.shape.assert_is_compatible_with(weights.shape)
            weights = cast(weights, dtype)
        shape = stack([num_classes, num_classes])
        indices = stack([labels, predictions], axis=1)
        values = ones_like(predictions, dtype) if weights is None else weights
        sparse_shape = cast(shape, dtypes.int64)
        zero = zeros(cast(shape, dtypes.int32), dtype)
        return SparseTensorDenseAdd.apply(indices, values, sparse_shape, zero)


def _checked(classes, name, size=None):
    """`classes`, after a check at run time: not negative or, if `size` is given, below it."""
    if size is None:
        check = value_checks.assert_non_negative(
            classes, message=f'`{name}` contains negative values')
    else:
        check = value_checks.assert_less(classes, size, message=f'`{name}` out of bound')
    return grouping.with_dependencies([check], classes)


def remove_squeezable_dimensions(labels, predictions, expected_rank_diff=0, name=None):
    """(labels, predictions), one of them without its last axis of size 1 if it has one too many.

    Shapes: labels [*a] or [*a, 1], predictions [*a] or [*a, 1] (with `expected_rank_diff` 1:
    [*a, classes]). Where ranks are unknown while building, a tf.cond decides.
    """
    with name_scope(name, 'remove_squeezable_dimensions', [labels, predictions]):
        predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
        ranks = predictions.shape.ndims, labels.shape.ndims
        if None not in ranks:
            extra_axes = ranks[0] - ranks[1] - expected_rank_diff
            if extra_axes == 1:
                predictions = squeeze(predictions, [-1])
            elif extra_axes == -1:
                labels = squeeze(labels, [-1])
            return labels, predictions
        difference = rank(predictions) - rank(labels)
        predictions = _without_last(predictions, difference, expected_rank_diff + 1)
        labels = _without_last(labels, difference, expected_rank_diff - 1)
        return labels, predictions


def _without_last(tensor, difference, extra_axes):
    """`tensor` without its last axis if the ranks differ by `extra_axes`."""
    if tensor.raw_shape is not None and tensor.raw_shape[-1] not in (1, None):
        return tensor
    return cond(equal(extra_axes, difference), lambda: squeeze(tensor, [-1]),
                lambda: tensor)
