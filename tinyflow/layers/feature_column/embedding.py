"""embedding_column: a trained vector per id."""
from __future__ import annotations

import math
from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import (
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)
from tinyflow.layers.feature_column.sequence_checks import (
    WrapsCategoricalColumn,
    check_categorical,
    check_is_sequence,
    check_no_sequence,
    sequence_lengths,
)
from tinyflow.layers.feature_column.serialization import (
    register_column,
    serialize_feature_column,
    serialize_initializer,
)
from tinyflow.ops.nn.embedding_sparse import safe_embedding_lookup_sparse
from tinyflow.ops.variables.initializers import truncated_normal_initializer
from tinyflow.train.checkpoints.warm_start import init_from_checkpoint

__all__ = ['EmbeddingColumn', 'embedding_column']


def embedding_column(categorical_column, dimension, combiner='mean', initializer=None,
                     ckpt_to_load_from=None, tensor_name_in_ckpt=None, max_norm=None,
                     trainable=True):
    """A vector of `dimension` numbers per id; `combiner` combines those of an example.

    Shapes: ids [batch, any] -> [batch, dimension]. `combiner` is 'mean', 'sum' or 'sqrtn'. The
    vectors are initialized by `initializer` (default: truncated normal, stddev 1/sqrt(dimension)),
    or from a tensor in a checkpoint. An example without ids gets zeros. Raises ValueError for
    invalid arguments.
    """
    initializer = check_embedding(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
                                  getattr(categorical_column, 'name', categorical_column))
    check_categorical(categorical_column, 'embedding_column')
    return EmbeddingColumn(categorical_column, dimension, combiner, initializer, ckpt_to_load_from,
                           tensor_name_in_ckpt, max_norm, trainable)


def check_embedding(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, name):
    """The initializer, or the default one. Raises ValueError for invalid arguments."""
    if dimension is None or dimension < 1:
        raise misuse(ValueError(f'Invalid dimension {dimension}.'))
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise misuse(ValueError('Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` '
                                'or none of them.'))
    if initializer is not None and not callable(initializer):
        raise misuse(ValueError('initializer must be callable if specified. Embedding of '
                                f'column_name: {name}'))
    return initializer or truncated_normal_initializer(0.0, 1 / math.sqrt(dimension))


def load_embedding(checkpoint, name, weights):
    """The Variable, initialized from the tensor `name` of `checkpoint` unless that is None."""
    if checkpoint is not None:
        parts = weights._get_variable_list() if hasattr(weights, '_get_variable_list') else weights
        init_from_checkpoint(checkpoint, {name: parts})
    return weights


@register_column
class EmbeddingColumn(WrapsCategoricalColumn, DenseColumn, SequenceDenseColumn, namedtuple(
        'EmbeddingColumn', [
            'categorical_column', 'dimension', 'combiner', 'initializer', 'ckpt_to_load_from',
            'tensor_name_in_ckpt', 'max_norm', 'trainable'])):
    """See embedding_column."""

    __slots__ = ()

    @property
    def name(self):
        return f'{self.categorical_column.name}_embedding'

    @property
    def variable_shape(self):
        return TensorShape([self.dimension])

    def transform_feature(self, transformation_cache, state_manager):
        return transformation_cache.get(self.categorical_column, state_manager)

    def create_state(self, state_manager):
        if hasattr(self.categorical_column, 'create_state'):
            self.categorical_column.create_state(state_manager)
        state_manager.create_variable(
            self, name='embedding_weights',
            shape=(self.categorical_column.num_buckets, self.dimension), dtype=dtypes.float32,
            trainable=self.trainable, use_resource=True, initializer=self.initializer)

    def get_dense_tensor(self, transformation_cache, state_manager):
        check_no_sequence(self, 'embedding_column')
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return self._lookup(pair, state_manager)

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        check_is_sequence(self, 'embedding_column')
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        dense = self._lookup(pair, state_manager)
        return TensorSequenceLengthPair(dense, sequence_lengths(pair.id_tensor))

    def _lookup(self, pair, state_manager):
        weights = load_embedding(self.ckpt_to_load_from, self.tensor_name_in_ckpt,
                                 state_manager.get_variable(self, 'embedding_weights'))
        return safe_embedding_lookup_sparse(
            weights, pair.id_tensor, pair.weight_tensor, combiner=self.combiner,
            name=f'{self.name}_weights', max_norm=self.max_norm)

    def get_config(self):
        return {**self._asdict(),
                'categorical_column': serialize_feature_column(self.categorical_column),
                'initializer': serialize_initializer(self.initializer)}
