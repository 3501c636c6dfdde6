"""py_func, numpy_function, py_function: Python functions as nodes."""
import gc
import weakref

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def run(fetch, feed=None):
    with tf.Session() as session:
        return session.run(fetch, feed)


def test_every_run_calls_the_function():
    calls = []
    y = tf.py_func(lambda x: calls.append(1) or x, [tf.constant(1.0)], tf.float32)
    with tf.Session() as session:
        session.run(y)
        session.run(y)
    assert len(calls) == 2


def test_the_function_may_keep_and_change_its_arguments():
    kept = []

    def change(x):
        kept.append(x)
        x += 1
        return x
    x = tf.placeholder(tf.float32, [2])
    fed = np.array([1, 2], np.float32)
    got = run([tf.py_func(change, [x], tf.float32), x + 0], {x: fed})
    np.testing.assert_array_equal(got, [[2, 3], [1, 2]])
    np.testing.assert_array_equal(fed, [1, 2])


def test_a_list_of_dtypes_gives_a_list():
    one = tf.py_func(lambda: np.float32(1), [], [tf.float32])
    assert isinstance(one, list) and run(one) == [1.0]
    nothing = tf.py_func(lambda: None, [], [])
    assert isinstance(nothing, tf.Operation) and run(nothing) is None


@pytest.mark.parametrize('function, error, text', [
    (lambda x: 1 / 0, tf.errors.UnknownError, 'ZeroDivisionError: division by zero'),
    (lambda x: int('a'), tf.errors.InvalidArgumentError, 'ValueError: invalid literal'),
    (lambda x: next(iter(())), tf.errors.OutOfRangeError, 'StopIteration'),
    (lambda x: x.nothing(), tf.errors.UnknownError, 'AttributeError'),
    (lambda x: x.astype(np.float64), tf.errors.InvalidArgumentError, 'is float64, but expects'),
    (lambda x: [x, x], tf.errors.InvalidArgumentError, 'returns 2 values, but expects to see 1')])
def test_errors_have_tfs_class_and_name_both_lines(function, error, text):
    y = tf.py_func(function, [tf.constant([1.0])], tf.float32, name='mine')
    with pytest.raises(error, match=text) as caught:
        run(y)
    assert "'mine'" in str(caught.value) and 'test_python_functions.py' in str(caught.value)


def test_no_gradient():
    x = tf.constant(2.0)
    assert tf.gradients(tf.py_func(np.square, [x], tf.float32), x) == [None]


def test_a_gradient_of_ones_own():
    @tf.RegisterGradient('TimesThree')
    def times_three(op, dy):
        return dy * 3.0
    x = tf.constant(2.0)
    with tf.get_default_graph().gradient_override_map({'PyFunc': 'TimesThree'}):
        y = tf.py_func(lambda v: v * np.float32(3), [x], tf.float32)
    assert run(tf.gradients(y, x)) == [3.0]


def test_the_gradient_of_a_py_function():
    calls = []

    def power(x, n):
        calls.append(x.numpy())
        return x ** 3 + 1.0
    x = tf.placeholder(tf.float32, [])
    y = tf.py_function(power, [x * 1.0, 2], tf.float32)
    gradient, = tf.gradients(y * 2.0, x)
    with tf.Session() as sess:
        assert sess.run([y, gradient], {x: 3.0}) == [28.0, 54.0]
        assert calls == [3.0]               # the function runs once for both
        assert sess.run(gradient, {x: 1.0}) == 6.0
    assert not tf.executing_eagerly()


def test_py_function_gets_eager_tensors():
    def function(x, n):
        assert x.shape.as_list() == [2] and isinstance(x.numpy(), np.ndarray) and n.numpy() == 3
        return tf.reduce_sum(x * 2.0), x.numpy() * n.numpy()
    total, tripled = tf.py_function(function, [tf.constant([1.0, 2.0]), 3],
                                    [tf.float32, tf.float32])
    np.testing.assert_array_equal(run(tripled), [3, 6])
    assert run(total) == 6.0


@pytest.mark.slow
def test_the_function_lives_as_long_as_the_graph():
    class Big:
        def __call__(self, x):
            return x
    with tf.Graph().as_default():
        function = Big()
        tf.py_func(function, [1.0], tf.float32)
        alive = weakref.ref(function)
        del function
        gc.collect()
        assert alive() is not None
    gc.collect()
    assert alive() is None
