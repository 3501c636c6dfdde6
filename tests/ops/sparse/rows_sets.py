"""Rows of tf.sets, tf.where_v2 and the sum of a dense and a sparse tensor."""
import numpy as np

from tests.ops.rows import row

A = np.array([[1, 2, 2], [3, 4, 5]])
B = np.array([[2, 9], [7, 7]])
INDICES = np.array([[0, 0], [0, 2], [1, 0]])
VALUES = np.array([1, 2, 3])
SHAPE = np.array([2, 4])


def _rows(indices, values, shape):
    """A sparse tensor as a list of lists."""
    found = [[] for _ in range(shape[0])]
    for (row_, _), value in zip(indices, values):
        found[row_].append(value)
    return found


def _sparse(rows):
    """Sets in rows, as a sparse tensor."""
    rows = [sorted(row_) for row_ in rows]
    indices = [[i, j] for i, row_ in enumerate(rows) for j in range(len(row_))]
    return [np.array(indices, np.int64).reshape(-1, 2),
            np.array([v for row_ in rows for v in row_]),
            np.array([len(rows), max(map(len, rows))])]


def _each(how):
    return lambda a, b: _sparse([how(set(x), set(y)) for x, y in zip(a, b)])


def _parts(sets):
    return [sets.indices, sets.values, sets.dense_shape]


def _tensor(tf, indices, values, shape):
    return tf.SparseTensor(indices, values, shape)


def _text_sets(tf):
    found = tf.sets.union(tf.constant([[b'a', b'b']]), tf.constant([[b'b', b'c']]))
    return found.values


def _added(indices, values, shape, dense):
    result = dense.copy()
    for index, value in zip(indices, values):
        result[tuple(index)] += value
    return result


def _sparse_dense_add(tf, indices, values, shape, dense):
    from tinyflow.ops.sparse.dense_add import SparseTensorDenseAdd
    return SparseTensorDenseAdd.apply(indices, values, shape, dense)


ROWS = [
    row('DenseToDenseSetOperation',
        lambda tf, a, b: _parts(tf.sets.set_intersection(a, b)), [A, B],
        ref=_each(lambda x, y: x & y), grad=False, static_result=False,
        bad=[lambda tf: tf.sets.union(tf.zeros([3], tf.int32), tf.zeros([3], tf.int32)),
             lambda tf: tf.sets.union(tf.zeros([2, 3], tf.int32), tf.zeros([1, 2, 3], tf.int32))],
        run_bad=[lambda tf: tf.sets.union(tf.zeros([2, 3], tf.int32),
                                          tf.zeros([3, 3], tf.int32)).values]),
    row('DenseToDenseSetOperation', lambda tf, a, b: _parts(tf.sets.difference(a, b)), [A, B],
        ref=_each(lambda x, y: x - y), grad=False, static_result=False, name='a-b'),
    row('DenseToDenseSetOperation', lambda tf, a, b: _parts(tf.sets.set_difference(a, b, False)),
        [A, B], ref=_each(lambda x, y: y - x), grad=False, static_result=False, name='b-a'),
    row('DenseToDenseSetOperation', _text_sets,
        ref=lambda: np.array([b'a', b'b', b'c'], object), grad=False, static_result=False,
        name='text'),
    row('DenseToDenseSetOperation',
        lambda tf, a, b: _parts(tf.sets.set_intersection(a, b)), [A, B + 100],
        ref=lambda a, b: [np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.array([2, 0])],
        grad=False, static_result=False, name='empty'),
    row('DenseToSparseSetOperation',
        lambda tf, a, *s: _parts(tf.sets.union(a, _tensor(tf, *s))), [A, INDICES, VALUES, SHAPE],
        ref=lambda a, *s: _each(lambda x, y: x | y)(a, _rows(*s)), grad=False,
        static_result=False,
        run_bad=[lambda tf: tf.sets.union(np.zeros([3, 2], np.int64),
                                          _tensor(tf, INDICES, VALUES, SHAPE)).values]),
    row('DenseToSparseSetOperation',
        lambda tf, a, *s: _parts(tf.sets.difference(_tensor(tf, *s), a)),
        [A, INDICES, VALUES, SHAPE],
        ref=lambda a, *s: _each(lambda x, y: y - x)(a, _rows(*s)), grad=False,
        static_result=False, name='sparse first'),
    row('SparseToSparseSetOperation',
        lambda tf, *s: _parts(tf.sets.intersection(_tensor(tf, *s[:3]), _tensor(tf, *s[3:]))),
        [INDICES, VALUES, SHAPE, INDICES[1:], VALUES[1:], SHAPE],
        ref=lambda *s: _each(lambda x, y: x & y)(_rows(*s[:3]), _rows(*s[3:])), grad=False,
        static_result=False,
        run_bad=[lambda tf: tf.sets.union(_tensor(tf, INDICES, VALUES, SHAPE),
                                          _tensor(tf, INDICES, VALUES, [3, 4])).values]),
    row('SetSize', lambda tf, *s: tf.sets.size(_tensor(tf, *s)),
        [np.array([[0, 0], [0, 1], [0, 3], [2, 0]]), np.array([5, 5, 6, 5]), np.array([3, 4])],
        ref=lambda i, v, s: np.array([2, 0, 1], np.int32), grad=False, static_result=False,
        run_bad=[lambda tf: tf.sets.size(_tensor(tf, [[0, 9]], [1], [2, 3]))]),
    row('SparseTensorDenseAdd', _sparse_dense_add,
        [np.array([[0, 1], [1, 2], [0, 1]]), (3,), np.array([2, 3]), (2, 3)], ref=_added,
        grad=(1, 3),
        run_bad=[lambda tf: _sparse_dense_add(tf, [[0, 7]], [1.], [2, 3], tf.zeros([2, 3])),
                 lambda tf: _sparse_dense_add(tf, [[0, 1]], [1.], [3, 3], tf.zeros([2, 3]))]),
    row('SelectV2', lambda tf, c, x, y: tf.where_v2(c, x, y),
        [np.array([[True], [False]]), (2, 3), (3,)], ref=np.where,
        bad=[lambda tf: tf.where_v2([True, False], tf.zeros([3]), 1.)]),
    row('SelectV2', lambda tf, c, x, y: tf.where_v2(c, x, y),
        [np.array(True), (2, 3), (2, 3)], ref=np.where, name='scalar'),
]
