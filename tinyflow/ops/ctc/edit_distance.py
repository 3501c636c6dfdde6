"""tf.edit_distance: the Levenshtein distance of sequences."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.constant_value import static_value
from tinyflow.graph.op import Op
from tinyflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from tinyflow.graph.support.errors import OpFailure, misuse

__all__ = ['edit_distance']


class EditDistance(Op):
    """The Levenshtein distance of the sequences along the last axis of two sparse tensors."""

    signature = ('hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, '
                 'truth_indices: int64, truth_values: T, truth_shape: int64 -> output: float32')
    attrs = {'normalize': True}
    partial_rank = True

    def shape(indices, values, shape, truth_indices, truth_values, truth_shape, *, normalize):
        ranks = {s[0] for s in (shape, truth_shape) if s is not None and s[0] is not None}
        if len(ranks) > 1:
            raise ValueError('hypothesis and truth must have the same rank')
        return None         # as in TF1, which infers it for constant shapes only: edit_distance

    def kernel(indices, values, shape, truth_indices, truth_values, truth_shape, *, normalize):
        if len(shape) != len(truth_shape):
            raise ValueError(f'Expected hypothesis and truth to have equal rank, but {len(shape)} '
                             f'vs. {len(truth_shape)}')
        if len(shape) < 2:
            raise OpFailure('Input SparseTensors must have rank at least 2, but truth_shape rank '
                            f'is: {len(shape)}',
                            'a sequence is a row: [1, length].')
        outer = np.maximum(shape, truth_shape)[:-1]
        count = int(np.prod(outer))
        codes = np.unique(np.concatenate([values, truth_values]), return_inverse=True)[1].ravel()
        hypothesis, lengths = _rows(indices, codes[:len(values)], outer, count)
        truth, truth_lengths = _rows(truth_indices, codes[len(values):], outer, count)
        distance = _levenshtein(hypothesis, lengths, truth, truth_lengths).astype(np.float32)
        if normalize:
            with np.errstate(divide='ignore', invalid='ignore'):
                distance = np.where(truth_lengths > 0, distance / truth_lengths,
                                    np.where(lengths > 0, np.inf, 0))
        return distance.astype(np.float32).reshape(outer)

    def gradient(op, dy):
        return [None] * 6


def _rows(indices, codes, outer, count):
    """(the sequences [count, longest], their lengths)."""
    flat = np.ravel_multi_index(indices[:, :-1].T, outer) if len(outer) and len(indices) \
        else np.zeros(len(indices), np.int64)
    lengths = np.bincount(flat, minlength=count)
    found = np.zeros((count, lengths.max(initial=0)), np.int64)
    found[np.arange(found.shape[1]) < lengths[:, None]] = codes
    return found, lengths


def _levenshtein(hypothesis, lengths, truth, truth_lengths):
    """Dynamic programming (Wagner and Fischer 1974), row by row, for all pairs at once."""
    columns = np.arange(truth.shape[1] + 1)
    row = np.tile(columns, (len(hypothesis), 1))
    result = truth_lengths.copy()
    picked = np.arange(len(hypothesis))
    for i in range(hypothesis.shape[1]):
        replaced = row[:, :-1] + (truth != hypothesis[:, i:i + 1])
        best = np.concatenate([np.full((len(row), 1), i + 1),
                               np.minimum(row[:, 1:] + 1, replaced)], axis=1)
        row = np.minimum.accumulate(best - columns, axis=1) + columns       # insertions
        ends = lengths == i + 1
        result[ends] = row[picked[ends], truth_lengths[ends]]
    return result


def edit_distance(hypothesis, truth, normalize=True, name='edit_distance'):
    """The Levenshtein distance of each sequence in `hypothesis` from that in `truth`.

    With `normalize`, divided by the length of truth: infinite where that is empty and hypothesis is
    not.

    Shapes: SparseTensors [*a, longest] of one dtype -> [*a]. TypeError if they are not sparse.
    """
    for label, value in (('Hypothesis', hypothesis), ('Truth', truth)):
        if not isinstance(value, (SparseTensor, SparseTensorValue)):
            raise misuse(TypeError(f'{label} must be a SparseTensor.'))
    one, other = (v if isinstance(v, SparseTensor) else SparseTensor(*v)
                  for v in (hypothesis, truth))
    result = EditDistance.apply(one.indices, one.values, one.dense_shape, other.indices,
                                other.values, other.dense_shape, normalize=normalize, name=name)
    sizes = [static_value(s.dense_shape) for s in (one, other)]
    if all(size is not None and None not in size for size in sizes):
        result.set_shape([max(pair) for pair in zip(*sizes)][:-1])
    return result
