"""The graph of k-means clustering: centers, distances, and the update of the centers."""
from __future__ import annotations

import secrets

import tinyflow as tf
from estimator_layer.canned.kmeans import ops as clustering
from estimator_layer.canned.kmeans.initial_centers import InitialCenters
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.random.seeds import get_seed

__all__ = ['CLUSTERS_VAR_NAME', 'COSINE_DISTANCE', 'EstimatorKMeans', 'KMC2_INIT',
           'KMEANS_PLUS_PLUS_INIT', 'KMeans', 'RANDOM_INIT', 'SQUARED_EUCLIDEAN_DISTANCE',
           'check_settings']

SQUARED_EUCLIDEAN_DISTANCE = 'squared_euclidean'
COSINE_DISTANCE = 'cosine'
RANDOM_INIT = 'random'
KMEANS_PLUS_PLUS_INIT = 'kmeans_plus_plus'
KMC2_INIT = 'kmc2'
CLUSTERS_VAR_NAME = 'clusters'


def check_settings(initial_clusters, distance_metric):
    """Raises ValueError for an unknown initialization algorithm or distance."""
    if isinstance(initial_clusters, str) and initial_clusters not in (
            RANDOM_INIT, KMEANS_PLUS_PLUS_INIT, KMC2_INIT):
        raise misuse(ValueError(f"Unsupported initialization algorithm '{initial_clusters}': use "
                                f"'{RANDOM_INIT}', '{KMEANS_PLUS_PLUS_INIT}' or "
                                f"'{KMC2_INIT}'."))
    if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
        raise misuse(ValueError(f"Unsupported distance metric '{distance_metric}': use "
                                f"'{SQUARED_EUCLIDEAN_DISTANCE}' or '{COSINE_DISTANCE}'."))


class KMeans:
    """k-means of the rows of `inputs`, full batch (Lloyd 1982) or mini-batch.

    Shapes: inputs [rows, dim], or a list of such tensors -> centers [num_clusters, dim].

    Args:
      initial_clusters: 'random', 'kmeans_plus_plus', 'kmc2', an array of centers, or a function of
        (inputs, number) that returns centers.
      use_mini_batch: True moves a center to the mean of its points so far (Sculley 2010,
        "Web-scale k-means clustering"), False sets it to the mean of its points in the batch.
      mini_batch_steps_per_iteration: the number of steps before updated centers are used.
      kmeans_plus_plus_num_retries: additional samples per center, of which the best is taken.
    """

    def __init__(self, inputs, num_clusters, initial_clusters=RANDOM_INIT,
                 distance_metric=SQUARED_EUCLIDEAN_DISTANCE, use_mini_batch=False,
                 mini_batch_steps_per_iteration=1, random_seed=0, kmeans_plus_plus_num_retries=2,
                 kmc2_chain_length=200):
        check_settings(initial_clusters, distance_metric)
        self._inputs = inputs if isinstance(inputs, list) else [inputs]
        self._num_clusters = num_clusters
        self._initial_clusters = initial_clusters
        self._cosine = distance_metric == COSINE_DISTANCE
        self._mini_batch = use_mini_batch
        self._steps = int(mini_batch_steps_per_iteration)
        self._seed = self._seed_from(random_seed)
        self._retries = kmeans_plus_plus_num_retries
        self._chain_length = kmc2_chain_length

    @staticmethod
    def _seed_from(seed):
        return secrets.randbits(31) if seed is None else seed

    @staticmethod
    def _no_centers():
        return tf.constant([], dtype=tf.float32)

    @property
    def _delayed(self):
        """True if updated centers are kept separately from those in use."""
        return self._mini_batch and self._steps > 1

    @property
    def _centers_are_normalized(self):
        return self._cosine and (not self._mini_batch or self._steps > 1)

    def training_graph(self):
        """(all_scores, cluster_index, scores, initialized, init_op, training_op).

        The first three have one tensor for each of the inputs: the distances to all centers
        [rows, num_clusters], the nearest center [rows], and the distance to it [rows]. Run init_op
        until the Variable `initialized` is True, then training_op repeatedly.
        """
        inputs, initial = self._inputs, self._initial_clusters
        if isinstance(initial, str) or callable(initial):
            number = tf.convert_to_tensor(self._num_clusters)
        else:
            initial = tf.convert_to_tensor(initial)
            number = tf.shape(initial)[0]
        variables = self._variables(number)
        centers_var, initialized, counts, updated, countdown = variables
        init_op = InitialCenters(
            inputs, number, initial, self._cosine, self._seed, self._retries, self._chain_length,
            centers_var, updated, initialized).op()
        centers = centers_var
        if self._cosine:
            inputs = [tf.nn.l2_normalize(points, dim=1) for points in inputs]
            if not self._centers_are_normalized:
                centers = tf.nn.l2_normalize(centers, dim=1)
        all_scores, scores, index = zip(*self._nearest(inputs, centers))
        if self._mini_batch:
            ready = self._sync(countdown, centers_var, updated, counts)
            with tf.control_dependencies([ready]):
                step = _mini_batch_update(inputs, index, updated, counts)
        else:
            step = self._full_batch_update(inputs, number, index, centers_var)
        return all_scores, index, scores, initialized, init_op, step

    def _variables(self, number):
        empty = self._no_centers()
        centers = tf.Variable(empty, name=CLUSTERS_VAR_NAME, validate_shape=False)
        initialized = tf.Variable(False, dtype=tf.bool, name='initialized')
        updated, countdown, counts = centers, None, None
        if self._delayed:
            updated = tf.Variable(empty, name='clusters_updated', validate_shape=False)
            countdown = tf.Variable(self._steps, dtype=tf.int64, name='update_in_steps')
            counts = tf.Variable(tf.zeros([number], dtype=tf.int64))
        elif self._mini_batch:
            counts = tf.Variable(tf.ones([number], dtype=tf.int64))
        return centers, initialized, counts, updated, countdown

    def _nearest(self, inputs, centers):
        """[(distances to all centers, distance to the nearest, its index)] of the inputs."""
        all_distances = [self._distances(points, centers) for points in inputs]
        if self._cosine and not self._centers_are_normalized:
            centers = tf.nn.l2_normalize(centers, dim=1)
        results = []
        for points, distances in zip(inputs, all_distances):
            index, nearest = clustering.nearest_neighbors(points, centers, 1)
            if self._cosine:
                nearest *= .5       # for unit vectors |a - b|^2 = 2 (1 - a b)
            results.append((distances, tf.squeeze(nearest, [-1]), tf.squeeze(index, [-1])))
        return results

    def _distances(self, points, centers):
        if self._cosine:
            return 1 - tf.matmul(points, centers, transpose_b=True)
        return (tf.reduce_sum(tf.square(points), 1, keepdims=True)
                - 2 * tf.matmul(points, centers, transpose_b=True)
                + tf.transpose(tf.reduce_sum(tf.square(centers), 1, keepdims=True)))

    def _sync(self, countdown, centers_var, updated, counts):
        """Copies the updated centers to those in use every `_steps` steps."""
        if not self._delayed:
            return tf.no_op()

        def use_updated():
            with tf.control_dependencies([tf.assign(countdown, self._steps - 1)]):
                centers = tf.nn.l2_normalize(updated, dim=1) if self._cosine else updated
                with tf.control_dependencies([tf.assign(centers_var, centers)]):
                    with tf.control_dependencies([tf.assign(counts, tf.zeros_like(counts))]):
                        return tf.identity(countdown)
        return tf.cond(countdown <= 0, use_updated, lambda: tf.assign_sub(countdown, 1))

    def _full_batch_update(self, inputs, number, indices, centers):
        """Sets every center to the mean of its points."""
        sums, counts = [], []
        epsilon = tf.constant(1e-6, dtype=inputs[0].dtype)
        for points, index in zip(inputs, indices):
            sums.append(tf.unsorted_segment_sum(points, index, number))
            ones = tf.ones(tf.reshape(tf.shape(points)[0], [-1]))
            counts.append(tf.unsorted_segment_sum(tf.reshape(ones, [-1, 1]), index, number))
        means = tf.add_n(sums) / (tf.cast(tf.add_n(counts), sums[0].dtype) + epsilon)
        if self._centers_are_normalized:
            means = tf.nn.l2_normalize(means, dim=1)
        return tf.assign(centers, means)


class EstimatorKMeans(KMeans):
    """k-means as tf.estimator builds it: the seed is the graph-level seed, if there is one."""

    @staticmethod
    def _seed_from(seed):
        seed = get_seed(seed)[0]
        return secrets.randbits(31) if seed is None else seed

    @staticmethod
    def _no_centers():
        return tf.placeholder_with_default([], shape=None)


def _mini_batch_update(inputs, indices, centers, counts):
    """Moves each center to the mean of all its points so far.

    The counts are those before the step; in TF1 it is undefined whether they are read before or
    after the update, and two runs may differ.
    """
    updates = []
    for points, index in zip(inputs, indices):
        ids, position = tf.unique(tf.reshape(index, [-1]))
        touched = tf.size(ids)
        before = tf.gather(counts, ids)
        old = tf.gather(centers, ids)
        more = tf.unsorted_segment_sum(tf.ones_like(position, dtype=counts.dtype), position,
                                       touched)
        sums = tf.unsorted_segment_sum(points, position, touched)
        column = tf.concat([tf.reshape(touched, [1]),
                            tf.ones(tf.reshape(tf.rank(points) - 1, [1]), dtype=tf.int32)], 0)
        sums -= tf.cast(tf.reshape(more, column), points.dtype) * old
        rate = tf.reshape(tf.reciprocal(tf.cast(before + more, points.dtype)), column)
        updates += [tf.scatter_add(counts, ids, more), tf.scatter_add(centers, ids, sums * rate)]
    return tf.group(*updates)
