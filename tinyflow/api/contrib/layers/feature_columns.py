"""Feature columns under the names of tf.contrib.layers, from before tf.feature_column.

They create current columns, for tf.estimator and tf.feature_column.input_layer: Variables have
their current names, and crosses their current buckets.
"""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column import (
    bucketized,
    categorical,
    crossed,
    embedding,
    hashed,
    indicator,
    numeric,
    parse_spec,
    shared_embedding,
    vocabulary,
    weighted,
)
from tinyflow.layers.feature_column.hashed import HashedCategoricalColumn
from tinyflow.layers.feature_column.input_layer import input_layer
from tinyflow.layers.feature_column.linear_model import linear_model
from tinyflow.ops.files import example_parsing
from tinyflow.ops.nn import embedding_sparse
from tinyflow.ops.variables.variable_scope import variable_scope

__all__ = [
    'bucketized_column', 'create_feature_spec_for_parsing', 'crossed_column', 'embedding_column',
    'infer_real_valued_columns', 'input_from_feature_columns', 'one_hot_column',
    'parse_feature_columns_from_examples', 'real_valued_column', 'safe_embedding_lookup_sparse',
    'shared_embedding_columns', 'sparse_column_with_hash_bucket',
    'sparse_column_with_integerized_feature', 'sparse_column_with_keys',
    'sparse_column_with_vocabulary_file', 'weighted_sparse_column',
    'weighted_sum_from_feature_columns',
]


def real_valued_column(column_name, dimension=1, default_value=None, dtype=dtypes.float32,
                       normalizer=None):
    """numeric_column. Shapes: the feature [batch, dimension] -> the same."""
    if dimension is None:
        raise misuse(NotImplementedError(
            'real_valued_column(dimension=None), of sequences of any length: '
            'tf.feature_column.sequence_numeric_column takes them.'))
    return numeric.numeric_column(column_name, (dimension,), default_value, dtype, normalizer)


def _check_combiner(combiner):
    if combiner != 'sum':
        raise misuse(NotImplementedError(
            f'combiner={combiner!r}: columns no longer have one.\n  Hint: sparse_combiner of '
            'tf.feature_column.linear_model or tf.estimator.LinearClassifier.'))


def sparse_column_with_keys(column_name, keys, default_value=-1, combiner='sum',
                            dtype=dtypes.string):
    """categorical_column_with_vocabulary_list. Shapes: the feature [batch, any] -> ids."""
    _check_combiner(combiner)
    return vocabulary.categorical_column_with_vocabulary_list(column_name, keys, dtype,
                                                              default_value)


def sparse_column_with_vocabulary_file(column_name, vocabulary_file, num_oov_buckets=0,
                                       vocab_size=None, default_value=-1, combiner='sum',
                                       dtype=dtypes.string):
    """categorical_column_with_vocabulary_file. Shapes: the feature [batch, any] -> ids."""
    _check_combiner(combiner)
    return vocabulary.categorical_column_with_vocabulary_file(
        column_name, vocabulary_file, vocab_size, num_oov_buckets,
        None if default_value == -1 else default_value, dtype)


def sparse_column_with_hash_bucket(column_name, hash_bucket_size, combiner='sum',
                                   dtype=dtypes.string, hash_keys=None):
    """categorical_column_with_hash_bucket. Shapes: the feature [batch, any] -> ids."""
    _check_combiner(combiner)
    if hash_keys is not None:
        raise misuse(NotImplementedError('hash_keys: only one hash of each word is supported; '
                                         'leave them out.'))
    return hashed.categorical_column_with_hash_bucket(column_name, hash_bucket_size, dtype)


def sparse_column_with_integerized_feature(column_name, bucket_size, combiner='sum',
                                           dtype=dtypes.int64):
    """categorical_column_with_identity. Shapes: the feature [batch, any] -> ids."""
    _check_combiner(combiner)
    if not dtypes.as_dtype(dtype).is_integer:
        raise misuse(ValueError(f'dtype must be an integer. dtype: {dtype}, column_name: '
                                f'{column_name}'))
    return categorical.categorical_column_with_identity(column_name, bucket_size)


def weighted_sparse_column(sparse_id_column, weight_column_name, dtype=dtypes.float32):
    """weighted_categorical_column. Shapes: features [batch, any] -> ids and weights."""
    return weighted.weighted_categorical_column(sparse_id_column, weight_column_name, dtype)


def one_hot_column(sparse_id_column):
    """indicator_column. Shapes: ids [batch, any] -> [batch, num_buckets]."""
    return indicator.indicator_column(sparse_id_column)


def embedding_column(sparse_id_column, dimension, combiner='mean', initializer=None,
                     ckpt_to_load_from=None, tensor_name_in_ckpt=None, max_norm=None,
                     trainable=True):
    """tf.feature_column.embedding_column. Shapes: ids [batch, any] -> [batch, dimension]."""
    return embedding.embedding_column(sparse_id_column, dimension, combiner, initializer,
                                      ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable)


def shared_embedding_columns(sparse_id_columns, dimension, combiner='mean',
                             shared_embedding_name=None, initializer=None, ckpt_to_load_from=None,
                             tensor_name_in_ckpt=None, max_norm=None, trainable=True):
    """tf.feature_column.shared_embedding_columns. Shapes: ids -> [batch, dimension], for each."""
    return shared_embedding.shared_embedding_columns(
        sparse_id_columns, dimension, combiner, initializer, shared_embedding_name,
        ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable)


def bucketized_column(source_column, boundaries):
    """tf.feature_column.bucketized_column. Shapes: [batch, n] -> [batch, n, boundaries + 1]."""
    return bucketized.bucketized_column(source_column, boundaries)


def crossed_column(columns, hash_bucket_size, combiner='sum', ckpt_to_load_from=None,
                   tensor_name_in_ckpt=None, hash_key=None):
    """tf.feature_column.crossed_column; for hashed columns the raw values are crossed.

    Shapes: features [batch, n] and [batch, m] -> ids [batch, n * m].
    """
    _check_combiner(combiner)
    if ckpt_to_load_from is not None or tensor_name_in_ckpt is not None:
        raise misuse(NotImplementedError('ckpt_to_load_from of a cross: tf.train.'
                                         'init_from_checkpoint loads its weights.'))
    keys = [c.key if isinstance(c, HashedCategoricalColumn) else c for c in columns]
    return crossed.crossed_column(keys, hash_bucket_size, hash_key)


def create_feature_spec_for_parsing(feature_columns):
    """make_parse_example_spec. Shapes: no tensors."""
    return parse_spec.make_parse_example_spec(feature_columns)


def parse_feature_columns_from_examples(serialized, feature_columns, name=None,
                                        example_names=None):
    """The parsed features of the columns, by key. Shapes: serialized [batch]."""
    spec = parse_spec.make_parse_example_spec(feature_columns)
    return example_parsing.parse_example(serialized, spec, name, example_names)


def infer_real_valued_columns(features):
    """A real_valued_column for each feature of a dict of [batch, n]; for a tensor the column ''.

    ValueError for features that are not numbers.
    """
    if not isinstance(features, dict):
        return [_inferred('', features)]
    return [_inferred(key, features[key]) for key in sorted(features)]


def _inferred(key, feature):
    feature = convert_to_tensor(feature)
    if not (feature.dtype.is_floating or feature.dtype.is_integer):
        raise misuse(ValueError(f'Feature {key!r} must be numeric to infer a real_valued_column, '
                                f'and is {feature.dtype.name}.'))
    raw = feature.raw_shape or (None,)
    size = 1 if len(raw) == 1 else feature.shape[1:].num_elements()
    return numeric.numeric_column(key, (size,), dtype=feature.dtype.base_dtype)


def input_from_feature_columns(columns_to_tensors, feature_columns, weight_collections=None,
                               trainable=True, scope=None, cols_to_outs=None):
    """tf.feature_column.input_layer in a scope of this name. Shapes: -> [batch, sizes]."""
    with variable_scope(scope, 'input_from_feature_columns'):
        return input_layer(columns_to_tensors, feature_columns, weight_collections, trainable,
                           cols_to_output_tensors=cols_to_outs)


def weighted_sum_from_feature_columns(columns_to_tensors, feature_columns, num_outputs,
                                      weight_collections=None, trainable=True, scope=None):
    """(logits [batch, num_outputs], Variables by column, bias), of tf.feature_column.linear_model.

    Shapes: features, a dict of [batch, ...].
    """
    with variable_scope(scope, 'weighted_sum_from_feature_columns'):
        variables = {}
        logits = linear_model(columns_to_tensors, feature_columns, num_outputs,
                              weight_collections=weight_collections, trainable=trainable,
                              cols_to_vars=variables)
    bias, = variables.pop('bias')
    return logits, variables, bias


def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None,
                                 combiner=None, default_id=None, name=None,
                                 partition_strategy='div', max_norm=None):
    """tf.nn.safe_embedding_lookup_sparse. Shapes: ids [*a, any] -> [*a, dim]."""
    return embedding_sparse.safe_embedding_lookup_sparse(
        embedding_weights, sparse_ids, sparse_weights, combiner or 'mean', default_id, name,
        partition_strategy, max_norm)
