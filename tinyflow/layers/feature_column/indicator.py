"""indicator_column: one-hot or multi-hot encoding of ids."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph.shapes import TensorShape
from tinyflow.layers.feature_column.base import (
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)
from tinyflow.layers.feature_column.sequence_checks import (
    WrapsCategoricalColumn,
    check_categorical,
    check_is_sequence,
    check_no_sequence,
    sequence_lengths,
)
from tinyflow.layers.feature_column.serialization import register_column, serialize_feature_column
from tinyflow.ops.array import indexing, where_onehot as masking
from tinyflow.ops.math import reduction
from tinyflow.ops.sparse import (
    conversions as sparse_conversions,
    joining as sparse_joining,
    merging as sparse_merging,
)

__all__ = ['IndicatorColumn', 'indicator_column']


def indicator_column(categorical_column):
    """The count of each id in an example: one-hot for a single id, multi-hot for several.

    Shapes: ids [batch, any] -> [batch, num_buckets]. With weights, the sum of the weights. Raises
    ValueError for a column that is not categorical.
    """
    check_categorical(categorical_column, 'indicator_column')
    return IndicatorColumn(categorical_column)


@register_column
class IndicatorColumn(WrapsCategoricalColumn, DenseColumn, SequenceDenseColumn, namedtuple(
        'IndicatorColumn', ['categorical_column'])):
    """See indicator_column."""

    __slots__ = ()

    @property
    def name(self):
        return f'{self.categorical_column.name}_indicator'

    @property
    def variable_shape(self):
        return TensorShape([1, self.categorical_column.num_buckets])

    def transform_feature(self, transformation_cache, state_manager):
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache,
                                                                  state_manager)
        depth = self.categorical_column.num_buckets
        if weights is not None:
            summed = sparse_merging.sparse_merge(ids, weights, vocab_size=depth)
            # Ids of -1 are before the first column, so the slice drops them.
            summed = sparse_joining.sparse_slice(summed, [0, 0], summed.dense_shape)
            return indexing.scatter_nd(summed.indices, summed.values, summed.dense_shape)
        dense = sparse_conversions.sparse_tensor_to_dense(ids, default_value=-1)
        one_hot = masking.one_hot(dense, depth, on_value=1.0, off_value=0.0)
        return reduction.reduce_sum(one_hot, axis=[-2])

    def get_dense_tensor(self, transformation_cache, state_manager):
        check_no_sequence(self, 'indicator_column')
        return transformation_cache.get(self, state_manager)

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        check_is_sequence(self, 'indicator_column')
        dense = transformation_cache.get(self, state_manager)
        ids, _ = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return TensorSequenceLengthPair(dense, sequence_lengths(ids))

    def get_config(self):
        return {'categorical_column': serialize_feature_column(self.categorical_column)}
