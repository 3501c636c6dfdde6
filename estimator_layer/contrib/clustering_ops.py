"""tensorflow.contrib.factorization.python: k-means as a graph, and the ops that it is made of."""
from estimator_layer.canned.kmeans.graph import (
    COSINE_DISTANCE,
    KMC2_INIT,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    KMeans,
)
from estimator_layer.canned.kmeans.ops import (
    kmc2_chain_initialization,
    kmeans_plus_plus_initialization,
    nearest_neighbors,
)

__all__ = ['COSINE_DISTANCE', 'KMC2_INIT', 'KMEANS_PLUS_PLUS_INIT', 'KMeans', 'RANDOM_INIT',
           'SQUARED_EUCLIDEAN_DISTANCE', 'kmc2_chain_initialization',
           'kmeans_plus_plus_initialization', 'nearest_neighbors']
