"""Rows of candidate samplers (values in tests/golden/programs/sampling.py) and sparse segments.

All samplers have seeds, so that both executors draw the same.
"""
import numpy as np

from tests.ops.rows import row
from tinyflow.ops.sparse import rows as sparse_rows

LABELS = np.array([[1, 2], [3, 4], [0, 1]], np.int64)
DATA, INDICES, IDS = (4, 3), np.array([0, 3, 3, 1], np.int32), np.array([0, 0, 2, 2], np.int32)
PLACES = np.array([[0, 1], [2, 3]], np.int64)


def sampler(name, **attrs):
    def build(tf, labels):
        return list(getattr(tf.nn, name)(labels, 2, 4, True, seed=3, **attrs))

    def bad(tf):
        return getattr(tf.nn, name)(tf.zeros([3], tf.int64), 2, 4, True, **attrs)

    def run_bad(tf):
        labels = tf.placeholder(tf.int64)
        drawn = getattr(tf.nn, name)(labels, 2, 4, True, **attrs)
        return drawn[0], {labels: LABELS[:, :1]}

    return {'build': build, 'inputs': [LABELS], 'bad': [bad], 'run_bad': [run_bad]}


def too_many(tf):
    return tf.nn.uniform_candidate_sampler(LABELS, 2, 11, True, 10)[0]


def hits_ref(labels, drawn):
    found = [(i, max(j for j, d in enumerate(drawn) if d == label))
             for i, row_ in enumerate(labels) for label in row_ if label in drawn]
    rows, places = zip(*found)
    return [np.array(rows, np.int32), np.array(places), np.full(len(rows), -3.4028235e38, 'f')]


def segments_ref(root, total):
    def ref(data, indices, ids):
        result = np.zeros((total or ids[-1] + 1,) + data.shape[1:])
        for segment in set(ids.tolist()):
            rows = data[indices[ids == segment]]
            result[segment] = rows.sum(0) / len(rows) ** root
        return result
    return ref


def segment_rows(op_type, name, root):
    def function(tf):
        return getattr(tf, name)

    return [
        row(op_type, lambda tf, d, i, s: function(tf)(d, i, s), [DATA, INDICES, IDS],
            ref=segments_ref(root, None), static_result=False,
            bad=[lambda tf: function(tf)(tf.zeros([4, 3]), [[0]], [0])],
            run_bad=[lambda tf: function(tf)(tf.zeros([4, 3]), [4], [0]),
                     lambda tf: function(tf)(tf.zeros([4, 3]), [0, 0], [1, 0])]),
        row(op_type + 'WithNumSegments',
            lambda tf, d, i, s: function(tf)(d, i, s, num_segments=5), [DATA, INDICES, IDS],
            ref=segments_ref(root, 5),
            bad=[lambda tf: function(tf)(tf.zeros([4, 3]), [0], [[0]], num_segments=5)],
            run_bad=[lambda tf: function(tf)(tf.zeros([4, 3]), [0], [2], num_segments=2)]),
    ]


def dense_ref(indices, values, default):
    result = np.full((3, 4), default)
    for place, value in zip(indices, np.broadcast_to(values, len(indices))):
        result[tuple(place)] = value
    return result


def dense(tf, indices, **settings):
    return tf.sparse_to_dense(indices, [3, 4], 1.0, **settings)


ENTRIES = np.array([[0, 1], [2, 0], [2, 2]], np.int64)
SIZES = np.array([4, 3], np.int64)


def reshape(tf, indices, sizes, shape):
    return list(sparse_rows.SparseReshape.apply(indices, sizes, shape))


def fill(tf, indices, values, sizes, default):
    return list(sparse_rows.SparseFillEmptyRows.apply(indices, values, sizes, default))


def reshape_ref(indices, sizes, shape):
    shape = np.zeros(sizes).reshape(shape).shape
    flat = np.ravel_multi_index(tuple(indices.T), sizes)
    return [np.stack(np.unravel_index(flat, shape), 1), np.array(shape)]


def fill_ref(indices, values, sizes, default):
    rows = [(tuple(i), v, k) for k, (i, v) in enumerate(zip(indices, values))]
    empty = [r for r in range(sizes[0]) if r not in indices[:, 0]]
    rows = sorted(rows + [((r, 0), default, None) for r in empty], key=lambda entry: entry[0][0])
    back = [next(p for p, entry in enumerate(rows) if entry[2] == k) for k in range(len(values))]
    return [np.array([r[0] for r in rows]), np.array([r[1] for r in rows]),
            np.isin(np.arange(sizes[0]), empty), np.array(back)]


ROWS = [
    row('SparseReshape', reshape, [ENTRIES, SIZES, np.array([2, -1, 2], np.int64)],
        ref=reshape_ref, bad=[lambda tf: reshape(tf, ENTRIES, [[4, 3]], [12])],
        run_bad=[lambda tf: reshape(tf, ENTRIES, SIZES, [5, 5])[0],
                 lambda tf: reshape(tf, ENTRIES, SIZES, [-1, -1])[0]]),
    row('SparseReshape', reshape, [ENTRIES, SIZES, np.array([12], np.int64)], ref=reshape_ref,
        name='vector'),
    row('SparseFillEmptyRows', fill, [ENTRIES, (3,), SIZES, ()], ref=fill_ref,
        static_result=False, bad=[lambda tf: fill(tf, ENTRIES, [1.0, 2.0, 3.0], SIZES, [0.0])],
        run_bad=[lambda tf: fill(tf, ENTRIES, [1.0, 2.0, 3.0], [2, 3], 0.0)[1]]),
    row('UniformCandidateSampler', **sampler('uniform_candidate_sampler', range_max=10)),
    row('UniformCandidateSampler', lambda tf, x: tf.nn.uniform_candidate_sampler(
        x, 2, 7, False, 5, seed=3)[0], [LABELS], run_bad=[too_many], name='not unique'),
    row('LogUniformCandidateSampler', **sampler('log_uniform_candidate_sampler', range_max=10)),
    row('LearnedUnigramCandidateSampler',
        **sampler('learned_unigram_candidate_sampler', range_max=10)),
    row('FixedUnigramCandidateSampler', **sampler('fixed_unigram_candidate_sampler', range_max=5,
                                                  unigrams=[3, 1, 7, 2, 1])),
    row('AllCandidateSampler', **sampler('all_candidate_sampler'),
        ref=lambda x: [np.arange(4), np.ones((3, 2), 'f'), np.ones(4, 'f')]),
    row('ComputeAccidentalHits', lambda tf, x, c: list(tf.nn.compute_accidental_hits(x, c, 2)),
        [LABELS, np.array([3, 1, 9, 1], np.int64)], ref=hits_ref, static_result=False,
        bad=[lambda tf: tf.nn.compute_accidental_hits(LABELS, [[1]], 2)],
        run_bad=[lambda tf: tf.nn.compute_accidental_hits(LABELS, [1], 3)[0]]),
    row('ComputeAccidentalHits', lambda tf, x, c: list(tf.nn.compute_accidental_hits(x, c, 2)),
        [LABELS, np.zeros(0, np.int64)], static_result=False, name='nothing drawn',
        ref=lambda x, c: [np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, 'f')]),
    *segment_rows('SparseSegmentSum', 'sparse_segment_sum', 0),
    *segment_rows('SparseSegmentMean', 'sparse_segment_mean', 1),
    *segment_rows('SparseSegmentSqrtN', 'sparse_segment_sqrt_n', 0.5),
    row('SparseToDense', lambda tf, i, v, d: tf.sparse_to_dense(i, [3, 4], v, d),
        [PLACES, (2,), ()], ref=dense_ref,
        bad=[lambda tf: dense(tf, [[[0]]])],
        run_bad=[lambda tf: dense(tf, [[0, 1], [0, 1]]), lambda tf: dense(tf, [[1, 1], [0, 1]]),
                 lambda tf: dense(tf, [[0, 4]]), lambda tf: dense(tf, [0, 1])]),
    row('SparseToDense', lambda tf, i, v, d: tf.sparse_to_dense(i, [3, 4], v, d),
        [PLACES, (), ()], ref=dense_ref, name='one value'),
    row('SparseToDense', lambda tf, i, v: tf.sparse_to_dense(i, [3], v, validate_indices=False),
        [np.array([2, 0], np.int32), (2,)], ref=lambda i, v: np.array([v[1], 0, v[0]]),
        name='vector in any order'),
]
