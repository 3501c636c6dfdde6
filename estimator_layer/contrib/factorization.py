"""tf.contrib.factorization: k-means clustering, as a graph and as an Estimator."""
from estimator_layer.canned.kmeans.estimators import KMeansClustering
from estimator_layer.canned.kmeans.graph import (
    CLUSTERS_VAR_NAME,
    COSINE_DISTANCE,
    KMC2_INIT,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    KMeans,
)
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['CLUSTERS_VAR_NAME', 'COSINE_DISTANCE', 'KMC2_INIT', 'KMEANS_PLUS_PLUS_INIT', 'KMeans',
           'KMeansClustering', 'RANDOM_INIT', 'SQUARED_EUCLIDEAN_DISTANCE']

__getattr__ = _explain_missing('tf.contrib.factorization', __all__)
