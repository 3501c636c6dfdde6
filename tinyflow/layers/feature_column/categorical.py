"""categorical_column_with_identity, and the base of categorical columns of a single feature."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import control_dependencies
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.layers.feature_column.base import CategoricalColumn, IdWeightPair, check_key
from tinyflow.layers.feature_column.serialization import register_column
from tinyflow.layers.feature_column.transformation import to_sparse_ids
from tinyflow.ops.array import constants, identity_and_cast as identities, shape_ops as measures
from tinyflow.ops.array.where_v2 import where_v2
from tinyflow.ops.checks import value_checks
from tinyflow.ops.files.example_parsing import VarLenFeature
from tinyflow.ops.math import logic

__all__ = ['IdentityCategoricalColumn', 'categorical_column_with_identity']


class SingleFeatureColumn(CategoricalColumn):
    """A categorical column of the feature `key`: converts its values to sparse ids."""

    __slots__ = ()

    @property
    def name(self):
        return self.key

    @property
    def parse_example_spec(self):
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def parents(self):
        return [self.key]

    def transform_feature(self, transformation_cache, state_manager):
        feature = to_sparse_ids(transformation_cache.get(self.key, state_manager))
        return self._ids(feature)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        return IdWeightPair(transformation_cache.get(self, state_manager), None)

    def get_config(self):
        config = dict(zip(self._fields, self))
        if 'dtype' in config:
            config['dtype'] = self.dtype.name
        return config


def check_feature_dtype(column, tensor):
    """Raises ValueError unless column and feature are both strings or both integers."""
    dtype = tensor.dtype.base_dtype
    if column.dtype.is_integer == dtype.is_integer and (
            dtype.is_integer or dtype is dtypes.string):
        return
    hint = f"tf.cast(features['{column.key}'], tf.int64)"
    if dtype is dtypes.string:
        hint = f"tf.string_to_number(features['{column.key}'], tf.int64)"
    elif column.dtype is dtypes.string:
        hint = (f"tf.as_string(features['{column.key}']), or use dtype=tf.int64 for the column"
                + (' and integers in its vocabulary' if 'vocabulary_list' in column._fields else '')
                ) if dtype.is_integer else (
            'use tf.feature_column.numeric_column for numbers, and bucketized_column to make it '
            'categorical')
    raise misuse(ValueError(report(
        'Column dtype and SparseTensors dtype must be compatible. key: '
        f'{column.key}, column dtype: {column.dtype.name}, tensor dtype: {dtype.name}',
        inputs=[(column.key, tensor.values)], hint=f'{hint}.')))


def categorical_column_with_identity(key, num_buckets, default_value=None):
    """Integers that are ids in [0, num_buckets).

    Other integers fail at runtime (InvalidArgumentError), or become `default_value`. Shapes:
    feature [batch, any], dense or sparse -> ids. Raises ValueError for invalid arguments.
    """
    if num_buckets < 1:
        raise misuse(ValueError(f'num_buckets {num_buckets} < 1, column_name {key}'))
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise misuse(ValueError(f'default_value {default_value} not in range [0, {num_buckets}), '
                                f'column_name {key}'))
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


@register_column
class IdentityCategoricalColumn(SingleFeatureColumn, namedtuple('IdentityCategoricalColumn', [
        'key', 'number_buckets', 'default_value'])):
    """See categorical_column_with_identity."""

    __slots__ = ()
    dtype = dtypes.int64

    @property
    def num_buckets(self):
        return self.number_buckets

    def _ids(self, feature):
        if not feature.dtype.is_integer:
            raise misuse(ValueError(report(
                f'Invalid input, not integer. key: {self.key} dtype: {feature.dtype.name}',
                inputs=[(self.key, feature.values)],
                hint=f"tf.cast(features['{self.key}'], tf.int64); for strings "
                     'categorical_column_with_vocabulary_list.')))
        values = identities.cast(feature.values, dtypes.int64, name='values')
        count = identities.cast(self.num_buckets, dtypes.int64, name='num_buckets')
        zero = identities.cast(0, dtypes.int64, name='zero')
        if self.default_value is None:
            hint = 'default_value=0 would replace such ids.'
            checks = [
                value_checks.assert_less(
                    values, count, data=(values, count), name='assert_less_than_num_buckets',
                    message=f'An id of the categorical column "{self.key}" is not less than its '
                            f'num_buckets, {self.num_buckets}; {hint}'),
                value_checks.assert_greater_equal(
                    values, zero, data=(values,), name='assert_greater_or_equal_0',
                    message=f'An id of the categorical column "{self.key}" is negative; {hint}')]
            with control_dependencies(checks):
                values = identities.identity(values)
        else:
            outside = logic.logical_or(values < zero, values >= count, name='out_of_range')
            default = constants.fill(measures.shape(values),
                                     identities.cast(self.default_value, dtypes.int64),
                                     name='default_values')
            values = where_v2(outside, default, values)
        return SparseTensor(feature.indices, values, feature.dense_shape)
