"""crossed_column: hashed combinations of several features, such as city and hour."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import CategoricalColumn, FeatureColumn, IdWeightPair
from tinyflow.layers.feature_column.hashed import HashedCategoricalColumn
from tinyflow.layers.feature_column.serialization import register_column, serialize_feature_column
from tinyflow.ops.files.example_parsing import VarLenFeature
from tinyflow.ops.sparse.crossing import sparse_cross_hashed

__all__ = ['CrossedColumn', 'crossed_column']


def crossed_column(keys, hash_bucket_size, hash_key=None):
    """The combinations of the values of several features, hashed to ids.

    `keys` are keys of string or integer features, or categorical columns. Shapes: features
    [batch, n] and [batch, m] -> ids [batch, n * m]. Raises ValueError for fewer than two keys, a
    column that is not categorical or is already hashed, or a size below 1.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise misuse(ValueError('hash_bucket_size must be > 1. hash_bucket_size: '
                                f'{hash_bucket_size}'))
    if not keys or len(keys) < 2:
        raise misuse(ValueError(f'keys must be a list with length > 1. Given: {keys}'))
    for key in keys:
        _check(key)
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


def _check(key):
    if not isinstance(key, (str, CategoricalColumn)):
        hint = ''
        if isinstance(key, FeatureColumn):
            hint = (f'\n  Hint: tf.feature_column.bucketized_column({key.name}, boundaries=[...]) '
                    'makes a numeric column categorical.')
        raise misuse(ValueError(
            'Unsupported key type. All keys must be either string, or categorical column except '
            f'HashedCategoricalColumn. Given: {key}{hint}'))
    if isinstance(key, HashedCategoricalColumn):
        raise misuse(ValueError(
            'categorical_column_with_hash_bucket is not supported for crossing: hashing twice '
            f'causes more collisions.\n  Hint: use the key, {key.key!r}. Given: '
            f'{key}'))


@register_column
class CrossedColumn(CategoricalColumn, namedtuple('CrossedColumn', [
        'keys', 'hash_bucket_size', 'hash_key'])):
    """See crossed_column."""

    __slots__ = ()

    @property
    def name(self):
        return '_X_'.join(sorted(k if isinstance(k, str) else k.name for k in leaves(self)))

    @property
    def parse_example_spec(self):
        spec = {}
        for key in self.keys:
            spec.update({key: VarLenFeature(dtypes.string)} if isinstance(key, str) else
                        key.parse_example_spec)
        return spec

    @property
    def parents(self):
        return list(self.keys)

    @property
    def num_buckets(self):
        return self.hash_bucket_size

    def transform_feature(self, transformation_cache, state_manager):
        inputs = [self._input(key, transformation_cache, state_manager) for key in leaves(self)]
        return sparse_cross_hashed(inputs, self.hash_bucket_size, self.hash_key)

    def _input(self, key, cache, state_manager):
        if isinstance(key, str):
            return cache.get(key, state_manager)
        ids, weights = key.get_sparse_tensors(cache, state_manager)
        if weights is not None:
            raise misuse(ValueError('crossed_column does not support weight_tensor, but the given '
                                    f'column populates weight_tensor. Given column: {key.name}'))
        return ids

    def get_sparse_tensors(self, transformation_cache, state_manager):
        return IdWeightPair(transformation_cache.get(self, state_manager), None)

    def get_config(self):
        return {'keys': tuple(serialize_feature_column(key) for key in self.keys),
                'hash_bucket_size': self.hash_bucket_size, 'hash_key': self.hash_key}


def leaves(column):
    """The keys and columns to cross; nested crosses are flattened."""
    flat = []
    for key in column.keys:
        flat += leaves(key) if isinstance(key, CrossedColumn) else [key]
    return flat
