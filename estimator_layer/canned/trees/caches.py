"""What a training in memory keeps of each row: its buckets, its place in the trees, its logit."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.canned.trees import columns as features_of

__all__ = ['NEW', 'RowCache', 'cached_features', 'kept']

NEW = -1                    # the node of a row that no tree has seen


def kept(initial_value, name):
    """A Variable that is not trained, and takes the shape of what it is assigned."""
    return tf.Variable(initial_value=initial_value, trainable=False, validate_shape=False,
                       name=name, use_resource=True)


class RowCache:
    """The tree and the node where each row stands, and its logit, in Variables."""

    def __init__(self, batch_size, logits_dimension):
        self._tree_ids = kept(tf.zeros([batch_size], dtype=tf.int32), 'tree_ids_cache')
        self._node_ids = kept(NEW * tf.ones([batch_size], dtype=tf.int32), 'node_ids_cache')
        self._logits = kept(tf.zeros([batch_size, logits_dimension], dtype=tf.float32),
                            'logits_cache')

    def lookup(self):
        """(tree ids [batch], node ids [batch], logits [batch, logits])."""
        return self._tree_ids, self._node_ids, self._logits

    def insert(self, tree_ids, node_ids, logits):
        """An Operation that keeps them."""
        return tf.group([self._tree_ids.assign(tree_ids), self._node_ids.assign(node_ids),
                         self._logits.assign(logits)], name='cache_insert')


def cached_features(features, columns, batch_size, boundaries, ready):
    """(the features of the rows [batch], an Operation that keeps their buckets).

    What is not an indicator is put into buckets once, as soon as there are boundaries.
    """
    count = features_of.feature_count(columns)
    variables = [kept(tf.zeros([batch_size], dtype=tf.int32), f'cached_feature_{i}')
                 for i in range(count)]
    are_kept = kept(False, 'are_features_cached')
    indicators = [c for c in columns if features_of.is_indicator(c)]
    others = [c for c in columns if not features_of.is_indicator(c)]
    # Outside of the choices: the tables of vocabularies must be made for them, too.
    known = features_of.transformed_columns(features, indicators) if indicators else {}

    def transform():
        return features_of.transformed(features, others, boundaries, columns, known)

    def keep():
        assigned = [tf.assign(variable, value) for variable, value in zip(variables, transform())]
        with tf.control_dependencies(assigned):
            return assigned, are_kept.assign(True)

    def with_cache():
        return tf.cond(are_kept, lambda: (variables, tf.no_op()), keep)
    return tf.cond(ready, lambda: (transform(), tf.no_op()), with_cache)
