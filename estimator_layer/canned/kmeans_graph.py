"""The graph of k-means clustering: centers, distances, and the step that moves the centers."""
from __future__ import annotations

import secrets

import tinyflow as tf
from estimator_layer.canned import kmeans_ops as clustering
from estimator_layer.canned.kmeans_start import FirstCenters
from tinyflow.graph.support.errors import worded
from tinyflow.ops.random.random_functions import get_seed

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
    """ValueError for a way to begin, or a distance, that is not known."""
    if isinstance(initial_clusters, str) and initial_clusters not in (
            RANDOM_INIT, KMEANS_PLUS_PLUS_INIT, KMC2_INIT):
        raise worded(ValueError(f"Unsupported initialization algorithm '{initial_clusters}': it "
                                f"is '{RANDOM_INIT}', '{KMEANS_PLUS_PLUS_INIT}' or "
                                f"'{KMC2_INIT}'."))
    if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
        raise worded(ValueError(f"Unsupported distance metric '{distance_metric}': it is "
                                f"'{SQUARED_EUCLIDEAN_DISTANCE}' or '{COSINE_DISTANCE}'."))


class KMeans:
    """k-means of the rows of `inputs`, by the whole batch (Lloyd 1982) or by parts of it.

    Shapes: inputs [rows, dim], or a list of such -> centers [num_clusters, dim].

    Args:
      initial_clusters: 'random', 'kmeans_plus_plus', 'kmc2', an array of centers, or a function of
        (inputs, how many) that returns some.
      use_mini_batch: True moves a center by the mean of its points so far (Sculley 2010,
        "Web-scale k-means clustering"), False sets it to the mean of its points in the batch.
      mini_batch_steps_per_iteration: after how many steps the moved centers count.
      kmeans_plus_plus_num_retries: more draws for each center, of which the best is taken.
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
        """True if centers are moved beside those that are used."""
        return self._mini_batch and self._steps > 1

    @property
    def _centers_have_length_one(self):
        return self._cosine and (not self._mini_batch or self._steps > 1)

    def training_graph(self):
        """(all_scores, cluster_index, scores, initialized, init_op, training_op).

        The first three have one tensor for each of the inputs: the distances to all centers
        [rows, num_clusters], the nearest center [rows], and the distance to it [rows]. Run init_op
        until the Variable `initialized` is True, then training_op again and again.
        """
        inputs, given = self._inputs, self._initial_clusters
        if isinstance(given, str) or callable(given):
            number = tf.convert_to_tensor(self._num_clusters)
        else:
            given = tf.convert_to_tensor(given)
            number = tf.shape(given)[0]
        variables = self._variables(number)
        centers_var, initialized, counts, updated, countdown = variables
        init_op = FirstCenters(
            inputs, number, given, self._cosine, self._seed, self._retries, self._chain_length,
            centers_var, updated, initialized).op()
        centers = centers_var
        if self._cosine:
            inputs = [tf.nn.l2_normalize(points, dim=1) for points in inputs]
            if not self._centers_have_length_one:
                centers = tf.nn.l2_normalize(centers, dim=1)
        all_scores, scores, index = zip(*self._nearest(inputs, centers))
        if self._mini_batch:
            ready = self._sync(countdown, centers_var, updated, counts)
            with tf.control_dependencies([ready]):
                step = _move(inputs, index, updated, counts)
        else:
            step = self._recompute(inputs, number, index, centers_var)
        return all_scores, index, scores, initialized, init_op, step

    def _variables(self, number):
        nothing = self._no_centers()
        centers = tf.Variable(nothing, name=CLUSTERS_VAR_NAME, validate_shape=False)
        initialized = tf.Variable(False, dtype=tf.bool, name='initialized')
        updated, countdown, counts = centers, None, None
        if self._delayed:
            updated = tf.Variable(nothing, name='clusters_updated', validate_shape=False)
            countdown = tf.Variable(self._steps, dtype=tf.int64, name='update_in_steps')
            counts = tf.Variable(tf.zeros([number], dtype=tf.int64))
        elif self._mini_batch:
            counts = tf.Variable(tf.ones([number], dtype=tf.int64))
        return centers, initialized, counts, updated, countdown

    def _nearest(self, inputs, centers):
        """[(distances to all, distance to the nearest, which it is)] of the inputs."""
        all_distances = [self._distances(points, centers) for points in inputs]
        if self._cosine and not self._centers_have_length_one:
            centers = tf.nn.l2_normalize(centers, dim=1)
        found = []
        for points, distances in zip(inputs, all_distances):
            index, nearest = clustering.nearest_neighbors(points, centers, 1)
            if self._cosine:
                nearest *= .5       # of vectors of length 1: |a - b|^2 = 2 (1 - a b)
            found.append((distances, tf.squeeze(nearest, [-1]), tf.squeeze(index, [-1])))
        return found

    def _distances(self, points, centers):
        if self._cosine:
            return 1 - tf.matmul(points, centers, transpose_b=True)
        return (tf.reduce_sum(tf.square(points), 1, keepdims=True)
                - 2 * tf.matmul(points, centers, transpose_b=True)
                + tf.transpose(tf.reduce_sum(tf.square(centers), 1, keepdims=True)))

    def _sync(self, countdown, centers_var, updated, counts):
        """Every so many steps the moved centers become those that are used."""
        if not self._delayed:
            return tf.no_op()

        def take_over():
            with tf.control_dependencies([tf.assign(countdown, self._steps - 1)]):
                moved = tf.nn.l2_normalize(updated, dim=1) if self._cosine else updated
                with tf.control_dependencies([tf.assign(centers_var, moved)]):
                    with tf.control_dependencies([tf.assign(counts, tf.zeros_like(counts))]):
                        return tf.identity(countdown)
        return tf.cond(countdown <= 0, take_over, lambda: tf.assign_sub(countdown, 1))

    def _recompute(self, inputs, number, indices, centers):
        """Every center becomes the mean of its points."""
        sums, counts = [], []
        small = tf.constant(1e-6, dtype=inputs[0].dtype)
        for points, index in zip(inputs, indices):
            sums.append(tf.unsorted_segment_sum(points, index, number))
            ones = tf.ones(tf.reshape(tf.shape(points)[0], [-1]))
            counts.append(tf.unsorted_segment_sum(tf.reshape(ones, [-1, 1]), index, number))
        means = tf.add_n(sums) / (tf.cast(tf.add_n(counts), sums[0].dtype) + small)
        if self._centers_have_length_one:
            means = tf.nn.l2_normalize(means, dim=1)
        return tf.assign(centers, means)


class EstimatorKMeans(KMeans):
    """The same as tf.estimator makes it: its seed is that of the graph, where that has one."""

    @staticmethod
    def _seed_from(seed):
        seed = get_seed(seed)[0]
        return secrets.randbits(31) if seed is None else seed

    @staticmethod
    def _no_centers():
        return tf.placeholder_with_default([], shape=None)


def _move(inputs, indices, centers, counts):
    """Each center moves towards the mean of all its points so far.

    The counts are those from before the step; TF1 leaves open whether it sees them or the new
    ones, and two runs of it may differ.
    """
    updates = []
    for points, index in zip(inputs, indices):
        ids, place = tf.unique(tf.reshape(index, [-1]))
        touched = tf.size(ids)
        before = tf.gather(counts, ids)
        old = tf.gather(centers, ids)
        more = tf.unsorted_segment_sum(tf.ones_like(place, dtype=counts.dtype), place, touched)
        sums = tf.unsorted_segment_sum(points, place, touched)
        column = tf.concat([tf.reshape(touched, [1]),
                            tf.ones(tf.reshape(tf.rank(points) - 1, [1]), dtype=tf.int32)], 0)
        sums -= tf.cast(tf.reshape(more, column), points.dtype) * old
        rate = tf.reshape(tf.reciprocal(tf.cast(before + more, points.dtype)), column)
        updates += [tf.scatter_add(counts, ids, more), tf.scatter_add(centers, ids, sums * rate)]
    return tf.group(*updates)
