"""Checks of labels, logits, weights and loss functions: static where possible, else by ops."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.call_model_fn import parameter_names
from tinyflow.graph.support.errors import misuse, report

__all__ = ['call_loss_fn', 'check_label_vocabulary', 'check_loss_fn', 'check_n_classes',
           'check_thresholds', 'dense_labels', 'example_weights', 'in_range', 'check_logits',
           'range_scope']

_NO_LABELS = (
    'You must provide a labels Tensor. Given: None.\n  Hint: an input_fn for training or '
    'evaluation returns (features, labels); check that it reads the label column of the data.')


def check_logits(logits, dimension):
    """`logits` as float32, checked to be [*batch, dimension]."""
    with tf.name_scope(None, 'logits', (logits,)) as scope:
        logits = tf.to_float(logits)
        shape = tf.shape(logits)
        message = 'logits shape must be [D0, D1, ... DN, logits_dimension]'
        rank_check = tf.assert_rank_at_least(logits, 2, data=[shape], message=message)
        with tf.control_dependencies([rank_check]):
            if logits.shape.ndims is not None and logits.shape.as_list()[-1] is not None:
                if isinstance(dimension, int) and logits.shape.as_list()[-1] != dimension:
                    raise misuse(ValueError(report(
                        f'{message}, got {logits.shape}', inputs=[('logits', logits)],
                        hint=f'the last layer has head.logits_dimension = {dimension} units.')))
                return logits
            shape_check = tf.assert_equal(dimension, shape[-1], data=[shape], message=message)
            with tf.control_dependencies([shape_check]):
                return tf.identity(logits, name=scope)


def dense_labels(labels, logits, dimension, shapes_last=False):
    """`labels` [*batch, dimension]; with dimension 1 also [*batch], which gets the last axis.

    `shapes_last` creates the nodes in the order of TF1's public heads. Raises ValueError for
    missing or sparse labels, or an incompatible static shape.
    """
    if labels is None:
        raise misuse(ValueError(_NO_LABELS))
    with tf.name_scope(None, 'labels', (labels, logits)) as scope:
        if isinstance(labels, tf.SparseTensor):
            raise misuse(ValueError(
                f'SparseTensor labels are not supported: they must be a Tensor of shape '
                f'[D0, D1, ..., DN, {dimension}], e.g. [batch_size, {dimension}].\n  Hint: '
                f'tf.sparse.to_dense(labels) in the input_fn; each example has {dimension} '
                'value(s).'))
        labels = tf.convert_to_tensor(labels)
        if (labels.shape.ndims is not None and logits.shape.ndims is not None
                and labels.shape.ndims == logits.shape.ndims - 1):
            labels = tf.expand_dims(labels, -1)
        return _shaped_labels(labels, logits, dimension, scope, shapes_last)


def _shaped_labels(labels, logits, dimension, scope, shapes_last):
    if not shapes_last:
        given_shape, logits_shape = tf.shape(labels), tf.shape(logits)
    message = (f'labels shape must be [D0, D1, ... DN, {dimension}]. Suggested Fix: check your '
               'n_classes argument to the estimator and/or the shape of your label.')
    rank_check = tf.assert_rank_at_least(labels, 2, message=message)
    with tf.control_dependencies([rank_check]):
        last = labels.shape.as_list()[-1] if labels.shape.ndims is not None else None
        if last is not None and last != dimension:
            raise misuse(ValueError(report(
                f'Mismatched label shape. Expected labels dimension={dimension}.  Received {last}.',
                inputs=[('labels', labels), ('logits', logits)],
                hint='labels of a classifier are class ids, one per example, not one-hot rows: '
                     'tf.argmax(labels, axis=-1); a regression of several numbers needs '
                     'label_dimension.')))
        if shapes_last:
            logits_shape = tf.shape(logits)
        expected_shape = tf.concat([logits_shape[:-1], [dimension]], axis=0)
        if shapes_last:
            given_shape = tf.shape(labels)
        shape_check = tf.assert_equal(expected_shape, given_shape, message=message, data=[
            'expected_labels_shape: ', expected_shape, 'labels_shape: ', given_shape])
        with tf.control_dependencies([shape_check]):
            return tf.identity(labels, name=scope)


def range_scope(public):
    """The name scope of the range check of labels."""
    return 'check_label_range' if public else 'assert_range'


def in_range(labels, n_classes, message=None, scope='assert_range'):
    """`labels` with a runtime check that 0 <= labels < n_classes."""
    allowed = f'labels must be in [0, {n_classes})'
    be = '' if scope == 'assert_range' else 'be '
    with tf.name_scope(None, scope, (labels,)):
        below = tf.assert_less_equal(
            labels, tf.convert_to_tensor(n_classes - 1, dtype=labels.dtype),
            message=message or f'Labels must {be}<= n_classes - 1: {allowed}')
        above = tf.assert_non_negative(
            labels, message=message or f'Labels must {be}>= 0: {allowed}')
        with tf.control_dependencies([below, above]):
            return tf.identity(labels)


def example_weights(features, weight_column, logits, per_logit=False):
    """The weights of a batch: [*batch, 1], or [*batch, logits] if `per_logit`.

    1.0 without a weight_column. The weight_column is a key of `features`, or a numeric_column,
    whose normalizer_fn is applied.
    """
    message = 'weights shape must be [D0, D1, ... DN]' + (
        ', [D0, D1, ... DN, 1] or [D0, D1, ... DN, logits_dimension]' if per_logit
        else ' or [D0, D1, ... DN, 1]')
    with tf.name_scope(None, 'weights', (*_values(features), logits)) as scope:
        if weight_column is None:
            return 1.0
        weights = tf.to_float(_raw_weights(features, weight_column), name='weights')
        given_shape = tf.shape(weights, name='weights_shape')
        logits_shape = tf.shape(logits, name='logits_shape')
        data = ['logits_shape: ', logits_shape, 'weights_shape: ', given_shape]
        if (weights.shape.ndims is not None and logits.shape.ndims is not None
                and weights.shape.ndims == logits.shape.ndims - 1):
            shape_check = tf.assert_equal(logits_shape[:-1], given_shape, message=message,
                                          data=data)
            with tf.control_dependencies([shape_check]):
                return tf.expand_dims(weights, -1, name=scope)
        expected_shape = tf.concat([logits_shape[:-1], [1]], axis=0)
        if per_logit:
            fits = tf.reduce_any([tf.reduce_all(tf.equal(logits_shape, given_shape)),
                                  tf.reduce_all(tf.equal(expected_shape, given_shape))])
            shape_check = tf.Assert(fits, [message, *data])
        else:
            shape_check = tf.assert_equal(expected_shape, given_shape, message=message, data=data)
        with tf.control_dependencies([shape_check]):
            return tf.identity(weights, name=scope)


def _values(features):
    values = features.values() if isinstance(features, dict) else [features]
    return [v for v in values if isinstance(v, tf.Tensor)]


def _raw_weights(features, column):
    """The weights, a vector as a column of a matrix, normalized by the normalizer_fn."""
    key = getattr(column, 'key', column)
    if not isinstance(key, str) or not (column is key or hasattr(column, 'normalizer_fn')):
        raise misuse(TypeError('Weight column must be either a string or a numeric_column. Given '
                               f'type: {type(column)}.'))
    if not isinstance(features, dict) or key not in features:
        available = sorted(features) if isinstance(features, dict) else type(features).__name__
        raise misuse(ValueError(f'Feature {key} is not in features dictionary: it is the '
                                f'weight_column.\n  available: {available}'))
    weights = features[key]
    if isinstance(weights, tf.SparseTensor):
        raise misuse(ValueError(f'Weight column {key} must be a dense Tensor.\n  Hint: '
                                'tf.sparse.to_dense in the input_fn.'))
    weights = tf.convert_to_tensor(weights)
    if weights.shape.ndims == 1:
        weights = tf.expand_dims(weights, -1)
    if getattr(column, 'normalizer_fn', None):
        weights = column.normalizer_fn(weights)
    if not (weights.dtype.is_floating or weights.dtype.is_integer):
        raise misuse(ValueError(f'Weight column {key} should be castable to float. Given dtype: '
                                f'{weights.dtype.name}'))
    return weights


def call_loss_fn(loss_fn, labels, logits, features, dimension=1):
    """loss_fn(labels, logits[, features]), checked to return one loss per example.

    Shapes: logits [*batch, units] -> [*batch, dimension].
    """
    extra = {'features': features} if 'features' in parameter_names(loss_fn) else {}
    with tf.name_scope(None, 'call_loss_fn', [labels, logits, *_values(features)]):
        loss = loss_fn(labels=labels, logits=logits, **extra)
        logits_shape = tf.shape(logits, name='logits_shape')
        expected_shape = tf.concat([logits_shape[:-1], [dimension]], axis=0,
                                   name='expected_loss_shape')
        given_shape = tf.shape(loss, name='loss_shape')
        shape_check = tf.Assert(
            tf.reduce_all(tf.equal(given_shape, expected_shape)), name='check_loss_shape',
            data=[f'loss_fn must return Tensor of shape [D0, D1, ... DN, {dimension}]. ',
                  'logits_shape: ', logits_shape, 'loss_shape: ', given_shape])
        with tf.control_dependencies([shape_check]):
            return tf.identity(loss)


def check_loss_fn(loss_fn, optional=('features',)):
    """Raises ValueError unless loss_fn takes labels and logits, and no unknown arguments."""
    names = parameter_names(loss_fn)
    for required in ('labels', 'logits'):
        if required not in names:
            raise misuse(ValueError(f'loss_fn must contain argument: {required}. Given arguments: '
                                    f'{names}'))
    unknown = sorted(set(names) - {'labels', 'logits', *optional})
    if unknown:
        raise misuse(ValueError(f'loss_fn has unexpected args: {unknown}'))


def check_n_classes(n_classes):
    """`n_classes`, checked to be > 2: two classes need the binary head, with one logit."""
    if n_classes is None:
        raise misuse(ValueError('n_classes cannot be None'))
    if isinstance(n_classes, int) and n_classes <= 2:
        raise misuse(ValueError(f'n_classes must be > 2: {n_classes}.\n  Hint: two classes need '
                                'the binary head, whose logits_dimension is 1.'))
    return n_classes


def check_label_vocabulary(vocabulary, error=ValueError):
    """Raises `error` unless the vocabulary is a list, a tuple or None."""
    if vocabulary is not None and not isinstance(vocabulary, (list, tuple)):
        raise misuse(error('label_vocabulary should be a list or a tuple. Given type: '
                           f'{type(vocabulary)}'))


def check_thresholds(thresholds, multi_label=False):
    """The thresholds as a tuple, each in (0, 1)."""
    thresholds = tuple(thresholds or ())
    for threshold in thresholds:
        if not 0. < threshold < 1.:
            raise misuse(ValueError(
                f'thresholds must be in (0, 1) range. Given: {threshold}' if multi_label
                else f'thresholds not in (0, 1): {thresholds}.'))
    return thresholds
