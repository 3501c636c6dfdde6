"""Linear estimators: weights for each feature column, a bias, a head."""
from __future__ import annotations

import math
from typing import Any

import tinyflow as tf
from estimator_layer.canned.common import check_features
from estimator_layer.canned.optimizers import Version1
from estimator_layer.estimator import Estimator
from estimator_layer.heads.v1 import RegressionHeadV1, binary_or_multi_class_head
from tinyflow.layers.feature_column.linear_model import LinearModel
from tinyflow.ops.variables.partitioned_variable import parts_of

__all__ = ['LinearClassifier', 'LinearEstimator', 'LinearRegressor', 'linear_logit_fn_builder',
           'linear_model_fn', 'logit_fn_builder']

_LEARNING_RATE = 0.2
_SUM = tf.losses.Reduction.SUM


class LinearEstimator(Estimator):
    """A linear model with a head of tf.contrib.estimator.

    Shapes: feature columns [batch, ...] -> logits [batch, head.logits_dimension]. Variables are
    `linear/linear_model/<column>/weights` and `linear/linear_model/bias_weights`.

    Args:
      head: loss, predictions and metrics, e.g. tf.contrib.estimator.poisson_regression_head().
      feature_columns: columns of tf.feature_column, dense or categorical.
      optimizer: a tf.train.Optimizer, a function that creates one, or its name; by default Ftrl
        with a learning rate of 0.2, for None of min(0.2, 1/sqrt(columns)).
      sparse_combiner: 'sum', 'mean' or 'sqrtn': how several values of a category in one example
        are combined.
    """

    conventions: Any = Version1

    def __init__(self, head, feature_columns, model_dir=None, optimizer: Any = 'Ftrl', config=None,
                 partitioner=None, sparse_combiner='sum', *, warm_start_from=None):
        columns, conventions = tuple(feature_columns or ()), self.conventions

        def model_fn(features, labels, mode, config):
            return linear_model_fn(features, labels, mode, head, columns, optimizer, conventions,
                                   partitioner, config, sparse_combiner)
        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config,
                         warm_start_from=warm_start_from)


class LinearClassifier(LinearEstimator):
    """Logistic regression for two classes, softmax regression for more.

    Labels are class ids [batch] or [batch, 1], or names of `label_vocabulary`. `weight_column` is
    a key of the features, or a numeric_column. The loss is summed over the batch, as in TF1. See
    LinearEstimator for the other arguments.
    """

    def __init__(self, feature_columns, model_dir=None, n_classes=2, weight_column=None,
                 label_vocabulary=None, optimizer: Any = 'Ftrl', config=None, partitioner=None,
                 warm_start_from=None, loss_reduction=_SUM, sparse_combiner='sum'):
        head = binary_or_multi_class_head(n_classes, weight_column, label_vocabulary,
                                          loss_reduction)
        super().__init__(head, feature_columns, model_dir, optimizer, config, partitioner,
                         sparse_combiner, warm_start_from=warm_start_from)


class LinearRegressor(LinearEstimator):
    """Linear regression; the loss is the squared error.

    Labels are [batch, label_dimension] numbers. See LinearEstimator for the other arguments.
    """

    def __init__(self, feature_columns, model_dir=None, label_dimension=1, weight_column=None,
                 optimizer: Any = 'Ftrl', config=None, partitioner=None, warm_start_from=None,
                 loss_reduction=_SUM, sparse_combiner='sum'):
        head = RegressionHeadV1(weight_column=weight_column, label_dimension=label_dimension,
                                loss_reduction=loss_reduction)
        super().__init__(head, feature_columns, model_dir, optimizer, config, partitioner,
                         sparse_combiner, warm_start_from=warm_start_from)


def linear_model_fn(features, labels, mode, head, columns, optimizer, conventions, partitioner,
                    config, sparse_combiner):
    """The EstimatorSpec of a linear model; see LinearEstimator."""
    check_features(features)
    partitioner = partitioner or conventions.partitioner(config, min_slice_size=64 << 20)
    with tf.variable_scope('linear', values=tuple(features.values()), partitioner=partitioner,
                           use_resource=True):
        logits = logit_fn_builder(head.logits_dimension, columns, sparse_combiner,
                                  conventions.summary_scope)(features=features)
        optimizer = conventions.get(optimizer or conventions.ftrl(
            min(_LEARNING_RATE, 1. / math.sqrt(len(columns)))), _LEARNING_RATE)
        return head.create_estimator_spec(features=features, mode=mode, labels=labels,
                                          optimizer=optimizer, logits=logits,
                                          **conventions.head_settings())


def linear_logit_fn_builder(units, feature_columns, sparse_combiner='sum'):
    """A function of features that builds the linear model and returns the logits.

    Shapes: -> [batch, units]. Call it inside tf.variable_scope('linear').
    """
    return logit_fn_builder(units, feature_columns, sparse_combiner, Version1.summary_scope)


def logit_fn_builder(units, feature_columns, sparse_combiner, summary_scope):
    """linear_logit_fn_builder, with the name scope of the summaries, a function."""
    def logit_fn(features):
        model = LinearModel(feature_columns, units=units, sparse_combiner=sparse_combiner)
        logits = model(features)
        bias = parts_of(model.bias)
        weights = [part for variable in model.variables if variable is not model.bias
                   for part in parts_of(variable) if not any(part is b for b in bias)]
        with summary_scope():
            if units > 1:
                tf.summary.histogram('bias', bias)
            else:
                tf.summary.scalar('bias', bias[0][0])
            tf.summary.scalar('fraction_of_zero_weights', _fraction_of_zero(weights))
        return logits
    return logit_fn


def _fraction_of_zero(variables):
    """The fraction of all weights that is zero, a scalar; NaN without weights."""
    with tf.name_scope('zero_fraction'):
        with tf.name_scope('total_size'):
            sizes = [tf.size(variable, out_type=tf.int64) for variable in variables]
            total = tf.add_n(sizes)
        with tf.name_scope('total_zero'):
            zeros = tf.add_n([_zeros_in(variable, size)
                              for variable, size in zip(variables, sizes)])
        with tf.name_scope('compute'):
            fraction = zeros / tf.cast(total, tf.float32, name='float32_size')
        return tf.identity(fraction, name='zero_fraction_or_nan')


def _zeros_in(variable, size):
    """The number of zeros, as float32."""
    return tf.cond(tf.equal(size, tf.constant(0, dtype=tf.int64)),
                   true_fn=lambda: tf.constant(0, dtype=tf.float32),
                   false_fn=lambda: tf.nn.zero_fraction(variable) * tf.to_float(size),
                   name='zero_count')
