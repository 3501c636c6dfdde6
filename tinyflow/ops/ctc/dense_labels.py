"""ctc_loss_v2 for dense labels, ctc_unique_labels, collapse_repeated."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import (
    constants,
    gathering,
    identity_and_cast,
    joining,
    padding,
    shape_ops,
    shaping,
    unique as unique_ops,
    where_onehot,
)
from tinyflow.ops.control_flow import functional
from tinyflow.ops.ctc.loss import ctc_loss
from tinyflow.ops.math import logic, reduction
from tinyflow.ops.sparse import rows as sparse_rows

__all__ = ['collapse_repeated', 'ctc_loss_v2', 'ctc_unique_labels']


def _size(tensor, axis):
    """The size of an axis: a number if it is known, else a node."""
    known = None if tensor.raw_shape is None else tensor.raw_shape[axis]
    return shape_ops.shape(tensor)[axis] if known is None else known


def collapse_repeated(labels, seq_length, name=None):
    """(labels with equal consecutive ones merged, new lengths): AABBA -> ABA.

    Shapes: labels [batch, longest], seq_length [batch] -> [batch, longest that is left], padded
    with 0; [batch].
    """
    with name_scope(name, 'collapse_repeated_labels', [labels, seq_length]):
        labels = convert_to_tensor(labels, name='labels')
        seq_length = convert_to_tensor(seq_length, name='seq_length')
        first = constants.ones_like(labels[:, :1], dtypes.bool)
        changed = logic.not_equal(labels[:, 1:], labels[:, :-1])
        starts = joining.concat([first, changed], axis=1)
        inside = where_onehot.sequence_mask(seq_length, maxlen=_size(labels, 1))
        kept = logic.logical_and(starts, inside)
        lengths = reduction.reduce_sum(identity_and_cast.cast(kept, dtypes.int32), axis=1)
        longest = reduction.reduce_max(lengths)
        filled = where_onehot.sequence_mask(lengths, maxlen=longest)
        flat_labels = shaping.reshape(labels, [-1])
        flat_kept = shaping.reshape(kept, [-1])
        flat_filled = shaping.reshape(filled, [-1])
        positions = constants.range(_size(flat_filled, 0))
        targets = shaping.expand_dims(where_onehot.boolean_mask(positions, flat_filled), axis=1)
        values = where_onehot.boolean_mask(flat_labels, flat_kept)
        flat = gathering.scatter_nd(targets, values, shape_ops.shape(flat_filled))
        rows = _size(labels, 0)
        return (shaping.reshape(flat, [rows, longest]),
                identity_and_cast.cast(lengths, seq_length.dtype))


def ctc_unique_labels(labels, name=None):
    """(the distinct labels of each sequence, index of each label in them): 3443 -> 3400, 0110.

    Shapes: labels [batch, longest] -> int64 [batch, longest], padded with 0; int32 [batch,
    longest].
    """
    with name_scope(name, 'ctc_unique_labels', [labels]):
        labels = convert_to_tensor(labels, name='labels')

        def row(sequence):
            values, which = unique_ops.unique(sequence)
            missing = _size(which, 0) - _size(values, 0)
            padded = padding.pad(values, [[0, missing]])
            return [identity_and_cast.cast(padded, dtypes.int64), which]

        return functional.map_fn(row, labels, dtype=[dtypes.int64, dtypes.int32])


def _sparse(dense, lengths):
    """The SparseTensor of the first `lengths` labels of each row."""
    inside = where_onehot.sequence_mask(lengths, maxlen=shape_ops.shape(dense)[1])
    flat = shaping.reshape(dense, [-1])
    positions = constants.range(shape_ops.shape(flat, out_type=dtypes.int64)[0])
    flat_inside = shaping.reshape(inside, [-1])
    indices = shaping.expand_dims(where_onehot.boolean_mask(positions, flat_inside), 1)
    values = identity_and_cast.cast(where_onehot.boolean_mask(flat, flat_inside), dtypes.int32)
    long = SparseTensor(indices, values, shape_ops.shape(flat, out_type=dtypes.int64))
    return sparse_rows.sparse_reshape(long, shape_ops.shape(dense))


def _blank_last(labels, logits, blank_index):
    """Labels and logits for which the blank is the last class."""
    classes = _size(logits, 2)
    if blank_index < 0:
        blank_index += classes
    if isinstance(classes, int) and blank_index == classes - 1:
        return labels, logits
    logits = joining.concat([logits[:, :, :blank_index], logits[:, :, blank_index + 1:],
                             logits[:, :, blank_index:blank_index + 1]], axis=2)
    values = where_onehot.where(labels.values < blank_index, labels.values, labels.values - 1)
    return SparseTensor(labels.indices, values, labels.dense_shape), logits


def ctc_loss_v2(labels, logits, label_length, logit_length, logits_time_major=True, unique=None,
                blank_index=None, name=None):
    """-log p(labels | logits) of each sequence, summed over all alignments.

    As ctc_loss, but labels may be dense, and the blank is the class `blank_index`: 0 if it is not
    given. `unique` (an optimization for TPUs) is ignored. Each sequence has at least
    one label. Logits after logit_length have no gradient; for dense labels, TF 1.15 gives them one.

    Shapes: labels [batch, longest] with label_length [batch], or a SparseTensor and None; logits
    [time, batch, classes] ([batch, time, classes] unless `logits_time_major`), logit_length
    [batch] -> [batch]. ValueError for sparse labels without a blank_index. Graves et al. 2006.
    """
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise misuse(ValueError('blank_index must be given when using SparseTensor labels.'
                                    '\n  Hint: blank_index=-1, as for tf.nn.ctc_loss.'))
        labels, logits = _blank_last(labels, convert_to_tensor(logits), blank_index)
        return ctc_loss(labels, logits, logit_length, time_major=logits_time_major)
    with name_scope(name, 'ctc_loss_dense', [logits, labels, label_length, logit_length]):
        logits = convert_to_tensor(logits, name='logits')
        labels = convert_to_tensor(labels, name='labels')
        label_length = convert_to_tensor(label_length, name='label_length')
        logit_length = convert_to_tensor(logit_length, name='logit_length')
        sparse, logits = _blank_last(_sparse(labels, label_length), logits, blank_index or 0)
        return ctc_loss(sparse, logits, logit_length, time_major=logits_time_major)
