"""Rows of Python functions as nodes, and of printing."""
import numpy as np

from tests.ops.rows import row


def twice(tf, x):
    y = tf.py_func(lambda a: a * 2, [x], x.dtype)
    y.set_shape(x.shape)
    return y


def printed(tf, x):
    """x, read after its printing."""
    with tf.control_dependencies([tf.print('x is', x)]):
        return tf.identity(x)


def text(value):
    return np.array(value.encode(), object)


ROWS = [
    row('PyFunc', twice, [(2, 3)], ref=lambda x: x + x, grad=False,
        bad=[lambda tf: tf.py_func(3, [1.0], tf.float32)],
        run_bad=[lambda tf: (tf.py_func(lambda x: x, [1.0], tf.float64), {}),
                 lambda tf: (tf.py_func(lambda x: [x, x], [1.0], [tf.float32])[0], {}),
                 lambda tf: (tf.py_func(lambda x: x + 'a', [1.0], tf.float32), {})]),
    row('PyFunc', lambda tf, x: tf.numpy_function(lambda a: np.float64(a.sum()), [x], tf.float64),
        [(3,)], ref=lambda x: np.sum(x), grad=False, static_result=False, name='numpy_function'),
    row('PyFuncStateless', lambda tf, x, y: tf.py_func(
        lambda a, b: (np.float64(a - b), np.float64(a)), [x, y], [tf.float64, tf.float64],
        stateful=False),
        [(2,), (2,)], ref=lambda x, y: [x - y, x], grad=False, static_result=False),
    row('EagerPyFunc', lambda tf, x: tf.py_function(lambda a: a.numpy() * 3, [x], tf.float64),
        [(2, 2)], ref=lambda x: 3 * x, grad=False, static_result=False,
        run_bad=[lambda tf: (tf.py_function(lambda a: 1 / 0, [1.0], tf.float32), {})]),
    row('EagerPyFunc', lambda tf, x: tf.py_function(
        lambda a: [tf.reduce_sum(tf.square(a)), a.shape.as_list()[0]], [x],
        [tf.float64, tf.int32]), [(3,)], ref=lambda x: [np.sum(x ** 2), np.int32(3)], grad=False,
        static_result=False, name='of tf functions'),
    row('Print', lambda tf, x: tf.Print(x, [x, tf.shape(x), 'end'], 'x: '), [(2, 3)],
        ref=lambda x: x),
    row('Print', lambda tf, x: tf.Print(x, [], first_n=1, summarize=2), [()], ref=lambda x: x,
        name='first_n'),
    row('PrintV2', printed, [(2, 3)], ref=lambda x: x),
    row('StringFormat', lambda tf, x: tf.strings.format('{} and {}!', [x, 7]),
        [np.array([[1.5, 2.0], [3.0, 4.0]])], ref=lambda x: text('[[1.5 2]\n [3 4]] and 7!'),
        grad=False, bad=[lambda tf: tf.strings.format('{} {}', [1])]),
    row('StringFormat', lambda tf, x: tf.strings.format('<>', x, '<>', summarize=1),
        [np.arange(5)], ref=lambda x: text('[0 ... 4]'), grad=False, name='shortened'),
]
