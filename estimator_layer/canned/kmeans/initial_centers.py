"""Initial centers of k-means: random, k-means++, k-MC2, or given ones."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.canned.kmeans import ops as clustering

__all__ = ['InitialCenters']


class InitialCenters:
    """The op that adds centers to a Variable until their number is reached.

    One batch may have too few points: then 'random' takes all of them, and a later run continues.
    """

    def __init__(self, inputs, number, initial, cosine, seed, retries, chain_length, centers,
                 updated, initialized):
        self._inputs = inputs
        self._number = number
        self._initial = initial
        self._cosine = cosine
        self._seed, self._retries, self._chain_length = seed, retries, chain_length
        self._centers, self._updated = centers, updated
        self._initialized = initialized
        self._selected = tf.shape(centers)[0]
        self._remaining = number - self._selected
        self._rows = tf.add_n([tf.shape(points)[0] for points in inputs])

    def op(self):
        """Adds centers, unless there are enough of them."""
        return tf.cond(tf.equal(self._remaining, 0),
                       lambda: tf.assert_equal(self._initialized, True), self._initialize)

    def _initialize(self):
        with tf.control_dependencies([tf.assert_positive(self._remaining)]):
            left = self._add_by_kmc2() \
                if isinstance(self._initial, str) and self._initial == 'kmc2' else self._add()
            return tf.cond(tf.equal(left, 0), lambda: tf.assign(self._initialized, True),
                           tf.no_op)

    def _normalized(self, points):
        return tf.nn.l2_normalize(points, dim=1) if self._cosine else points

    def _add(self):
        """Adds centers from this batch; returns the number of missing ones."""
        new = self._normalized(self._choose())
        centers = tf.cond(tf.equal(self._selected, 0), lambda: new,
                          lambda: tf.concat([self._centers, new], 0))
        return self._number - tf.shape(self._assign(centers))[0]

    def _assign(self, centers):
        assigned = tf.assign(self._centers, centers, validate_shape=False)
        if self._updated is not self._centers:
            assigned = tf.assign(self._updated, assigned, validate_shape=False)
        return assigned

    def _choose(self):
        if callable(self._initial):
            return self._initial(self._inputs, self._remaining)
        if not isinstance(self._initial, str):
            fits = tf.assert_equal(self._remaining, tf.shape(self._initial)[0])
            with tf.control_dependencies([fits]):
                return tf.identity(self._initial)
        if self._initial == 'random':
            return tf.cond(self._rows <= self._remaining, lambda: tf.concat(self._inputs, 0),
                           self._random_rows)
        enough = tf.assert_greater_equal(self._rows, self._remaining)
        with tf.control_dependencies([enough]):
            return clustering.kmeans_plus_plus_initialization(
                self._normalized(self._inputs[0]), tf.to_int64(self._remaining), self._seed,
                self._retries)

    def _random_rows(self):
        indices = tf.random_uniform(tf.reshape(self._remaining, [-1]), minval=0,
                                    maxval=tf.cast(self._rows, tf.int64), seed=self._seed,
                                    dtype=tf.int64)
        return tf.nn.embedding_lookup(self._inputs, indices, partition_strategy='div')

    def _add_by_kmc2(self):
        """Adds centers by Markov chains, each over its own part of the batch (k-MC2)."""
        points, length = self._inputs[0], self._chain_length
        chains = tf.cast(tf.shape(points)[0] / length, dtype=tf.int32)
        wanted = tf.maximum(tf.minimum(self._remaining, chains), 1)

        def first():
            return self._normalized(tf.reshape(points[0], [1, -1]))

        def one_more(index):
            part = points[index * length:(index + 1) * length]
            _, distances = clustering.nearest_neighbors(part, self._centers, 1)
            row = clustering.kmc2_chain_initialization(tf.squeeze(distances), self._seed)
            new = self._normalized(tf.reshape(part[row], [1, -1]))
            return tf.concat([self._centers, new], 0)

        def body(index, left):
            centers = tf.cond(tf.equal(self._selected, 0), first, lambda: one_more(index))
            return index + 1, self._number - tf.shape(self._assign(centers))[0]
        return tf.while_loop(lambda index, left: tf.less(index, wanted), body, [0, 0])[1]
