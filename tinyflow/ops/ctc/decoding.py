"""CTC decoding: logits to label sequences, greedily or by beam search."""
from __future__ import annotations

import heapq

import numpy as np

from tinyflow.graph.dtypes import float32, float64
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.ops.ctc import paths as ctc_paths
from tinyflow.ops.ctc.loss import check_inputs, check_static

__all__ = ['ctc_beam_search_decoder', 'ctc_beam_search_decoder_v2', 'ctc_greedy_decoder']


def _sparse(rows):
    """(indices, values, dense shape) of label sequences."""
    lengths = [len(row) for row in rows]
    indices = [(i, j) for i, length in enumerate(lengths) for j in range(length)]
    values = [label for row in rows for label in row]
    return (np.array(indices, np.int64).reshape(-1, 2), np.array(values, np.int64),
            np.array([len(rows), max(lengths, default=0)], np.int64))


class CTCGreedyDecoder(Op):
    """Greedy decoding: the most likely class of each step, without blanks (and repetitions)."""

    signature = ('inputs: T, sequence_length: int32 -> decoded_indices: int64, '
                 'decoded_values: int64, decoded_shape: int64, log_probability: T')
    types = {'T': (float32, float64)}
    attrs = {'merge_repeated': False}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(inputs, lengths, *, merge_repeated):
        batch = check_static(inputs, lengths)[1]
        return (None, 2), (None,), (2,), (batch, 1)

    def kernel(inputs, lengths, *, merge_repeated):
        check_inputs(inputs, lengths)
        best = inputs.argmax(-1).T
        now = np.arange(len(inputs)) < lengths[:, None]
        kept = now & (best != inputs.shape[-1] - 1)
        if merge_repeated:
            kept[:, 1:] &= best[:, 1:] != best[:, :-1]
        scores = 0 - np.where(now, inputs.max(-1).T, 0).sum(-1, keepdims=True)
        return (*_sparse([row[where] for row, where in zip(best, kept)]),
                scores.astype(inputs.dtype))


class CTCBeamSearchDecoder(Op):
    """Beam search decoding: the most likely label sequences."""

    signature = ('inputs: T, sequence_length: int32 -> decoded_indices: top_paths*int64, '
                 'decoded_values: top_paths*int64, decoded_shape: top_paths*int64, '
                 'log_probability: T')
    types = {'T': (float32, float64)}
    attrs = {'beam_width': REQUIRED, 'top_paths': REQUIRED, 'merge_repeated': True}
    gradient = NOT_DIFFERENTIABLE
    partial_rank = True

    def shape(inputs, lengths, *, beam_width, top_paths, merge_repeated):
        batch = check_static(inputs, lengths)[1]
        return ([(None, 2)] * top_paths + [(None,)] * top_paths + [(2,)] * top_paths
                + [(batch, top_paths)])

    def kernel(inputs, lengths, *, beam_width, top_paths, merge_repeated):
        check_inputs(inputs, lengths)
        if top_paths > beam_width:
            raise ValueError(f'requested more paths than the beam width: top_paths {top_paths}, '
                             f'beam_width {beam_width}')
        found = [_search(inputs[:length, row].astype(np.float64), beam_width, top_paths)
                 for row, length in enumerate(lengths)]
        paths = [_sparse([_merged(labels) if merge_repeated else labels
                          for labels in (row[n][0] for row in found)]) for n in range(top_paths)]
        scores = [[score for _, score in row] for row in found]
        return [*[part for parts in zip(*paths) for part in parts],
                np.array(scores, inputs.dtype).reshape(len(found), top_paths)]


def _merged(labels):
    return [label for i, label in enumerate(labels) if i == 0 or label != labels[i - 1]]


def _best_leaves(stay, before, grown, inside, width):
    """The best [(prefix, its new label or None if it is not extended)], at most `width`.

    As in TensorFlow: prefixes are extended one after the other, the most likely first. One that
    drops out of the beam before its turn is not extended in this step.
    """
    leaves = [(score, -i, None) for i, score in enumerate(stay.tolist())]
    heapq.heapify(leaves)
    dropped, barren = set(), set()
    for i in np.argsort(-before, kind='stable').tolist():
        full = len(leaves) >= width
        if i in barren or before[i] == -np.inf or full and before[i] <= leaves[0][0]:
            continue
        row, held = grown[i], inside.get(i, {})
        hopeful = row > (leaves[0][0] if full else -np.inf)
        hopeful[list(held)] = True
        for k in np.flatnonzero(hopeful).tolist():
            if k in held:
                if held[k] in dropped:
                    barren.add(held[k])
                continue
            leaf = (float(row[k]), -i, k)
            if len(leaves) < width:
                heapq.heappush(leaves, leaf)
            elif leaf[0] > leaves[0][0]:
                out = heapq.heapreplace(leaves, leaf)
                if out[2] is None:
                    dropped.add(-out[1])
    return [(-i, k) for _, i, k in sorted(leaves, key=lambda leaf: -leaf[0])]


def _search(logits, width, top):
    """[(labels, log probability)] of the `top` best prefixes; Graves 2012, section 7.5.3.

    The probability of a prefix has two parts: paths that end in a blank, and paths that end in its
    last label.
    """
    classes = logits.shape[-1] - 1
    prefixes = [()]
    blank, label = np.zeros(1), np.full(1, -np.inf)
    for scores in ctc_paths.log_softmax(logits) if len(logits) else ():
        total = np.logaddexp(blank, label)
        last = np.array([p[-1] if p else -1 for p in prefixes])
        grown = np.where(np.arange(classes) == last[:, None], blank[:, None], total[:, None]) \
            + scores[:-1]
        label = label + np.where(last >= 0, scores[last], -np.inf)
        position = {prefix: i for i, prefix in enumerate(prefixes)}
        inside = {}                 # (prefix, label): the extended prefix, if it is in the beam
        for i, prefix in enumerate(prefixes):
            parent = position.get(prefix[:-1]) if prefix else None
            if parent is not None:
                label[i] = np.logaddexp(label[i], grown[parent, prefix[-1]])
                inside.setdefault(parent, {})[prefix[-1]] = i
        blank = total + scores[-1]
        kept = _best_leaves(np.logaddexp(blank, label), total, grown, inside, width)
        prefixes = [prefixes[i] if k is None else (*prefixes[i], k) for i, k in kept]
        blank, label = (np.array([blank[i] if k is None else -np.inf for i, k in kept]),
                        np.array([label[i] if k is None else grown[i, k] for i, k in kept]))
    total = np.logaddexp(blank, label)
    best = np.argsort(-total, kind='stable')[:top]
    if len(best) < top:
        raise ValueError(f'Less leaves in the beam search than requested: {len(best)} paths have a '
                         f'probability, and top_paths is {top}')
    return [(list(prefixes[i]), total[i]) for i in best]


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True):
    """([labels], score): the most likely class of each step, without blanks.

    `merge_repeated` merges equal consecutive labels.

    Shapes: inputs [time, batch, classes], sequence_length [batch] -> a list of one SparseTensor
    [batch, longest]; the negated sum of the largest logits [batch, 1].
    """
    indices, values, shape, score = CTCGreedyDecoder.apply(
        inputs, sequence_length, merge_repeated=merge_repeated)
    return [SparseTensor(indices, values, shape)], score


def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1,
                            merge_repeated=True):
    """(`top_paths` most likely label sequences, their log probabilities), by beam search.

    `merge_repeated` merges equal consecutive labels of the output, which loses real repetitions;
    ctc_beam_search_decoder_v2 does not.

    Shapes: inputs [time, batch, classes], sequence_length [batch] -> SparseTensors [batch,
    longest]; [batch, top_paths].
    """
    outputs = CTCBeamSearchDecoder.apply(
        inputs, sequence_length, beam_width=beam_width, top_paths=top_paths,
        merge_repeated=merge_repeated)
    *parts, scores = _flat(outputs)
    n = top_paths
    return [SparseTensor(*parts[i::n]) for i in range(n)], scores


def _flat(outputs):
    return [t for item in outputs for t in (item if isinstance(item, (list, tuple)) else [item])]


def ctc_beam_search_decoder_v2(inputs, sequence_length, beam_width=100, top_paths=1):
    """ctc_beam_search_decoder that keeps repeated labels.

    Shapes: inputs [time, batch, classes], sequence_length [batch] -> SparseTensors [batch,
    longest]; [batch, top_paths].
    """
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)
