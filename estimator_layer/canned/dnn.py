"""DNN estimators: feature columns, fully connected layers, a head."""
from __future__ import annotations

from typing import Any

import tinyflow as tf
from estimator_layer.canned.common import check_features, summarize_layer
from estimator_layer.canned.optimizers import Version1
from estimator_layer.estimator import Estimator
from estimator_layer.heads.v1 import RegressionHeadV1, binary_or_multi_class_head
from estimator_layer.model_fn import ModeKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.input_layer import DenseFeatures

__all__ = ['DNNClassifier', 'DNNEstimator', 'DNNRegressor', 'dnn_logit_fn_builder',
           'dnn_model_fn', 'logit_fn_builder']

_LEARNING_RATE = 0.05
_SUM = tf.losses.Reduction.SUM


class DNNEstimator(Estimator):
    """Fully connected layers with a head of tf.contrib.estimator.

    Shapes: feature columns [batch, inputs] -> hidden [batch, units] ... -> logits
    [batch, head.logits_dimension]. Variables are `dnn/hiddenlayer_0/kernel` and so on.

    Args:
      head: loss, predictions and metrics, e.g. tf.contrib.estimator.multi_label_head(3).
      hidden_units: the number of units of each hidden layer, a list.
      feature_columns: dense columns of tf.feature_column; wrap a categorical column in
        indicator_column or embedding_column.
      optimizer: a tf.train.Optimizer, a function that creates one, or its name.
      dropout: the fraction of the units of a hidden layer to drop in training.
      batch_norm: True applies batch normalization after each hidden layer.
    """

    conventions: Any = Version1

    def __init__(self, head, hidden_units, feature_columns, model_dir=None,
                 optimizer: Any = 'Adagrad',
                 activation_fn=tf.nn.relu, dropout=None, input_layer_partitioner=None, config=None,
                 warm_start_from=None, batch_norm=False):
        columns, conventions = tuple(feature_columns or ()), self.conventions

        def model_fn(features, labels, mode, config):
            return dnn_model_fn(features, labels, mode, head, hidden_units, columns, optimizer,
                                conventions, activation_fn, dropout, input_layer_partitioner,
                                config, batch_norm)
        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config,
                         warm_start_from=warm_start_from)


class DNNClassifier(DNNEstimator):
    """A classifier of fully connected layers; one logit for two classes, n logits for n.

    Labels are class ids [batch] or [batch, 1], or names of `label_vocabulary`. `weight_column` is
    a key of the features, or a numeric_column. The loss is summed over the batch, as in TF1. See
    DNNEstimator for the other arguments.
    """

    def __init__(self, hidden_units, feature_columns, model_dir=None, n_classes=2,
                 weight_column=None, label_vocabulary=None, optimizer: Any = 'Adagrad',
                 activation_fn=tf.nn.relu, dropout=None, input_layer_partitioner=None, config=None,
                 warm_start_from=None, loss_reduction=_SUM, batch_norm=False):
        head = binary_or_multi_class_head(n_classes, weight_column, label_vocabulary,
                                          loss_reduction)
        super().__init__(head, hidden_units, feature_columns, model_dir, optimizer, activation_fn,
                         dropout, input_layer_partitioner, config, warm_start_from, batch_norm)


class DNNRegressor(DNNEstimator):
    """A regressor of fully connected layers; the loss is the squared error.

    Labels are [batch, label_dimension] numbers. See DNNEstimator for the other arguments.
    """

    def __init__(self, hidden_units, feature_columns, model_dir=None, label_dimension=1,
                 weight_column=None, optimizer: Any = 'Adagrad', activation_fn=tf.nn.relu,
                 dropout=None,
                 input_layer_partitioner=None, config=None, warm_start_from=None,
                 loss_reduction=_SUM, batch_norm=False):
        head = RegressionHeadV1(weight_column=weight_column, label_dimension=label_dimension,
                                loss_reduction=loss_reduction)
        super().__init__(head, hidden_units, feature_columns, model_dir, optimizer, activation_fn,
                         dropout, input_layer_partitioner, config, warm_start_from, batch_norm)


def dnn_model_fn(features, labels, mode, head, hidden_units, columns, optimizer, conventions,
                 activation_fn, dropout, input_layer_partitioner, config, batch_norm):
    """The EstimatorSpec of fully connected layers; see DNNEstimator."""
    optimizer = conventions.get(optimizer, _LEARNING_RATE)
    check_features(features)
    with tf.variable_scope('dnn', values=tuple(features.values()),
                           partitioner=conventions.partitioner(config), use_resource=True):
        logit_fn = logit_fn_builder(
            head.logits_dimension, hidden_units, columns, activation_fn, dropout,
            input_layer_partitioner or conventions.partitioner(config, min_slice_size=64 << 20),
            batch_norm, conventions.summary_scope)
        logits = logit_fn(features=features, mode=mode)
        return head.create_estimator_spec(features=features, mode=mode, labels=labels,
                                          optimizer=optimizer, logits=logits,
                                          **conventions.head_settings())


def dnn_logit_fn_builder(units, hidden_units, feature_columns, activation_fn, dropout,
                         input_layer_partitioner, batch_norm):
    """A function of (features, mode) that builds the layers and returns the logits.

    Shapes: -> [batch, units]. Call it inside tf.variable_scope('dnn'). Raises ValueError unless
    units is an int, TypeError unless hidden_units is a list.
    """
    return logit_fn_builder(units, hidden_units, feature_columns, activation_fn, dropout,
                            input_layer_partitioner, batch_norm, Version1.summary_scope)


def logit_fn_builder(units, hidden_units, feature_columns, activation_fn, dropout,
                     input_layer_partitioner, batch_norm, summary_scope):
    """dnn_logit_fn_builder, with the name scope of the summaries, a function."""
    if not isinstance(units, int):
        raise misuse(ValueError(f'units must be an int.  Given type: {type(units)}'))
    if isinstance(hidden_units, int):
        raise misuse(TypeError(f'hidden_units is {hidden_units}, not a list.\n  Hint: '
                               f'hidden_units=[{hidden_units}], one number for each layer.'))

    def logit_fn(features, mode):
        training = mode == ModeKeys.TRAIN
        inputs = DenseFeatures(feature_columns, name='input_layer')
        layers = [_HiddenLayer(index, number, activation_fn, dropout, batch_norm, summary_scope)
                  for index, number in enumerate(hidden_units)]
        with tf.variable_scope('logits') as scope:
            last = _dense(units, None, scope)
        with _current_name_scope():
            with tf.variable_scope('input_from_feature_columns',
                                   partitioner=input_layer_partitioner):
                net = inputs(features)
            for layer in layers:
                net = layer(net, training)
            logits = last(net)
            with summary_scope():
                summarize_layer(logits, scope.name)
        return logits
    return logit_fn


class _HiddenLayer:
    """A fully connected layer with optional dropout and batch normalization."""

    def __init__(self, index, units, activation_fn, dropout, batch_norm, summary_scope):
        self._summary_scope = summary_scope
        with tf.variable_scope(f'hiddenlayer_{index}') as scope:
            self.name = scope.name
            self._dense = _dense(units, activation_fn, scope)
            self._dropout = None if dropout is None else tf.layers.Dropout(rate=dropout)
            self._batch_norm = tf.layers.BatchNormalization(
                momentum=0.999, name=f'batchnorm_{index}',
                _scope=f'batchnorm_{index}') if batch_norm else None

    def __call__(self, net, training):
        net = self._dense(net)
        if self._dropout is not None and training:
            net = self._dropout(net, training=True)
        if self._batch_norm is not None:
            net = self._batch_norm(net, training=training)
        with self._summary_scope():
            summarize_layer(net, self.name)
        return net


def _dense(units, activation, scope):
    return tf.layers.Dense(units, activation=activation, name=scope, _scope=scope,
                           kernel_initializer=tf.glorot_uniform_initializer())


def _current_name_scope():
    """Reenters the current name scope, so that nodes are not created in that of a layer."""
    return tf.name_scope(tf.get_default_graph().get_name_scope() + '/')
