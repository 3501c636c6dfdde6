"""Reductions, scans, segments, and where the largest elements are."""
import itertools
import math

import numpy as np

from tests.ops.rows import row
from tinyflow.graph.op import Op

SHAPE = (2, 3, 4)
APART = np.random.default_rng(3).permutation(24).reshape(SHAPE) / 7.0     # no two are close
TIES = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
HOLES = np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 5.0], [1.5, 2.5, -1.0]])


def by_loops(function, axis=None, keepdims=False):
    """An independent reference: collects the elements of each result in lists."""
    def ref(x):
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = {a % x.ndim for a in axes}
        groups = {}
        for place in itertools.product(*map(range, x.shape)):
            key = tuple(0 if i in axes else p for i, p in enumerate(place))
            groups.setdefault(key, []).append(x[place].item())
        shape = [1 if i in axes else n for i, n in enumerate(x.shape)]
        result = np.array([function(groups[key])
                           for key in itertools.product(*map(range, shape))]).reshape(shape)
        return result if keepdims else result.reshape([n for i, n in enumerate(x.shape)
                                                       if i not in axes])
    return ref


def reduction(op_type, function, ref, x=SHAPE, **settings):
    """Rows over all axes, some, the last, and with the axes kept."""
    def at(axis=None, keepdims=False, **more):
        return row(op_type, lambda tf, x: getattr(tf, function)(x, axis=axis, keepdims=keepdims),
                   [x], ref=by_loops(ref, axis, keepdims),
                   name=f'axis {axis}' + ', kept' * keepdims, **settings, **more)
    return [at(bad=[lambda tf: getattr(tf, function)(tf.placeholder(tf.float32, [2, 3]), axis=2)]),
            at(1), at((0, -1)), at(-1, keepdims=True), at((2, 1), keepdims=True)]


def mean(values):
    return math.fsum(values) / len(values)


REDUCTIONS = [
    *reduction('Sum', 'reduce_sum', math.fsum), *reduction('Mean', 'reduce_mean', mean),
    *reduction('Prod', 'reduce_prod', math.prod, low=0.5, high=1.5, tol=1e-5),
    *reduction('Max', 'reduce_max', max, x=APART), *reduction('Min', 'reduce_min', min, x=APART),
    *reduction('All', 'reduce_all', all, dtype='bool', grad=False),
    *reduction('Any', 'reduce_any', any, dtype='bool', grad=False),
    row('EuclideanNorm', lambda tf, x: tf.math.reduce_euclidean_norm(x, 1), [SHAPE], grad=False,
        ref=by_loops(lambda v: math.sqrt(math.fsum(i * i for i in v)), 1)),
    row('Prod', lambda tf, x: tf.reduce_prod(x, 1), [HOLES], ref=by_loops(math.prod, 1),
        name='with zeros', second=False),
    row('Sum', lambda tf, x: tf.reduce_sum(x, []), [SHAPE], ref=lambda x: x.copy(),
        name='over nothing'),
    row('Sum', lambda tf, x, axis: tf.reduce_sum(x * x, axis), [SHAPE, np.array([0, -1])],
        ref=lambda x, axis: by_loops(lambda v: math.fsum(i * i for i in v), (0, 2))(x),
        name='axes unknown', static_result=False),
    row('Mean', lambda tf, x: tf.reduce_mean(x), [np.array([1, 2, -6])], ref=lambda x: np.array(-1),
        grad=False, name='of integers'),
    row('Max', lambda tf, x: tf.reduce_max(tf.reduce_logsumexp(x, 1)), [np.array([[800.0, 801.0],
                                                                                [1.0, 2.0]])],
        ref=lambda x: 801 + math.log1p(math.exp(-1)), name='log of sum of exponentials'),
    row('Mean', lambda tf, x: tf.math.reduce_variance(x, 1), [SHAPE], name='variance',
        ref=by_loops(lambda v: mean([(i - mean(v)) ** 2 for i in v]), 1)),
    row('Mean', lambda tf, x: tf.math.reduce_std(x), [SHAPE], name='standard deviation',
        ref=by_loops(lambda v: math.sqrt(mean([(i - mean(v)) ** 2 for i in v])))),
    row('Sum', lambda tf, x: tf.count_nonzero(x, 1), [HOLES], grad=False, name='count of nonzero',
        ref=by_loops(lambda v: sum(i != 0 for i in v), 1)),
]


def running(ufunc, exclusive, reverse):
    def ref(x):
        result = np.empty_like(x)
        for i, values in enumerate(x):
            values = values[::-1] if reverse else values
            total, out = ufunc(), []
            for v in values:
                out.append(total)
                total = ufunc(total, v)
                if not exclusive:
                    out[-1] = total
            result[i] = out[::-1] if reverse else out
        return result
    return ref


def plus(total=0.0, v=0.0):
    return total + v


def times(total=1.0, v=1.0):
    return total * v


SCANS = [
    row(op_type, lambda tf, x, e=exclusive, r=reverse, f=function: getattr(tf, f)(x, 1, e, r),
        [(2, 4)], low=0.5, high=1.5, ref=running(step, exclusive, reverse),
        name=f'exclusive {exclusive}, reverse {reverse}',
        bad=[lambda tf, f=function: getattr(tf, f)(tf.zeros([2]), 1)])
    for op_type, function, step in (('Cumsum', 'cumsum', plus), ('Cumprod', 'cumprod', times))
    for exclusive in (False, True) for reverse in (False, True)
]

IDS = np.array([0, 0, 2, 2, 2, 3])
MIXED = np.array([2, 0, -1, 2, 0, 1])
ROWS_APART = np.random.default_rng(5).permutation(18).reshape(6, 3) / 5.0 + 0.3


def by_id(function, ids, count, empty=0.0):
    def ref(data, *_):
        result = np.full((count,) + data.shape[1:], empty)
        for i in range(count):
            rows = [list(r) for r, key in zip(data, ids) if key == i]
            if rows:
                result[i] = [function(column) for column in zip(*rows)]
        return result
    return ref


def sorted_segments(op_type, function, ref, empty=0.0, **settings):
    return row(op_type, lambda tf, x, ids: getattr(tf, function)(x, ids), [ROWS_APART, IDS],
               ref=by_id(ref, IDS, 4, empty), static_result=False, tol=1e-5,
               bad=[lambda tf: getattr(tf, function)(tf.zeros([2, 2]), tf.zeros([2, 2], tf.int32))],
               run_bad=[lambda tf: getattr(tf, function)(tf.zeros([2, 2]), [1, 0]),
                        lambda tf: getattr(tf, function)(tf.zeros([2, 2]), [-1, 0])], **settings)


def mixed_segments(op_type, function, ref, empty, x=ROWS_APART, **settings):
    return row(op_type, lambda tf, x, ids: getattr(tf, function)(x, ids, 4), [x, MIXED],
               ref=by_id(ref, MIXED, 4, empty), tol=1e-5,
               bad=[lambda tf: getattr(tf, function)(tf.zeros([2, 2]), [1, 0, 0], 2)],
               run_bad=[lambda tf: getattr(tf, function)(tf.zeros([2, 2]), [0, 2], 2)], **settings)


SEGMENTS = [
    sorted_segments('SegmentSum', 'segment_sum', math.fsum),
    sorted_segments('SegmentMean', 'segment_mean', mean),
    sorted_segments('SegmentProd', 'segment_prod', math.prod, 1.0, grad=False),
    sorted_segments('SegmentMax', 'segment_max', max),
    sorted_segments('SegmentMin', 'segment_min', min),
    mixed_segments('UnsortedSegmentSum', 'unsorted_segment_sum', math.fsum, 0.0),
    mixed_segments('UnsortedSegmentProd', 'unsorted_segment_prod', math.prod, 1.0),
    mixed_segments('UnsortedSegmentMax', 'unsorted_segment_max', max, np.finfo('d').min,
                   grad=False),
    mixed_segments('UnsortedSegmentMin', 'unsorted_segment_min', min, np.finfo('d').max,
                   grad=False),
    row('UnsortedSegmentMax', lambda tf, x: tf.unsorted_segment_max(x, MIXED, 3), [ROWS_APART],
        ref=by_id(max, MIXED, 3), name='none empty'),
    row('UnsortedSegmentMin', lambda tf, x: tf.unsorted_segment_min(x, MIXED, 3), [ROWS_APART],
        ref=by_id(min, MIXED, 3), name='none empty'),
    row('UnsortedSegmentSum', lambda tf, x: tf.unsorted_segment_mean(x, MIXED, 4), [ROWS_APART],
        ref=by_id(mean, MIXED, 4), unknown=False, name='mean'),
    row('UnsortedSegmentSum', lambda tf, x: tf.unsorted_segment_sqrt_n(x, MIXED, 4), [ROWS_APART],
        ref=by_id(lambda v: math.fsum(v) / math.sqrt(len(v)), MIXED, 4), unknown=False,
        name='over the root of n'),
    row('UnsortedSegmentProd', lambda tf, x: tf.unsorted_segment_prod(x, [0, 0, 1, 1, 1, 2], 3),
        [np.array([2.0, 0.0, 0.0, 0.0, 3.0, 4.0])], ref=lambda x: np.array([0.0, 0.0, 4.0]),
        name='with zeros', second=False),
    row('Bincount', lambda tf, x: tf.bincount(x), [np.array([1, 3, 3, 0], np.int32)], grad=False,
        ref=lambda x: np.array([1, 1, 0, 2]), static_result=False,
        run_bad=[lambda tf: tf.bincount([1, -1])]),
    row('Bincount', lambda tf, x: Op.registry['Bincount'].apply(x, 3, tf.constant([1.0, 2.0, 4.0])),
        [np.array([2, 2, 5], np.int32)], grad=False, ref=lambda x: np.array([0.0, 0.0, 3.0]),
        name='weights'),
]


def largest(k):
    def ref(x):
        order = [sorted(range(len(r)), key=lambda i: (-r[i], i))[:k] for r in x]
        values = [[r[i] for i in places] for r, places in zip(x, order)]
        return [np.array(values).reshape(len(x), k), np.array(order).reshape(len(x), k)]
    return ref


PREDICTIONS = np.array([[0.1, 0.3, 0.3], [0.5, 0.2, 0.1], [np.nan, 1.0, 2.0]], np.float32)
RANKING = [
    row('ArgMax', lambda tf, x: tf.argmax(x, 1), [TIES], grad=False, ref=lambda x: np.array([1, 0]),
        bad=[lambda tf: tf.argmax(tf.zeros([2, 3]), 2)],
        run_bad=[lambda tf: tf.argmax(tf.zeros([2, 0]), 1)]),
    row('ArgMax', lambda tf, x: tf.argmax(x, output_type=tf.int32), [TIES], grad=False,
        ref=lambda x: np.array([1, 0, 0]), name='int32'),
    row('ArgMin', lambda tf, x: tf.argmin(x, -1), [TIES], grad=False,
        ref=lambda x: np.array([0, 0])),
    row('TopKV2', lambda tf, x: list(tf.nn.top_k(x, 2)), [APART.reshape(6, 4)], ref=largest(2),
        bad=[lambda tf: tf.nn.top_k(tf.zeros([2, 3]), 4)], second=False),
    row('TopKV2', lambda tf, x: list(tf.nn.top_k(x)), [APART.reshape(6, 4)], ref=largest(1),
        second=False, name='one'),
    row('TopKV2', lambda tf, x: list(tf.nn.top_k(x, 3)), [TIES], ref=largest(3), grad=False,
        name='ties'),
    row('InTopKV2', lambda tf, x, y: tf.nn.in_top_k(x, y, 1),
        [PREDICTIONS, np.array([2, 1, 2], np.int32)], grad=False,
        ref=lambda x, y: np.array([True, False, False]),
        bad=[lambda tf: tf.nn.in_top_k(tf.zeros([2]), [1, 1], 1)]),
    row('InTopKV2', lambda tf, x, y: tf.nn.in_top_k(x, y, 3),
        [PREDICTIONS[:2], np.array([3, 2], np.int32)], grad=False,
        ref=lambda x, y: np.array([False, True]), name='no such class'),
    row('InTopK', lambda tf, x, y: Op.registry['InTopK'].apply(x, y, k=2),
        [PREDICTIONS[:2], np.array([0, 1], np.int32)], grad=False,
        ref=lambda x, y: np.array([False, True])),
]

ROWS = REDUCTIONS + SCANS + SEGMENTS + RANKING
