"""Metrics of the confusion matrix: counts, precision, recall, AUC, mean IoU."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.losses.base import squeeze_or_expand_dimensions
from keras_layer.metrics.base import Metric
from tinyflow.graph.support.errors import misuse

__all__ = ['AUC', 'FalseNegatives', 'FalsePositives', 'MeanIoU', 'Precision', 'Recall',
           'SensitivityAtSpecificity', 'SpecificityAtSensitivity', 'TrueNegatives',
           'TruePositives']

_NONE_BELOW = -1e10         # the score of a class that is not among the highest k


def _thresholds(given, default):
    thresholds = [default] if given is None else \
        list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
    wrong = [t for t in thresholds if t is None or not (0 <= t <= 1 or t == _NONE_BELOW)]
    if wrong:
        raise misuse(ValueError(f'Threshold values must be in [0, 1]. Invalid values: {wrong}'))
    return thresholds


def _confusion(counts, y_true, y_pred, thresholds, sample_weight=None, top_k=None, class_id=None):
    """Adds a batch to the counts, {'tp': Variable ...}, one number for each threshold."""
    y_true, y_pred = tf.cast(y_true, 'float32'), tf.cast(y_pred, 'float32')
    with tf.control_dependencies([
            tf.assert_greater_equal(y_pred, 0., message='predictions must be >= 0'),
            tf.assert_less_equal(y_pred, 1., message='predictions must be <= 1')]):
        y_pred = tf.identity(y_pred)
    y_pred, y_true, sample_weight = squeeze_or_expand_dimensions(y_pred, y_true, sample_weight)
    if top_k is not None:
        highest = tf.reduce_sum(tf.one_hot(tf.nn.top_k(y_pred, top_k, sorted=False)[1],
                                           y_pred.shape.as_list()[-1]), axis=-2)
        y_pred = y_pred * highest + _NONE_BELOW * (1. - highest)
    if class_id is not None:
        y_true, y_pred = y_true[..., class_id], y_pred[..., class_id]
        if sample_weight is not None and sample_weight.shape.ndims == y_pred.shape.ndims + 1:
            sample_weight = tf.squeeze(sample_weight, [-1])
    above = tf.reshape(y_pred, [1, -1]) > tf.reshape(tf.constant(thresholds, 'float32'), [-1, 1])
    true = tf.reshape(tf.cast(y_true, tf.bool), [1, -1])
    weight = 1.
    if sample_weight is not None:
        weight = tf.reshape(K.broadcast_weights(tf.cast(sample_weight, 'float32'), y_pred),
                            [1, -1])
    kinds = {'tp': (true, above), 'fp': (tf.logical_not(true), above),
             'fn': (true, tf.logical_not(above)),
             'tn': (tf.logical_not(true), tf.logical_not(above))}
    updates = []
    for kind, variable in counts.items():
        both = tf.cast(tf.logical_and(*kinds[kind]), 'float32')
        updates.append(variable.assign_add(tf.reduce_sum(both * weight, axis=1)))
    return tf.group(*[u.op for u in updates])


class _Count(Metric):
    kind = None

    def __init__(self, thresholds=None, name=None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.thresholds = _thresholds(thresholds, 0.5)
        with K.init_scope():
            self.accumulator = self.add_weight('accumulator', shape=(len(self.thresholds),),
                                               initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Adds a batch; outputs must be in [0, 1]."""
        return _confusion({self.kind: self.accumulator}, y_true, y_pred, self.thresholds,
                          sample_weight)

    def result(self):
        """The number so far, for each threshold if there are several."""
        value = tf.convert_to_tensor(self.accumulator)
        return value[0] if len(self.thresholds) == 1 else value

    def get_config(self):
        return {**super().get_config(), 'thresholds': self.init_thresholds}


class TruePositives(_Count):
    """The number of true positives, at one or more thresholds."""

    kind = 'tp'


class FalsePositives(_Count):
    """The number of false positives, at one or more thresholds."""

    kind = 'fp'


class TrueNegatives(_Count):
    """The number of true negatives, at one or more thresholds."""

    kind = 'tn'


class FalseNegatives(_Count):
    """The number of false negatives, at one or more thresholds."""

    kind = 'fn'


class _Ratio(Metric):
    """true positives / (true positives + `other`)."""

    other = other_name = None

    def __init__(self, thresholds=None, top_k=None, class_id=None, name=None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds, self.top_k, self.class_id = thresholds, top_k, class_id
        self.thresholds = _thresholds(thresholds, 0.5 if top_k is None else _NONE_BELOW)
        shape = (len(self.thresholds),)
        with K.init_scope():
            self.true_positives = self.add_weight('true_positives', shape=shape,
                                                  initializer='zeros')
            self._other = self.add_weight(self.other_name, shape=shape, initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Adds a batch; outputs must be in [0, 1]."""
        return _confusion({'tp': self.true_positives, self.other: self._other}, y_true, y_pred,
                          self.thresholds, sample_weight, self.top_k, self.class_id)

    def result(self):
        """The ratio so far, for each threshold if there are several."""
        value = K.div_no_nan(tf.convert_to_tensor(self.true_positives),
                             self.true_positives + self._other)
        return value[0] if len(self.thresholds) == 1 else value

    def get_config(self):
        return {**super().get_config(), 'thresholds': self.init_thresholds, 'top_k': self.top_k,
                'class_id': self.class_id}


class Precision(_Ratio):
    """Precision: true positives / predicted positives."""

    other, other_name = 'fp', 'false_positives'


class Recall(_Ratio):
    """Recall: true positives / actual positives."""

    other, other_name = 'fn', 'false_negatives'


class _Curve(Metric):
    """All four counts at many thresholds."""

    def _make(self, thresholds):
        self.thresholds = thresholds
        with K.init_scope():
            for name in ('true_positives', 'true_negatives', 'false_positives',
                         'false_negatives'):
                setattr(self, name, self.add_weight(name, shape=(len(self.thresholds),),
                                                    initializer='zeros'))

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Adds a batch; outputs must be in [0, 1]."""
        return _confusion({'tp': self.true_positives, 'tn': self.true_negatives,
                           'fp': self.false_positives, 'fn': self.false_negatives},
                          y_true, y_pred, self.thresholds, sample_weight)


def _spread(number):
    """Evenly spaced thresholds between 0 and 1, without the ends."""
    return [(i + 1) / (number - 1) for i in range(number - 2)]


class _At(_Curve):
    def __init__(self, value, num_thresholds, name, dtype):
        super().__init__(name=name, dtype=dtype)
        if not 0 <= value <= 1:
            raise misuse(ValueError(f'{type(self).__name__}({value}): a value between 0 and 1.'))
        if num_thresholds <= 0:
            raise misuse(ValueError('`num_thresholds` must be > 0.'))
        self.value, self.num_thresholds = value, num_thresholds
        self._make([0.5] if num_thresholds == 1 else [0., *_spread(num_thresholds), 1.])

    def _closest(self, given, wanted):
        at = tf.argmin(tf.abs(given - self.value), axis=0)
        return wanted[at]

    def _rates(self):
        sensitivity = K.div_no_nan(tf.convert_to_tensor(self.true_positives),
                                   self.true_positives + self.false_negatives)
        specificity = K.div_no_nan(tf.convert_to_tensor(self.true_negatives),
                                   self.true_negatives + self.false_positives)
        return sensitivity, specificity


class SensitivityAtSpecificity(_At):
    """The recall of the positives at the threshold whose specificity is nearest to the given."""

    def __init__(self, specificity, num_thresholds=200, name=None, dtype=None):
        super().__init__(specificity, num_thresholds, name, dtype)
        self.specificity = specificity

    def result(self):
        """The sensitivity so far."""
        sensitivity, specificity = self._rates()
        return self._closest(specificity, sensitivity)

    def get_config(self):
        return {**super().get_config(), 'num_thresholds': self.num_thresholds,
                'specificity': self.specificity}


class SpecificityAtSensitivity(_At):
    """The recall of the negatives at the threshold whose sensitivity is nearest to the given."""

    def __init__(self, sensitivity, num_thresholds=200, name=None, dtype=None):
        super().__init__(sensitivity, num_thresholds, name, dtype)
        self.sensitivity = sensitivity

    def result(self):
        """The specificity so far."""
        sensitivity, specificity = self._rates()
        return self._closest(sensitivity, specificity)

    def get_config(self):
        return {**super().get_config(), 'num_thresholds': self.num_thresholds,
                'sensitivity': self.sensitivity}


class AUC(_Curve):
    """The area under the ROC or precision-recall ('PR') curve, from counts at many thresholds.

    `summation_method`: 'interpolation' (trapezoids; for PR the formula of Davis and Goadrich,
    2006), 'minoring' or 'majoring' (the lower or upper step).
    """

    def __init__(self, num_thresholds=200, curve='ROC', summation_method='interpolation',
                 name=None, dtype=None, thresholds=None):
        super().__init__(name=name, dtype=dtype)
        if curve not in ('ROC', 'PR'):
            raise misuse(ValueError(f'Invalid AUC curve value "{curve}"; use "ROC" or "PR".'))
        if summation_method not in ('interpolation', 'minoring', 'majoring'):
            raise misuse(ValueError(f'Invalid AUC summation method value "{summation_method}".'))
        if thresholds is not None:
            _thresholds(thresholds, None)
            thresholds = sorted(thresholds)
            num_thresholds = len(thresholds) + 2
        elif num_thresholds <= 1:
            raise misuse(ValueError('`num_thresholds` must be > 1.'))
        self.num_thresholds, self.curve = num_thresholds, curve
        self.summation_method = summation_method
        margin = K.epsilon()
        inner = _spread(num_thresholds) if thresholds is None else thresholds
        self._make([0. - margin, *inner, 1. + margin])

    def result(self):
        """The area so far."""
        tp, tn, fp, fn = (tf.convert_to_tensor(v) for v in (
            self.true_positives, self.true_negatives, self.false_positives,
            self.false_negatives))
        if self.curve == 'PR' and self.summation_method == 'interpolation':
            return self._interpolated(tp, fp, fn)
        recall = K.div_no_nan(tp, tp + fn)
        if self.curve == 'ROC':
            x, y = K.div_no_nan(fp, fp + tn), recall
        else:
            x, y = recall, K.div_no_nan(tp, tp + fp)
        left, right = y[:-1], y[1:]
        height = {'interpolation': lambda: (left + right) / 2.,
                  'minoring': lambda: tf.minimum(left, right),
                  'majoring': lambda: tf.maximum(left, right)}[self.summation_method]()
        return tf.reduce_sum((x[:-1] - x[1:]) * height)

    @staticmethod
    def _interpolated(tp, fp, fn):
        tp_step = tp[:-1] - tp[1:]
        above = tp + fp
        slope = K.div_no_nan(tp_step, tf.maximum(above[:-1] - above[1:], 0))
        intercept = tp[1:] - tf.multiply(slope, above[1:])
        both = tf.logical_and(above[:-1] > 0, above[1:] > 0)
        ratio = tf.where(both, K.div_no_nan(above[:-1], tf.maximum(above[1:], 0)),
                         tf.ones_like(above[1:]))
        area = K.div_no_nan(slope * (tp_step + intercept * tf.log(ratio)),
                            tf.maximum(tp[1:] + fn[1:], 0))
        return tf.reduce_sum(area)

    def get_config(self):
        config = {'num_thresholds': self.num_thresholds, 'curve': self.curve,
                  'summation_method': self.summation_method,
                  'thresholds': self.thresholds[1:-1]}
        return {**super().get_config(), **config}


class MeanIoU(Metric):
    """The mean over the classes of intersection / union of labels and predicted classes."""

    def __init__(self, num_classes, name=None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.num_classes = num_classes
        with K.init_scope():
            self.total_cm = self.add_weight('total_confusion_matrix',
                                            shape=(num_classes, num_classes),
                                            initializer='zeros')

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Adds a batch of classes, as integers."""
        def flat(x):
            return tf.reshape(x, [-1]) if x.shape.ndims > 1 else x
        y_true, y_pred = (flat(tf.cast(y, self._dtype)) for y in (y_true, y_pred))
        if sample_weight is not None:
            sample_weight = flat(tf.cast(sample_weight, self._dtype))
        matrix = tf.confusion_matrix(y_true, y_pred, self.num_classes, weights=sample_weight,
                                     dtype=tf.as_dtype(self._dtype))
        return self.total_cm.assign_add(matrix)

    def result(self):
        """The mean so far, over the classes that occurred."""
        matrix = tf.convert_to_tensor(self.total_cm)
        right = tf.diag_part(matrix)
        union = tf.reduce_sum(matrix, axis=0) + tf.reduce_sum(matrix, axis=1) - right
        occurred = tf.reduce_sum(tf.cast(tf.not_equal(union, 0), self._dtype))
        return K.div_no_nan(tf.reduce_sum(K.div_no_nan(right, union)), occurred)

    def get_config(self):
        return {**super().get_config(), 'num_classes': self.num_classes}
