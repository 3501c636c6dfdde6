"""Functions of tf.contrib.estimator that create heads, for models with tf.train optimizers."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.heads import checks
from estimator_layer.heads.v1 import (
    BinaryHeadV1,
    MultiClassHeadV1,
    MultiLabelHeadV1,
    RegressionHeadV1,
)
from estimator_layer.heads.v1_multi_head import MultiHeadV1

__all__ = ['binary_classification_head', 'logistic_regression_head', 'multi_class_head',
           'multi_head', 'multi_label_head', 'poisson_regression_head', 'regression_head']

_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE


def multi_class_head(n_classes, weight_column=None, label_vocabulary=None, loss_reduction=_MEAN,
                     loss_fn=None, name=None):
    """A head for one of n > 2 classes: softmax cross entropy.

    Shapes: logits [*batch, n_classes], labels [*batch] or [*batch, 1].
    """
    return MultiClassHeadV1(n_classes, weight_column=weight_column,
                            label_vocabulary=label_vocabulary, loss_reduction=loss_reduction,
                            loss_fn=loss_fn, name=name)


def binary_classification_head(weight_column=None, thresholds=None, label_vocabulary=None,
                               loss_reduction=_MEAN, loss_fn=None, name=None):
    """A head for two classes, one logit: sigmoid cross entropy.

    Shapes: logits [*batch, 1], labels [*batch] or [*batch, 1].
    """
    return BinaryHeadV1(weight_column=weight_column, thresholds=thresholds,
                        label_vocabulary=label_vocabulary, loss_reduction=loss_reduction,
                        loss_fn=loss_fn, name=name)


def regression_head(weight_column=None, label_dimension=1, loss_reduction=_MEAN, loss_fn=None,
                    inverse_link_fn=None, name=None):
    """A head for regression: squared error.

    Shapes: logits, labels [*batch, label_dimension].
    """
    return RegressionHeadV1(weight_column=weight_column, label_dimension=label_dimension,
                            loss_reduction=loss_reduction, loss_fn=loss_fn,
                            inverse_link_fn=inverse_link_fn, name=name)


def poisson_regression_head(weight_column=None, label_dimension=1, loss_reduction=_MEAN,
                            compute_full_loss=True, name=None):
    """A head for counts: log likelihood of a Poisson distribution with mean exp(logits).

    Shapes: logits, labels [*batch, label_dimension].
    """
    return RegressionHeadV1(
        weight_column=weight_column, label_dimension=label_dimension,
        loss_reduction=loss_reduction, loss_fn=poisson_loss(compute_full_loss),
        inverse_link_fn=tf.exp, name=name)


def logistic_regression_head(weight_column=None, loss_reduction=_MEAN, name=None):
    """A head for a probability, with labels in [0, 1]: sigmoid cross entropy.

    Shapes: logits, labels [*batch, 1].
    """
    return RegressionHeadV1(
        weight_column=weight_column, label_dimension=1, loss_reduction=loss_reduction,
        loss_fn=logistic_loss(public=False), inverse_link_fn=tf.sigmoid, name=name)


def multi_label_head(n_classes, weight_column=None, thresholds=None, label_vocabulary=None,
                     loss_reduction=_MEAN, loss_fn=None, classes_for_class_based_metrics=None,
                     name=None):
    """A head for several of n classes per example: the mean of sigmoid cross entropies.

    Shapes: logits [*batch, n_classes], labels [*batch, n_classes] of 0 and 1, or sparse ids.
    """
    return MultiLabelHeadV1(
        n_classes, weight_column=weight_column, thresholds=thresholds,
        label_vocabulary=label_vocabulary, loss_reduction=loss_reduction, loss_fn=loss_fn,
        classes_for_class_based_metrics=classes_for_class_based_metrics, name=name)


def multi_head(heads, head_weights=None):
    """A head of several named heads; the loss is the weighted sum of their losses."""
    return MultiHeadV1(heads, head_weights)


def poisson_loss(full):
    """The loss_fn of a Poisson regression; `full` adds Stirling's approximation of log(labels!)."""
    def loss_fn(labels, logits):
        return tf.nn.log_poisson_loss(targets=labels, log_input=logits, compute_full_loss=full)
    return loss_fn


def logistic_loss(public):
    """The loss_fn of a logistic regression."""
    def loss_fn(labels, logits):
        labels = checks.in_range(labels, 2, 'Labels must be in range [0, 1]',
                                 checks.range_scope(public))
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return loss_fn
