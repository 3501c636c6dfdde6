"""Sequence columns: values for each step, and the sequence lengths."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.layers.feature_column.base import (
    IdWeightPair,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)
from tinyflow.layers.feature_column.categorical import categorical_column_with_identity
from tinyflow.layers.feature_column.hashed import categorical_column_with_hash_bucket
from tinyflow.layers.feature_column.numeric import check_numeric_arguments, numeric_config
from tinyflow.layers.feature_column.sequence_checks import (
    SequenceColumn,
    WrapsCategoricalColumn,
    sequence_lengths,
)
from tinyflow.layers.feature_column.serialization import register_column, serialize_feature_column
from tinyflow.layers.feature_column.vocabulary import (
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from tinyflow.ops.array import joining, shape_ops as measures, shaping
from tinyflow.ops.files.example_parsing import VarLenFeature
from tinyflow.ops.math import reduction
from tinyflow.ops.sparse import conversions as sparse_conversions, rows as sparse_rows

__all__ = ['SequenceCategoricalColumn', 'SequenceNumericColumn',
           'sequence_categorical_column_with_hash_bucket',
           'sequence_categorical_column_with_identity',
           'sequence_categorical_column_with_vocabulary_file',
           'sequence_categorical_column_with_vocabulary_list', 'sequence_numeric_column']


def sequence_categorical_column_with_identity(key, num_buckets, default_value=None):
    """Integers that are ids, one or more per step.

    Shapes: a SparseTensor [batch, steps, ...] -> ids. See categorical_column_with_identity.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_identity(key, num_buckets, default_value))


def sequence_categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """Hashed strings, one or more per step.

    Shapes: a SparseTensor [batch, steps, ...] -> ids. See categorical_column_with_hash_bucket.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


def sequence_categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None,
                                                     num_oov_buckets=0, default_value=None,
                                                     dtype=dtypes.string):
    """Strings of a vocabulary file, one or more per step.

    Shapes: a SparseTensor [batch, steps, ...] -> ids. See categorical_column_with_vocabulary_file.
    """
    return SequenceCategoricalColumn(categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype))


def sequence_categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None,
                                                     default_value=-1, num_oov_buckets=0):
    """Strings of a vocabulary list, one or more per step.

    Shapes: a SparseTensor [batch, steps, ...] -> ids. See categorical_column_with_vocabulary_list.
    """
    return SequenceCategoricalColumn(categorical_column_with_vocabulary_list(
        key, vocabulary_list, dtype, default_value, num_oov_buckets))


@register_column
class SequenceCategoricalColumn(WrapsCategoricalColumn, SequenceColumn, namedtuple(
        'SequenceCategoricalColumn', ['categorical_column'])):
    """The ids of another column for each step."""

    __slots__ = ()

    @property
    def name(self):
        return self.categorical_column.name

    @property
    def num_buckets(self):
        return self.categorical_column.num_buckets

    def transform_feature(self, transformation_cache, state_manager):
        return self.categorical_column.transform_feature(transformation_cache, state_manager)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache,
                                                                  state_manager)
        # Three dimensions; the last one has the values of a step.
        shape = measures.shape(ids)
        target = [shape[0], shape[1], reduction.reduce_prod(shape[2:])]
        ids = sparse_rows.sparse_reshape(ids, target)
        if weights is not None:
            weights = sparse_rows.sparse_reshape(weights, target)
        return IdWeightPair(ids, weights)

    def get_config(self):
        return {'categorical_column': serialize_feature_column(self.categorical_column)}


def sequence_numeric_column(key, shape=(1,), default_value=0.0, dtype=dtypes.float32,
                            normalizer_fn=None):
    """Numbers for each step; `default_value` pads shorter sequences.

    Shapes: a SparseTensor [batch, steps * size of shape] -> [batch, steps, *shape] and lengths
    [batch]. Raises ValueError or TypeError for invalid arguments.
    """
    shape, dtype = check_numeric_arguments(key, shape, dtype, normalizer_fn)
    return SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)


@register_column
class SequenceNumericColumn(SequenceDenseColumn, namedtuple('SequenceNumericColumn', [
        'key', 'shape', 'default_value', 'dtype', 'normalizer_fn'])):
    """See sequence_numeric_column."""

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

    @property
    def variable_shape(self):
        return TensorShape(self.shape)

    def transform_feature(self, transformation_cache, state_manager):
        tensor = transformation_cache.get(self.key, state_manager)
        if self.normalizer_fn is not None:
            tensor = self.normalizer_fn(tensor)
        return tensor

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        sparse = transformation_cache.get(self, state_manager)
        if not isinstance(sparse, SparseTensor):
            raise misuse(ValueError(report(
                f'sequence_numeric_column({self.key!r}) takes a SparseTensor.',
                inputs=[(self.key, sparse)],
                hint='parse it with VarLenFeature, or convert padded rows by '
                     'tf.contrib.layers.dense_to_sparse(x).')))
        dense = sparse_conversions.sparse_tensor_to_dense(sparse,
                                                          default_value=self.default_value)
        shape = joining.concat([measures.shape(dense)[:1], [-1], list(self.shape)], axis=0)
        dense = shaping.reshape(dense, shape=shape)
        raw = sparse.raw_shape
        size = self.variable_shape.num_elements() if raw is not None and len(raw) == 2 else 1
        return TensorSequenceLengthPair(dense, sequence_lengths(sparse, size))

    def get_config(self):
        return numeric_config(self)
