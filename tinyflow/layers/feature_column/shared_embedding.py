"""shared_embedding_columns and shared_embeddings: several columns share one embedding table."""
from __future__ import annotations

import weakref
from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import (
    add_to_collection,
    get_collection,
    get_default_graph,
    name_scope,
)
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import (
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)
from tinyflow.layers.feature_column.embedding import check_embedding, load_embedding
from tinyflow.layers.feature_column.sequence_checks import (
    WrapsCategoricalColumn,
    check_categorical,
    check_is_sequence,
    check_no_sequence,
    sequence_lengths,
)
from tinyflow.layers.feature_column.weighted import WeightedCategoricalColumn
from tinyflow.ops.nn.embedding_sparse import safe_embedding_lookup_sparse
from tinyflow.ops.variables.variable import init_scope
from tinyflow.ops.variables.variable_scope import get_variable

__all__ = ['SharedEmbeddingColumn', 'shared_embedding_columns', 'shared_embeddings']


def shared_embedding_columns(categorical_columns, dimension, combiner='mean', initializer=None,
                             shared_embedding_collection_name=None, ckpt_to_load_from=None,
                             tensor_name_in_ckpt=None, max_norm=None, trainable=True):
    """Embedding columns, one per categorical column, that share one embedding table.

    Shapes: ids [batch, any] -> [batch, dimension], for each. Raises ValueError unless the columns
    have the same type and number of buckets. The first layer that uses one of them creates the
    Variable and adds it to a graph collection with the given name or 'a_b_shared_embedding'. They
    are for tf.feature_column.input_layer and estimators; see shared_embeddings for Keras.
    """
    initializer, name = _checked(categorical_columns, dimension, initializer,
                                 shared_embedding_collection_name, ckpt_to_load_from,
                                 tensor_name_in_ckpt)
    return [CollectionSharedEmbeddingColumn(
                column, dimension, combiner, initializer, name, ckpt_to_load_from,
                tensor_name_in_ckpt, max_norm, trainable)
            for column in categorical_columns]


def shared_embeddings(categorical_columns, dimension, combiner='mean', initializer=None,
                      shared_embedding_collection_name=None, ckpt_to_load_from=None,
                      tensor_name_in_ckpt=None, max_norm=None, trainable=True):
    """Like shared_embedding_columns, but for Keras: the columns own the Variable.

    Shapes: ids [batch, any] -> [batch, dimension], for each. See shared_embedding_columns.
    """
    initializer, name = _checked(categorical_columns, dimension, initializer,
                                 shared_embedding_collection_name, ckpt_to_load_from,
                                 tensor_name_in_ckpt)
    creator = SharedEmbeddingColumnCreator(
        dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
        categorical_columns[0].num_buckets, trainable, name)
    return [SharedEmbeddingColumn(column, creator, combiner, max_norm)
            for column in categorical_columns]


def _checked(columns, dimension, initializer, name, ckpt_to_load_from, tensor_name_in_ckpt):
    """(initializer, name of the shared embedding), checked."""
    names = ', '.join(str(getattr(c, 'name', c)) for c in columns)
    initializer = check_embedding(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
                                  names)
    for column in columns:
        check_categorical(column, 'shared_embedding_columns')
    ordered = sorted(columns, key=lambda c: c.name)
    first = ordered[0]
    for column in ordered[1:]:
        if column.num_buckets != first.num_buckets:
            raise misuse(ValueError(
                'To use shared_embedding_column, all categorical_columns must have the same number '
                f'of buckets. {first.name} has {first.num_buckets}, {column.name} has '
                f'{column.num_buckets}.'))
        if _unweighted_type(column) is not _unweighted_type(first):
            raise misuse(ValueError(
                'To use shared_embedding_column, all categorical_columns must have the same type, '
                f'or be weighted_categorical_column of the same type. {first.name} is a '
                f'{_unweighted_type(first).__name__}, {column.name} a '
                f'{_unweighted_type(column).__name__}.'))
    return initializer, name or '_'.join(c.name for c in ordered) + '_shared_embedding'


def _unweighted_type(column):
    while isinstance(column, WeightedCategoricalColumn):
        column = column.categorical_column
    return type(column)


class _SharedEmbedding(WrapsCategoricalColumn, DenseColumn, SequenceDenseColumn):
    """Base of both kinds of shared embedding columns: the lookup."""

    __slots__ = ()

    @property
    def name(self):
        return f'{self.categorical_column.name}_shared_embedding'

    @property
    def variable_shape(self):
        return TensorShape([self.dimension])

    def transform_feature(self, transformation_cache, state_manager):
        return transformation_cache.get(self.categorical_column, state_manager)

    def get_dense_tensor(self, transformation_cache, state_manager):
        check_no_sequence(self, 'shared_embedding_columns')
        return self._lookup(transformation_cache, state_manager)[0]

    def get_sequence_dense_tensor(self, transformation_cache, state_manager):
        check_is_sequence(self, 'shared_embedding_columns')
        dense, ids = self._lookup(transformation_cache, state_manager)
        return TensorSequenceLengthPair(dense, sequence_lengths(ids))

    def _lookup(self, cache, state_manager):
        with name_scope(None, default_name=self.name):
            pair = self.categorical_column.get_sparse_tensors(cache, state_manager)
            weights = self._weights(state_manager)
            dense = safe_embedding_lookup_sparse(
                weights, pair.id_tensor, pair.weight_tensor, combiner=self.combiner,
                name=f'{self.name}_weights', max_norm=self.max_norm)
        return dense, pair.id_tensor


class CollectionSharedEmbeddingColumn(_SharedEmbedding, namedtuple(
        'CollectionSharedEmbeddingColumn', [
        'categorical_column', 'dimension', 'combiner', 'initializer',
        'shared_embedding_collection_name', 'ckpt_to_load_from', 'tensor_name_in_ckpt', 'max_norm',
        'trainable'])):
    """See shared_embedding_columns."""

    __slots__ = ()
    _is_v2_column = False

    @property
    def _var_scope_name(self):
        return self.shared_embedding_collection_name

    def _weights(self, state_manager):
        shape = (self.categorical_column.num_buckets, self.dimension)
        shared = get_collection(self.shared_embedding_collection_name)
        if not shared:
            if not hasattr(state_manager, 'create_shared_variable'):
                raise misuse(ValueError(
                    f'{self.name} comes from shared_embedding_columns, which is for '
                    'tf.feature_column.input_layer and estimators.\n  Hint: '
                    'use tf.feature_column.shared_embeddings for Keras layers.'))
            weights = state_manager.create_shared_variable(
                'embedding_weights', shape, self.initializer, self.trainable)
            add_to_collection(self.shared_embedding_collection_name, weights)
            return load_embedding(self.ckpt_to_load_from, self.tensor_name_in_ckpt, weights)
        if len(shared) > 1:
            raise misuse(ValueError(
                f'Collection {self.shared_embedding_collection_name} can only contain one '
                f'variable, but has {shared}.\n  Hint: use another '
                'shared_embedding_collection_name.'))
        if tuple(shared[0].get_shape().as_list()) != shape:
            raise misuse(ValueError(
                f'Shared embedding collection {self.shared_embedding_collection_name} contains a '
                f'variable of unexpected shape {shared[0].get_shape()}; expected: {shape}.\n'
                '  Hint: use another shared_embedding_collection_name.'))
        return shared[0]

    def get_config(self):
        raise misuse(NotImplementedError(f'{self.name} shares its Variable by a graph collection, '
                                         'which a config cannot contain.'))


class SharedEmbeddingColumnCreator:
    """Creates the Variable that columns of shared_embeddings share, one per graph."""

    def __init__(self, dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
                 num_buckets, trainable, name):
        self._dimension, self._initializer = dimension, initializer
        self._checkpoint = ckpt_to_load_from, tensor_name_in_ckpt
        self._num_buckets, self._trainable, self._name = num_buckets, trainable, name
        self._weights = weakref.WeakKeyDictionary()

    def __call__(self, categorical_column, combiner, max_norm):
        return SharedEmbeddingColumn(categorical_column, self, combiner, max_norm)

    @property
    def dimension(self):
        return self._dimension

    @property
    def name(self):
        return self._name

    @property
    def embedding_weights(self):
        """The Variable [num_buckets, dimension], created on first use."""
        with init_scope():
            graph = get_default_graph()
            if graph not in self._weights:
                self._weights[graph] = weakref.ref(load_embedding(*self._checkpoint, get_variable(
                    self._name, shape=(self._num_buckets, self._dimension), dtype=dtypes.float32,
                    initializer=self._initializer, trainable=self._trainable)))
            return self._weights[graph]()


class SharedEmbeddingColumn(_SharedEmbedding, namedtuple('SharedEmbeddingColumn', [
        'categorical_column', 'shared_embedding_column_creator', 'combiner', 'max_norm'])):
    """See shared_embeddings."""

    __slots__ = ()

    @property
    def dimension(self):
        return self.shared_embedding_column_creator.dimension

    def _weights(self, state_manager):
        return self.shared_embedding_column_creator.embedding_weights

    def get_config(self):
        raise misuse(NotImplementedError(f'{self.name} shares its Variable with other columns, '
                                         'which a config cannot contain.'))
