"""Variables' places and the ops that change them."""
import numpy as np

from tests.ops.rows import row

START = np.arange(12.0).reshape(4, 3) - 5.0
ROWS_TO_CHANGE = np.array([2, 0, 2])


def variable(tf, value=START):
    return tf.Variable(value)


def row_by_row(change):
    """The reference of a scatter: one index after the other."""
    def ref(updates):
        result = START.copy()
        for i, index in enumerate(ROWS_TO_CHANGE):
            result[index] = change(result[index], updates[i])
        return result
    return ref


def scatter(op_type, function, change, **settings):
    return row(op_type,
               lambda tf, x: getattr(tf, function)(variable(tf), ROWS_TO_CHANGE, x), [(3, 3)],
               ref=row_by_row(change), grad=False,
               bad=[lambda tf: getattr(tf, function)(variable(tf), [1], [1.0, 2.0])],
               run_bad=[lambda tf: getattr(tf, function)(variable(tf), [4], [[1.0, 2.0, 3.0]]),
                        lambda tf: getattr(tf, function)(variable(tf), [-1], [[1.0, 2.0, 3.0]])],
               **settings)


def scatter_of_scalar(op_type, function, change):
    def ref():
        result = START.copy()
        for index in ROWS_TO_CHANGE:
            result[index] = change(result[index], 2.0)
        return result
    return row(op_type, lambda tf: getattr(tf, function)(
        variable(tf), ROWS_TO_CHANGE, np.float64(2.0)), ref=ref, grad=False, name='scalar')


ELEMENTS = np.array([[3, 1], [0, 0], [3, 1]])


def scatter_nd(op_type, function, change):
    def ref(updates):
        result = START.copy()
        for (i, j), update in zip(ELEMENTS, updates):
            result[i, j] = change(result[i, j], update)
        return result

    def ref_of_rows(updates):
        result = START.copy()
        for i, update in zip([1, 3], updates):
            result[i] = change(result[i], update)
        return result
    return [
        row(op_type, lambda tf, x: getattr(tf, function)(variable(tf), ELEMENTS, x), [(3,)],
            ref=ref, grad=False,
            bad=[lambda tf: getattr(tf, function)(variable(tf), [[0, 0, 0]], [1.0]),
                 lambda tf: getattr(tf, function)(variable(tf), [[0, 0]], [1.0, 2.0])],
            run_bad=[lambda tf: getattr(tf, function)(variable(tf), [[0, 3]], [1.0])]),
        row(op_type, lambda tf, x: getattr(tf, function)(variable(tf), [[1], [3]], x), [(2, 3)],
            ref=ref_of_rows, grad=False, name='rows'),
    ]


def truncated_division(x, y):
    return np.trunc(np.asarray(x) / y).astype(np.int32)


def wait_then_read(tf, x):
    return tf.tuple([tf.assign(variable(tf), x)])[0]


ROWS = [
    row('VariableV2', lambda tf: variable(tf), ref=lambda: START, grad=False),
    row('VariableV2', lambda tf: tf.Variable([b'a', b'bc']), ref=lambda: np.array([b'a', b'bc']),
        grad=False, name='strings'),
    row('IsVariableInitialized', lambda tf: tf.is_variable_initialized(variable(tf)),
        ref=lambda: np.array(True), grad=False,
        bad=[lambda tf: tf.is_variable_initialized(tf.constant(1.0))]),
    row('InitializedValue', lambda tf: variable(tf).initialized_value(), ref=lambda: START,
        grad=False),
    row('RefIdentity', wait_then_read, [(4, 3)], ref=lambda x: x, grad=False),
    row('Assign', lambda tf, x: tf.assign(variable(tf), x), [(4, 3)], ref=lambda x: x, grad=False,
        bad=[lambda tf: tf.assign(variable(tf), [1.0, 2.0]),
             lambda tf: tf.assign(variable(tf), tf.zeros([4, 3], tf.int32))],
        run_bad=[lambda tf: tf.assign(variable(tf), tf.placeholder_with_default(
            np.zeros(3), None))]),
    row('Assign', lambda tf, x: tf.assign(variable(tf), x, validate_shape=False), [(2, 5)],
        ref=lambda x: x, grad=False, name='another shape', unknown=False, static_result=False),
    row('AssignAdd', lambda tf, x: tf.assign_add(variable(tf), x), [(4, 3)],
        ref=lambda x: START + x, grad=False,
        bad=[lambda tf: tf.assign_add(variable(tf), [1.0, 2.0, 3.0]),
             lambda tf: tf.assign_add(tf.Variable(True), True)],
        run_bad=[lambda tf: tf.assign_add(variable(tf), tf.placeholder_with_default(
            np.zeros(3), None))]),
    row('AssignSub', lambda tf, x: tf.assign_sub(variable(tf), x), [(4, 3)],
        ref=lambda x: START - x, grad=False,
        bad=[lambda tf: tf.assign_sub(variable(tf), 1.0)],
        run_bad=[lambda tf: tf.assign_sub(variable(tf), tf.placeholder_with_default(
            np.zeros(3), None))]),
    row('CountUpTo', lambda tf: tf.count_up_to(tf.Variable(7), 8), ref=lambda: np.int32(7),
        grad=False,
        bad=[lambda tf: tf.count_up_to(tf.Variable(1.0), 3),
             lambda tf: tf.count_up_to(tf.Variable([1]), 3)],
        run_bad=[lambda tf: tf.count_up_to(tf.Variable(8), 8)]),
    scatter('ScatterUpdate', 'scatter_update', lambda old, new: new),
    scatter('ScatterAdd', 'scatter_add', lambda old, new: old + new),
    scatter('ScatterSub', 'scatter_sub', lambda old, new: old - new),
    scatter('ScatterMul', 'scatter_mul', lambda old, new: old * new),
    scatter('ScatterDiv', 'scatter_div', lambda old, new: old / new, low=0.5),
    scatter('ScatterMin', 'scatter_min', lambda old, new: np.where(old < new, old, new)),
    scatter('ScatterMax', 'scatter_max', lambda old, new: np.where(old > new, old, new)),
    scatter_of_scalar('ScatterUpdate', 'scatter_update', lambda old, new: new + 0 * old),
    scatter_of_scalar('ScatterAdd', 'scatter_add', lambda old, new: old + new),
    row('ScatterDiv', lambda tf: tf.scatter_div(tf.Variable([7, -7, 9]), [0, 1, 1], [2, 2, -2]),
        ref=lambda: np.array([3, truncated_division(-3, -2), 9], np.int32), grad=False,
        name='integers', run_bad=[lambda tf: tf.scatter_div(tf.Variable([7]), [0], [0])]),
    *scatter_nd('ScatterNdUpdate', 'scatter_nd_update', lambda old, new: new),
    *scatter_nd('ScatterNdAdd', 'scatter_nd_add', lambda old, new: old + new),
    *scatter_nd('ScatterNdSub', 'scatter_nd_sub', lambda old, new: old - new),
    row('NoOp', lambda tf: tf.no_op(), grad=False),
    row('NoOp', lambda tf: tf.group(tf.assign(variable(tf), START)), grad=False, name='group'),
]
