"""Fused softmax cross entropy: one op returns the loss and its gradient for the logits.

Computing them together is both faster and more accurate than softmax, logarithm, product and sum.
The gradient is the second output and can be differentiated again: second derivatives are correct
for dense and sparse labels (TF1 raises an error for sparse ones).
"""
from __future__ import annotations

from functools import lru_cache

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.dtypes import FLOATS, INDEX, float16, float32
from tinyflow.graph.op import Op
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import OpFailure, misuse, report, why
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
    slicing,
)
from tinyflow.ops.checks import value_checks
from tinyflow.ops.math import arithmetic
from tinyflow.ops.nn.softmax import log_softmax, row_max, row_sum, softmax, softmax_gradient
from tinyflow.ops.support.arguments import renamed
from tinyflow.ops.support.ranks import of_rank


def _normalized(x):
    """x less its row maximum, the row sums of its exponentials, and the softmax.

    Shapes: x [batch, classes] -> [batch, classes], [batch], [batch, classes].
    """
    shifted = x - row_max(x)
    exponentials = np.exp(shifted)
    total = row_sum(exponentials)
    np.divide(exponentials, total[:, None], exponentials)
    return shifted, total, exponentials


def _logits_gradient(op, dloss, dbackprop):
    logits = op.inputs[0]
    parts = []
    if dloss is not None:
        parts.append(shaping.expand_dims(dloss, -1) * op.outputs[1])
    if dbackprop is not None:
        parts.append(softmax_gradient(softmax(logits), dbackprop))
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


_HELPERS = ('Reshape', 'StopGradient', 'Cast', 'Transpose')


def _user_tensor(tensor, operation):
    """The tensor that the user passed, from which the same call derived `tensor`."""
    while tensor.op.type in _HELPERS and tensor.op._site == operation._site:
        tensor = tensor.op.inputs[0]
    return tensor


class _CrossEntropy(Op, abstract=True):
    """Base whose messages name the tensors that the user passed, not those derived from them."""

    @classmethod
    def labelled_inputs(cls, operation):
        features, labels = operation.inputs
        return [('logits', _user_tensor(features, operation)),
                ('labels', _user_tensor(labels, operation))]


class SoftmaxCrossEntropyWithLogits(_CrossEntropy):
    """-sum(labels * log(softmax(features))) for each row, and softmax(features) - labels."""

    signature = 'features: T, labels: T -> loss: T, backprop: T'
    types = {'T': FLOATS}

    def shape(features, labels):
        try:
            both = shapes.broadcast(features, labels)
        except ValueError:
            raise OpFailure('logits and labels must be broadcastable: logits '
                            f'{shapes.text(features)}, labels {shapes.text(labels)}',
                            _hint_for_sizes(features, labels)
                            + why('logits-and-labels')) from None
        if len(both) != 2:
            raise OpFailure(f'Shape must be rank 2 but is rank {len(both)}', '[batch, classes].')
        return (both[0],), both

    def kernel(x, labels):
        if x.shape != labels.shape:
            x, labels = np.broadcast_arrays(x, labels)
        if not x.size:
            return np.zeros(x.shape[0], x.dtype), np.empty(x.shape, x.dtype)
        shifted, total, backprop = _normalized(x)
        loss = np.log(total) * row_sum(labels) - np.einsum('ij,ij->i', labels, shifted)
        return loss, np.subtract(backprop, labels, backprop)

    def gradient(op, dloss, dbackprop):
        features, labels = op.inputs
        dlabels = None
        if dloss is not None:
            dlabels = shaping.expand_dims(dloss, -1) * -log_softmax(features)
        if dbackprop is not None:
            dlabels = -dbackprop if dlabels is None else dlabels - dbackprop
        return (_summed(_logits_gradient(op, dloss, dbackprop), features, labels),
                _summed(dlabels, labels, features))


_EQUAL_ROWS = 'feed as many rows of labels as of logits.'


def _hint_for_sizes(features, labels):
    if len(features) == len(labels) == 2 and features[0] == labels[0]:
        return 'labels and logits need one column for each class.'
    if labels[:1] == (1,) and labels[1:] == features[:1]:
        return ('these look like class numbers, one for each row: sparse_softmax_cross_entropy_'
                'with_logits takes them.')
    return _EQUAL_ROWS


def _summed(dx, x, other):
    """`dx` summed along the axes where `x`, of size 1, is repeated for `other`."""
    if x.raw_shape is None or other.raw_shape is None:
        return dx
    repeated = any(i == 1 != j for i, j in zip(x.raw_shape, other.raw_shape))
    return shape_ops.sum_to_shape_of(dx, x) if repeated else dx


class SparseSoftmaxCrossEntropyWithLogits(_CrossEntropy):
    """-log(softmax(features)[label]) for each row, and softmax(features) - one_hot(label)."""

    signature = 'features: T, labels: Tlabels -> loss: T, backprop: T'
    types = {'T': FLOATS, 'Tlabels': INDEX}
    partial_rank = True

    def shape(features, labels):
        features, labels = of_rank(features, 2), of_rank(labels, 1)
        if len(features) != 2:
            raise OpFailure(f'Shape must be rank 2 but is rank {len(features)}',
                            'logits are [batch, classes].')
        if len(labels) != 1:
            raise OpFailure(f'Shape must be rank 1 but is rank {len(labels)}',
                            'labels are class indices, [batch].')
        try:
            batch = shapes.merge(labels, features[:1])
        except ValueError:
            raise _unequal_rows(features, labels) from None
        return batch, (batch[0], features[1])

    def kernel(x, labels):
        if labels.ndim != 1:
            raise OpFailure(f'labels must be 1-D, but got shape {shapes.text(labels.shape)}',
                            'labels are class indices, [batch]: tf.reshape(labels, [-1]).')
        if x.ndim != 2:
            raise OpFailure(f'logits must be 2-D, but got shape {shapes.text(x.shape)}',
                            'logits are [batch, classes].')
        if len(x) != len(labels):
            raise _unequal_rows(x.shape, labels.shape)
        check_labels(labels, x.shape[1])
        if not x.size:
            return np.zeros(len(x), x.dtype), np.empty(x.shape, x.dtype)
        shifted, total, backprop = _normalized(x)
        # Flat indices of the labels: NumPy indexes with one array much faster than with two.
        chosen = _row_starts(*x.shape) + labels
        loss = np.log(total) - shifted.take(chosen)
        backprop.reshape(-1)[chosen] -= 1
        return loss, backprop

    def gradient(op, dloss, dbackprop):
        return _logits_gradient(op, dloss, dbackprop), None


def _unequal_rows(features, labels):
    return OpFailure('logits and labels must have the same first dimension, got logits shape '
                     f'{shapes.text(features)} and labels shape {shapes.text(labels)}',
                     _EQUAL_ROWS)


@lru_cache(maxsize=64)
def _row_starts(rows, columns):
    return np.arange(rows) * columns


_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def check_labels(labels, classes):
    # Viewed as unsigned, a negative label is a huge one: a single pass finds both errors.
    if labels.size and np.maximum.reduce(labels.view(_UNSIGNED[labels.itemsize])) >= classes:
        worst = labels[(labels < 0) | (labels >= classes)][0]
        seen = ' '.join(map(str, labels[:8])) + (' ...' if labels.size > 8 else '')
        raise OpFailure(f'Received a label value of {worst} which is outside the valid range of '
                        f'[0, {classes}).  Label values: {seen}',
                        'labels count from 0 and logits need one column for each class: largest '
                        'label + 1.' + why('class-number'))


# ---- public functions ----------------------------------------------------------------------


def _check_named(function, sentinel, labels, logits):
    if sentinel is not None:
        raise misuse(ValueError(report(
            f'Only call `{function}` with named arguments (labels=..., logits=..., ...)',
            hint=f'{function}(labels=y, logits=x): their order has changed between versions '
                 'of TensorFlow.' + why('named-arguments'))))
    if labels is None or logits is None:
        raise misuse(ValueError(f'{function}: Both labels and logits must be provided.'))


def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None,
                                      axis=None):
    """-sum(labels * log(softmax(logits))) along an axis; no gradient flows into the labels.

    Shapes: labels, logits [*a, classes] -> [*a]. Labels are probabilities, such as one-hot rows;
    logits are any numbers, not probabilities. Only named arguments: versions differ in order.
    """
    _check_named('softmax_cross_entropy_with_logits', _sentinel, labels, logits)
    axis = dim if axis is None else axis
    with name_scope(name, 'softmax_cross_entropy_with_logits_sg', [logits, labels]) as scope:
        labels = identity_and_cast.stop_gradient(labels, name='labels_stop_gradient')
        return softmax_cross_entropy_with_logits_v2(labels, logits, axis, scope)


def softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None):
    """-sum(labels * log(softmax(logits))) along an axis (default: the last).

    Shapes: labels, logits [*a, classes] -> [*a]. Labels are probabilities, such as one-hot rows;
    logits are any numbers, not probabilities. Gradients flow into both.
    """
    axis = renamed('axis', axis, 'dim', dim)
    _check_named('softmax_cross_entropy_with_logits', None, labels, logits)
    return _dense(labels, logits, -1 if axis is None else shapes.integer(axis), name)


def _dense(labels, logits, axis, name):
    with name_scope(name, 'softmax_cross_entropy_with_logits', [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name='logits')
        labels = convert_to_tensor(labels, name='labels')
        precise = _precise(logits)
        labels = identity_and_cast.cast(labels, precise.dtype)
        rank = shape_ops.rank(precise)
        shape = logits.raw_shape
        if axis != -1:
            precise, labels = (_axis_to_end(t, axis, rank) for t in (precise, labels))
        outer = shape_ops.shape(precise)
        rows, label_rows = _as_rows(precise), _as_rows(labels)
        loss, _ = SoftmaxCrossEntropyWithLogits.apply(rows, label_rows, name=scope)
        loss = shaping.reshape(loss, slicing.slice(outer, [0], [arithmetic.subtract(rank, 1)]))
        if shape:
            axis = shapes.axis(axis, len(shape))
            loss.set_shape(shape[:axis] + shape[axis + 1:])
        return identity_and_cast.cast(loss, float16) if logits.dtype == float16 else loss


def _precise(logits):
    """Half precision is computed in single precision, as TF does."""
    return identity_and_cast.cast(logits, float32) if logits.dtype == float16 else logits


def _axis_to_end(x, axis, rank):
    order = joining.concat([constants.range(axis), constants.range(axis + 1, rank), [axis]], 0)
    return shaping.transpose(x, order)


def _as_rows(x):
    """x [*a, n] -> [product(a), n], with the same nodes as TF."""
    rank = shape_ops.rank(x)
    classes = slicing.slice(shape_ops.shape(x), [arithmetic.subtract(rank, 1)], [1])
    rows = shaping.reshape(x, joining.concat([[-1], classes], 0))
    if x.raw_shape is not None and shapes.known(x.raw_shape[:-1]):
        rows.set_shape((shapes.size(x.raw_shape[:-1]), x.raw_shape[-1]))
    return rows


def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """-log(softmax(logits)[label]), for labels that are class indices.

    Shapes: labels [*a], logits [*a, classes] -> [*a]. Only named arguments. ValueError if the
    shapes do not match; InvalidArgumentError at run time for a label outside [0, classes).
    """
    _check_named('sparse_softmax_cross_entropy_with_logits', _sentinel, labels, logits)
    with name_scope(name, 'SparseSoftmaxCrossEntropyWithLogits', [labels, logits]):
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        precise = _precise(logits)
        labels_shape = shape_ops.shape(labels)
        _check_shapes(labels, logits)
        if logits.raw_shape is not None and len(logits.raw_shape) == 2:
            loss, _ = SparseSoftmaxCrossEntropyWithLogits.apply(precise, labels, name=name)
        else:
            loss = _sparse_by_rows(labels, logits, precise, labels_shape, name)
        return identity_and_cast.cast(loss, float16) if logits.dtype == float16 else loss


def _check_shapes(labels, logits):
    label_shape, logit_shape = labels.raw_shape, logits.raw_shape
    if logit_shape is None:
        return
    if logit_shape == ():
        _raise_error(labels, logits, 'Logits cannot be scalars - received shape ().',
                     'logits are [..., classes], one score for each class.')
    if label_shape is None:
        return
    if len(label_shape) != len(logit_shape) - 1:
        problem = (f'Rank mismatch: Rank of labels (received {len(label_shape)}) should equal rank '
                   f'of logits minus 1 (received {len(logit_shape)}).')
        if labels.dtype.is_floating and logits.dtype.is_integer:
            _raise_error(labels, logits,
                         f'{problem} labels and logits look swapped: labels={labels.name!r}, '
                         f'logits={logits.name!r}.',
                         'labels= takes the class indices, logits= the output of the network.')
        one_hot = shapes.compatible(label_shape, logit_shape)
        _raise_error(labels, logits, problem,
                     ('one-hot labels belong to tf.nn.softmax_cross_entropy_with_logits; '
                      'tf.argmax(labels, -1) converts them to class indices.' if one_hot else
                      'labels are class indices, one for each row of logits: tf.squeeze(labels, '
                      '-1) drops an axis of size 1.') + why('logits-and-labels'))
    if (shapes.known(label_shape) and shapes.known(logit_shape[:-1])
            and label_shape != logit_shape[:-1]):
        _raise_error(labels, logits,
                     f'Shape mismatch: The shape of labels (received {labels.shape}) should equal '
                     'the shape of logits except for the last dimension (received '
                     f'{logits.shape}).', None)


def _raise_error(labels, logits, problem, hint):
    raise misuse(ValueError(report(
        f'SparseSoftmaxCrossEntropyWithLogits: {problem}', hint=hint,
        site=user_site(), inputs=[('labels', labels), ('logits', logits)])))


def _shape_checks(labels, logits):
    """A run-time check of the shapes, if they are not fully known statically."""
    known = logits.raw_shape is not None and shapes.known(logits.raw_shape[:-1])
    if known and labels.raw_shape is not None and shapes.known(labels.raw_shape):
        return []
    return [value_checks.assert_equal(shape_ops.shape(labels), shape_ops.shape(logits)[:-1])]


def _sparse_by_rows(labels, logits, precise, labels_shape, name):
    label_shape = labels.raw_shape
    with control_dependencies(_shape_checks(labels, logits)):
        classes = shape_ops.shape(logits)[shape_ops.rank(logits) - 1]
        rows = shaping.reshape(precise, [-1, classes])
        labels = shaping.reshape(labels, [-1])
    loss, _ = SparseSoftmaxCrossEntropyWithLogits.apply(rows, labels, name=name)
    loss = shaping.reshape(loss, labels_shape)
    loss.set_shape(label_shape)
    return loss


__all__ = ['softmax_cross_entropy_with_logits', 'softmax_cross_entropy_with_logits_v2',
           'sparse_softmax_cross_entropy_with_logits']
