"""CTC forward-backward algorithm: log probabilities summed over all alignments.

Graves et al. 2006, "Connectionist Temporal Classification", sections 3 and 4: with a blank before,
between and after the labels, `forward` is the log probability of all paths to a position of
that sequence at a time, `backward` that of all paths from there on. Each step handles all sequences
of the batch and all positions at once.
"""
from __future__ import annotations

import numpy as np


def extended(labels, lengths, blank):
    """(labels with blanks around them [batch, 2 L + 1], mask: False for padding)."""
    sequence = np.full((len(labels), 2 * labels.shape[1] + 1), blank)
    sequence[:, 1::2] = labels
    return sequence, np.arange(sequence.shape[1]) <= 2 * lengths[:, None]


def moves(sequence, blank, merge_repeated):
    """(where a path may stay, where it may come from two positions before) in `sequence`."""
    stays = (sequence == blank) | merge_repeated
    skips = sequence != blank
    skips[:, :2] = False
    if merge_repeated:
        skips[:, 2:] &= sequence[:, 2:] != sequence[:, :-2]
    return stays, skips


def loss_and_gradient(logits, labels, label_lengths, lengths, merge_repeated):
    """(-log p(labels) [batch], its gradient for the logits [time, batch, classes])."""
    time, batch, classes = logits.shape
    log_y = log_softmax(logits.astype(np.float64))
    sequence, valid = extended(labels, label_lengths, classes - 1)
    stays, skips = moves(sequence, classes - 1, merge_repeated)
    emitted = log_y[:, np.arange(batch)[:, None], sequence]
    forward = _forward(emitted, valid, stays, skips)
    backward = _backward(emitted, label_lengths, lengths, stays, skips)
    paths = forward + backward
    log_p = np.logaddexp.reduce(paths[0], axis=-1) if time else np.zeros(batch)
    gradient = np.exp(log_y)
    possible = np.isfinite(log_p)
    share = np.exp(paths - np.where(possible, log_p, 0.)[:, None])
    rows = np.arange(batch)
    for position in range(sequence.shape[1]):
        gradient[:, rows, sequence[:, position]] -= share[:, :, position]
    gradient[np.arange(time)[:, None] >= lengths] = 0
    return -log_p, gradient


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def _only(values, where):
    return np.where(where, values, -np.inf)


def _forward(emitted, valid, stays, skips):
    found = np.full(emitted.shape, -np.inf)
    if not len(found):
        return found
    found[0, :, :2] = _only(emitted[0, :, :2], valid[:, :2])
    for t in range(1, len(found)):
        before = found[t - 1]
        total = _only(before, stays)
        total[:, 1:] = np.logaddexp(total[:, 1:], before[:, :-1])
        total[:, 2:] = np.logaddexp(total[:, 2:], _only(before[:, :-2], skips[:, 2:]))
        found[t] = _only(total + emitted[t], valid)
    return found


def _backward(emitted, label_lengths, lengths, stays, skips):
    time, batch, positions = emitted.shape
    last = np.full((batch, positions), -np.inf)
    rows = np.arange(batch)
    last[rows, 2 * label_lengths] = 0
    some = label_lengths > 0
    last[rows[some], 2 * label_lengths[some] - 1] = 0
    found = np.full(emitted.shape, -np.inf)
    following = last
    for t in reversed(range(time)):
        if t + 1 < time:
            after = following + emitted[t + 1]
            total = _only(after, stays)
            total[:, :-1] = np.logaddexp(total[:, :-1], after[:, 1:])
            total[:, :-2] = np.logaddexp(total[:, :-2], _only(after, skips)[:, 2:])
            following = total
        following = np.where((lengths == t + 1)[:, None], last, following)
        found[t] = np.where((t < lengths)[:, None], following, -np.inf)
    return found
