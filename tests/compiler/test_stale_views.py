"""Passes move reads; what they read must still be the Variable's value from before an assignment.

The expected numbers are those of TF 1.15.5.
"""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.compile import Options
from tinyflow.compiler.passes import PASSES
from tinyflow.session.program_cache import ProgramCache

pytestmark = pytest.mark.usefixtures('graph')

MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


def _values(fetches, feeds=None, passes=None):
    """What a Session gives after initialization, with some passes or all of them."""
    with tf.Session() as session:
        if passes is not None:
            session._programs = ProgramCache(session._store, Options(passes=passes))
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def _changed_after(tensors, variable):
    with tf.control_dependencies(tensors):
        return variable.assign(variable * 10)


def _spread():
    w, x = tf.Variable(MATRIX), tf.placeholder(tf.float32, [2, 2])
    old = tf.tile(tf.reshape(w[0], [1, 2]), [2, 1])
    with tf.control_dependencies([_changed_after([old], w)]):
        return x - old, {x: np.zeros((2, 2))}, [[-1, -2], [-1, -2]]


def _filled():
    v, x = tf.Variable([2.0]), tf.placeholder(tf.float32, [3])
    old = tf.fill([3], tf.reshape(v, []))
    with tf.control_dependencies([_changed_after([old], v)]):
        return x * old, {x: np.ones(3)}, [2, 2, 2]


def _times_one(use_resource):
    v = tf.get_variable('v', initializer=MATRIX, use_resource=use_resource)
    y = 1.0 * tf.reshape(v, [4])
    with tf.control_dependencies([_changed_after([y], v)]):
        return tf.concat([y, [0.0]], 0), {}, [1, 2, 3, 4, 0]


def _unstacked():
    v = tf.Variable(MATRIX)
    parts = tf.unstack(tf.transpose(v))
    with tf.control_dependencies([_changed_after(parts, v)]):
        return tf.concat(parts, 0), {}, [1, 3, 2, 4]


def _summed_products():
    v, d = tf.Variable(np.arange(6.0).reshape(3, 2)), tf.placeholder(tf.float64, [2, 2])
    matrix = tf.reshape(v, [2, 3])
    products = [tf.matmul(matrix, d * k, transpose_a=True) for k in (1.0, 2.0, 3.0)]
    with tf.control_dependencies([_changed_after(products, v)]):
        return tf.add_n(products), {d: np.ones((2, 2))}, [[18, 18], [30, 30], [42, 42]]


def _shared_factors():
    v, a = tf.Variable(MATRIX), tf.placeholder(tf.float32, [4])
    y = tf.sigmoid(a)
    known, product = a * y, a * tf.reshape(v, [4])
    with tf.control_dependencies([_changed_after([product], v)]):
        return product * y + 0 * known, {a: np.zeros(4) + 50}, [50, 100, 150, 200]


def _sum_of_sums(use_resource):
    v = tf.get_variable('v', initializer=np.ones(2, np.float32), use_resource=use_resource)
    x = tf.placeholder(tf.float32, [2])
    inner = tf.add_n([x, v])
    with tf.control_dependencies([_changed_after([inner], v)]):
        return tf.add_n([inner, x]), {x: np.ones(2)}, [3, 3]


CASES = {'broadcasts': _spread, 'filled': _filled, 'identities': lambda: _times_one(False),
         'of a resource': lambda: _times_one(True), 'unstacked': _unstacked,
         'stacks': _summed_products, 'shared': _shared_factors,
         'sums': lambda: _sum_of_sums(False), 'sums of a resource': lambda: _sum_of_sums(True)}


@pytest.mark.parametrize('case', CASES)
def test_a_view_has_the_value_from_before(case):
    fetch, feeds, expected = CASES[case]()
    np.testing.assert_allclose(_values(fetch, feeds), expected)
    for name in PASSES:
        np.testing.assert_allclose(_values(fetch, feeds, (name,)), expected, err_msg=name)


def test_a_view_is_not_copied_without_need():
    w, x = tf.Variable(MATRIX), tf.placeholder(tf.float32, [2, 2])
    y = tf.reduce_sum(x * tf.tile(tf.reshape(w[0], [1, 2]), [2, 1]))
    train = tf.train.GradientDescentOptimizer(1.0).minimize(y)
    with tf.Session() as session:
        session.run(w.initializer)
        assert 'np.array(' not in tf.explain(train, {x: MATRIX}, session).source


@pytest.mark.parametrize('read', [
    lambda a, b: tf.stack([a, b])[0],
    lambda a, b: tf.TensorArray(tf.float32, 2).write(0, a).write(1, b).read(0),
    lambda a, b: tf.TensorArray(tf.float32, 2).write(0, a).write(1, b).stack()[0]])
def test_a_variable_in_a_list_is_read_where_it_is_put_there(read):
    """Also once a loop is written out, which happens at the 33rd run."""
    x = tf.placeholder(tf.float32, [2, 2])
    loop = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.matmul(s, x)), (0, x))[1]
    a, b = tf.Variable([0.0, 2.0]), tf.Variable([3.0, 4.0])
    element = read(a, b)
    with tf.control_dependencies([element]):
        step = a.assign_add([1.0, 0.0])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = [session.run([element, step, loop], {x: np.eye(2)})[0][0] for _ in range(40)]
    assert found == list(range(40))
