"""Cache of a training in memory: the buckets, tree, node and logit of each row."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.canned.trees import columns as features_of

__all__ = ['NEW', 'RowCache', 'cached_features', 'untrained_variable']

NEW = -1                    # the node of a row that was not passed through a tree yet


def untrained_variable(initial_value, name):
    """A Variable that is not trained and takes the shape of the assigned value."""
    return tf.Variable(initial_value=initial_value, trainable=False, validate_shape=False,
                       name=name, use_resource=True)


class RowCache:
    """The current tree, node and logit of each row, in Variables."""

    def __init__(self, batch_size, logits_dimension):
        self._tree_ids = untrained_variable(
            tf.zeros([batch_size], dtype=tf.int32), 'tree_ids_cache')
        self._node_ids = untrained_variable(
            NEW * tf.ones([batch_size], dtype=tf.int32), 'node_ids_cache')
        self._logits = untrained_variable(
            tf.zeros([batch_size, logits_dimension], dtype=tf.float32), 'logits_cache')

    def lookup(self):
        """(tree ids [batch], node ids [batch], logits [batch, logits])."""
        return self._tree_ids, self._node_ids, self._logits

    def insert(self, tree_ids, node_ids, logits):
        """An Operation that stores them."""
        return tf.group([self._tree_ids.assign(tree_ids), self._node_ids.assign(node_ids),
                         self._logits.assign(logits)], name='cache_insert')


def cached_features(features, columns, batch_size, boundaries, ready):
    """(features of the rows [batch], Operation that caches their buckets).

    Features other than indicators are bucketized once, when the boundaries are known.
    """
    count = features_of.feature_count(columns)
    variables = [untrained_variable(tf.zeros([batch_size], dtype=tf.int32), f'cached_feature_{i}')
                 for i in range(count)]
    are_cached = untrained_variable(False, 'are_features_cached')
    indicators = [c for c in columns if features_of.is_indicator(c)]
    others = [c for c in columns if not features_of.is_indicator(c)]
    # Outside of tf.cond: the vocabulary tables of these columns must be created in every case.
    known = features_of.transformed_columns(features, indicators) if indicators else {}

    def transform():
        return features_of.transformed(features, others, boundaries, columns, known)

    def fill_cache():
        assigned = [tf.assign(variable, value) for variable, value in zip(variables, transform())]
        with tf.control_dependencies(assigned):
            return assigned, are_cached.assign(True)

    def with_cache():
        return tf.cond(are_cached, lambda: (variables, tf.no_op()), fill_cache)
    return tf.cond(ready, lambda: (transform(), tf.no_op()), with_cache)
