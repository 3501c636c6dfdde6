"""categorical_column_with_hash_bucket: hashed strings, without a vocabulary."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import check_key, check_string_or_int
from tinyflow.layers.feature_column.categorical import SingleFeatureColumn, check_feature_dtype
from tinyflow.layers.feature_column.serialization import register_column
from tinyflow.ops.strings import fingerprints
from tinyflow.ops.strings.as_string import as_string

__all__ = ['HashedCategoricalColumn', 'categorical_column_with_hash_bucket']


def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """Strings or integers; the id of a value is its fingerprint modulo the number of buckets.

    Shapes: feature [batch, any], dense or sparse -> ids. Raises ValueError for invalid arguments.
    The buckets equal those of TensorFlow; different values may share a bucket.
    """
    if hash_bucket_size is None:
        raise misuse(ValueError(f'hash_bucket_size must be set. key: {key}'))
    if hash_bucket_size < 1:
        raise misuse(ValueError(f'hash_bucket_size must be at least 1. hash_bucket_size: '
                                f'{hash_bucket_size}, key: {key}'))
    check_key(key)
    dtype = dtypes.as_dtype(dtype)
    check_string_or_int(dtype, f'column_name: {key}')
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


@register_column
class HashedCategoricalColumn(SingleFeatureColumn, namedtuple('HashedCategoricalColumn', [
        'key', 'hash_bucket_size', 'dtype'])):
    """See categorical_column_with_hash_bucket."""

    __slots__ = ()

    @property
    def num_buckets(self):
        return self.hash_bucket_size

    def _ids(self, feature):
        check_feature_dtype(self, feature)
        strings = feature.values if self.dtype is dtypes.string else as_string(feature.values)
        ids = fingerprints.string_to_hash_bucket_fast(strings, self.hash_bucket_size, name='lookup')
        return SparseTensor(feature.indices, ids, feature.dense_shape)
