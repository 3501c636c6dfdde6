"""bucketized_column: the bucket of each number, one-hot or as id."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import CategoricalColumn, DenseColumn, IdWeightPair
from tinyflow.layers.feature_column.numeric import NumericColumn
from tinyflow.layers.feature_column.serialization import register_column, serialize_feature_column
from tinyflow.ops.array import (
    constants,
    identity_and_cast as identities,
    joining,
    shape_ops as measures,
    shaping,
    where_onehot as masking,
)
from tinyflow.ops.math.bucketize import Bucketize

__all__ = ['BucketizedColumn', 'bucketized_column']


def bucketized_column(source_column, boundaries):
    """The bucket of each number: one-hot as a dense column, an id as a categorical column.

    `boundaries` [a, b] mean the intervals (-inf, a), [a, b), [b, inf). Shapes: source [batch, n] ->
    [batch, n, boundaries + 1], or ids. Raises ValueError unless the source is a numeric_column of
    rank 1 and the boundaries are sorted.
    """
    if not isinstance(source_column, NumericColumn):
        raise misuse(ValueError('source_column must be a column generated with numeric_column(). '
                                f'Given: {source_column}'))
    if len(source_column.shape) > 1:
        raise misuse(ValueError('source_column must be one-dimensional column. Given: '
                                f'{source_column}'))
    if hasattr(boundaries, 'tolist'):
        boundaries = boundaries.tolist()                # an array, e.g. of np.linspace
    if not isinstance(boundaries, (list, tuple)) or any(
            a >= b for a, b in zip(boundaries, boundaries[1:])):
        raise misuse(ValueError('boundaries must be a sorted list, without repetition, not '
                                f'{boundaries!r}'))
    if not boundaries:
        raise misuse(ValueError('boundaries must not be empty.'))
    return BucketizedColumn(source_column, tuple(boundaries))


@register_column
class BucketizedColumn(DenseColumn, CategoricalColumn, namedtuple('BucketizedColumn', [
        'source_column', 'boundaries'])):
    """See bucketized_column."""

    __slots__ = ()

    @property
    def name(self):
        return f'{self.source_column.name}_bucketized'

    @property
    def parse_example_spec(self):
        return self.source_column.parse_example_spec

    @property
    def parents(self):
        return [self.source_column]

    @property
    def variable_shape(self):
        return TensorShape(tuple(self.source_column.shape) + (len(self.boundaries) + 1,))

    @property
    def num_buckets(self):
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def transform_feature(self, transformation_cache, state_manager):
        source = transformation_cache.get(self.source_column, state_manager)
        return Bucketize.apply(source, boundaries=[float(b) for b in self.boundaries])

    def get_dense_tensor(self, transformation_cache, state_manager):
        buckets = transformation_cache.get(self, state_manager)
        return masking.one_hot(identities.cast(buckets, dtypes.int64), len(self.boundaries) + 1,
                               on_value=1.0, off_value=0.0)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        buckets = transformation_cache.get(self, state_manager)
        batch = measures.shape(buckets)[0]
        size = self.source_column.shape[0]
        rows = shaping.reshape(
            joining.tile(shaping.expand_dims(constants.range(0, batch), 1), [1, size]), (-1,))
        positions = joining.tile(constants.range(0, size), [batch])
        # Each element of a vector has separate buckets: id = position * buckets + bucket.
        ids = shaping.reshape(buckets, (-1,)) + (len(self.boundaries) + 1) * positions
        indices = identities.cast(
            shaping.transpose(joining.stack((rows, positions))), dtypes.int64)
        shape = identities.cast(joining.stack([batch, size]), dtypes.int64)
        return IdWeightPair(SparseTensor(indices, ids, shape), None)

    def get_config(self):
        return {'source_column': serialize_feature_column(self.source_column),
                'boundaries': self.boundaries}
