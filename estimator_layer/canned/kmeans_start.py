"""Where k-means begins: centers that are drawn, chosen far apart, or given."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.canned import kmeans_ops as clustering

__all__ = ['FirstCenters']


class FirstCenters:
    """The op that adds centers to a Variable until there are as many as wanted.

    One batch may hold too few points: then 'random' takes all of them, and a later run goes on.
    """

    def __init__(self, inputs, number, given, cosine, seed, retries, chain_length, centers,
                 updated, initialized):
        self._inputs = inputs
        self._number = number
        self._given = given
        self._cosine = cosine
        self._seed, self._retries, self._chain_length = seed, retries, chain_length
        self._centers, self._updated = centers, updated
        self._initialized = initialized
        self._selected = tf.shape(centers)[0]
        self._remaining = number - self._selected
        self._rows = tf.add_n([tf.shape(points)[0] for points in inputs])

    def op(self):
        """Adds centers, unless there are enough."""
        return tf.cond(tf.equal(self._remaining, 0),
                       lambda: tf.assert_equal(self._initialized, True), self._begin)

    def _begin(self):
        with tf.control_dependencies([tf.assert_positive(self._remaining)]):
            left = self._by_chains() if isinstance(self._given, str) and self._given == 'kmc2' \
                else self._add()
            return tf.cond(tf.equal(left, 0), lambda: tf.assign(self._initialized, True),
                           tf.no_op)

    def _normalized(self, points):
        return tf.nn.l2_normalize(points, dim=1) if self._cosine else points

    def _add(self):
        """How many are still missing after this batch gave some."""
        new = self._normalized(self._chosen())
        every = tf.cond(tf.equal(self._selected, 0), lambda: new,
                        lambda: tf.concat([self._centers, new], 0))
        return self._number - tf.shape(self._keep(every))[0]

    def _keep(self, centers):
        kept = tf.assign(self._centers, centers, validate_shape=False)
        if self._updated is not self._centers:
            kept = tf.assign(self._updated, kept, validate_shape=False)
        return kept

    def _chosen(self):
        if callable(self._given):
            return self._given(self._inputs, self._remaining)
        if not isinstance(self._given, str):
            fits = tf.assert_equal(self._remaining, tf.shape(self._given)[0])
            with tf.control_dependencies([fits]):
                return tf.identity(self._given)
        if self._given == 'random':
            return tf.cond(self._rows <= self._remaining, lambda: tf.concat(self._inputs, 0),
                           self._random_rows)
        enough = tf.assert_greater_equal(self._rows, self._remaining)
        with tf.control_dependencies([enough]):
            return clustering.kmeans_plus_plus_initialization(
                self._normalized(self._inputs[0]), tf.to_int64(self._remaining), self._seed,
                self._retries)

    def _random_rows(self):
        which = tf.random_uniform(tf.reshape(self._remaining, [-1]), minval=0,
                                  maxval=tf.cast(self._rows, tf.int64), seed=self._seed,
                                  dtype=tf.int64)
        return tf.nn.embedding_lookup(self._inputs, which, partition_strategy='div')

    def _by_chains(self):
        """Markov chains over parts of the batch, one for each center, as long as they last."""
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
            return index + 1, self._number - tf.shape(self._keep(centers))[0]
        return tf.while_loop(lambda index, left: tf.less(index, wanted), body, [0, 0])[1]
