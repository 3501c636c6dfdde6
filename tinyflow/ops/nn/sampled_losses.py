"""Sampled losses (nce_loss, sampled_softmax_loss): true classes and a few sampled ones."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import int32, int64
from tinyflow.ops.array import (
    constants,
    identity_and_cast,
    joining,
    shape_ops,
    shaping,
    slicing,
)
from tinyflow.ops.linalg.matmul import matmul
from tinyflow.ops.math import arithmetic, unary
from tinyflow.ops.nn import candidate_sampling, cross_entropy, embedding, logistic
from tinyflow.ops.sparse import to_dense as sparse_to_dense


def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1,
             sampled_values=None, remove_accidental_hits=False, partition_strategy='mod',
             name='nce_loss'):
    """Noise-contrastive estimation: classifies true classes against randomly sampled ones.

    Shapes: weights [classes, dim] (or a list of partitions), biases [classes], labels
    [batch, num_true], inputs [batch, dim] -> [batch]. Source: Gutmann and Hyvarinen,
    "Noise-contrastive estimation", AISTATS 2010; Mnih and Teh, ICML 2012.
    """
    logits, labels = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, partition_strategy, name)
    losses = logistic.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits,
                                                        name='sampled_losses')
    return _sum_rows(losses)


def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1,
                         sampled_values=None, remove_accidental_hits=True,
                         partition_strategy='mod', name='sampled_softmax_loss', seed=None):
    """Softmax cross entropy over the true classes and a few sampled ones; for training only.

    Shapes: weights [classes, dim] (or a list of partitions), biases [classes], labels
    [batch, num_true], inputs [batch, dim] -> [batch]. Source: Jean et al., "On using very large
    target vocabulary for neural machine translation", ACL 2015.
    """
    logits, labels = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
        remove_accidental_hits, partition_strategy, name, seed)
    labels = constants.stop_gradient(labels, name='labels_stop_gradient')
    return cross_entropy.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)


def sampled_sparse_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes,
                                sampled_values=None, remove_accidental_hits=True,
                                partition_strategy='mod', name='sampled_sparse_softmax_loss'):
    """sampled_softmax_loss with one true class per row.

    Shapes: weights [classes, dim] (or a list of partitions), biases [classes], labels [batch, 1],
    inputs [batch, dim] -> [batch].
    """
    logits, _ = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, 1, sampled_values,
        remove_accidental_hits, partition_strategy, name)
    first = constants.zeros([shape_ops.shape(logits)[0], 1], dtype=int64)
    return cross_entropy.sparse_softmax_cross_entropy_with_logits(
        labels=shaping.squeeze(first), logits=logits)


def _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true,
                    sampled_values, remove_accidental_hits, partition_strategy, name, seed=None):
    """Logits and labels of the true classes (first) and the sampled ones.

    Shapes: -> two of [batch, num_true + num_sampled]. The log of the expected count of its class is
    subtracted from each logit, which corrects for rare classes being sampled rarely.
    """
    if hasattr(weights, '_get_variable_list'):
        weights = weights._get_variable_list()              # a PartitionedVariable
    if not isinstance(weights, list):
        weights = [weights]
    with name_scope(name, 'compute_sampled_logits', [*weights, biases, inputs, labels]):
        labels = _as_int64(labels)
        flat = shaping.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = candidate_sampling.log_uniform_candidate_sampler(
                labels, num_true, num_sampled, True, num_classes, seed)
        sampled, true_count, sampled_count = map(constants.stop_gradient, sampled_values)
        sampled = identity_and_cast.cast(sampled, int64)
        ids = joining.concat([flat, sampled], 0)

        rows = _rows(weights, ids, partition_strategy, inputs)
        true_rows = slicing.slice(rows, [0, 0], joining.stack([shape_ops.shape(flat)[0], -1]))
        sampled_rows = slicing.slice(rows, joining.stack([shape_ops.shape(flat)[0], 0]), [-1, -1])
        sampled_logits = matmul(inputs, sampled_rows, transpose_b=True)

        bias = _rows(biases, ids, partition_strategy, inputs)
        true_bias = slicing.slice(bias, [0], shape_ops.shape(flat))
        sampled_bias = slicing.slice(bias, shape_ops.shape(flat), [-1])

        true_logits = _true_logits(inputs, true_rows, num_true)
        true_logits += shaping.reshape(true_bias, [-1, num_true])
        sampled_logits += sampled_bias
        if remove_accidental_hits:
            sampled_logits += _accidental_hit_mask(labels, sampled, num_true, num_sampled,
                                                   sampled_logits)
        true_logits -= unary.log(true_count)
        sampled_logits -= unary.log(sampled_count)
        logits = joining.concat([true_logits, sampled_logits], 1)
        shares = joining.concat([constants.ones_like(true_logits) / num_true,
                                 constants.zeros_like(sampled_logits)], 1)
        return logits, shares


def _as_int64(labels):
    labels = convert_to_tensor(labels)
    return labels if labels.dtype is int64 else identity_and_cast.cast(labels, int64)


def _rows(table, ids, partition_strategy, inputs):
    rows = embedding.embedding_lookup(table, ids, partition_strategy=partition_strategy)
    dtype = inputs.dtype.base_dtype
    return rows if rows.dtype is dtype else identity_and_cast.cast(rows, dtype)


def _true_logits(inputs, rows, num_true):
    """The dot product of each input with the rows of its true classes: [batch, num_true]."""
    dim = shape_ops.shape(rows)[1:2]
    per_input = joining.concat([[-1, num_true], dim], 0)
    products = arithmetic.multiply(shaping.expand_dims(inputs, 1),
                                   shaping.reshape(rows, per_input))
    matrix = shaping.reshape(products, joining.concat([[-1], dim], 0))
    return shaping.reshape(_sum_rows(matrix), [-1, num_true])


def _accidental_hit_mask(labels, sampled, num_true, num_sampled, logits):
    """-FLT_MAX where a sampled class is a true class, 0 elsewhere: [batch, num_sampled]."""
    rows, positions, weights = candidate_sampling.compute_accidental_hits(labels, sampled, num_true)
    rows = shaping.reshape(rows, [-1, 1])
    positions = shaping.reshape(identity_and_cast.cast(positions, int32), [-1, 1])
    where = joining.concat([rows, positions], 1, 'sparse_indices')
    shape = joining.concat([shape_ops.shape(labels)[:1], shaping.expand_dims(num_sampled, 0)], 0)
    if logits.dtype is not weights.dtype:
        weights = identity_and_cast.cast(weights, logits.dtype)
    return sparse_to_dense.sparse_to_dense(where, shape, weights, default_value=0.0,
                                           validate_indices=False)


def _sum_rows(x):
    """Sums of the rows of x [rows, columns], as a matrix product."""
    ones = constants.ones(joining.stack([shape_ops.shape(x)[1], 1]), x.dtype)
    return shaping.reshape(matmul(x, ones), [-1])


__all__ = ['nce_loss', 'sampled_softmax_loss', 'sampled_sparse_softmax_loss']
