"""Rows of the ops of k-means."""
import numpy as np

from estimator_layer.canned.kmeans import ops as clustering
from tests.ops.rows import row

POINTS = np.random.RandomState(0).normal(size=(12, 2)).astype('float32')
DISTANCES = np.random.RandomState(1).uniform(size=20).astype('float32')


def _nearest(count):
    def ref(points, centers):
        squares = ((points[:, None] - centers) ** 2).sum(2)
        order = np.argsort(squares, axis=1)[:, :count]
        return [order, np.take_along_axis(squares, order, 1)]
    return ref


def _drawn(seed, retries, rows):
    """Recorded from TF 1.15.5: which of the points it takes."""
    return row('KmeansPlusPlusInitialization',
               lambda tf, points: clustering.kmeans_plus_plus_initialization(points, 5, seed,
                                                                             retries),
               [POINTS], ref=lambda points: points[rows], grad=False, unknown=False,
               name=f'seed {seed}, {retries} retries')


ROWS = [
    row('NearestNeighbors', lambda tf, p, c: list(clustering.nearest_neighbors(p, c, 1)),
        [POINTS, POINTS[:4] + .1], ref=_nearest(1), grad=False, tol=1e-5,
        static_result=False,
        run_bad=[lambda tf: clustering.nearest_neighbors(POINTS, POINTS[:2], 0)[0],
                 lambda tf: clustering.nearest_neighbors(
                     tf.placeholder_with_default(POINTS, None), POINTS[:, :1], 1)[0]]),
    row('NearestNeighbors', lambda tf, p, c: list(clustering.nearest_neighbors(p, c, 3)),
        [POINTS, POINTS[:4] + .1], ref=_nearest(3), grad=False, tol=1e-5, name='three',
        static_result=False),
    _drawn(0, 0, [9, 8, 0, 10, 4]), _drawn(0, 2, [4, 11, 1, 10, 3]),
    _drawn(1, 1, [4, 6, 10, 2, 1]), _drawn(7, 2, [3, 10, 1, 7, 2]),
    row('KmeansPlusPlusInitialization',
        lambda tf, points: clustering.kmeans_plus_plus_initialization(points, 12, 3, 0),
        [POINTS], grad=False, unknown=False, name='all',
        run_bad=[lambda tf: clustering.kmeans_plus_plus_initialization(POINTS, 13, 0, 0),
                 lambda tf: clustering.kmeans_plus_plus_initialization(POINTS, 1, 0, -1)]),
    *[row('KMC2ChainInitialization',
          lambda tf, d, seed=seed: clustering.kmc2_chain_initialization(d, seed), [DISTANCES],
          ref=lambda d, index=index: np.int64(index), grad=False, name=f'seed {seed}')
      for seed, index in enumerate([19, 17, 19, 17, 19, 15])],
    row('KMC2ChainInitialization', lambda tf, d: clustering.kmc2_chain_initialization(d, 1),
        [DISTANCES[:1]], ref=lambda d: np.int64(0), grad=False, name='one',
        run_bad=[lambda tf: clustering.kmc2_chain_initialization(
            tf.placeholder_with_default(POINTS, None), 0)]),
]
