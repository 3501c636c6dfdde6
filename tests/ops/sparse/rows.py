"""Rows of the ops of sparse tensors."""
import numpy as np

from tests.ops.rows import row
from tinyflow.ops.sparse import arithmetic as sparse_arithmetic

PLACES = np.array([[0, 1], [1, 0], [1, 2]])
OTHERS = np.array([[0, 0], [1, 0]])
SIZE = np.array([2, 3])


def dense(places, values, size=(2, 3)):
    result = np.zeros(tuple(size), values.dtype)
    np.add.at(result, tuple(places.T), values)
    return result


def entries(array):
    """(places, values) of what is not zero."""
    places = np.argwhere(array)
    return [places, array[tuple(places.T)]]


def tensor(tf, values, places=PLACES, size=(2, 3)):
    return tf.SparseTensor(places, values, list(size))


def flat(*sparse):
    return [part for s in sparse for part in (s.indices, s.values, s.dense_shape)]


def softmax_ref(v):
    e = np.exp(v)
    return e / np.array([e[0], e[1] + e[2], e[1] + e[2]])


def slice_ref(v):
    return [np.array([[0, 0]]), v[2:], np.array([1, 1])]


def add_grad(tf, g):
    both = sparse_arithmetic.SparseAddGrad.apply(g, PLACES, OTHERS,
                                                 np.array([[0, 0], [0, 1], [1, 0], [1, 2]]))
    return list(both)


def wrong(tf):
    """An index outside of the dense shape."""
    return tf.SparseTensor([[0, 9]], [1.0], [2, 3])


def reduced(op, ufunc):
    return row(op, lambda tf, v: getattr(tf, {'SparseReduceSum': 'sparse_reduce_sum',
                                              'SparseReduceMax': 'sparse_reduce_max'}[op])(
        tensor(tf, v), 1), [(3,)], low=0.5, high=1.5, grad=op == 'SparseReduceSum',
        ref=lambda v: ufunc(dense(PLACES, v), 1),
        bad=[lambda tf: tf.sparse_reduce_sum(tensor(tf, [1.0, 2.0, 3.0]), 2)
             if op == 'SparseReduceSum' else
             tf.sparse_reduce_max(tensor(tf, [1.0, 2.0, 3.0]), 2)],
        run_bad=[lambda tf: tf.sparse_reduce_sum(wrong(tf)) if op == 'SparseReduceSum' else
                 tf.sparse_reduce_max(wrong(tf))])


ROWS = [
    row('SparseAdd', lambda tf, v, w: tf.sparse_add(tensor(tf, v), tensor(tf, w, OTHERS)).values,
        [(3,), (2,)], low=0.5, high=1.5, static_result=False,
        ref=lambda v, w: entries(dense(PLACES, v) + dense(OTHERS, w))[1],
        run_bad=[lambda tf: sparse_arithmetic.SparseAdd.apply(
            PLACES, [1.0, 2.0, 3.0], SIZE, PLACES, [1.0, 2.0, 3.0], [9, 9], 0.0)[1]]),
    row('SparseAddGrad', add_grad, [(4,)], ref=lambda g: [g[1:], g[[0, 2]]]),
    row('SparseSparseMaximum', lambda tf, v, w: flat(tf.sparse_maximum(
        tensor(tf, v), tensor(tf, w, OTHERS)))[:2], [(3,), (2,)], low=0.5, high=1.5, grad=False,
        ref=lambda v, w: entries(np.maximum(dense(PLACES, v), dense(OTHERS, w))),
        static_result=False),
    row('SparseSparseMinimum', lambda tf, v, w: flat(tf.sparse_minimum(
        tensor(tf, v), tensor(tf, w, OTHERS)))[:2], [(3,), (2,)], low=-1.5, high=-0.5, grad=False,
        ref=lambda v, w: entries(np.minimum(dense(PLACES, v), dense(OTHERS, w))),
        static_result=False,
        run_bad=[lambda tf: tf.sparse_minimum(tensor(tf, [1.0, 2.0, 3.0]), tensor(
            tf, [1.0, 2.0, 3.0], size=(9, 9))).values]),
    row('SparseDenseCwiseMul', lambda tf, v, d: (tensor(tf, v) * d).values, [(3,), (2, 3)],
        ref=lambda v, d: v * d[tuple(PLACES.T)],
        run_bad=[lambda tf: (tensor(tf, [1.0, 2.0, 3.0]) * tf.ones([2, 2])).values]),
    row('SparseDenseCwiseMul', lambda tf, v, d: (tensor(tf, v) * d).values, [(3,), (3,)],
        ref=lambda v, d: v * d[PLACES[:, 1]], name='a row'),
    row('SparseDenseCwiseDiv', lambda tf, v, d: (tensor(tf, v) / d).values, [(3,), (2, 1)],
        low=1, high=2, ref=lambda v, d: v / d[PLACES[:, 0], 0],
        run_bad=[lambda tf: (tensor(tf, [1.0, 2.0, 3.0]) / tf.ones([2, 2])).values]),
    row('SparseSoftmax', lambda tf, v: tf.sparse_softmax(tensor(tf, v)).values, [(3,)],
        ref=softmax_ref,
        run_bad=[lambda tf: tf.sparse_softmax(tf.SparseTensor([[0]], [1.0], [2])).values]),
    reduced('SparseReduceSum', np.sum),
    reduced('SparseReduceMax', np.max),
    row('SparseReduceSum', lambda tf, v: tf.sparse_reduce_sum(tensor(tf, v), keepdims=True),
        [(3,)], ref=lambda v: np.sum(v, keepdims=True).reshape(1, 1), name='all'),
    row('SparseReduceSumSparse', lambda tf, v: flat(tf.sparse_reduce_sum_sparse(
        tensor(tf, v), 1)), [(3,)], grad=False, static_result=False,
        ref=lambda v: [np.array([[0], [1]]), np.array([v[0], v[1] + v[2]]), np.array([2])],
        run_bad=[lambda tf: tf.sparse_reduce_sum_sparse(wrong(tf), 1).values]),
    row('SparseReduceMaxSparse', lambda tf, v: flat(tf.sparse_reduce_max_sparse(
        tensor(tf, v), 0, keepdims=True)), [(3,)], grad=False, static_result=False,
        ref=lambda v: [np.array([[0, 0], [0, 1], [0, 2]]), v[[1, 0, 2]], np.array([1, 3])],
        run_bad=[lambda tf: tf.sparse_reduce_max_sparse(wrong(tf), 5).values]),
    row('SparseTensorDenseMatMul', lambda tf, v, b: tf.sparse.matmul(tensor(tf, v), b),
        [(3,), (3, 4)], ref=lambda v, b: dense(PLACES, v) @ b,
        bad=[lambda tf: tf.sparse.matmul(tensor(tf, [1.0, 2.0, 3.0]), tf.ones([2, 2])),
             lambda tf: tf.sparse.matmul(tensor(tf, [1.0, 2.0, 3.0]), tf.ones([3]))],
        run_bad=[lambda tf: tf.sparse.matmul(wrong(tf), tf.ones([3, 1]))]),
    row('SparseTensorDenseMatMul', lambda tf, v, b: tf.sparse.matmul(
        tensor(tf, v), b, adjoint_a=True, adjoint_b=True), [(3,), (4, 2)],
        ref=lambda v, b: dense(PLACES, v).T @ b.T, name='adjoints'),
    row('SparseMatMul', lambda tf, a, b: tf.sparse_matmul(a, b, transpose_b=True),
        [(2, 3), (4, 3)], dtype='float32', ref=lambda a, b: a @ b.T, tol=1e-3, grad=False,
        bad=[lambda tf: tf.sparse_matmul(tf.ones([2, 3]), tf.ones([2, 3]))]),
    row('SparseConcat', lambda tf, v, w: flat(tf.sparse_concat(
        1, [tensor(tf, v), tensor(tf, w, OTHERS)])), [(3,), (2,)], low=0.5, high=1.5, grad=False,
        ref=lambda v, w: [*entries(np.concatenate([dense(PLACES, v), dense(OTHERS, w)], 1)),
                          np.array([2, 6])], static_result=False,
        run_bad=[lambda tf: tf.sparse_concat(0, [tensor(tf, [1.0, 2.0, 3.0]), tensor(
            tf, [1.0, 2.0, 3.0], size=(9, 9))]).values]),
    row('SparseSplit', lambda tf, v: flat(*tf.sparse_split(
        sp_input=tensor(tf, v), num_split=2, axis=1)), [(3,)], grad=False, static_result=False,
        ref=lambda v: [np.array([[0, 1], [1, 0]]), v[:2], np.array([2, 2]), np.array([[1, 0]]),
                       v[2:], np.array([2, 1])],
        run_bad=[lambda tf: tf.sparse_split(sp_input=tensor(tf, [1.0, 2.0, 3.0]), num_split=4,
                                            axis=1)[0].values]),
    row('SparseSlice', lambda tf, v: flat(tf.sparse_slice(tensor(tf, v), [1, 2], [5, 5])), [(3,)],
        ref=slice_ref, static_result=False,
        run_bad=[lambda tf: tf.sparse_slice(tensor(tf, [1.0, 2.0, 3.0]), [0], [1]).values]),
]
