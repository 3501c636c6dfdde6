"""tensorflow_estimator.python.estimator.canned.kmeans: there, KMeans is KMeansClustering."""
from __future__ import annotations

from estimator_layer.canned.kmeans.estimators import (
    KMeans as KMeansClustering,
    _points as _parse_features_if_necessary,
)

__all__ = ['KMeansClustering', '_parse_features_if_necessary']
