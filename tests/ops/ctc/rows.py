"""Rows: connectionist temporal classification and the edit distance."""
import itertools

import numpy as np

from tests.ops.rows import row

_INDICES = np.array([[0, 0], [0, 1], [1, 0]], np.int64)
_LABELS = np.array([0, 0, 1], np.int32)
_LENGTHS = np.array([4, 3], np.int32)


def _all_paths(x):
    """The loss by its definition: the sum over every path that reads as the labels."""
    x = np.asarray(x, np.float64)
    y = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    found = []
    for b, wanted in enumerate([(0, 0), (1,)]):
        total = 0
        for path in itertools.product(range(3), repeat=int(_LENGTHS[b])):
            read = tuple(k for k, _ in itertools.groupby(path) if k != 2)
            if read == wanted:
                total += np.prod([y[t, b, k] for t, k in enumerate(path)])
        found.append(-np.log(total))
    return np.array(found)


def _loss(tf, x, labels=_LABELS, lengths=_LENGTHS):
    return tf.nn.ctc_loss(tf.SparseTensor(_INDICES, labels, [2, 2]), x, lengths)


def _greedy(tf, x):
    (path,), score = tf.nn.ctc_greedy_decoder(x, _LENGTHS)
    return [path.indices, path.values, path.dense_shape, score]


def _greedy_ref(x):
    rows = [[k for k, _ in itertools.groupby(x[:n, b].argmax(-1).tolist()) if k != 2]
            for b, n in enumerate(_LENGTHS)]
    return _sparse(rows) + [np.array([[-x[:n, b].max(-1).sum()] for b, n in enumerate(_LENGTHS)])]


def _sparse(rows):
    return [np.array([(i, j) for i, r in enumerate(rows) for j in range(len(r))]).reshape(-1, 2),
            np.array(sum(rows, [])), np.array([len(rows), max(map(len, rows))])]


def _beam(tf, x):
    (path,), score = tf.nn.ctc_beam_search_decoder(x, _LENGTHS, 50, merge_repeated=False)
    return [path.indices, path.values, path.dense_shape, score]


def _beam_ref(x):
    """A beam that drops nothing finds the sequence whose paths sum to the most."""
    y = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    rows, scores = [], []
    for b, n in enumerate(_LENGTHS):
        totals = {}
        for path in itertools.product(range(3), repeat=int(n)):
            read = tuple(k for k, _ in itertools.groupby(path) if k != 2)
            totals[read] = totals.get(read, 0) + np.prod([y[t, b, k] for t, k in enumerate(path)])
        best = max(totals, key=totals.get)
        rows.append(list(best))
        scores.append([np.log(totals[best])])
    return _sparse(rows) + [np.array(scores)]


def _distance(tf):
    return tf.edit_distance(tf.SparseTensor([[0, 0], [0, 1]], ['a', 'b'], [2, 2]),
                            tf.SparseTensor([[0, 0], [1, 0]], ['b', 'b'], [2, 2]), False)


ROWS = [
    row('CTCLoss', _loss, [(4, 2, 3)], ref=_all_paths, second=False,
        bad=[lambda tf: _loss(tf, tf.zeros([4, 3])), lambda tf: _loss(tf, tf.zeros([4, 3, 3]))],
        run_bad=[lambda tf: _loss(tf, tf.zeros([4, 2, 3]), lengths=[1, 1]),
                 lambda tf: _loss(tf, tf.zeros([4, 2, 3]), labels=[2, 0, 1]),
                 lambda tf: _loss(tf, tf.zeros([4, 2, 3]), labels=[-1, 0, 1]),
                 lambda tf: _loss(tf, tf.zeros([4, 2, 3]), lengths=[5, 1])]),
    row('CTCGreedyDecoder', _greedy, [(4, 2, 3)], ref=_greedy_ref, grad=False,
        static_result=False, bad=[lambda tf: tf.nn.ctc_greedy_decoder(tf.zeros([4, 3]), [1])]),
    row('CTCBeamSearchDecoder', _beam, [(4, 2, 3)], ref=_beam_ref, grad=False,
        static_result=False,
        bad=[lambda tf: tf.nn.ctc_beam_search_decoder(tf.zeros([4, 3]), [1])],
        run_bad=[lambda tf: tf.nn.ctc_beam_search_decoder(
            tf.zeros([4, 1, 3]), [1], beam_width=1, top_paths=2)[1]]),
    row('EditDistance', _distance, ref=lambda: np.array([1., 1.], np.float32), grad=False,
        static_result=False,
        run_bad=[lambda tf: tf.edit_distance(tf.SparseTensor([[0]], [1], [1]),
                                             tf.SparseTensor([[0]], [1], [1]))]),
]
