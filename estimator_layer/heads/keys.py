"""Keys of predictions, metrics and signatures of heads, as in TensorFlow."""
from __future__ import annotations

__all__ = ['CLASSIFY_SERVING_KEY', 'DEFAULT_SERVING_KEY', 'MetricKeys', 'PREDICT_SERVING_KEY',
           'PredictionKeys', 'REGRESS_SERVING_KEY', 'named']

DEFAULT_SERVING_KEY = 'serving_default'
CLASSIFY_SERVING_KEY = 'classification'
REGRESS_SERVING_KEY = 'regression'
PREDICT_SERVING_KEY = 'predict'


class PredictionKeys:
    """Keys of the dict that `predict` yields."""

    CLASSES = 'classes'
    CLASS_IDS = 'class_ids'
    ALL_CLASSES = 'all_classes'
    ALL_CLASS_IDS = 'all_class_ids'
    LOGISTIC = 'logistic'
    LOGITS = 'logits'
    PREDICTIONS = 'predictions'
    PROBABILITIES = 'probabilities'


class MetricKeys:
    """Keys of the dict that `evaluate` returns."""

    LOSS = 'loss'
    LOSS_MEAN = 'average_loss'
    LOSS_REGULARIZATION = 'regularization_loss'
    ACCURACY = 'accuracy'
    PRECISION = 'precision'
    RECALL = 'recall'
    ACCURACY_BASELINE = 'accuracy_baseline'     # of always predicting the same class
    AUC = 'auc'
    AUC_PR = 'auc_precision_recall'
    LABEL_MEAN = 'label/mean'
    PREDICTION_MEAN = 'prediction/mean'
    ACCURACY_AT_THRESHOLD = 'accuracy/positive_threshold_%g'
    PRECISION_AT_THRESHOLD = 'precision/positive_threshold_%g'
    RECALL_AT_THRESHOLD = 'recall/positive_threshold_%g'
    PROBABILITY_MEAN_AT_CLASS = 'probability_mean/class%d'
    AUC_AT_CLASS = 'auc/class%d'
    AUC_PR_AT_CLASS = 'auc_precision_recall/class%d'
    PROBABILITY_MEAN_AT_NAME = 'probability_mean/%s'
    AUC_AT_NAME = 'auc/%s'
    AUC_PR_AT_NAME = 'auc_precision_recall/%s'


def named(key, head_name):
    """The key with the name of the head: 'auc/clicked'."""
    return f'{key}/{head_name}' if head_name else key
