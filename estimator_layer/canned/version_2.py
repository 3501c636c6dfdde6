"""The canned estimators of TensorFlow 2: optimizers of Keras, mean losses, the public heads."""
from __future__ import annotations

from typing import Any

import keras_layer as keras
import tinyflow as tf
from estimator_layer.canned import baseline, dnn, dnn_linear_combined, linear
from estimator_layer.heads import BinaryClassHead, MultiClassHead, RegressionHead
from estimator_layer.heads.base import MEAN
from tinyflow.graph.support.errors import misuse

__all__ = [
    'BaselineClassifier', 'BaselineEstimator', 'BaselineRegressor', 'DNNClassifier',
    'DNNEstimator', 'DNNLinearCombinedClassifier', 'DNNLinearCombinedEstimator',
    'DNNLinearCombinedRegressor', 'DNNRegressor', 'LinearClassifier', 'LinearEstimator',
    'LinearRegressor',
]

_BY_NAME = {
    'Adagrad': keras.optimizers.Adagrad,
    'Adam': keras.optimizers.Adam,
    'Ftrl': keras.optimizers.Ftrl,
    'RMSProp': keras.optimizers.RMSprop,
    'SGD': keras.optimizers.SGD,
}


def get_optimizer(optimizer, learning_rate=None):
    """The Keras optimizer for an object, a function or a name.

    `learning_rate` is for a name; None: the optimizer's own. Raises ValueError for another name or
    object.
    """
    if isinstance(optimizer, str):
        if optimizer not in _BY_NAME:
            raise misuse(ValueError(f'Unsupported optimizer name: {optimizer}. Supported names '
                                    f'are: {tuple(sorted(_BY_NAME))}'))
        settings = {'learning_rate': learning_rate} if learning_rate else {}
        return _BY_NAME[optimizer](**settings)
    if callable(optimizer):
        optimizer = optimizer()
    if not isinstance(optimizer, keras.optimizers.Optimizer):
        raise misuse(ValueError(
            'The given object is not a tf.keras.optimizers.Optimizer instance. Given: '
            f'{optimizer}\n  '
            "Hint: tf.keras.optimizers.Adam(0.001), or a name such as 'Adam'; estimators of "
            'tf.compat.v1.estimator take those of tf.compat.v1.train.'))
    return optimizer


class Version2:
    """Optimizers of Keras, whose counter of steps is the global step; Variables in one part."""

    ftrl = keras.optimizers.Ftrl
    use_resource = True         # what these optimizers update

    @staticmethod
    def summary_scope():
        """The name scope of the summaries: the root."""
        return tf.name_scope('')

    @staticmethod
    def partitioner(config, min_slice_size=0):
        """None: a Variable has one part."""
        return None

    @staticmethod
    def get(optimizer, learning_rate=None, counts_steps=True):
        """The Keras optimizer for an object, a function or a name; the rate is for a name.

        Of several optimizers one counts the global step; the others have their own counters.
        """
        optimizer = get_optimizer(optimizer, learning_rate)
        if tf.train.get_global_step() is None:
            return optimizer
        # Each graph has its own Variables; a copy for each.
        config = optimizer.get_config()         # None: of a class that cannot be copied
        own = optimizer if config is None else type(optimizer).from_config(config)
        if counts_steps:
            own.iterations = tf.train.get_global_step()
            optimizer._iterations = own.iterations  # as in TensorFlow, for programs that ask it
        else:
            own.copy_of = optimizer
        return own

    @staticmethod
    def head_settings():
        """What a head needs besides the optimizer."""
        return {'trainable_variables': tf.trainable_variables(),
                'update_ops': tf.get_collection(tf.GraphKeys.UPDATE_OPS)}

    @staticmethod
    def minimize(optimizer, loss, scope):
        """The operation of a step on the Variables of a scope."""
        step = optimizer.get_updates(loss, tf.trainable_variables(scope))[0]
        if hasattr(optimizer, 'copy_of'):
            optimizer.copy_of._iterations = optimizer.iterations
        return step

    @staticmethod
    def minimize_counting(optimizer, loss):
        """The operation of a step on all Variables, which counts the global step."""
        return optimizer.get_updates(loss, tf.trainable_variables())[0]

    @staticmethod
    def count_step(optimizers, updates):
        """The operation that waits for the updates; the first optimizer counts the step."""
        return tf.group(*updates)


def _classifier(n_classes, weight_column, label_vocabulary, loss_reduction):
    settings = {'weight_column': weight_column, 'label_vocabulary': label_vocabulary,
                'loss_reduction': loss_reduction}
    return BinaryClassHead(**settings) if n_classes == 2 else MultiClassHead(n_classes, **settings)


class LinearEstimator(linear.LinearEstimator):
    """A linear model with a head of tf.estimator; see tf.compat.v1.estimator.LinearEstimator."""

    conventions = Version2

    def __init__(self, head, feature_columns, model_dir=None, optimizer: Any = 'Ftrl', config=None,
                 sparse_combiner='sum', warm_start_from=None):
        super().__init__(head, feature_columns, model_dir, optimizer, config, None,
                         sparse_combiner, warm_start_from=warm_start_from)


class LinearClassifier(LinearEstimator):
    """Logistic regression for two classes, softmax regression for more; the loss is the mean."""

    def __init__(self, feature_columns, model_dir=None, n_classes=2, weight_column=None,
                 label_vocabulary=None, optimizer: Any = 'Ftrl', config=None, warm_start_from=None,
                 loss_reduction=MEAN, sparse_combiner='sum'):
        super().__init__(_classifier(n_classes, weight_column, label_vocabulary, loss_reduction),
                         feature_columns, model_dir, optimizer, config, sparse_combiner,
                         warm_start_from)


class LinearRegressor(LinearEstimator):
    """Linear regression; the loss is the mean of the squared errors."""

    def __init__(self, feature_columns, model_dir=None, label_dimension=1, weight_column=None,
                 optimizer: Any = 'Ftrl', config=None, warm_start_from=None, loss_reduction=MEAN,
                 sparse_combiner='sum'):
        super().__init__(RegressionHead(label_dimension=label_dimension,
                                        weight_column=weight_column,
                                        loss_reduction=loss_reduction),
                         feature_columns, model_dir, optimizer, config, sparse_combiner,
                         warm_start_from)


class DNNEstimator(dnn.DNNEstimator):
    """Fully connected layers with a head of tf.estimator; see tf.compat.v1.estimator.DNNEstimator.
    """

    conventions = Version2

    def __init__(self, head, hidden_units, feature_columns, model_dir=None,
                 optimizer: Any = 'Adagrad', activation_fn=tf.nn.relu, dropout=None, config=None,
                 warm_start_from=None, batch_norm=False):
        super().__init__(head, hidden_units, feature_columns, model_dir, optimizer, activation_fn,
                         dropout, None, config, warm_start_from, batch_norm)


class DNNClassifier(DNNEstimator):
    """A classifier of fully connected layers; the loss is the mean."""

    def __init__(self, hidden_units, feature_columns, model_dir=None, n_classes=2,
                 weight_column=None, label_vocabulary=None, optimizer: Any = 'Adagrad',
                 activation_fn=tf.nn.relu, dropout=None, config=None, warm_start_from=None,
                 loss_reduction=MEAN, batch_norm=False):
        super().__init__(_classifier(n_classes, weight_column, label_vocabulary, loss_reduction),
                         hidden_units, feature_columns, model_dir, optimizer, activation_fn,
                         dropout, config, warm_start_from, batch_norm)


class DNNRegressor(DNNEstimator):
    """A regressor of fully connected layers; the loss is the mean of the squared errors."""

    def __init__(self, hidden_units, feature_columns, model_dir=None, label_dimension=1,
                 weight_column=None, optimizer: Any = 'Adagrad', activation_fn=tf.nn.relu,
                 dropout=None, config=None, warm_start_from=None, loss_reduction=MEAN,
                 batch_norm=False):
        super().__init__(RegressionHead(label_dimension=label_dimension,
                                        weight_column=weight_column,
                                        loss_reduction=loss_reduction),
                         hidden_units, feature_columns, model_dir, optimizer, activation_fn,
                         dropout, config, warm_start_from, batch_norm)


class DNNLinearCombinedEstimator(dnn_linear_combined.DNNLinearCombinedEstimator):
    """A linear model and a DNN with one head of tf.estimator; their logits are added."""

    conventions = Version2

    def __init__(self, head, model_dir=None, linear_feature_columns=None,
                 linear_optimizer: Any = 'Ftrl', dnn_feature_columns=None,
                 dnn_optimizer: Any = 'Adagrad', dnn_hidden_units=None,
                 dnn_activation_fn=tf.nn.relu, dnn_dropout=None, config=None, batch_norm=False,
                 linear_sparse_combiner='sum', *, warm_start_from=None):
        super().__init__(
            head, model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns,
            dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, None, config,
            linear_sparse_combiner, warm_start_from=warm_start_from, batch_norm=batch_norm)


class DNNLinearCombinedClassifier(DNNLinearCombinedEstimator):
    """A wide & deep classifier; the loss is the mean."""

    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer: Any = 'Ftrl',
                 dnn_feature_columns=None, dnn_optimizer: Any = 'Adagrad', dnn_hidden_units=None,
                 dnn_activation_fn=tf.nn.relu, dnn_dropout=None, n_classes=2, weight_column=None,
                 label_vocabulary=None, config=None, warm_start_from=None, loss_reduction=MEAN,
                 batch_norm=False, linear_sparse_combiner='sum'):
        super().__init__(
            _classifier(n_classes, weight_column, label_vocabulary, loss_reduction), model_dir,
            linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer,
            dnn_hidden_units, dnn_activation_fn, dnn_dropout, config, batch_norm,
            linear_sparse_combiner, warm_start_from=warm_start_from)


class DNNLinearCombinedRegressor(DNNLinearCombinedEstimator):
    """A wide & deep regressor; the loss is the mean of the squared errors."""

    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer: Any = 'Ftrl',
                 dnn_feature_columns=None, dnn_optimizer: Any = 'Adagrad', dnn_hidden_units=None,
                 dnn_activation_fn=tf.nn.relu, dnn_dropout=None, label_dimension=1,
                 weight_column=None, config=None, warm_start_from=None, loss_reduction=MEAN,
                 batch_norm=False, linear_sparse_combiner='sum'):
        super().__init__(
            RegressionHead(label_dimension=label_dimension, weight_column=weight_column,
                           loss_reduction=loss_reduction), model_dir, linear_feature_columns,
            linear_optimizer, dnn_feature_columns, dnn_optimizer, dnn_hidden_units,
            dnn_activation_fn, dnn_dropout, config, batch_norm, linear_sparse_combiner,
            warm_start_from=warm_start_from)


class BaselineEstimator(baseline.BaselineEstimator):
    """A bias with a head of tf.estimator; the features are not used."""

    conventions = Version2

    def __init__(self, head, model_dir=None, optimizer: Any = 'Ftrl', config=None, *,
                 weight_column=None):
        super().__init__(head, model_dir, optimizer, config, weight_column=weight_column)


class BaselineClassifier(BaselineEstimator):
    """Predicts the frequency of each class; the loss is the mean."""

    def __init__(self, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None,
                 optimizer: Any = 'Ftrl', config=None, loss_reduction=MEAN):
        super().__init__(_classifier(n_classes, weight_column, label_vocabulary, loss_reduction),
                         model_dir, optimizer, config, weight_column=weight_column)


class BaselineRegressor(BaselineEstimator):
    """Predicts the mean of the labels; the loss is the mean of the squared errors."""

    def __init__(self, model_dir=None, label_dimension=1, weight_column=None,
                 optimizer: Any = 'Ftrl', config=None, loss_reduction=MEAN):
        super().__init__(RegressionHead(label_dimension=label_dimension,
                                        weight_column=weight_column,
                                        loss_reduction=loss_reduction),
                         model_dir, optimizer, config, weight_column=weight_column)
