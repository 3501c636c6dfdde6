"""Feature columns as inputs of trees: scalar features, each with a bucket per row."""
from __future__ import annotations

import tinyflow as tf
from estimator_layer.canned.trees.ops.quantile_ops import BoostedTreesBucketize
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import CategoricalColumn, DenseColumn
from tinyflow.layers.feature_column.bucketized import BucketizedColumn
from tinyflow.layers.feature_column.indicator import IndicatorColumn
from tinyflow.layers.feature_column.transformation import FeatureTransformationCache

__all__ = ['feature_count', 'feature_names', 'float_boundaries', 'float_columns', 'grouped',
           'is_indicator', 'transformed', 'transformed_columns']

_INDICATOR_BUCKETS = 2      # 0 and 1


def is_indicator(column):
    """True for an indicator column, which has a feature per category."""
    return isinstance(column, IndicatorColumn)


def _check_kind(column):
    """ValueError for a column that trees cannot split on."""
    if isinstance(column, CategoricalColumn) and not isinstance(column, BucketizedColumn):
        raise misuse(ValueError(
            f'CategoricalColumn must be wrapped by IndicatorColumn, got: {column}\n  Hint: '
            'wrap it in tf.feature_column.indicator_column(...).'))
    if not isinstance(column, (BucketizedColumn, DenseColumn)):
        raise misuse(ValueError(f'Got unexpected feature column type: {column}'))


def _width(column):
    """The number of features of a dense column."""
    shape = column.variable_shape.as_list()
    if len(shape) > 1:
        raise misuse(ValueError(
            'For now, we only support Dense column with rank of 1, but column '
            f'`{column.name}` got: {column.variable_shape}'))
    return shape[0] if shape else 1


def _size(column):
    """The number of features of a column."""
    _check_kind(column)
    if is_indicator(column):
        return column.categorical_column.num_buckets
    return 1 if isinstance(column, BucketizedColumn) else _width(column)


def float_columns(columns):
    """The columns whose bucket boundaries are computed from the data."""
    selected = []
    for column in columns:
        if isinstance(column, (CategoricalColumn, BucketizedColumn, IndicatorColumn)):
            continue
        if not isinstance(column, DenseColumn):
            raise misuse(ValueError(f'Encountered unexpected column {column}'))
        dtype = getattr(column, 'dtype', None)
        if dtype is None:
            raise misuse(ValueError(
                f'column {column.name} has no dtype: trees cannot split on it.\n  Hint: use '
                'numeric, bucketized or indicator columns; embeddings are for deep models.'))
        if dtype.is_floating:
            selected.append(column)
    return selected


def feature_count(columns):
    """The number of features of all columns."""
    return sum(_size(column) for column in columns)


def feature_names(columns):
    """The name of the column that each feature belongs to."""
    names = []
    for column in columns:
        name = column.categorical_column.name if is_indicator(column) else column.name
        names += [name] * _size(column)
    return names


def grouped(columns, num_quantiles):
    """(numbers of buckets, ids of the features with each number of buckets).

    All bucketized columns are grouped with the one that has the most boundaries.
    """
    groups, bucketized, largest, feature = {}, [], 2, 0
    for column in columns:
        count = _size(column)
        ids = list(range(feature, feature + count))
        feature += count
        if isinstance(column, BucketizedColumn):
            largest = max(largest, len(column.boundaries) + 1)
            bucketized += ids
        else:
            size = _INDICATOR_BUCKETS if is_indicator(column) else num_quantiles
            groups.setdefault(size, []).extend(ids)
    if bucketized:
        groups.setdefault(largest, []).extend(bucketized)
    return list(groups), list(groups.values())


def float_boundaries(columns, boundaries):
    """{name of a float column: the boundaries of its features}."""
    by_name, start = {}, 0
    for column in columns:
        count = _width(column)
        by_name[column.name] = boundaries[start:start + count]
        start += count
    return by_name


def transformed_columns(features, columns):
    """{column: transformed tensor}."""
    with tf.name_scope(None, 'transform_features', list(features.values())):
        cache, tensors = FeatureTransformationCache(features), {}
        for column in columns:
            with tf.name_scope(None, column.name):
                tensors[column] = cache.get(column)
    return tensors


def transformed(features, columns, boundaries=None, every_column=None, known=None):
    """A list of the features [batch]; bucketized if `boundaries` are given.

    `known` has the tensors of the columns that are in `every_column` but not in `columns`.
    """
    every_column = columns if every_column is None else every_column
    tensors = transformed_columns(features, columns) if columns else {}
    tensors.update(known or {})
    parts = []
    for column in every_column:
        parts += _features(column, tensors[column], features, boundaries)
    return parts


def _features(column, tensor, features, boundaries):
    _check_kind(column)
    if isinstance(column, BucketizedColumn):
        return [_single(column, tensor, features)]
    if is_indicator(column):
        tensor = tf.to_int32(tensor)
        if len(tensor.shape) > 2:
            raise misuse(ValueError(
                'Rank of indicator column must be no more than 2, but column '
                f'`{column.categorical_column.name}` got: {tensor.shape}'))
        return tf.unstack(tensor, axis=1)
    _width(column)
    parts = tf.unstack(tensor, axis=1)
    if not boundaries:
        return parts
    return list(BoostedTreesBucketize.apply(parts, boundaries[column.name],
                                            num_features=len(parts)))


def _single(column, tensor, features):
    if tensor.shape.ndims is not None and tensor.shape.ndims > 1 and \
            tensor.shape.as_list()[1] not in (1, None):
        shape = tf.convert_to_tensor(features[column.source_column.name]).shape
        raise misuse(ValueError(
            'For now, only supports features equivalent to rank 1 but column '
            f'`{column.source_column.name}` got: {shape}'))
    return tf.squeeze(tensor, axis=1)
