"""Moving averages: values step by step, names, and what a Saver restores."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.train.optimizers.moving_averages import assign_moving_average, weighted_moving_average

pytestmark = pytest.mark.usefixtures('graph')


def started():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def followed(start, values, decay):
    result = []
    for value in values:
        start = decay(len(result)) * start + (1 - decay(len(result))) * value
        result.append(start)
    return result


VALUES = [5.0, -1.0, 3.0, 0.5]


@pytest.mark.parametrize('count', [None, 0, 3])
def test_average_of_a_variable(count):
    v = tf.Variable(2.0, name='v')
    step = None if count is None else tf.Variable(count, trainable=False)
    average = tf.train.ExponentialMovingAverage(0.9, num_updates=step)
    assert average.average(v) is None
    assert average.average_name(v) == 'v/ExponentialMovingAverage'
    keep = average.apply([v])
    shadow = average.average(v)
    assert shadow.name == average.average_name(v) + ':0' == 'v/ExponentialMovingAverage:0'
    assert not shadow.trainable
    assert tf.moving_average_variables() == [v]

    def decay(n):
        return 0.9 if count is None else min(0.9, (1 + count + n) / (10 + count + n))

    x = tf.placeholder(tf.float32, [])
    change = v.assign(x)
    grow = tf.no_op() if step is None else step.assign_add(1)
    with started() as session:
        assert session.run(shadow) == 2.0
        got = []
        for value in VALUES:
            session.run(change, {x: value})
            session.run(keep)
            got.append(session.run(shadow))
            session.run(grow)
    np.testing.assert_allclose(got, followed(2.0, VALUES, decay), rtol=1e-6)


def test_default_is_what_is_trainable():
    a = tf.Variable([1.0, 2.0])
    b = tf.Variable(1.0, trainable=False)
    average = tf.train.ExponentialMovingAverage(0.5)
    average.apply()
    assert average.average(a).shape == (2,)
    assert average.average(b) is None


@pytest.mark.parametrize('debias', [False, True])
def test_average_of_a_tensor(debias):
    x = tf.placeholder(tf.float32, [], name='x')
    loss = tf.multiply(x, 1.0, name='loss')
    average = tf.train.ExponentialMovingAverage(0.5, zero_debias=debias)
    keep = average.apply([loss])
    assert average.average(loss).op.name == 'loss/ExponentialMovingAverage'
    assert not tf.moving_average_variables()
    biased = np.array(followed(0.0, VALUES, lambda n: 0.5))
    expected = biased / (1 - 0.5 ** np.arange(1.0, 5.0)) if debias else biased
    with started() as session:
        got = []
        for value in VALUES:
            session.run(keep, {x: value})
            got.append(session.run(average.average(loss)))
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_average_that_waits_for_training_sees_its_result():
    """TF1's documented use: `with control_dependencies([train]): average.apply(...)`."""
    w = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(0.25).minimize(w * w)
    average = tf.train.ExponentialMovingAverage(0.0)
    with tf.control_dependencies([train]):
        both = average.apply([w])
    with started() as session:
        for expected in (0.5, 0.25, 0.125):
            session.run(both)
            assert session.run(average.average(w)) == expected == session.run(w)


def test_apply_again_keeps_the_shadow():
    v = tf.Variable(1.0)
    average = tf.train.ExponentialMovingAverage(0.9)
    average.apply([v])
    shadow = average.average(v)
    average.apply([v])
    assert average.average(v) is shadow


def test_only_floats():
    with pytest.raises(TypeError, match='must be half, float, or double'):
        tf.train.ExponentialMovingAverage(0.9).apply([tf.Variable(1)])


def test_variables_to_restore():
    w, b = tf.Variable(1.0, name='w'), tf.Variable(2.0, name='b')
    step = tf.Variable(0, trainable=False, name='step')
    average = tf.train.ExponentialMovingAverage(0.9)
    assert average.variables_to_restore() == {
        'w/ExponentialMovingAverage': w, 'b/ExponentialMovingAverage': b, 'step': step}
    average.apply([w])
    found = average.variables_to_restore([w])
    assert found['w/ExponentialMovingAverage'] is w and found['b'] is b
    assert 'w' not in found


def test_assign_moving_average_without_bias():
    v = tf.Variable([0.0, 0.0], name='v')
    first = assign_moving_average(v, [1.0, 2.0], 0.9)
    second = assign_moving_average(v, [3.0, 4.0], 0.9)
    names = [variable.op.name for variable in tf.global_variables()]
    assert names == ['v', 'v/biased', 'v/local_step', 'v/biased_1', 'v/local_step_1']
    with started() as session:
        for _ in range(3):
            np.testing.assert_allclose(session.run(first), [1.0, 2.0], rtol=1e-6)
        np.testing.assert_allclose(session.run(second), [3.0, 4.0], rtol=1e-6)


def test_assign_moving_average_with_bias_and_tensor_decay():
    v = tf.Variable(np.array([1.0, 2.0]))
    update = assign_moving_average(v, np.array([3.0, 4.0]), tf.constant(0.75), zero_debias=False)
    with started() as session:
        np.testing.assert_allclose(session.run(update), [1.5, 2.5])


def test_weighted_moving_average():
    value, weight = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    average = weighted_moving_average(value, 0.5, weight)
    with started() as session:
        assert session.run(average, {value: 4.0, weight: 1.0}) == 4.0
        # (0.5 * 2.0 + 0.5 * 30.0) / (0.5 * 0.5 + 0.5 * 3.0)
        got = session.run(average, {value: 10.0, weight: 3.0})
    np.testing.assert_allclose(got, 16.0 / 1.75, rtol=1e-6)
