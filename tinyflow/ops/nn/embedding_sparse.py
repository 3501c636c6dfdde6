"""embedding_lookup_sparse: combines the embeddings of each row of a SparseTensor of ids."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import bool as bool_, float16, float32, int32
from tinyflow.graph.op import nodes
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
    slicing,
    unique,
    where_onehot,
)
from tinyflow.ops.math import arithmetic, logic, reduction, segments
from tinyflow.ops.nn import embedding
from tinyflow.ops.sparse import rows as sparse_rows, segments as sparse_segments

_COMBINED = {'sum': sparse_segments.sparse_segment_sum,
             'mean': sparse_segments.sparse_segment_mean,
             'sqrtn': sparse_segments.sparse_segment_sqrt_n}


def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy='mod', name=None,
                            combiner=None, max_norm=None):
    """One vector per row of ids: the sum, mean or sum / sqrt(n) of the ids' embeddings.

    Shapes: params [rows, *row], or a list of partitions; sp_ids, a SparseTensor [batch, any], and
    sp_weights, None or one like it -> [batch, *row]. `combiner` is 'mean' (default), 'sum' or
    'sqrtn'; with weights, the mean is divided by their sum, sqrtn by the root of the sum of their
    squares. Each row needs an id: tf.nn.safe_embedding_lookup_sparse allows empty rows.
    """
    combiner = 'mean' if combiner is None else combiner
    if combiner not in _COMBINED:
        raise misuse(ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum', not "
                                f'{combiner!r}'))
    if hasattr(params, '_get_variable_list'):
        params = params._get_variable_list()            # a PartitionedVariable
    params = params if isinstance(params, list) else [params]
    _check_sparse(sp_ids, sp_weights)
    with name_scope(name, 'embedding_lookup_sparse', [*params, sp_ids]) as scope:
        segment_ids = sp_ids.indices[:, 0]
        if segment_ids.dtype is not int32:
            segment_ids = identity_and_cast.cast(segment_ids, int32)
        ids, inverse = unique.unique(sp_ids.values)
        rows = embedding.embedding_lookup(params, ids, partition_strategy=partition_strategy,
                                          max_norm=max_norm)
        if rows.dtype is float16:
            rows = identity_and_cast.cast(rows, float32)
        if sp_weights is None:
            return _COMBINED[combiner](rows, inverse, segment_ids, name=scope)
        rows, weights = _weighted(rows, inverse, sp_weights.values)
        return _combine_weighted(combiner, rows, weights, segment_ids, scope)


def _check_sparse(sp_ids, sp_weights):
    if not isinstance(sp_ids, SparseTensor):
        raise misuse(TypeError(f'sp_ids must be SparseTensor, not {sp_ids!r}\n  Hint: '
                               'tf.nn.embedding_lookup takes a dense tensor of ids.'))
    if sp_weights is None:
        return
    if not isinstance(sp_weights, SparseTensor):
        raise misuse(TypeError('sp_weights must be either None or SparseTensor, not '
                               f'{sp_weights!r}'))
    for part in ('values', 'indices', 'dense_shape'):
        getattr(sp_ids, part).shape.assert_is_compatible_with(getattr(sp_weights, part).shape)


def _weighted(rows, inverse, weights):
    """The rows in the order of the ids, each times its weight; and the weights as a column."""
    if weights.dtype is not rows.dtype:
        weights = identity_and_cast.cast(weights, rows.dtype)
    rows = nodes.GatherV2(rows, inverse, 0)
    ones = constants.fill(shaping.expand_dims(shape_ops.rank(rows) - 1, 0), 1)
    known = weights.raw_shape
    weights = shaping.reshape(weights, joining.concat([shape_ops.shape(weights), ones], 0))
    if rows.raw_shape is not None and known is not None:
        weights.set_shape(known + (1,) * (len(rows.raw_shape) - 1))
    return rows * weights, weights


def _combine_weighted(combiner, rows, weights, segment_ids, name):
    if combiner == 'sum':
        return segments.segment_sum(rows, segment_ids, name=name)
    rows = segments.segment_sum(rows, segment_ids)
    if combiner == 'mean':
        return arithmetic.div(rows, segments.segment_sum(weights, segment_ids), name=name)
    squares = segments.segment_sum(arithmetic.pow(weights, 2), segment_ids)
    return arithmetic.div(rows, arithmetic.sqrt(squares), name=name)


def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None,
                                 combiner='mean', default_id=None, name=None,
                                 partition_strategy='div', max_norm=None):
    """embedding_lookup_sparse that allows empty rows, negative ids, and ids of any rank.

    Shapes: embedding_weights [rows, dim], or a list of partitions; sparse_ids, a SparseTensor
    [*a, any], and sparse_weights, None or one like it -> [*a, dim]. Negative ids are dropped and,
    except for 'sum', ids with a weight <= 0; an empty row becomes zeros, or the embedding of
    `default_id`. ValueError without embedding_weights.
    """
    if embedding_weights is None or isinstance(embedding_weights, list) and not embedding_weights:
        raise misuse(ValueError(f'Missing embedding_weights {embedding_weights}.'))
    if hasattr(embedding_weights, '_get_variable_list'):
        embedding_weights = embedding_weights._get_variable_list()
    if not isinstance(embedding_weights, list):
        embedding_weights = [embedding_weights]
    dtype = None if sparse_weights is None else sparse_weights.dtype
    # Of a resource variable only the rows are read.
    tables = [w if hasattr(w, 'handle') and dtype in (None, w.dtype.base_dtype)
              else convert_to_tensor(w, dtype) for w in embedding_weights]
    with name_scope(name, 'embedding_lookup', [*tables, sparse_ids, sparse_weights]) as scope:
        shape = sparse_ids.dense_shape
        known_rank = shape.raw_shape[0]
        rank = shape_ops.size(shape) if known_rank is None else known_rank
        ids, weights = _as_rows(sparse_ids, sparse_weights, shape, rank)
        ids, weights = _only_valid(ids, weights, combiner)
        ids, empty = sparse_rows.sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_rows.sparse_fill_empty_rows(weights, 1.0)
        combined = embedding_lookup_sparse(
            tables, ids, weights, combiner=combiner, partition_strategy=partition_strategy,
            name=None if default_id is None else scope, max_norm=max_norm)
        if default_id is None:
            wide = joining.tile(shaping.reshape(empty, [-1, 1]),
                                joining.stack([1, shape_ops.shape(combined)[1]]))
            zeros = constants.zeros_like(combined)
            combined = where_onehot.where(wide, zeros, combined, name=scope)
        outer = slicing.slice(identity_and_cast.cast(shape, int32), [0], [rank - 1])
        inner = slicing.slice(shape_ops.shape(combined), [1], [-1])
        result = shaping.reshape(combined, joining.concat([outer, inner], 0))
        rank = None if known_rank is None else (None,) * (known_rank - 1)
        result.set_shape(TensorShape(rank).concatenate(combined.shape[1:]))
        return result


def _as_rows(ids, weights, shape, rank):
    """The ids (and weights), of any rank, reshaped to [rows, any]."""
    rows = reduction.reduce_prod(slicing.slice(shape, [0], [rank - 1]))
    ids = sparse_rows.sparse_reshape(ids, [rows, gathering.gather(shape, rank - 1)])
    if weights is not None:
        weights = SparseTensor(ids.indices, weights.values, ids.dense_shape)
    return ids, weights


def _only_valid(ids, weights, combiner):
    """Drops negative ids and, unless the combiner is 'sum', weights <= 0."""
    valid = logic.greater_equal(ids.values, 0)
    if weights is None:
        return sparse_rows.sparse_retain(ids, valid), None
    valid = logic.logical_and(valid, constants.ones_like(weights.values, dtype=bool_))
    ids, weights = [sparse_rows.sparse_retain(s, valid) for s in (ids, weights)]
    if combiner != 'sum':
        positive = logic.greater(weights.values, 0)
        ids, weights = [sparse_rows.sparse_retain(s, positive) for s in (ids, weights)]
    return ids, weights


__all__ = ['embedding_lookup_sparse', 'safe_embedding_lookup_sparse']
