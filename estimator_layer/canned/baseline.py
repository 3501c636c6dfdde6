"""Baseline estimators, which ignore the features: a lower bound for other models."""
from __future__ import annotations

from typing import Any

import tinyflow as tf
from estimator_layer.canned.common import check_features
from estimator_layer.canned.optimizers import Version1
from estimator_layer.estimator import Estimator
from estimator_layer.heads.v1 import RegressionHeadV1, binary_or_multi_class_head
from tinyflow.graph.support.errors import misuse

__all__ = ['BaselineClassifier', 'BaselineEstimator', 'BaselineRegressor']

_LEARNING_RATE = 0.3
_SUM = tf.losses.Reduction.SUM


class BaselineEstimator(Estimator):
    """A bias with a head of tf.contrib.estimator; only the batch size of the features is used.

    Shapes: features [batch, ...] -> logits [batch, head.logits_dimension]. Its Variable is
    `baseline/bias`.

    Args:
      head: loss, predictions and metrics.
      optimizer: a tf.train.Optimizer, a function that creates one, or its name.
    """

    conventions: Any = Version1

    def __init__(self, head, model_dir=None, optimizer: Any = 'Ftrl', config=None, *,
                 weight_column=None):
        conventions = self.conventions

        def model_fn(features, labels, mode, config):
            return _baseline_model_fn(features, labels, mode, head, optimizer, conventions,
                                      weight_column)
        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)


class BaselineClassifier(BaselineEstimator):
    """Predicts the frequency of each class, independent of the features.

    Labels are class ids [batch] or [batch, 1], or names of `label_vocabulary`.
    """

    def __init__(self, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None,
                 optimizer: Any = 'Ftrl', config=None, loss_reduction=_SUM):
        head = binary_or_multi_class_head(n_classes, weight_column, label_vocabulary,
                                          loss_reduction)
        super().__init__(head, model_dir, optimizer, config, weight_column=weight_column)


class BaselineRegressor(BaselineEstimator):
    """Predicts the mean of the labels, [batch, label_dimension], independent of the features."""

    def __init__(self, model_dir=None, label_dimension=1, weight_column=None,
                 optimizer: Any = 'Ftrl',
                 config=None, loss_reduction=_SUM):
        head = RegressionHeadV1(weight_column=weight_column, label_dimension=label_dimension,
                                loss_reduction=loss_reduction)
        super().__init__(head, model_dir, optimizer, config)


def _baseline_model_fn(features, labels, mode, head, optimizer, conventions, weight_column):
    units = head.logits_dimension
    check_features(features)
    checks, batch_size = _batch_size(features, _key_of(weight_column))
    with tf.control_dependencies(checks), tf.variable_scope('baseline'):
        bias = tf.get_variable('bias', shape=[units], initializer=tf.zeros_initializer,
                               use_resource=conventions.use_resource)
        logits = tf.multiply(bias, tf.ones([batch_size, units]))

    def train_op_fn(loss):
        return conventions.minimize_counting(conventions.get(optimizer, _LEARNING_RATE), loss)
    return head.create_estimator_spec(features=features, mode=mode, logits=logits, labels=labels,
                                      train_op_fn=train_op_fn)


def _key_of(weight_column):
    key = getattr(weight_column, 'key', weight_column)
    if key is not None and not isinstance(key, str):
        raise misuse(TypeError('Weight column must be either a string or a numeric_column. Given '
                               f'type: {type(weight_column)}.'))
    return key


def _batch_size(features, weight_key):
    """(checks that all features have the same batch size, the batch size [])."""
    checks, batch_size = [], None
    for key, feature in features.items():
        if key == weight_key:
            continue
        count = tf.shape(feature)[0]
        if batch_size is None:
            batch_size = count
        else:
            checks.append(tf.assert_equal(batch_size, count))
    return checks, batch_size
