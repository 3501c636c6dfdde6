"""tf.Session(nan_check=True): the error names where a NaN or an infinity comes from."""
from __future__ import annotations

import re

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def caught(fetches, feed=None):
    with tf.Session(nan_check=True) as sess:
        sess.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match=r'\[nan-check\]') as error:
            sess.run(fetches, feed)
    return error.value


def test_the_first_operation_its_line_its_inputs_and_the_row():
    x = tf.placeholder(tf.float32, [None, 2])
    loss = tf.reduce_mean(tf.log(tf.reduce_sum(x, 1)) * 2. + 1.)
    error = caught(loss, {x: [[1, 2], [3, 4], [1, -1]]})
    text = str(error)
    assert error.op.type == 'Log'
    assert "Inf at [2] (row 2 of the batch), first produced by Log 'Log'" in text
    assert 'from 0 to 7, shape [3]' in text
    assert re.search(r'built at test_nan_check.py:\d+: loss = ', text)
    assert 'fetched value' in text and 'Hint: ' in text
    assert len(text.splitlines()) <= 8


def test_a_gradient():
    x = tf.Variable([0., 4.])
    loss = tf.reduce_sum(tf.sqrt(x))
    train = tf.train.GradientDescentOptimizer(.1).minimize(loss)
    error = caught(train)
    assert error.op.name.startswith('gradients/') and "the Variable 'Variable'" in str(error)


def test_the_variable_keeps_its_value():
    x = tf.Variable([0., 4.])
    train = tf.train.AdamOptimizer(.1).minimize(tf.reduce_sum(tf.sqrt(x)))
    with tf.Session(nan_check=True) as sess:
        sess.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(train)
        assert sess.run(x).tolist() == [0., 4.]


def test_masked_values_give_no_error():
    x = tf.placeholder(tf.float32, [None])
    safe = tf.where(x > 0., tf.log(x), tf.zeros_like(x))
    masked = tf.nn.softmax(tf.where(x > 0., x, tf.fill(tf.shape(x), -np.inf)))
    with tf.Session(nan_check=True) as sess:
        assert np.isfinite(sess.run(safe, {x: [0., 1., -1.]})).all()
        assert np.isfinite(sess.run(masked, {x: [0., 1., -1.]})).all()


def test_the_gradient_of_a_masked_value_is_one():
    """The classic: tf.where hides the infinity forwards, and 0 * inf is NaN backwards."""
    x = tf.Variable([0., 1.])
    loss = tf.reduce_sum(tf.where(x > 0., tf.log(x), tf.zeros_like(x)))
    assert caught(tf.gradients(loss, x)).op.name.startswith('gradients/')


def test_constants_and_initial_values_may_be_infinite():
    best = tf.Variable(np.inf)
    step = tf.assign(best, tf.minimum(best, 3.))
    with tf.Session(nan_check=True) as sess:
        sess.run(best.initializer)
        assert sess.run(best) == np.inf
        assert sess.run(step) == 3.


def test_fed_values():
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    text = str(caught(tf.reduce_sum(x * 2.), {x: [[1, 2], [np.nan, 1]]}))
    assert "NaN at [1, 0] (row 1 of the batch), fed as 'x:0'" in text and 'look at the data' in text


def test_inside_a_loop():
    x = tf.placeholder(tf.float32, [])
    _, y = tf.while_loop(lambda i, y: i < 10, lambda i, y: (i + 1, tf.log(y)), [0, x])
    error = caught(y * 2., {x: 5.})
    assert error.op.type == 'Log' and 'in iteration 3 of its loop' in str(error)


def test_the_loss_before_its_gradient():
    x = tf.placeholder(tf.float32, [3])
    w = tf.Variable(tf.ones([3]))
    loss = tf.reduce_mean(tf.log(x * w))
    train = tf.train.GradientDescentOptimizer(.1).minimize(loss)
    feeds = {x: [1, 0, 2]}
    for fetches, type_, reached in (([train, loss], 'Log', 'fetched value'),
                                    (train, 'RealDiv', 'update of the Variable')):
        error = caught(fetches, feeds)
        assert error.op.type == type_ and reached in str(error)


def test_through_a_list_of_tensors():
    x = tf.placeholder(tf.float32, [4], name='x')
    y = tf.scan(lambda _, row: tf.log(row), x)
    error = caught(y * 2., {x: [1, 2, 0, 3]})
    assert error.op.type == 'Log' and 'in iteration 1 of its loop' in str(error)
    assert "fed as 'x:0'" in str(caught(y * 2., {x: [1, 2, np.nan, 3]}))


def test_inside_a_branch_and_of_a_loops_gradient():
    x = tf.Variable(0.)
    _, y = tf.while_loop(lambda i, y: i < 2,
                         lambda i, y: (i + 1, tf.cond(y < 5., lambda: tf.sqrt(y), lambda: y)),
                         [0, x])
    error = caught(tf.train.GradientDescentOptimizer(.1).minimize(y))
    assert error.op.type in ('SqrtGrad', 'RealDiv', 'Reciprocal', 'Mul', 'Rsqrt')


def test_overflow_of_training():
    x = tf.constant(np.random.RandomState(0).randn(20, 3), tf.float32)
    w = tf.Variable(tf.ones([3, 1]))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)) ** 2)
    train = tf.train.GradientDescentOptimizer(10.).minimize(loss)
    with tf.Session(nan_check=True) as sess:
        sess.run(w.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match='clip_by_global_norm'):
            for _ in range(100):
                sess.run(train)
        assert np.isfinite(sess.run(w)).all()


def test_results_are_those_of_a_plain_session():
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable('w', [3, 2], initializer=tf.ones_initializer())
    loss = tf.reduce_mean(tf.tanh(tf.matmul(x, w)))
    train = tf.train.AdamOptimizer().minimize(loss)
    data = np.random.RandomState(0).rand(4, 3)
    found = []
    for check in (False, True):
        with tf.Session(nan_check=check) as sess:
            sess.run(tf.global_variables_initializer())
            found.append([sess.run([loss, train], {x: data})[0] for _ in range(5)])
    np.testing.assert_allclose(*found, rtol=1e-6)


@pytest.mark.parametrize('rows, said', [(4, True), (3, False)])
def test_a_row_of_the_batch_is_named_for_arrays_of_as_many_rows(rows, said):
    x, scale = tf.placeholder(tf.float32, [4, 2]), tf.placeholder(tf.float32, [rows])
    y = tf.reduce_sum(x) + tf.reduce_sum(tf.log(scale))
    with tf.Session(nan_check=True) as session, \
            pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(y, {x: np.ones((4, 2)), scale: np.arange(rows)})
    assert ('row 0 of the batch' in str(caught.value)) is said


@pytest.mark.parametrize(('function', 'value', 'said'), [
    (tf.log, [1., -3.], 'negative somewhere'), (tf.log, [0., -3.], 'negative somewhere'),
    (tf.log, [1., 0.], 'the argument reached 0'), (tf.log1p, [-2.], 'below -1'),
    (lambda x: tf.pow(x, 0.5), [-2.], 'not an integer')])
def test_the_hint_of_a_negative_argument(function, value, said):
    x = tf.placeholder(tf.float32, [None])
    assert said in str(caught(function(x), {x: value})).partition('Hint: ')[2]
