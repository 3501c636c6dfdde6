"""Ops of k-means: the nearest centers of points, and good first centers."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.op import Op
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.random.philox import PhiloxStream, words

__all__ = ['KMC2ChainInitialization', 'KmeansPlusPlusInitialization', 'NearestNeighbors',
           'kmc2_chain_initialization', 'kmeans_plus_plus_initialization', 'nearest_neighbors']


class NearestNeighbors(Op):
    """Shapes: points [n, dim], centers [m, dim], k [] -> both [n, min(k, m)], the nearest first."""

    signature = ('points: float32, centers: float32, k: int64 -> '
                 'nearest_center_indices: int64, nearest_center_distances: float32')
    static = {'k': 0}

    def shape(points, centers, k):
        rows = None if points is None else points[0]
        count = centers[0] if centers is not None else None
        found = (rows, None if k is None or count is None else min(int(k), count))
        return found, found

    def kernel(points, centers, k):
        _check_matrix(points, 'points')
        _check_matrix(centers, 'centers')
        if k < 1 or not len(centers):
            raise ValueError(f'k is {k} and there are {len(centers)} centers: each must be 1 at '
                             'least')
        if points.shape[1] != centers.shape[1]:
            raise OpFailure(f'points of {points.shape[1]} numbers and centers of '
                            f'{centers.shape[1]}',
                            'both as many')
        halves = _half_squares(points)[:, None] + _half_squares(centers) - points @ centers.T
        k = min(int(k), len(centers))
        if k == 1:
            nearest = halves.argmin(1)[:, None]
        else:
            nearest = np.argsort(halves, axis=1, kind='stable')[:, :k]
        return nearest, 2 * np.take_along_axis(halves, nearest, 1)


class KmeansPlusPlusInitialization(Op):
    """Shapes: points [n, dim], num_to_sample [], seed [], num_retries_per_sample [] -> [k, dim]."""

    signature = ('points: float32, num_to_sample: int64, seed: int64, '
                 'num_retries_per_sample: int64 -> samples: float32')
    static = {'num_to_sample': 0}

    def shape(points, num_to_sample, seed, num_retries_per_sample):
        count = None if num_to_sample is None else int(num_to_sample)
        return (count, None if points is None else points[1])

    def kernel(points, num_to_sample, seed, num_retries_per_sample):
        _check_matrix(points, 'points')
        if not 0 < num_to_sample <= len(points):
            raise OpFailure(f'{num_to_sample} of {len(points)} points were requested',
                            'as many points as centers, at least, in the first batch')
        if num_retries_per_sample < 0:
            raise ValueError(f'num_retries_per_sample is {num_retries_per_sample}')
        tries = 1 + int(num_retries_per_sample)
        draws = _Draws(int(seed), 2 * tries * int(num_to_sample))
        halves = _half_squares(points)
        nearest = np.full(len(points), np.inf, np.float32)
        chosen = []
        for step in range(int(num_to_sample)):
            sums = np.cumsum(nearest)
            best = None
            for _ in range(tries):
                index = draws.below(len(points)) if step == 0 else \
                    int(np.searchsorted(sums, np.float32(draws.unit() * sums[-1])))
                closer = np.minimum(nearest,
                                    halves + halves[index] - points @ points[index])
                total = closer.sum()
                if best is None or total < best[0]:
                    best = total, index, closer
            chosen.append(best[1])
            nearest = best[2]
        return points[chosen]


class KMC2ChainInitialization(Op):
    """Shapes: distances [n], seed [] -> []."""

    signature = 'distances: float32, seed: int64 -> index: int64'

    def shape(distances, seed):
        return ()

    def kernel(distances, seed):
        if distances.ndim != 1 or not len(distances):
            raise OpFailure(f'distances of shape {distances.shape}', 'a vector of them')
        draws = _Draws(int(seed), len(distances))
        index = 0
        for other in range(1, len(distances)):
            if distances[other] >= distances[index] * draws.unit():
                index = other
        return np.int64(index)


class _Draws:
    """TF's SimplePhilox: single 32-bit words of a stream, one after the other."""

    def __init__(self, seed, count):
        stream = PhiloxStream(seed, 0)
        self._words = iter(words(stream.reserve(-(-count // 4)), count).tolist())

    def below(self, n):
        """A whole number in [0, n)."""
        low, high = next(self._words), next(self._words)
        return (low | high << 32) % n

    def unit(self):
        """A float in [0, 1)."""
        bits = np.uint32((next(self._words) & 0x7fffff) | (127 << 23))
        return np.float32(bits.view(np.float32) - np.float32(1))


def _check_matrix(value, name):
    if value.ndim != 2:
        raise OpFailure(f'{name} of shape {value.shape}', 'one point in each row')


def _half_squares(points):
    return 0.5 * np.einsum('ij,ij->i', points, points)


def nearest_neighbors(points, centers, k, name=None):
    """(indices, squared distances) of the k centers nearest to each point.

    Shapes: points [n, dim], centers [m, dim] -> both [n, min(k, m)], the nearest first.
    """
    return NearestNeighbors.apply(points, centers, k, name=name)


def kmeans_plus_plus_initialization(points, num_to_sample, seed, num_retries_per_sample,
                                    name=None):
    """Centers among the points, each drawn with a probability proportional to its squared distance.

    Shapes: points [n, dim] -> [num_to_sample, dim]. Arthur and Vassilvitskii 2007, "k-means++: the
    advantages of careful seeding"; of 1 + num_retries_per_sample draws the best is taken.
    """
    return KmeansPlusPlusInitialization.apply(points, num_to_sample, seed, num_retries_per_sample,
                                              name=name)


def kmc2_chain_initialization(distances, seed, name=None):
    """The index at the end of a Markov chain that prefers large distances.

    Shapes: distances [n] -> []. Bachem et al. 2016, "Approximate k-means++ in sublinear time".
    """
    return KMC2ChainInitialization.apply(distances, seed, name=name)
