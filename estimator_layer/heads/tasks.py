"""Tasks of heads: labels, loss per example, predictions and signatures, for each kind of head.

A task is the common part of TF1's heads (heads/v1.py: tf.metrics, tf.train optimizers) and the
public heads (heads/base.py: Keras metrics and optimizers).
"""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.export.export_output import (
    ClassificationOutput,
    PredictOutput,
    RegressionOutput,
)
from estimator_layer.heads import checks
from estimator_layer.heads.keys import (
    CLASSIFY_SERVING_KEY,
    DEFAULT_SERVING_KEY,
    PREDICT_SERVING_KEY,
    REGRESS_SERVING_KEY,
    PredictionKeys as Key,
)
from tinyflow.graph.support.errors import abstract, misuse

__all__ = ['Binary', 'MultiClass', 'MultiLabel', 'Regression', 'Task']


class Task:
    """The part of a head that is independent of metrics and optimizers.

    `public` is True for the heads of tf.estimator, whose checks have other names and another order
    in TF1.
    """

    prediction_keys: tuple[str, ...] = ()
    weights_per_logit = False
    loss_dimension = 1

    def __init__(self, logits_dimension, weight_column=None, loss_fn=None, public=False):
        self.logits_dimension = logits_dimension
        self.weight_column = weight_column
        self.loss_fn = loss_fn
        self.public = public

    def labels(self, labels, logits):
        """The labels, checked and converted for the loss."""
        raise abstract(self)

    def _dense(self, labels, logits, dimension):
        return checks.dense_labels(labels, logits, dimension, shapes_last=self.public)

    def _in_range(self, labels, n_classes, message=None):
        return checks.in_range(labels, n_classes, message, checks.range_scope(self.public))

    def unweighted_loss(self, labels, logits, features):
        """The loss of each example, [*batch, loss_dimension], from what `labels` returned."""
        if self.loss_fn:
            return checks.call_loss_fn(self.loss_fn, labels, logits, features,
                                       self.loss_dimension)
        return self._default_loss(labels, logits)

    def weights(self, features, logits):
        """The weights of the examples; 1.0 without a weight_column."""
        return checks.example_weights(features, self.weight_column, logits,
                                      self.weights_per_logit)

    def predictions(self, logits, keys=None):
        """{key: tensor}; the nodes are created in the order of `keys`."""
        tensors = _Predictions(self, logits)
        return {key: tensors[key] for key in keys or self.prediction_keys}

    def export_outputs(self, predictions):
        """{signature name: ExportOutput}."""
        raise abstract(self)


class _Predictions(dict):
    """Predictions by key; each tensor is created once, when it is first needed."""

    def __init__(self, task, logits):
        super().__init__({Key.LOGITS: logits})
        self._task = task

    def __missing__(self, key):
        self[key] = getattr(self._task, '_' + key)(self)
        return self[key]


class _Classes(Task):
    """Base of the classification tasks: class ids and class names."""

    def __init__(self, n_classes, label_vocabulary=None, **settings):
        super().__init__(**settings)
        self.n_classes = n_classes
        self.label_vocabulary = label_vocabulary

    def _in_class_range(self, ids):
        """Class ids with a range check, which fails for -1: a name not in label_vocabulary."""
        message = None
        if self.label_vocabulary:
            message = (f'-1 is a label that is not in label_vocabulary='
                       f'{list(self.label_vocabulary)}; labels must be in [0, {self.n_classes})')
        return self._in_range(ids, self.n_classes, message)

    def _ids_of(self, names):
        if names.dtype.base_dtype != tf.string:
            raise misuse(ValueError(
                f'Labels dtype should be string if there is a vocabulary. Instead got '
                f'{names.dtype.name}.\n  Hint: omit label_vocabulary, if the labels are already '
                'ids; or use tf.as_string(labels).'))
        return self._id_table().lookup(names)

    def _id_table(self):
        return tf.contrib.lookup.index_table_from_tensor(tuple(self.label_vocabulary),
                                                         name='class_id_lookup')

    def _class_ids(self, tensors):
        return tf.expand_dims(
            tf.argmax(self._scores(tensors), axis=-1, name=Key.CLASS_IDS), axis=-1)

    def _classes(self, tensors):
        ids = tensors[Key.CLASS_IDS]
        if not self.label_vocabulary:
            return tf.as_string(ids, name='str_classes')
        return tf.contrib.lookup.index_to_string_table_from_tensor(
            self.label_vocabulary, name='class_string_lookup').lookup(ids)

    def _all_class_ids(self, tensors):
        return _for_each_row(tensors[Key.LOGITS], lambda: tf.range(self.n_classes))

    def _all_classes(self, tensors):
        return self._all_names(tensors[Key.LOGITS])

    def _all_names(self, logits):
        """The names of all classes, repeated for each example: [batch, n_classes] strings."""
        return _for_each_row(logits, lambda: self.label_vocabulary
                             or tf.as_string(tf.range(self.n_classes)))

    def _classification(self, predictions):
        scores = predictions[Key.PROBABILITIES]
        return ClassificationOutput(scores=scores, classes=self._all_names(scores))


def _for_each_row(logits, values):
    count = tf.shape(logits)[0]
    return tf.tile(tf.expand_dims(values(), axis=0), [count, 1])


class Binary(_Classes):
    """Two classes, one logit; labels in [0, 1], or two names.

    Loss: sigmoid cross entropy.
    """

    prediction_keys = (Key.LOGITS, Key.LOGISTIC, Key.PROBABILITIES, Key.CLASS_IDS, Key.CLASSES,
                       Key.ALL_CLASS_IDS, Key.ALL_CLASSES)

    def __init__(self, **settings):
        super().__init__(n_classes=2, logits_dimension=1, **settings)

    def labels(self, labels, logits):
        labels = self._dense(labels, logits, 1)
        if self.label_vocabulary is not None:
            labels = self._ids_of(labels)
        elif labels.dtype.base_dtype == tf.string:
            raise misuse(ValueError('Labels of dtype string need a label_vocabulary.\n  Hint: '
                                    "label_vocabulary=['no', 'yes'], in the order of the ids."))
        return self._in_class_range(tf.to_float(labels))

    def _default_loss(self, labels, logits):
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _logistic(self, tensors):
        return tf.sigmoid(tensors[Key.LOGITS], name=Key.LOGISTIC)

    def _two_class_logits(self, tensors):
        logits = tensors[Key.LOGITS]
        return tf.concat((tf.zeros_like(logits), logits), axis=-1, name='two_class_logits')

    def _scores(self, tensors):
        return tensors['two_class_logits']

    def _probabilities(self, tensors):
        return tf.nn.softmax(self._scores(tensors), name=Key.PROBABILITIES)

    def export_outputs(self, predictions):
        classes = self._classification(predictions)
        return {DEFAULT_SERVING_KEY: classes, CLASSIFY_SERVING_KEY: classes,
                REGRESS_SERVING_KEY: RegressionOutput(value=predictions[Key.LOGISTIC]),
                PREDICT_SERVING_KEY: PredictOutput(predictions)}


class MultiClass(_Classes):
    """One of n > 2 classes, n logits; labels are ids, or names of a vocabulary.

    Loss: softmax cross entropy.
    """

    prediction_keys = (Key.LOGITS, Key.PROBABILITIES, Key.CLASS_IDS, Key.CLASSES,
                       Key.ALL_CLASS_IDS, Key.ALL_CLASSES)

    def __init__(self, n_classes, **settings):
        super().__init__(n_classes=n_classes, logits_dimension=n_classes, **settings)

    def labels(self, labels, logits):
        labels = self._dense(labels, logits, 1)
        if self.label_vocabulary is not None:
            labels = self._ids_of(labels)
        elif not labels.dtype.is_integer:
            hint = 'label_vocabulary=[...], in the order of the ids.' \
                if labels.dtype.base_dtype == tf.string else 'tf.cast(labels, tf.int64).'
            raise misuse(ValueError('Labels dtype should be integer. Instead got '
                                    f'{labels.dtype.name}.\n  Hint: {hint}'))
        return self._in_class_range(labels)

    def _default_loss(self, labels, logits):
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits,
                                                      reduction=tf.losses.Reduction.NONE)
        return tf.expand_dims(loss, axis=-1)

    def _scores(self, tensors):
        return tensors[Key.LOGITS]

    def _probabilities(self, tensors):
        return tf.nn.softmax(tensors[Key.LOGITS], name=Key.PROBABILITIES)

    def export_outputs(self, predictions):
        classes = self._classification(predictions)
        return {DEFAULT_SERVING_KEY: classes, CLASSIFY_SERVING_KEY: classes,
                PREDICT_SERVING_KEY: PredictOutput(predictions)}


class MultiLabel(_Classes):
    """Several of n classes per example, n logits.

    Labels are a [*batch, n_classes] indicator of 0 and 1, or a SparseTensor of ids or names.
    Loss: the mean over the classes of sigmoid cross entropies.
    """

    prediction_keys = (Key.LOGITS, Key.PROBABILITIES)

    def __init__(self, n_classes, **settings):
        super().__init__(n_classes=n_classes, logits_dimension=n_classes, **settings)

    def labels(self, labels, logits):
        if labels is None:
            return self._dense(labels, logits, self.n_classes)
        if isinstance(labels, tf.SparseTensor):
            indicator = self._indicator(labels)
        else:
            indicator = self._in_range(
                tf.convert_to_tensor(labels), 2,
                message='labels must be an integer indicator Tensor with values in [0, 1]')
        return self._dense(indicator, logits, self.logits_dimension)

    def _indicator(self, labels):
        if labels.dtype.base_dtype == tf.string:
            if not self.label_vocabulary:
                raise misuse(ValueError('Labels of dtype string need a label_vocabulary.'))
            labels = tf.SparseTensor(labels.indices, self._id_table().lookup(labels.values),
                                     labels.dense_shape)
            return tf.to_int64(tf.sparse_to_indicator(labels, self.n_classes))
        with tf.control_dependencies(self._range_checks(labels.values)):
            return tf.to_int64(tf.sparse_to_indicator(labels, self.n_classes))

    def _range_checks(self, ids):
        message = f'labels must be an integer SparseTensor with values in [0, {self.n_classes})'
        if not ids.dtype.is_integer:
            raise misuse(ValueError(f'{message}. Instead got {ids.dtype.name}.'))
        if self.public:
            return [self._in_range(ids, self.n_classes, message)]
        return [tf.assert_integer(ids, message=message),
                tf.assert_less(ids, tf.convert_to_tensor(self.n_classes, dtype=ids.dtype),
                               message=message),
                tf.assert_non_negative(ids, message=message)]

    def _default_loss(self, labels, logits):
        loss = tf.losses.sigmoid_cross_entropy(labels, logits,
                                               reduction=tf.losses.Reduction.NONE)
        return tf.reduce_mean(loss, axis=-1, keepdims=True)

    def _probabilities(self, tensors):
        return tf.sigmoid(tensors[Key.LOGITS], name=Key.PROBABILITIES)

    def export_outputs(self, predictions):
        classes = self._classification(predictions)
        return {DEFAULT_SERVING_KEY: classes, CLASSIFY_SERVING_KEY: classes,
                PREDICT_SERVING_KEY: PredictOutput(predictions)}


class Regression(Task):
    """Regression, one number per logit, after `inverse_link_fn` if there is one.

    Loss: squared error of the logits, or loss_fn.
    """

    weights_per_logit = True

    def __init__(self, label_dimension=1, inverse_link_fn=None, **settings):
        if label_dimension < 1:
            raise misuse(ValueError(f'Invalid label_dimension {label_dimension}.'))
        super().__init__(logits_dimension=label_dimension, **settings)
        self.loss_dimension = label_dimension
        self.inverse_link_fn = inverse_link_fn
        self.prediction_keys = ((Key.PREDICTIONS, Key.LOGITS) if inverse_link_fn
                                else (Key.PREDICTIONS,))

    def labels(self, labels, logits):
        labels = self._dense(labels, logits, self.logits_dimension)
        if labels.dtype.base_dtype == tf.string:
            raise misuse(ValueError('Labels of a regression must be numbers. Instead got string.\n'
                                    '  Hint: tf.string_to_number(labels).'))
        return tf.to_float(labels)

    def _default_loss(self, labels, logits):
        return tf.losses.mean_squared_error(labels, logits, reduction=tf.losses.Reduction.NONE)

    def _predictions(self, tensors):
        logits = tensors[Key.LOGITS]
        return self.inverse_link_fn(logits) if self.inverse_link_fn else logits

    def export_outputs(self, predictions):
        value = RegressionOutput(value=predictions[Key.PREDICTIONS])
        return {DEFAULT_SERVING_KEY: value, REGRESS_SERVING_KEY: value,
                PREDICT_SERVING_KEY: PredictOutput(predictions)}
