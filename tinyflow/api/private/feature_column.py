"""tensorflow.python.feature_column: its columns, also by the names with a leading underscore."""
from __future__ import annotations

from tinyflow.api.feature_column import (
    bucketized_column as _bucketized_column,
    categorical_column_with_hash_bucket as _categorical_column_with_hash_bucket,
    categorical_column_with_identity as _categorical_column_with_identity,
    categorical_column_with_vocabulary_file as _categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list as _categorical_column_with_vocabulary_list,
    crossed_column as _crossed_column,
    embedding_column as _embedding_column,
    indicator_column as _indicator_column,
    make_parse_example_spec as make_parse_example_spec_v2,
    numeric_column as _numeric_column,
    shared_embedding_columns as _shared_embedding_columns,
    weighted_categorical_column as _weighted_categorical_column,
)
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.linear_model import LinearModel

__all__ = [
    '_bucketized_column', '_categorical_column_with_hash_bucket',
    '_categorical_column_with_identity', '_categorical_column_with_vocabulary_file',
    '_categorical_column_with_vocabulary_list', '_crossed_column', '_embedding_column',
    '_indicator_column', '_numeric_column', '_shared_embedding_columns',
    '_weighted_categorical_column', '_LinearModel', 'LinearModel', 'make_parse_example_spec_v2']


def _LinearModel(feature_columns, units=1, sparse_combiner='sum', weight_collections=None,
                 trainable=True, name='linear_model'):
    """LinearModel with the arguments that it has in TensorFlow."""
    if weight_collections:
        raise misuse(NotImplementedError('weight_collections is not supported here.'))
    return LinearModel(feature_columns, units, sparse_combiner, trainable, name)
