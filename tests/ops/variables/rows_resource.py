"""Handles of resource variables and the ops that read and change what is behind them."""
import numpy as np

from tests.ops.rows import row
from tests.ops.variables.rows import ELEMENTS, ROWS_TO_CHANGE, START, row_by_row
from tinyflow.graph.op import Op
from tinyflow.ops.random.generator_ops import RngReadAndSkip
from tinyflow.ops.variables import resource_variable_ops as ops


def variable(tf, value=START):
    return tf.Variable(value, use_resource=True)


def after(tf, op_type, *arguments, start=START, **attrs):
    """The value of a new variable after a node of that type changed it."""
    v = variable(tf, start)
    changed = Op.registry[op_type].apply(v, *arguments, **attrs)
    with tf.control_dependencies([changed]):
        return v.read_value()


def update(op_type, change):
    return row(op_type, lambda tf, x: after(tf, op_type, x), [(4, 3)],
               ref=lambda x: change(START, x), grad=False,
               bad=[lambda tf: after(tf, op_type, [1.0, 2.0]),
                    lambda tf: Op.registry[op_type].apply(tf.zeros([4, 3]), tf.zeros([4, 3]))],
               run_bad=[lambda tf: fed_wrong(tf, op_type)])


def fed_wrong(tf, op_type):
    x = tf.placeholder(tf.float64)
    return after(tf, op_type, x), {x: np.zeros(3)}


def scatter(kind, change):
    op_type = f'ResourceScatter{kind}'
    return row(op_type, lambda tf, x: after(tf, op_type, ROWS_TO_CHANGE, x), [(3, 3)],
               ref=row_by_row(change), grad=False,
               bad=[lambda tf: after(tf, op_type, [1], [1.0, 2.0])],
               run_bad=[lambda tf: after(tf, op_type, [4], [[1.0, 2.0, 3.0]]),
                        lambda tf: after(tf, op_type, [-1], [[1.0, 2.0, 3.0]])])


def scatter_nd(kind, change):
    op_type = f'ResourceScatterNd{kind}'

    def ref(updates):
        result = START.copy()
        for (i, j), new in zip(ELEMENTS, updates):
            result[i, j] = change(result[i, j], new)
        return result
    return row(op_type, lambda tf, x: after(tf, op_type, ELEMENTS, x), [(3,)], ref=ref, grad=False,
               bad=[lambda tf: after(tf, op_type, [[1, 2, 3]], [1.0])],
               run_bad=[lambda tf: after(tf, op_type, [[4, 0]], [1.0])])


def has_value(tf):
    v = variable(tf)
    with tf.control_dependencies([v.assign(START)]):
        return ops.VarIsInitializedOp.apply(v)


def forgotten(tf):
    v = variable(tf)
    with tf.control_dependencies([ops.DestroyResourceOp.apply(v)]):
        return v.is_initialized()


def with_slice(tf):
    """A new variable after one of its slices changed."""
    v = variable(tf)
    return tf.identity(v[1:].assign(-START[1:]))


ROWS = [
    row('ResourceStridedSliceAssign', with_slice, grad=False,
        ref=lambda: np.concatenate([START[:1], -START[1:]])),
    row('VarHandleOp', lambda tf: variable(tf).value(), ref=lambda: START, grad=False),
    row('VarIsInitializedOp', has_value, ref=lambda: np.array(True), grad=False),
    row('ReadVariableOp', lambda tf: ops.ReadVariableOp.apply(variable(tf), dtype=tf.float64),
        ref=lambda: START, grad=False, bad=[lambda tf: ops.ReadVariableOp.apply(tf.zeros([2]))]),
    row('VariableShape', lambda tf: ops.VariableShape.apply(variable(tf), out_type=tf.int64),
        ref=lambda: np.array([4, 3]), grad=False),
    row('DestroyResourceOp', forgotten, ref=lambda: np.array(False), grad=False),
    row('ResourceInitializedValue', lambda tf: ops.ResourceInitializedValue.apply(
        variable(tf), np.zeros([4, 3])), ref=lambda: START, grad=False),
    update('AssignVariableOp', lambda old, x: x),
    update('AssignAddVariableOp', lambda old, x: old + x),
    update('AssignSubVariableOp', lambda old, x: old - x),
    row('RngReadAndSkip', lambda tf: RngReadAndSkip.apply(
        variable(tf, np.array([-1, 0, 7])).handle, np.int32(1), np.uint64(3)),
        ref=lambda: np.array([-1, 0, 7]), grad=False,
        run_bad=[lambda tf: RngReadAndSkip.apply(
            variable(tf, np.array([1, 0])).handle, np.int32(1), np.uint64(3))]),
    row('ResourceCountUpTo', lambda tf: ops.ResourceCountUpTo.apply(
        variable(tf, np.int32(3)), limit=5, T=tf.int32), ref=lambda: np.array(3), grad=False,
        run_bad=[lambda tf: variable(tf, np.int32(5)).count_up_to(5)]),
    row('ResourceGather', lambda tf: ops.ResourceGather.apply(
        variable(tf), [[2, 0], [3, 3]], dtype=tf.float64),
        ref=lambda: START[[[2, 0], [3, 3]]], grad=False,
        bad=[lambda tf: ops.ResourceGather.apply(variable(tf, 1.0), [0])],
        run_bad=[lambda tf: ops.ResourceGather.apply(variable(tf), [4])]),
    row('ResourceGatherNd', lambda tf: ops.ResourceGatherNd.apply(
        variable(tf), ELEMENTS, dtype=tf.float64),
        ref=lambda: START[tuple(ELEMENTS.T)], grad=False,
        bad=[lambda tf: ops.ResourceGatherNd.apply(variable(tf), [[1, 2, 3]])],
        run_bad=[lambda tf: ops.ResourceGatherNd.apply(variable(tf), [[4, 0]])]),
    scatter('Update', lambda old, new: new),
    scatter('Add', np.add),
    scatter('Sub', np.subtract),
    scatter('Mul', np.multiply),
    scatter('Div', np.divide),
    scatter('Min', np.minimum),
    scatter('Max', np.maximum),
    scatter_nd('Update', lambda old, new: new),
    scatter_nd('Add', np.add),
    scatter_nd('Sub', np.subtract),
]
