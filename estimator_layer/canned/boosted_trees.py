"""Boosted trees of tf.estimator: refused, with what does the same."""
from __future__ import annotations

from estimator_layer.estimator import Estimator

__all__ = ['BoostedTreesClassifier', 'BoostedTreesEstimator', 'BoostedTreesRegressor']


def _refused(name, instead):
    return NotImplementedError(
        f'tf.estimator.{name}: trees are not in tinyflow.\n  Mend: tf.estimator.{instead} with '
        'bucketized columns, where crossed_column says which go together; or '
        'sklearn.ensemble.HistGradientBoosting, which needs no graph.')


class BoostedTreesClassifier(Estimator):
    """Gradient boosted trees for classes; not in tinyflow."""

    def __init__(self, *args, **kwargs):
        raise _refused('BoostedTreesClassifier', 'DNNLinearCombinedClassifier')


class BoostedTreesRegressor(Estimator):
    """Gradient boosted trees for numbers; not in tinyflow."""

    def __init__(self, *args, **kwargs):
        raise _refused('BoostedTreesRegressor', 'DNNLinearCombinedRegressor')


class BoostedTreesEstimator(Estimator):
    """Gradient boosted trees under a head; not in tinyflow."""

    def __init__(self, *args, **kwargs):
        raise _refused('BoostedTreesEstimator', 'DNNLinearCombinedEstimator')
