"""CTC loss (connectionist temporal classification) for sparse labels."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.dtypes import float32, float64
from tinyflow.graph.op import Op
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import OpFailure, misuse, report
from tinyflow.ops.array import shaping
from tinyflow.ops.ctc import paths
from tinyflow.ops.support.arguments import renamed

__all__ = ['ctc_loss']


def check_inputs(inputs, lengths):
    """ValueError unless inputs are [time, batch, classes] and each row has a valid length."""
    if inputs.ndim != 3:
        raise ValueError('inputs is not a 3-Tensor: expected [time, batch, classes], not '
                         f'{shapes.text(inputs.shape)}')
    if lengths.ndim != 1:
        raise ValueError('sequence_length is not a vector')
    if len(lengths) != inputs.shape[1]:
        raise OpFailure('len(sequence_length) != batch_size.  len(sequence_length):  '
                        f'{len(lengths)} batch_size: {inputs.shape[1]}',
                        'with time_major=False inputs are [batch, time, classes].')
    for row, length in enumerate(lengths):
        if length > inputs.shape[0]:
            raise ValueError(f'sequence_length({row}) <= {inputs.shape[0]}: it is {length}')
        if length < 0:
            raise ValueError(f'sequence_length({row}) is {length}')


def check_static(inputs, lengths):
    """The static shape (time, batch, classes)."""
    if inputs is not None and len(inputs) != 3:
        raise OpFailure(f'Shape must be rank 3 but is rank {len(inputs)}',
                        'inputs are [time, batch, classes].')
    if lengths is not None and len(lengths) != 1:
        raise OpFailure(f'Shape must be rank 1 but is rank {len(lengths)}',
                        'sequence_length is [batch].')
    time, batch, classes = inputs or (None,) * 3
    length = None if lengths is None else lengths[0]
    if None not in (batch, length) and batch != length:
        raise ValueError(f'Dimensions must be equal, but are {batch} and {length}: the batch of '
                         'inputs and of sequence_length')
    return time, length if batch is None else batch, classes


def _labels(indices, values, batch, classes, collapse):
    """(labels [batch, longest], their lengths, number of labels of each row before merging)."""
    if indices.ndim != 2 or len(indices) != len(values):
        raise ValueError(f'labels_indices {shapes.text(indices.shape)} and labels_values '
                         f'{shapes.text(values.shape)} must have a row for each label')
    rows = indices[:, 0]
    if len(rows) and (rows.min() < 0 or rows.max() >= batch):
        raise ValueError('label SparseTensor is not valid: the row '
                         f'{rows[(rows < 0) | (rows >= batch)][0]} is not in [0, {batch})')
    if (np.diff(rows) < 0).any():
        raise OpFailure('label SparseTensor is not valid: the indices are out of order',
                        'tf.sparse_reorder(labels).')
    if len(values) and values.min() < 0:
        raise ValueError(f'All labels must be nonnegative integers, batch: '
                         f'{rows[values.argmin()]} labels: {values[rows == rows[values.argmin()]]}')
    given = np.bincount(rows, minlength=batch)
    kept = values < classes - 1                     # the blank ends a row
    follows = np.zeros(len(values), bool)
    follows[1:] = rows[1:] == rows[:-1]
    wrong = np.zeros(len(values), bool)
    wrong[1:] = kept[1:] & ~kept[:-1] & follows[1:]
    if wrong.any():
        raise OpFailure('Saw a non-null label (index >= num_classes - 1) following a null label, '
                        f'batch: {rows[wrong][0]} num_classes: {classes}',
                        f'labels are below {classes - 1}, which is the blank: logits have one '
                        'more class.')
    if collapse:
        kept[1:] &= ~(follows[1:] & (values[1:] == values[:-1]))
    rows, values = rows[kept], values[kept]
    lengths = np.bincount(rows, minlength=batch)
    if batch and not lengths.all():
        raise OpFailure(f'Labels length is zero in batch {lengths.argmin()}',
                        'each sequence needs at least one label.')
    found = np.zeros((batch, lengths.max(initial=0)), np.int64)
    found[np.arange(found.shape[1]) < lengths[:, None]] = values
    return found, lengths, given


class CTCLoss(Op):
    """-log of the probability of the labels, over all alignments; and its gradient."""

    signature = ('inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32 '
                 '-> loss: T, gradient: T')
    types = {'T': (float32, float64)}
    attrs = {'preprocess_collapse_repeated': False, 'ctc_merge_repeated': True,
             'ignore_longer_outputs_than_inputs': False}
    partial_rank = True

    def shape(inputs, indices, values, lengths, **attrs):
        time, batch, classes = check_static(inputs, lengths)
        return (batch,), (time, batch, classes)

    def kernel(inputs, indices, values, lengths, *, preprocess_collapse_repeated,
               ctc_merge_repeated, ignore_longer_outputs_than_inputs):
        check_inputs(inputs, lengths)
        labels, label_lengths, given = _labels(indices, values, *inputs.shape[1:],
                                               preprocess_collapse_repeated)
        longer = given > lengths
        if longer.any() and not ignore_longer_outputs_than_inputs:
            row = longer.argmax()
            raise OpFailure('Not enough time for target transition sequence (required: '
                            f'{given[row]}, available: {lengths[row]}) in row {row}',
                            'ignore_longer_outputs_than_inputs=True skips such rows.')
        with np.errstate(invalid='ignore'):
            loss, gradient = paths.loss_and_gradient(
                inputs, labels, label_lengths, lengths, ctc_merge_repeated)
        loss[longer] = 0
        gradient[:, longer] = 0
        return loss.astype(inputs.dtype), gradient.astype(inputs.dtype)

    def gradient(op, loss_gradient, of_gradient):
        if of_gradient is not None:
            raise misuse(LookupError(report(
                f"CTCLoss '{op.name}' has no second derivative: the first one is computed with the "
                'loss, not by nodes of the graph.', op=op)))
        factor = shaping.expand_dims(shaping.expand_dims(loss_gradient, 0), 2)
        return factor * op.outputs[1], None, None, None


def ctc_loss(labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False,
             ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False, time_major=True,
             logits=None):
    """-log p(labels | inputs) of each sequence, summed over all alignments.

    The last class is the blank. `inputs` are logits: the softmax is taken here.

    Shapes: labels, a SparseTensor [batch, longest] of int32; inputs [time, batch, classes] (or
    [batch, time, classes] unless `time_major`); sequence_length [batch] (int32) -> [batch].

    Raises TypeError if labels is not a SparseTensor; InvalidArgumentError, at run time, for more
    labels than steps. Graves et al. 2006.
    """
    inputs = renamed('logits', logits, 'inputs', inputs)
    if not isinstance(labels, SparseTensor):
        raise misuse(TypeError('Expected labels (first argument) to be a SparseTensor.\n  Hint: '
                               'tf.sparse_placeholder(tf.int32), or tf.SparseTensor(indices, '
                               'values, dense_shape).'))
    if not time_major:
        inputs = shaping.transpose(inputs, [1, 0, 2])
    return CTCLoss.apply(
        inputs, labels.indices, labels.values, sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs)[0]
