"""Rows of slicing, gathering, scattering, masks, sets."""
import numpy as np

from tests.ops.rows import row


def _fed(tf, build, value):
    """A node of a placeholder without a known shape, and what to feed."""
    x = tf.placeholder(value.dtype)
    return build(x), {x: value}


ZEROS = np.zeros([2, 3], np.float32)
ROWS_OF = np.array([2, 0, 2])
PAIRS = np.array([[0, 1], [1, 2], [0, 1]])
WHOLE = np.zeros((2, 0), np.int64)         # two index vectors without an entry
FLAGS = np.array([True, False, True])
REPEATED = np.array([4, 7, 4, 1, 7, 4])


def _grad_of_slice(tf, x):
    y = x[1:, ::-2]
    return tf.gradients(y * y, x)


def _take(x, indices, axis):
    return np.stack([np.take(x, int(i), axis) for i in indices.flat], axis).reshape(
        x.shape[:axis] + indices.shape + x.shape[axis + 1:])


def _scattered(shape, indices, updates):
    out = np.zeros(shape)
    for index, update in zip(indices, updates):
        out[tuple(index)] += update
    return out


def _changed(x, indices, updates, how):
    out = x.copy()
    for index, update in zip(indices, updates):
        out[tuple(index)] = how(out[tuple(index)], update)
    return out


def _one_hot(indices, depth, on=1.0, off=0.0):
    return np.array([[on if i == j else off for j in range(depth)] for i in indices])


def _distinct(x):
    values = list(dict.fromkeys(x.tolist()))
    return (np.array(values), np.array([values.index(v) for v in x.tolist()]),
            np.array([x.tolist().count(v) for v in values]))


def _stitched(tf, x, y):
    return tf.dynamic_stitch([[0, 3], [1, 2, 3]], [x, y])


def _bounds(rows, values, after):
    return np.array([[sum(r <= v if after else r < v for r in row) for v in wanted]
                     for row, wanted in zip(rows, values)], np.int32)


def _changed_variable(tf):
    v = tf.Variable(np.arange(6.0).reshape(2, 3))
    with tf.control_dependencies([v.initializer]):
        return tf.identity(v[0, 1:].assign([8.0, 9.0]))


SORTED = np.array([[1.0, 2.0, 2.0, 5.0], [0.0, 0.0, 3.0, 4.0]])
WANTED = np.array([[2.0, 0.0, 9.0], [0.0, 3.5, 4.0]])

ROWS = [
    row('Slice', lambda tf, x: tf.slice(x, [1, 0], [2, -1]), [(4, 3)], ref=lambda x: x[1:3],
        bad=[lambda tf: tf.slice(tf.zeros([2, 3]), [0, 0], [3, 3]),
             lambda tf: tf.slice(tf.zeros([2, 3]), [0], [1]),
             lambda tf: tf.slice(tf.zeros([2]), [3], [-1])],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.slice(x, [0, 0], [3, 3]), ZEROS)]),
    row('Slice', lambda tf, x, b: tf.slice(x, b, [2]), [(5,), np.array([2], np.int32)],
        ref=lambda x, b: x[2:4], name='of a fed begin'),
    row('StridedSlice', lambda tf, x: x[1:, ::-2], [(3, 4)], ref=lambda x: x[1:, ::-2],
        bad=[lambda tf: tf.zeros([3])[3], lambda tf: tf.zeros([3])[0, 0],
             lambda tf: tf.zeros([3])[::0], lambda tf: tf.zeros([3])[..., ...]],
        run_bad=[lambda tf: _fed(tf, lambda x: x[2], ZEROS),
                 lambda tf: _fed(tf, lambda x: x[0, 0, 0], ZEROS)]),
    row('StridedSlice', lambda tf, x: x[1, ..., tf.newaxis, -1:], [(3, 2, 4)], name='all kinds',
        ref=lambda x: x[1, ..., None, -1:]),
    row('StridedSlice', lambda tf, x: tf.strided_slice(x, [2], [3], begin_mask=1,
                                                       shrink_axis_mask=1), [(3, 4)],
        ref=lambda x: x[2], name='an element, however masked'),
    row('StridedSlice', lambda tf, x: x[0, 1], [(2, 3)], ref=lambda x: x[0, 1], name='one element'),
    row('StridedSlice', lambda tf, x, i: x[i, :i + 1], [(3, 3), np.array(1, np.int32)],
        ref=lambda x, i: x[1, :2], name='fed index', static_result=False),
    row('StridedSlice', lambda tf, x: x[5:2], [(4,)], ref=lambda x: x[:0], name='empty',
        grad=False),
    row('StridedSliceGrad', _grad_of_slice, [(3, 4)], unknown=False, grad=True, second=False,
        ref=lambda x: 2 * x * np.array([[0] * 4] + [[0, 1, 0, 1]] * 2)),
    row('StridedSliceAssign', lambda tf: _changed_variable(tf), grad=False,
        ref=lambda: np.array([[0.0, 8, 9], [3, 4, 5]]),
        run_bad=[lambda tf: _bad_assignment(tf)]),
    row('GatherV2', lambda tf, x, i: tf.gather(x, i), [(3, 2), ROWS_OF],
        ref=lambda x, i: _take(x, i, 0),
        bad=[lambda tf: tf.gather(1.0, [0]), lambda tf: tf.gather(tf.zeros([2]), [0.5]),
             lambda tf: tf.gather(tf.zeros([2]), [0], axis=1)],
        run_bad=[lambda tf: tf.gather(tf.zeros([2]), [2]),
                 lambda tf: tf.gather(tf.zeros([2]), [-1])]),
    row('GatherV2', lambda tf, x, i: tf.gather(x, i), [(3, 2), PAIRS], name='matrix of indices',
        ref=lambda x, i: _take(x, i, 0)),
    row('GatherV2', lambda tf, x, i: tf.gather(x, i, axis=1), [(2, 3, 2), ROWS_OF], name='axis 1',
        ref=lambda x, i: _take(x, i, 1), unknown=False),
    row('GatherV2', lambda tf, x, i: tf.gather(x, i, batch_dims=1), [(2, 3, 2), PAIRS[:2]],
        ref=lambda x, i: np.stack([_take(a, b, 0) for a, b in zip(x, i)]), name='batch',
        unknown=False),
    row('GatherV2', lambda tf, x, i: tf.gather(x, i, axis=2, batch_dims=1),
        [(2, 2, 3, 2), PAIRS[:2]], name='batch and axis', unknown=False,
        ref=lambda x, i: np.stack([_take(a, b, 1) for a, b in zip(x, i)])),
    row('GatherV2', lambda tf, x, i: tf.batch_gather(x, i), [(2, 3), PAIRS[:2]], unknown=False,
        ref=lambda x, i: np.stack([_take(a, b, 0) for a, b in zip(x, i)]), name='batch_gather'),
    row('GatherNd', lambda tf, x, i: tf.gather_nd(x, i), [(2, 3, 2), PAIRS],
        ref=lambda x, i: np.array([x[a, b] for a, b in i]),
        bad=[lambda tf: tf.gather_nd(tf.zeros([3]), [[0, 1]])],
        run_bad=[lambda tf: tf.gather_nd(tf.zeros([2, 2]), [[0, 2]]),
                 lambda tf: tf.gather_nd(tf.zeros([2]), [[-1]])]),
    row('GatherNd', lambda tf, x, i: tf.gather_nd(x, i), [(3, 2), ROWS_OF[:, None]], name='rows',
        ref=lambda x, i: x[[2, 0, 2]]),
    row('GatherNd', lambda tf, x, i: tf.gather_nd(x, i), [(3, 2), WHOLE], name='whole tensors',
        ref=lambda x, i: np.stack([x, x])),
    row('GatherNd', lambda tf, x, i: tf.gather_nd(x, i, batch_dims=1), [(2, 3, 2), PAIRS[:2, :1]],
        ref=lambda x, i: np.stack([x[0, 0], x[1, 1]]), name='batch', unknown=False),
    row('ScatterNd', lambda tf, i, u: tf.scatter_nd(i, u, np.array([2, 3, 2])), [PAIRS, (3, 2)],
        ref=lambda i, u: _scattered((2, 3, 2), i, u),
        bad=[lambda tf: tf.scatter_nd([[1], [3]], [9.0], [5]),
             lambda tf: tf.scatter_nd([[1, 0]], [9.0], [5])],
        run_bad=[lambda tf: tf.scatter_nd([[5]], [9.0], [5]),
                 lambda tf: tf.scatter_nd([[-1]], [9.0], [5])]),
    row('ScatterNd', lambda tf, i, u: tf.scatter_nd(i, u, np.array([3, 2])), [WHOLE, (2, 3, 2)],
        name='whole tensors', ref=lambda i, u: u[0] + u[1]),
    row('TensorScatterUpdate', lambda tf, x, u: tf.tensor_scatter_update(x, [[2], [0]], u),
        [(3, 2), (2, 2)], ref=lambda x, u: np.array([u[1], x[1], u[0]]),
        bad=[lambda tf: tf.tensor_scatter_update(tf.zeros([3]), [[1]], [1.0, 2.0])],
        run_bad=[lambda tf: tf.tensor_scatter_update(tf.zeros([3]), [[3]], [1.0])]),
    row('TensorScatterAdd', lambda tf, x, i, u: tf.tensor_scatter_add(x, i, u),
        [(2, 3), PAIRS, (3,)], ref=lambda x, i, u: _changed(x, i, u, lambda a, b: a + b),
        run_bad=[lambda tf: tf.tensor_scatter_add(tf.zeros([3]), [[3]], [1.0])]),
    row('TensorScatterSub', lambda tf, x, i, u: tf.tensor_scatter_sub(x, i, u),
        [(2, 3), PAIRS, (3,)], ref=lambda x, i, u: _changed(x, i, u, lambda a, b: a - b),
        run_bad=[lambda tf: tf.tensor_scatter_sub(tf.zeros([3]), [[3]], [1.0])]),
    row('Where', lambda tf, x: tf.where(x), [np.array([[True, False], [True, True]])], grad=False,
        ref=lambda x: np.array([[0, 0], [1, 0], [1, 1]]), static_result=False),
    row('Where', lambda tf, x: tf.where(x), [np.array([0.0, 2.0, -1.0])], grad=False,
        ref=lambda x: np.array([[1], [2]]), static_result=False, name='numbers'),
    row('Select', lambda tf, c, x, y: tf.where(c, x, y), [FLAGS, (3,), (3,)],
        ref=lambda c, x, y: np.array([x[0], y[1], x[2]]),
        bad=[lambda tf: tf.where([True, False, True], tf.zeros([4]), tf.zeros([4])),
             lambda tf: tf.where(True, tf.zeros([3]), tf.zeros([4])),
             lambda tf: tf.where([[True]], tf.zeros([2, 1]), tf.zeros([2, 1]))],
        run_bad=[lambda tf: _fed(tf, lambda x: tf.where([True], x, x), ZEROS)]),
    row('Select', lambda tf, c, x, y: tf.where(c, x, y), [FLAGS, (3, 2), (3, 2)],
        ref=lambda c, x, y: np.array([x[0], y[1], x[2]]), name='rows'),
    row('Select', lambda tf, c, x, y: tf.where(c, x, y), [np.array(False), (2, 3), (2, 3)],
        ref=lambda c, x, y: y, name='scalar'),
    row('OneHot', lambda tf, i: tf.one_hot(i, 4, dtype=tf.float64), [np.array([0, 3, -1, 4])],
        ref=lambda i: _one_hot(i, 4), grad=False,
        bad=[lambda tf: tf.one_hot([0], -1), lambda tf: tf.one_hot([0], 2, axis=2)]),
    row('OneHot', lambda tf, i: tf.one_hot(i, 3, 5, 7, axis=0), [np.array([0, 2])], grad=False,
        ref=lambda i: _one_hot(i, 3, 5, 7).T.astype(np.int32), name='axis 0'),
    row('OneHot', lambda tf, i: tf.one_hot(i, 3, axis=1), [PAIRS], grad=False, name='middle',
        ref=lambda i: np.stack([_one_hot(r, 3).T for r in i]).astype(np.float32)),
    row('Unique', lambda tf, x: tf.unique(x), [REPEATED], grad=False, static_result=False,
        ref=lambda x: _distinct(x)[:2], bad=[lambda tf: tf.unique([[1]])]),
    row('Unique', lambda tf, x: tf.unique(x, tf.int64), [np.array([b'b', b'a', b'b'], object)],
        grad=False, static_result=False, name='strings',
        ref=lambda x: [np.array([b'b', b'a'], object), np.array([0, 1, 0])]),
    row('UniqueWithCounts', lambda tf, x: tf.unique_with_counts(x), [REPEATED], grad=False,
        static_result=False, ref=_distinct, bad=[lambda tf: tf.unique_with_counts(1)]),
    row('ListDiff', lambda tf, x, y: tf.setdiff1d(x, y), [REPEATED, np.array([1, 4])], grad=False,
        static_result=False, ref=lambda x, y: [np.array([7, 7]), np.array([1, 4])]),
    row('InvertPermutation', lambda tf, x: tf.invert_permutation(x), [np.array([2, 0, 1])],
        ref=lambda x: np.array([1, 2, 0]), grad=False, bad=[lambda tf: tf.invert_permutation(1)],
        run_bad=[lambda tf: tf.invert_permutation([0, 0]),
                 lambda tf: tf.invert_permutation([0, 2])]),
    row('DynamicPartition', lambda tf, x, p: tf.dynamic_partition(x, p, 3),
        [(4, 2), np.array([2, 0, 2, 0], np.int32)], static_result=False,
        ref=lambda x, p: [x[[1, 3]], x[:0], x[[0, 2]]],
        bad=[lambda tf: tf.dynamic_partition(tf.zeros([3]), [0, 1], 2)],
        run_bad=[lambda tf: tf.dynamic_partition(tf.zeros([2]), [0, 2], 2)[0]]),
    row('DynamicStitch', _stitched, [(2, 2), (3, 2)], grad=False,
        ref=lambda x, y: np.array([x[0], y[0], y[1], y[2]]),
        bad=[lambda tf: tf.dynamic_stitch([[0, 1]], [[1.0]])],
        run_bad=[lambda tf: tf.dynamic_stitch([[-1]], [[1.0]])]),
    row('DynamicStitch', lambda tf, x, y: tf.dynamic_stitch([[0, 3], [1, 2]], [x, y]),
        [(2, 2), (2, 2)], ref=lambda x, y: np.array([x[0], y[0], y[1], x[1]]), name='no overlap'),
    row('LowerBound', lambda tf, x, y: tf.searchsorted(x, y), [SORTED, WANTED], grad=False,
        ref=lambda x, y: _bounds(x, y, False), unknown=False),
    row('UpperBound', lambda tf, x, y: tf.searchsorted(x, y, side='right'), [SORTED, WANTED],
        grad=False, ref=lambda x, y: _bounds(x, y, True), unknown=False),
]


def _bad_assignment(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.control_dependencies([v.initializer]):
        return v[:2].assign([1.0, 2.0, 3.0])
