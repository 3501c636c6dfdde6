"""Rows of the ops that run functions, and of lists of tensors."""
from __future__ import annotations

import numpy as np

from tests.ops.rows import row


def _array(tf, x, **settings):
    """A TensorArray of the three rows of x, written one by one."""
    array = tf.TensorArray(x.dtype, size=3, **settings)
    for i in range(3):
        array = array.write(i, x[i])
    return array


def _power(tf, x, n=3):
    return tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * x), [0, x])[1]


def _looped_gradient(tf, x):
    return tf.gradients(_power(tf, x), x)[0]


def _chosen_gradient(tf, x):
    chosen = tf.cond(tf.reduce_sum(x) > -100., lambda: tf.exp(x) * tf.sin(x), lambda: x)
    return tf.gradients(chosen, x)[0]


def _random_branch(tf, x):
    return tf.cond(tf.reduce_sum(x) > 1e9, lambda: tf.random_normal([2], dtype=tf.float64),
                   lambda: x * 2.)


def _uneven(tf):
    return tf.TensorArray(tf.float32, size=2, infer_shape=False).write(0, [1.]).write(1, [[2.]])


ROWS = [
    row('StatelessIf', lambda tf, x: tf.cond(tf.reduce_sum(x) > 0., lambda: x * x, lambda: -x),
        [np.array([1., 2.])], ref=lambda x: x * x, name='then'),
    row('StatelessIf', lambda tf, x: tf.cond(tf.reduce_sum(x) > 0., lambda: x * x, lambda: -x),
        [np.array([-1., -2.])], ref=lambda x: -x, name='else'),
    row('If', _random_branch, [(2,)], ref=lambda x: x * 2),
    row('FakeParam', _chosen_gradient, [(3,)], ref=lambda x: np.exp(x) * (np.sin(x) + np.cos(x))),
    row('While', _power, [(2, 3)], ref=lambda x: x ** 4),
    row('While', lambda tf, x: _power(tf, x, 0), [(2,)], ref=lambda x: x, name='never'),
    row('EmptyTensorList', _looped_gradient, [(2,)], ref=lambda x: 4 * x ** 3),
    row('TensorListPushBack', _looped_gradient, [(3, 1)], ref=lambda x: 4 * x ** 3),
    row('TensorListPopBack', _looped_gradient, [()], ref=lambda x: 4 * x ** 3),
    row('TensorListReserve', lambda tf, x: _array(tf, x).read(1), [(3, 2)], ref=lambda x: x[1],
        run_bad=[lambda tf: tf.TensorArray(tf.float32, size=tf.constant(-1) * 2).size()]),
    row('TensorListSetItem', lambda tf, x: _array(tf, x).write(0, x[2]).stack(), [(3, 2)],
        ref=lambda x: x[[2, 1, 2]], static_result=False,
        run_bad=[lambda tf: tf.TensorArray(tf.float32, size=1).write(1, 2.).stack()]),
    row('TensorListGetItem', lambda tf, x: _array(tf, x).read(2), [(3,)], ref=lambda x: x[2],
        run_bad=[lambda tf: tf.TensorArray(tf.float32, size=1).write(0, 2.).read(1),
                 lambda tf: tf.TensorArray(tf.float32, size=1).read(0)]),
    row('TensorListStack', lambda tf, x: _array(tf, x * x).stack(), [(3, 2)],
        ref=lambda x: x * x, static_result=False,
        run_bad=[lambda tf: _uneven(tf).stack(), lambda tf: tf.TensorArray(tf.float32, 2).stack()]),
    row('TensorListFromTensor', lambda tf, x: tf.TensorArray(tf.float64, size=3).unstack(x).read(1),
        [(3, 2)], ref=lambda x: x[1]),
    row('TensorListLength', lambda tf, x: _array(tf, x).size(), [(3, 2)],
        ref=lambda x: np.int32(3), grad=False),
    row('TensorListResize',
        lambda tf, x: tf.TensorArray(tf.float64, size=0, dynamic_size=True).write(0, x).stack(),
        [(2,)], ref=lambda x: x[None], static_result=False),
    row('TensorListGather', lambda tf, x: _array(tf, x).gather([2, 0]), [(3, 2)],
        ref=lambda x: x[[2, 0]], static_result=False,
        run_bad=[lambda tf: tf.TensorArray(tf.float32, size=1).write(0, 2.).gather([3])]),
    row('TensorListScatterIntoExistingList',
        lambda tf, x: _array(tf, x).scatter([2, 0], x[:2]).stack(), [(3, 2)],
        ref=lambda x: x[[1, 1, 0]], static_result=False,
        run_bad=[lambda tf: tf.TensorArray(tf.float32, 2).scatter([-1], [1.]).stack()]),
    row('TensorListScatterV2',
        lambda tf, x: tf.gradients(_array(tf, x * x).gather([2, 0]), x)[0], [(3, 2)],
        ref=lambda x: 2 * x * np.array([[1.], [0.], [1.]])),
    row('TensorListConcatV2', lambda tf, x: _array(tf, x).concat(), [(3, 2, 2)],
        ref=lambda x: x.reshape(6, 2), static_result=False,
        run_bad=[lambda tf: tf.TensorArray(tf.float32, size=1).write(0, 2.).concat()]),
    row('TensorListSplit',
        lambda tf, x: tf.TensorArray(tf.float64, size=2, infer_shape=False).split(
            x, [1, 2]).read(1), [(3, 2)], ref=lambda x: x[1:], static_result=False,
        run_bad=[lambda tf: tf.TensorArray(tf.float32, 2).split([1., 2.], [1, 2]).concat()]),
    row('TensorListElementShape', lambda tf, x: _element_shape(_array(tf, x)), [(3, 2)],
        ref=lambda x: np.array([-1, 2][1:], np.int32), grad=False, static_result=False),
]


def _element_shape(array):
    from tinyflow.graph import dtypes
    from tinyflow.ops.control_flow.tensor_lists import TensorListElementShape
    stacked = array.unstack(array.stack())
    return TensorListElementShape.apply(stacked.flow, shape_type=dtypes.int32)
