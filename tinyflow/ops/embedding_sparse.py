"""embedding_lookup_sparse: for each row of a SparseTensor of ids, its vectors made one."""
from __future__ import annotations

from tinyflow.errors import worded
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import float16, float32, int32
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.ops import (
    arithmetic,
    choosing,
    constants,
    embedding,
    identities,
    joining,
    measures,
    segments,
    sets,
    shaping,
    sparse_segments,
)

_COMBINED = {'sum': sparse_segments.sparse_segment_sum,
             'mean': sparse_segments.sparse_segment_mean,
             'sqrtn': sparse_segments.sparse_segment_sqrt_n}


def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy='mod', name=None,
                            combiner=None, max_norm=None):
    """One vector for each row of ids: the sum, mean or (sum / sqrt(n)) of its ids' vectors.

    Shapes: params [rows, *row], or a list of such parts; sp_ids, a SparseTensor [batch, any], and
    sp_weights, None or one like it -> [batch, *row]. `combiner` is 'mean' unless said otherwise,
    'sum' or 'sqrtn'; with weights the mean is divided by their sum, sqrtn by the root of the sum of
    their squares. Each row needs an id: tf.nn.safe_embedding_lookup_sparse takes empty ones.
    """
    combiner = 'mean' if combiner is None else combiner
    if combiner not in _COMBINED:
        raise worded(ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum', not "
                                f'{combiner!r}'))
    if hasattr(params, '_get_variable_list'):
        params = params._get_variable_list()            # a PartitionedVariable
    params = params if isinstance(params, list) else [params]
    _check_sparse(sp_ids, sp_weights)
    with name_scope(name, 'embedding_lookup_sparse', [*params, sp_ids]) as scope:
        segment_ids = sp_ids.indices[:, 0]
        if segment_ids.dtype is not int32:
            segment_ids = identities.cast(segment_ids, int32)
        ids, place = sets.unique(sp_ids.values)
        rows = embedding.embedding_lookup(params, ids, partition_strategy=partition_strategy,
                                          max_norm=max_norm)
        if rows.dtype is float16:
            rows = identities.cast(rows, float32)
        if sp_weights is None:
            return _COMBINED[combiner](rows, place, segment_ids, name=scope)
        rows, weights = _weighted(rows, place, sp_weights.values)
        return _combine_weighted(combiner, rows, weights, segment_ids, scope)


def _check_sparse(sp_ids, sp_weights):
    if not isinstance(sp_ids, SparseTensor):
        raise worded(TypeError(f'sp_ids must be SparseTensor, not {sp_ids!r}\n  Mend: '
                               'tf.nn.embedding_lookup takes a dense tensor of ids.'))
    if sp_weights is None:
        return
    if not isinstance(sp_weights, SparseTensor):
        raise worded(TypeError('sp_weights must be either None or SparseTensor, not '
                               f'{sp_weights!r}'))
    for part in ('values', 'indices', 'dense_shape'):
        getattr(sp_ids, part).shape.assert_is_compatible_with(getattr(sp_weights, part).shape)


def _weighted(rows, place, weights):
    """The rows in the order of the ids, each times its weight; and the weights as a column."""
    if weights.dtype is not rows.dtype:
        weights = identities.cast(weights, rows.dtype)
    rows = choosing.gather(rows, place)
    ones = constants.fill(shaping.expand_dims(measures.rank(rows) - 1, 0), 1)
    known = weights.raw_shape
    weights = shaping.reshape(weights, joining.concat([measures.shape(weights), ones], 0))
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


__all__ = ['embedding_lookup_sparse']
