"""tf.metrics: metrics over many batches, each a value tensor and an update op."""
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)
from tinyflow.layers.metrics.classes import mean_iou, mean_per_class_accuracy
from tinyflow.layers.metrics.counts import (
    false_negatives,
    false_positives,
    precision,
    recall,
    true_negatives,
    true_positives,
)
from tinyflow.layers.metrics.means import (
    accuracy,
    mean,
    mean_absolute_error,
    mean_cosine_distance,
    mean_relative_error,
    mean_squared_error,
    mean_tensor,
    percentage_below,
    root_mean_squared_error,
)
from tinyflow.layers.metrics.thresholds import (
    auc,
    false_negatives_at_thresholds,
    false_positives_at_thresholds,
    precision_at_thresholds,
    recall_at_thresholds,
    sensitivity_at_specificity,
    specificity_at_sensitivity,
    true_negatives_at_thresholds,
    true_positives_at_thresholds,
)
from tinyflow.layers.metrics.top_k import (
    average_precision_at_k,
    precision_at_k,
    precision_at_top_k,
    recall_at_k,
    recall_at_top_k,
    sparse_average_precision_at_k,
    sparse_precision_at_k,
)

__all__ = [
    'accuracy', 'auc', 'average_precision_at_k', 'false_negatives',
    'false_negatives_at_thresholds', 'false_positives', 'false_positives_at_thresholds', 'mean',
    'mean_absolute_error', 'mean_cosine_distance', 'mean_iou', 'mean_per_class_accuracy',
    'mean_relative_error', 'mean_squared_error', 'mean_tensor', 'percentage_below', 'precision',
    'precision_at_k', 'precision_at_thresholds', 'precision_at_top_k', 'recall', 'recall_at_k',
    'recall_at_thresholds', 'recall_at_top_k', 'root_mean_squared_error',
    'sensitivity_at_specificity', 'sparse_average_precision_at_k', 'sparse_precision_at_k',
    'specificity_at_sensitivity', 'true_negatives', 'true_negatives_at_thresholds',
    'true_positives', 'true_positives_at_thresholds',
]

__getattr__ = _explain_missing(__name__, __all__)
_hide_modules(globals())


def __dir__():
    return __all__
