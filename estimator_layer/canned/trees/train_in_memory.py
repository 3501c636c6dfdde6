"""tf.contrib.estimator: boosted trees trained on a single batch of all data."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.canned.trees.estimators import (
    UNSET,
    TreesBase,
    classification_head,
    regression_head,
)
from estimator_layer.canned.trees.hparams import TreeHParams

__all__ = ['boosted_trees_classifier_train_in_memory', 'boosted_trees_regressor_train_in_memory']


def boosted_trees_classifier_train_in_memory(
        train_input_fn, feature_columns, model_dir=None, n_classes=UNSET, weight_column=None,
        label_vocabulary=None, n_trees=100, max_depth=6, learning_rate=0.1, l1_regularization=0.,
        l2_regularization=0., tree_complexity=0., min_node_weight=0., config=None,
        train_hooks=None, center_bias=False, pruning_mode='none', quantile_sketch_epsilon=0.01):
    """A trained binary classifier; see tf.estimator.BoostedTreesClassifier.

    `train_input_fn` returns a dataset of one batch with all rows.
    """
    head, closed_form = classification_head(n_classes, weight_column, label_vocabulary)
    hparams = TreeHParams(n_trees, max_depth, learning_rate, l1_regularization,
                          l2_regularization, tree_complexity, min_node_weight, center_bias,
                          pruning_mode, quantile_sketch_epsilon)
    model = TreesBase(model_dir, config, feature_columns, head, True, hparams, 1,
                      closed_form=closed_form, train_in_memory=True)
    return model.train(input_fn=_repeated(train_input_fn), hooks=train_hooks)


def boosted_trees_regressor_train_in_memory(
        train_input_fn, feature_columns, model_dir=None, label_dimension=UNSET, weight_column=None,
        n_trees=100, max_depth=6, learning_rate=0.1, l1_regularization=0., l2_regularization=0.,
        tree_complexity=0., min_node_weight=0., config=None, train_hooks=None, center_bias=False,
        pruning_mode='none', quantile_sketch_epsilon=0.01):
    """A trained regressor; see tf.estimator.BoostedTreesRegressor.

    `train_input_fn` returns a dataset of one batch with all rows.
    """
    head = regression_head(label_dimension, weight_column)
    hparams = TreeHParams(n_trees, max_depth, learning_rate, l1_regularization,
                          l2_regularization, tree_complexity, min_node_weight, center_bias,
                          pruning_mode, quantile_sketch_epsilon)
    model = TreesBase(model_dir, config, feature_columns, head, False, hparams, 1,
                      train_in_memory=True)
    return model.train(input_fn=_repeated(train_input_fn), hooks=train_hooks)


def _repeated(input_fn):
    """The input_fn with its Dataset repeated: each layer reads all data once."""
    def repeat():
        result = input_fn()
        return result.repeat() if isinstance(result, tf.data.Dataset) else result
    return repeat
