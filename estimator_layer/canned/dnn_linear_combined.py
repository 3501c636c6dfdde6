"""Wide & deep estimators: the sum of the logits of a linear model and of a DNN."""
from __future__ import annotations

import math
from typing import Any

import tinyflow as tf
from estimator_layer.canned import dnn, linear
from estimator_layer.canned.common import check_features, summarize_layer
from estimator_layer.canned.optimizers import Version1
from estimator_layer.estimator import Estimator
from estimator_layer.heads.v1 import RegressionHeadV1, binary_or_multi_class_head
from tinyflow.graph.support.errors import misuse

__all__ = ['DNNLinearCombinedClassifier', 'DNNLinearCombinedEstimator',
           'DNNLinearCombinedRegressor', 'combined_model_fn']

_DNN_LEARNING_RATE = 0.001
_LINEAR_LEARNING_RATE = 0.005
_SUM = tf.losses.Reduction.SUM


class DNNLinearCombinedEstimator(Estimator):
    """A linear (wide) model and a DNN (deep) with one head; their logits are added.

    Shapes: feature columns [batch, ...] -> logits [batch, head.logits_dimension]. Cheng et al.
    2016, "Wide & Deep Learning for Recommender Systems". Each part has its own optimizer. One of
    them may have no columns.

    Args:
      head: loss, predictions and metrics.
      linear_feature_columns, linear_optimizer, linear_sparse_combiner: see LinearEstimator.
      dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout: see
        DNNEstimator.
    """

    conventions: Any = Version1

    def __init__(self, head, model_dir=None, linear_feature_columns=None,
                 linear_optimizer: Any = 'Ftrl',
                 dnn_feature_columns=None, dnn_optimizer: Any = 'Adagrad', dnn_hidden_units=None,
                 dnn_activation_fn=tf.nn.relu, dnn_dropout=None, input_layer_partitioner=None,
                 config=None, linear_sparse_combiner='sum', *, warm_start_from=None,
                 batch_norm=False):
        self._feature_columns = [*(linear_feature_columns or ()), *(dnn_feature_columns or ())]
        model_fn = combined_model_fn(
            self.conventions, head, linear_feature_columns, linear_optimizer, dnn_feature_columns,
            dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout,
            input_layer_partitioner, batch_norm, linear_sparse_combiner)
        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config,
                         warm_start_from=warm_start_from)


class DNNLinearCombinedClassifier(DNNLinearCombinedEstimator):
    """A wide & deep classifier; one logit for two classes, n logits for n.

    Labels are class ids [batch] or [batch, 1], or names of `label_vocabulary`. The loss is summed
    over the batch, as in TF1. See DNNLinearCombinedEstimator for the other arguments.
    """

    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer: Any = 'Ftrl',
                 dnn_feature_columns=None, dnn_optimizer: Any = 'Adagrad', dnn_hidden_units=None,
                 dnn_activation_fn=tf.nn.relu, dnn_dropout=None, n_classes=2, weight_column=None,
                 label_vocabulary=None, input_layer_partitioner=None, config=None,
                 warm_start_from=None, loss_reduction=_SUM, batch_norm=False,
                 linear_sparse_combiner='sum'):
        head = binary_or_multi_class_head(n_classes, weight_column, label_vocabulary,
                                          loss_reduction)
        super().__init__(
            head, model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns,
            dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout,
            input_layer_partitioner, config, linear_sparse_combiner,
            warm_start_from=warm_start_from, batch_norm=batch_norm)


class DNNLinearCombinedRegressor(DNNLinearCombinedEstimator):
    """A wide & deep regressor; the loss is the squared error.

    Labels are [batch, label_dimension] numbers. See DNNLinearCombinedEstimator for the other
    arguments.
    """

    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer: Any = 'Ftrl',
                 dnn_feature_columns=None, dnn_optimizer: Any = 'Adagrad', dnn_hidden_units=None,
                 dnn_activation_fn=tf.nn.relu, dnn_dropout=None, label_dimension=1,
                 weight_column=None, input_layer_partitioner=None, config=None,
                 warm_start_from=None, loss_reduction=_SUM, batch_norm=False,
                 linear_sparse_combiner='sum'):
        head = RegressionHeadV1(weight_column=weight_column, label_dimension=label_dimension,
                                loss_reduction=loss_reduction)
        super().__init__(
            head, model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns,
            dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout,
            input_layer_partitioner, config, linear_sparse_combiner,
            warm_start_from=warm_start_from, batch_norm=batch_norm)


def combined_model_fn(conventions, head, linear_feature_columns, linear_optimizer,
                      dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn,
                      dnn_dropout, input_layer_partitioner, batch_norm, linear_sparse_combiner):
    """The model_fn of a wide & deep model."""
    if not linear_feature_columns and not dnn_feature_columns:
        raise misuse(ValueError('Either linear_feature_columns or dnn_feature_columns must be '
                                'defined.'))
    wide = _Wide(linear_feature_columns, linear_optimizer, linear_sparse_combiner)
    deep = _Deep(dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn,
                 dnn_dropout, batch_norm)

    def model_fn(features, labels, mode, config):
        partitioner = input_layer_partitioner or conventions.partitioner(config, 64 << 20)
        return _model_fn(features, labels, mode, head, wide, deep, conventions, partitioner,
                         config)
    return model_fn


class _Part:
    """One of the two models: its columns, its optimizer, its variable scope."""

    def __init__(self, columns, optimizer):
        self.columns = columns
        self._optimizer = optimizer

    def optimizer(self, conventions, counts_steps):
        return conventions.get(self._optimizer, self._learning_rate(), counts_steps)

    def scope(self, name, features, partitioner):
        return tf.variable_scope(name, values=tuple(features.values()), partitioner=partitioner,
                                 use_resource=True)


class _Wide(_Part):
    """The linear model."""

    def __init__(self, columns, optimizer, sparse_combiner):
        super().__init__(columns, optimizer)
        self._sparse_combiner = sparse_combiner

    def _learning_rate(self):
        return min(_LINEAR_LEARNING_RATE, 1. / math.sqrt(len(self.columns)))

    def logits(self, features, units, partitioner, summary_scope):
        """(logits, name of the variable scope)."""
        with self.scope('linear', features, partitioner) as scope:
            logits = linear.logit_fn_builder(units, self.columns, self._sparse_combiner,
                                             summary_scope)(features=features)
            with summary_scope():
                summarize_layer(logits, scope.name)
        return logits, scope.name


class _Deep(_Part):
    """The DNN."""

    def __init__(self, columns, optimizer, hidden_units, activation_fn, dropout, batch_norm):
        super().__init__(columns, optimizer)
        if columns and not hidden_units:
            raise misuse(ValueError('dnn_hidden_units must be defined when dnn_feature_columns is '
                                    'specified.'))
        self._settings = hidden_units, activation_fn, dropout, batch_norm

    def _learning_rate(self):
        return _DNN_LEARNING_RATE

    def logits(self, features, units, partitioner, mode, of_layers, summary_scope):
        """(logits, name of the variable scope)."""
        hidden_units, activation_fn, dropout, batch_norm = self._settings
        with self.scope('dnn', features, of_layers) as scope:
            logit_fn = dnn.logit_fn_builder(units, hidden_units, self.columns, activation_fn,
                                            dropout, partitioner, batch_norm, summary_scope)
            return logit_fn(features=features, mode=mode), scope.name


def _model_fn(features, labels, mode, head, wide, deep, conventions, partitioner, config):
    check_features(features)
    units = head.logits_dimension
    trained, parts = [], []
    if deep.columns:
        optimizer = deep.optimizer(conventions, counts_steps=True)
        logits, scope = deep.logits(features, units, partitioner, mode,
                                    conventions.partitioner(config), conventions.summary_scope)
        parts.append(logits)
        trained.append((optimizer, scope))
    if wide.columns:
        optimizer = wide.optimizer(conventions, counts_steps=not deep.columns)
        logits, scope = wide.logits(features, units, partitioner, conventions.summary_scope)
        parts.append(logits)
        trained.append((optimizer, scope))
    logits = parts[0] + parts[1] if len(parts) > 1 else parts[0]
    return head.create_estimator_spec(
        features=features, mode=mode, labels=labels, logits=logits,
        train_op_fn=lambda loss: _train_op(loss, trained, conventions))


def _train_op(loss, trained, conventions):
    """A step of each optimizer on the Variables of its part, then the global step."""
    updates = [conventions.minimize(optimizer, loss, scope) for optimizer, scope in trained]
    updates += conventions.head_settings().get('update_ops', ())
    return conventions.count_step([optimizer for optimizer, _ in trained], updates)
