"""categorical_column_with_hash_bucket: words without a vocabulary, by their fingerprints."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import worded
from tinyflow.layers.feature_column.base import check_key, check_string_or_int
from tinyflow.layers.feature_column.categorical import OfOneFeature, check_same_kind
from tinyflow.ops.strings import fingerprints
from tinyflow.ops.strings.as_string import as_string

__all__ = ['HashedCategoricalColumn', 'categorical_column_with_hash_bucket']


def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """Words (or integers) of any vocabulary: the id of each is its fingerprint modulo the size.

    Shapes: the feature [batch, any], dense or sparse -> ids. ValueError for arguments that do not
    fit. The buckets are those of TensorFlow; different words may share one.
    """
    if hash_bucket_size is None:
        raise worded(ValueError(f'hash_bucket_size must be set. key: {key}'))
    if hash_bucket_size < 1:
        raise worded(ValueError(f'hash_bucket_size must be at least 1. hash_bucket_size: '
                                f'{hash_bucket_size}, key: {key}'))
    check_key(key)
    dtype = dtypes.as_dtype(dtype)
    check_string_or_int(dtype, f'column_name: {key}')
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


class HashedCategoricalColumn(OfOneFeature, namedtuple('HashedCategoricalColumn', [
        'key', 'hash_bucket_size', 'dtype'])):
    """See categorical_column_with_hash_bucket."""

    __slots__ = ()

    @property
    def num_buckets(self):
        return self.hash_bucket_size

    def _ids(self, given):
        check_same_kind(self, given)
        words = given.values if self.dtype is dtypes.string else as_string(given.values)
        ids = fingerprints.string_to_hash_bucket_fast(words, self.hash_bucket_size, name='lookup')
        return SparseTensor(given.indices, ids, given.dense_shape)
