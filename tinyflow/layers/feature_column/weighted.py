"""weighted_categorical_column: categorical values with weights."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.layers.feature_column.base import CategoricalColumn, IdWeightPair
from tinyflow.layers.feature_column.serialization import register_column, serialize_feature_column
from tinyflow.layers.feature_column.transformation import to_sparse_ids
from tinyflow.ops.array import identity_and_cast as identities
from tinyflow.ops.files.example_parsing import VarLenFeature

__all__ = ['WeightedCategoricalColumn', 'weighted_categorical_column']


def weighted_categorical_column(categorical_column, weight_feature_key, dtype=dtypes.float32):
    """The ids of a column with weights from another feature.

    Shapes: both features [batch, any], with values at the same indices -> ids and weights. Raises
    ValueError unless the dtype is numeric.
    """
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise misuse(ValueError(f'dtype {dtype.name} is not convertible to float.'))
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)


@register_column
class WeightedCategoricalColumn(CategoricalColumn, namedtuple('WeightedCategoricalColumn', [
        'categorical_column', 'weight_feature_key', 'dtype'])):
    """See weighted_categorical_column."""

    __slots__ = ()

    @property
    def name(self):
        return f'{self.categorical_column.name}_weighted_by_{self.weight_feature_key}'

    @property
    def parse_example_spec(self):
        spec = dict(self.categorical_column.parse_example_spec)
        if self.weight_feature_key in spec:
            raise misuse(ValueError(f'Parse config {spec[self.weight_feature_key]} already exists '
                                    f'for {self.weight_feature_key}.'))
        return {**spec, self.weight_feature_key: VarLenFeature(self.dtype)}

    @property
    def parents(self):
        return [self.categorical_column, self.weight_feature_key]

    @property
    def num_buckets(self):
        return self.categorical_column.num_buckets

    def transform_feature(self, transformation_cache, state_manager):
        weights = convert_to_tensor_or_sparse_tensor(
            transformation_cache.get(self.weight_feature_key, state_manager))
        if weights.dtype.base_dtype is not self.dtype.base_dtype:
            values = weights.values if isinstance(weights, SparseTensor) else weights
            raise misuse(ValueError(report(
                f'Bad dtype, expected {self.dtype.name}, but got {weights.dtype.name}.',
                inputs=[(self.weight_feature_key, values)],
                hint=f"tf.cast(features['{self.weight_feature_key}'], tf.{self.dtype.name}), or "
                     'use the dtype of the feature for the column.')))
        weights = to_sparse_ids(weights, ignore_value=0.0)
        if not weights.dtype.is_floating:
            weights = SparseTensor(weights.indices,
                                   identities.cast(weights.values, dtypes.float32),
                                   weights.dense_shape)
        return transformation_cache.get(self.categorical_column, state_manager), weights

    def get_sparse_tensors(self, transformation_cache, state_manager):
        return IdWeightPair(*transformation_cache.get(self, state_manager))

    def get_config(self):
        return {'categorical_column': serialize_feature_column(self.categorical_column),
                'weight_feature_key': self.weight_feature_key, 'dtype': self.dtype.name}
