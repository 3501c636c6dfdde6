"""Embeddings: a learned vector for each word of a sequence."""
from __future__ import annotations

from tinyflow.api.contrib.framework.model_variables import model_variable
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import gathering, indexing, joining, shape_ops, shaping
from tinyflow.ops.math import reduction
from tinyflow.ops.nn import embedding
from tinyflow.ops.variables.variable_scope import variable_scope


def embed_sequence(ids, vocab_size=None, embed_dim=None, unique=False, initializer=None,
                   regularizer=None, trainable=True, scope=None, reuse=None):
    """The vector of each id, from a new Variable `<scope>/embeddings`.

    Shapes: ids [*a] -> [*a, embed_dim]. With `unique` each vector is looked up once. ValueError
    for missing sizes, unless the Variable is shared.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise misuse(ValueError(
            'Must specify vocab size and embedding dimension when not reusing. Got '
            f'vocab_size={vocab_size} and embed_dim={embed_dim}'))
    with variable_scope(scope, 'EmbedSequence', [ids], reuse=reuse):
        shape = [vocab_size, embed_dim]
        if reuse and vocab_size is None or embed_dim is None:
            shape = None
        table = model_variable('embeddings', shape, initializer=initializer,
                               regularizer=regularizer, trainable=trainable)
        if unique:
            return embedding_lookup_unique(table, ids)
        return embedding.embedding_lookup(table, ids)


def bow_encoder(ids, vocab_size, embed_dim, sparse_lookup=True, initializer=None,
                regularizer=None, trainable=True, scope=None, reuse=None):
    """The mean of the vectors of a text's words.

    Shapes: ids [batch, words] -> [batch, embed_dim]. NotImplementedError for sparse_lookup, which
    ignores padding.
    """
    if not vocab_size or not embed_dim:
        raise misuse(ValueError('Must specify vocab size and embedding dimension'))
    if sparse_lookup:
        raise misuse(NotImplementedError(
            'tinyflow does not implement tf.contrib.layers.bow_encoder with sparse_lookup=True.\n  '
            'Hint: sparse_lookup=False, or tf.nn.embedding_lookup_sparse with combiner="mean".'))
    with variable_scope(scope, 'bow_encoder', [ids], reuse=reuse):
        table = model_variable('embeddings', [vocab_size, embed_dim], initializer=initializer,
                               regularizer=regularizer, trainable=trainable)
        if isinstance(ids, SparseTensor):
            raise misuse(TypeError('ids are expected to be dense Tensor, got: %s', ids))
        return reduction.reduce_mean(embedding.embedding_lookup(table, ids), axis=1)


def embedding_lookup_unique(params, ids, partition_strategy='mod', name=None):
    """`tf.nn.embedding_lookup`, with each distinct id looked up once.

    Shapes: params [rows, *row], or a list of such parts; ids [*a] -> [*a, *row].
    """
    with name_scope(name, 'EmbeddingLookupUnique', [params, ids]):
        ids = convert_to_tensor(ids)
        shape = shape_ops.shape(ids)
        flat = shaping.reshape(ids, reduction.reduce_prod(shape, keepdims=True))
        distinct, places = indexing.unique(flat)
        rows = embedding.embedding_lookup(params, distinct, partition_strategy)
        found = gathering.gather(rows, places)
        result = shaping.reshape(
            found, joining.concat([shape, shape_ops.shape(rows)[1:]], 0))
        result.set_shape(ids.shape.concatenate(rows.shape[1:]))
        return result


__all__ = ['bow_encoder', 'embed_sequence', 'embedding_lookup_unique']
