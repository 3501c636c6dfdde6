"""The model functions of the ready-made estimators, for a model_fn that changes the EstimatorSpec.

In TensorFlow they are in the modules of tensorflow_estimator.python.estimator.canned.
"""
from __future__ import annotations

from typing import Any

import tinyflow as tf
from estimator_layer.canned import dnn, linear
from estimator_layer.canned.dnn_linear_combined import combined_model_fn
from estimator_layer.canned.optimizers import Version1
from estimator_layer.canned.version_2 import Version2
from tinyflow.graph.support.errors import misuse

__all__ = ['_dnn_linear_combined_model_fn', '_dnn_linear_combined_model_fn_v2', '_dnn_model_fn',
           '_linear_model_fn', 'dnn_logit_fn_builder_v2', 'dnn_model_fn_v2']


def _dnn_model_fn(features, labels, mode, head, hidden_units, feature_columns,
                  optimizer: Any = 'Adagrad', activation_fn=tf.nn.relu, dropout=None,
                  input_layer_partitioner=None, config=None, use_tpu=False, batch_norm=False):
    """The EstimatorSpec of DNNEstimator."""
    _no_tpu(use_tpu)
    return dnn.dnn_model_fn(features, labels, mode, head, hidden_units, tuple(feature_columns),
                            optimizer, Version1, activation_fn, dropout, input_layer_partitioner,
                            config, batch_norm)


def dnn_model_fn_v2(features, labels, mode, head, hidden_units, feature_columns,
                    optimizer: Any = 'Adagrad', activation_fn=tf.nn.relu, dropout=None,
                    config=None, use_tpu=False, batch_norm=False):
    """The EstimatorSpec of TensorFlow 2's DNNEstimator."""
    _no_tpu(use_tpu)
    return dnn.dnn_model_fn(features, labels, mode, head, hidden_units, tuple(feature_columns),
                            optimizer, Version2, activation_fn, dropout, None, config, batch_norm)


def dnn_logit_fn_builder_v2(units, hidden_units, feature_columns, activation_fn, dropout,
                            batch_norm):
    """A function of (features, mode) that builds the layers, in the scope `dnn`: the logits.

    Shapes: -> [batch, units].
    """
    build = dnn.logit_fn_builder(units, hidden_units, feature_columns, activation_fn, dropout, None,
                                 batch_norm, Version2.summary_scope)

    def logit_fn(features, mode):
        with tf.variable_scope('dnn', values=tuple(features.values()), use_resource=True):
            return build(features, mode)
    return logit_fn


def _linear_model_fn(features, labels, mode, head, feature_columns, optimizer, partitioner, config,
                     sparse_combiner='sum'):
    """The EstimatorSpec of LinearEstimator."""
    return linear.linear_model_fn(features, labels, mode, head, tuple(feature_columns), optimizer,
                                  Version1, partitioner, config, sparse_combiner)


def _dnn_linear_combined_model_fn(
        features, labels, mode, head, linear_feature_columns=None, linear_optimizer: Any = 'Ftrl',
        dnn_feature_columns=None, dnn_optimizer: Any = 'Adagrad', dnn_hidden_units=None,
        dnn_activation_fn=tf.nn.relu, dnn_dropout=None, input_layer_partitioner=None, config=None,
        batch_norm=False, linear_sparse_combiner='sum'):
    """The EstimatorSpec of DNNLinearCombinedEstimator."""
    return combined_model_fn(
        Version1, head, linear_feature_columns, linear_optimizer, dnn_feature_columns,
        dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, input_layer_partitioner,
        batch_norm, linear_sparse_combiner)(features, labels, mode, config)


def _dnn_linear_combined_model_fn_v2(
        features, labels, mode, head, linear_feature_columns=None, linear_optimizer: Any = 'Ftrl',
        dnn_feature_columns=None, dnn_optimizer: Any = 'Adagrad', dnn_hidden_units=None,
        dnn_activation_fn=tf.nn.relu, dnn_dropout=None, config=None, batch_norm=False,
        linear_sparse_combiner='sum', loss_reduction='sum_over_batch_size'):
    """The EstimatorSpec of TensorFlow 2's DNNLinearCombinedEstimator."""
    return combined_model_fn(
        Version2, head, linear_feature_columns, linear_optimizer, dnn_feature_columns,
        dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, None, batch_norm,
        linear_sparse_combiner)(features, labels, mode, config)


def _no_tpu(use_tpu):
    if use_tpu:
        raise misuse(NotImplementedError('use_tpu=True is not supported: there is no TPU here.'))
