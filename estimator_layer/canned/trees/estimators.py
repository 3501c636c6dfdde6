"""tf.estimator.BoostedTrees*: each tree corrects the errors of the previous ones."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.canned.trees import columns as features_of, explain
from estimator_layer.canned.trees.hparams import TreeHParams
from estimator_layer.canned.trees.model_fn import model_fn
from estimator_layer.estimator import Estimator
from estimator_layer.heads import checks
from estimator_layer.heads.tasks import Binary, MultiClass
from estimator_layer.heads.v1 import BinaryHeadV1, RegressionHeadV1
from tinyflow.graph.support.errors import misuse

__all__ = ['BoostedTreesClassifier', 'BoostedTreesEstimator', 'BoostedTreesRegressor',
           'TreesBase', 'classification_head', 'regression_head']

UNSET = object()            # the default of n_classes and label_dimension
_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE


class TreesBase(Estimator):
    """Base of the boosted trees estimators: feature importances and explanations.

    `model_arguments` are passed to estimator_layer.canned.trees.model_fn.
    """

    def __init__(self, model_dir, config, feature_columns, head, is_classification, hparams,
                 n_batches_per_layer, **model_arguments):
        self._columns = sorted(feature_columns, key=lambda column: column.name)
        self._head, self._is_classification = head, is_classification
        self._hparams = hparams
        self._feature_names = features_of.feature_names(self._columns)

        def build(features, labels, mode, config):
            return model_fn(features, labels, mode, head, self._columns, hparams,
                            n_batches_per_layer, config, **model_arguments)
        super().__init__(model_fn=build, model_dir=model_dir, config=config)

    def experimental_feature_importances(self, normalize=False):
        """{column name: total gain of its splits}, in decreasing order.

        `normalize` scales the sum to 1. Raises ValueError before training, or without any split.
        """
        serialized = tf.train.load_variable(self._model_dir, 'boosted_trees:0_serialized')
        serialized = getattr(serialized, 'item', lambda: serialized)()
        if not serialized:
            raise misuse(ValueError('Found empty serialized string for TreeEnsemble. You should '
                                    'only call this method after training.'))
        return explain.importances(serialized, self._feature_names, normalize)

    def experimental_predict_with_explanations(self, input_fn, predict_keys=None, hooks=None,
                                               checkpoint_path=None):
        """Yields predictions with 'bias' and 'dfc': {column: contribution}, in decreasing order.

        The bias and the contributions add up to the prediction, for a classifier the probability
        of class 1. Raises ValueError unless the model was created with center_bias=True.
        """
        self._check_explainable()

        def build(features, labels, mode):
            return explain.predict_with_paths(features, self._head, self._columns,
                                              self._hparams.quantile_sketch_epsilon)
        estimator = Estimator(model_fn=build, model_dir=self.model_dir, config=self.config,
                              warm_start_from=self._warm_start_settings)
        if predict_keys is not None:
            predict_keys = [predict_keys] if isinstance(predict_keys, str) else predict_keys
            predict_keys = [*dict.fromkeys([*predict_keys, explain.PATH_KEY])]
        for row in estimator.predict(input_fn, predict_keys=predict_keys, hooks=hooks,
                                     checkpoint_path=checkpoint_path):
            row['bias'], row['dfc'] = explain.bias_and_contributions(
                row.pop(explain.PATH_KEY), self._feature_names, self._is_classification)
            yield row

    def _check_explainable(self):
        if not self._hparams.center_bias:
            raise misuse(ValueError(
                'center_bias must be enabled during estimator instantiation when using '
                'experimental_predict_with_explanations.\n  Hint: center_bias=True; the root of '
                'the first tree is then the mean, to which contributions are relative.'))
        link = getattr(getattr(self._head, '_task', None), 'inverse_link_fn', None)
        if not self._is_classification and link not in (None, tf.identity):
            raise misuse(ValueError(
                'For now only identity inverse_link_fn in regression_head is supported for '
                'experimental_predict_with_explanations.'))


class BoostedTreesClassifier(TreesBase):
    """A binary classifier of gradient boosted trees.

    Each step adds the statistics of a batch; after n_batches_per_layer batches a tree grows by a
    layer. Training ends after n_trees trees.

    Args:
      feature_columns: bucketized, indicator and numeric columns; numeric ones are divided into
        1 / quantile_sketch_epsilon buckets, whose boundaries are computed from the first batches.
      n_batches_per_layer: the number of batches in the data, or in a large part of it.
      n_classes: 2.
      max_depth: the number of layers of a tree.
      learning_rate: the shrinkage of the values of leaves.
      tree_complexity: the penalty of a leaf; needs pruning_mode 'pre' (no split with less gain) or
        'post' (complete trees are pruned).
      min_node_weight: the minimum sum of hessians of a node that is split.
      center_bias: first fit the root of the first tree to the mean.
      train_in_memory: the input_fn returns all data as one batch, and n_batches_per_layer is 1.

    Raises ValueError for more than two classes, and for inconsistent arguments.
    """

    def __init__(self, feature_columns, n_batches_per_layer, model_dir=None, n_classes=UNSET,
                 weight_column=None, label_vocabulary=None, n_trees=100, max_depth=6,
                 learning_rate=0.1, l1_regularization=0., l2_regularization=0.,
                 tree_complexity=0., min_node_weight=0., config=None, center_bias=False,
                 pruning_mode='none', quantile_sketch_epsilon=0.01, train_in_memory=False):
        if n_classes is not UNSET and n_classes > 2 and pruning_mode is not None:
            raise misuse(ValueError(
                'For now pruning is not supported with multi class.\n  Hint: as in TensorFlow 1, '
                'boosted trees support two classes; use one classifier per class (one against the '
                'rest), or tf.estimator.DNNClassifier.'))
        head, closed_form = classification_head(n_classes, weight_column, label_vocabulary)
        hparams = TreeHParams(n_trees, max_depth, learning_rate, l1_regularization,
                              l2_regularization, tree_complexity, min_node_weight, center_bias,
                              pruning_mode, quantile_sketch_epsilon)
        super().__init__(model_dir, config, feature_columns, head, True, hparams,
                         n_batches_per_layer, closed_form=closed_form,
                         weight_column=weight_column, train_in_memory=train_in_memory)


class BoostedTreesRegressor(TreesBase):
    """A regressor of gradient boosted trees; the loss is the mean squared error.

    See BoostedTreesClassifier for the arguments. Raises ValueError for label_dimension > 1.
    """

    def __init__(self, feature_columns, n_batches_per_layer, model_dir=None, label_dimension=UNSET,
                 weight_column=None, n_trees=100, max_depth=6, learning_rate=0.1,
                 l1_regularization=0., l2_regularization=0., tree_complexity=0.,
                 min_node_weight=0., config=None, center_bias=False, pruning_mode='none',
                 quantile_sketch_epsilon=0.01, train_in_memory=False):
        if label_dimension is not UNSET and label_dimension > 1 and pruning_mode is not None:
            raise misuse(ValueError('For now pruning is not supported with multi-dimension '
                                    'regression.\n  Hint: one regressor per dimension.'))
        head = regression_head(label_dimension, weight_column)
        hparams = TreeHParams(n_trees, max_depth, learning_rate, l1_regularization,
                              l2_regularization, tree_complexity, min_node_weight, center_bias,
                              pruning_mode, quantile_sketch_epsilon)
        super().__init__(model_dir, config, feature_columns, head, False, hparams,
                         n_batches_per_layer, weight_column=weight_column,
                         train_in_memory=train_in_memory)


class BoostedTreesEstimator(TreesBase):
    """Gradient boosted trees with a head of one logit, e.g. one of tf.contrib.estimator.

    See BoostedTreesClassifier for the arguments. `weight_column` has no effect, as in TensorFlow:
    pass it to the head.
    """

    def __init__(self, feature_columns, n_batches_per_layer, head, model_dir=None,
                 weight_column=None, n_trees=100, max_depth=6, learning_rate=0.1,
                 l1_regularization=0., l2_regularization=0., tree_complexity=0.,
                 min_node_weight=0., config=None, center_bias=False, pruning_mode='none',
                 quantile_sketch_epsilon=0.01):
        hparams = TreeHParams(n_trees, max_depth, learning_rate, l1_regularization,
                              l2_regularization, tree_complexity, min_node_weight, center_bias,
                              pruning_mode, quantile_sketch_epsilon)
        super().__init__(model_dir, config, feature_columns, head,
                         isinstance(getattr(head, '_task', None), (Binary, MultiClass)), hparams,
                         n_batches_per_layer)


def classification_head(n_classes, weight_column=None, label_vocabulary=None):
    """(binary head, function for gradients and hessians of its loss, or None)."""
    if n_classes is not UNSET and n_classes != 2:
        raise misuse(ValueError('For now only binary classification is supported. n_classes given '
                                f'as {n_classes}'))
    head = BinaryHeadV1(weight_column=weight_column, label_vocabulary=label_vocabulary,
                        loss_reduction=_MEAN)
    plain = weight_column is None and label_vocabulary is None
    return head, _log_loss_derivatives if plain else None


def _log_loss_derivatives(logits, labels):
    """Gradients p - y and hessians p (1 - p) of the mean log loss. Shapes: [batch, 1] each."""
    predictions = tf.reciprocal(tf.exp(-logits) + 1.0)
    share = tf.reciprocal(tf.cast(tf.size(predictions), tf.float32))
    labels = checks.dense_labels(tf.cast(labels, tf.float32), logits, 1)
    return (predictions - labels) * share, predictions * (1.0 - predictions) * share


def regression_head(label_dimension, weight_column=None):
    """The head of a regression with one dimension."""
    if label_dimension is not UNSET and label_dimension != 1:
        raise misuse(ValueError('For now only 1 dimension regression is supported. '
                                f'label_dimension given as {label_dimension}'))
    return RegressionHeadV1(weight_column=weight_column, label_dimension=1, loss_reduction=_MEAN)
