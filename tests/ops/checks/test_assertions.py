"""tf.Assert, tf.assert_* and checks of dtypes and ranks: when they fail, and what they say."""
import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def failing(fetch, feed=None):
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(fetch, feed)
    return str(caught.value)


def test_a_failing_assert_shows_the_data_and_the_users_line():
    x = tf.placeholder(tf.float32, [2, 2], name='x')
    with tf.control_dependencies([tf.Assert(tf.reduce_all(x > 0), ['x was', x], summarize=3)]):
        y = tf.identity(x)
    text = failing(y, {x: [[1, -2], [3, 4]]})
    assert 'assertion failed: [x was] [[1 -2][3...]...]' in text
    assert 'test_assertions.py' in text and 'tf.Assert(' in text


def test_an_assert_that_holds_changes_nothing():
    x = tf.placeholder(tf.float32, [2])
    with tf.control_dependencies([tf.assert_positive(x), tf.assert_less(x, [9.0, 9.0])]):
        y = x * 2
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y, {x: [1, 2]}), [2, 4])


@pytest.mark.parametrize('check, value, sign', [
    (tf.assert_positive, 0, '> 0'), (tf.assert_negative, 0, '< 0'),
    (tf.assert_non_negative, -1, '>= 0'), (tf.assert_non_positive, 1, '<= 0')])
def test_unary_checks(check, value, sign):
    x = tf.placeholder(tf.float32, [1], name='x')
    text = failing(check(x, message='my words'), {x: [value]})
    assert f'Condition x {sign} did not hold element-wise:' in text and 'my words' in text
    with pytest.raises(tf.errors.InvalidArgumentError, match='test_assertions.py'):
        check(tf.constant([float(value)]))


@pytest.mark.parametrize('check, x, y, sign', [
    (tf.assert_equal, [1, 2], [1, 3], '=='), (tf.assert_none_equal, [1, 2], [3, 2], '!='),
    (tf.assert_less, [1, 2], [2, 2], '<'), (tf.assert_less_equal, [1, 3], [2, 2], '<='),
    (tf.assert_greater, [3, 2], [2, 2], '>'), (tf.assert_greater_equal, [1, 2], [2, 2], '>=')])
def test_binary_checks(check, x, y, sign):
    fed = tf.placeholder(tf.int32, [2], name='fed')
    assert f'Condition x {sign} y did not hold' in failing(check(fed, y), {fed: x})
    with pytest.raises(tf.errors.InvalidArgumentError, match='test_assertions.py'):
        check(x, y)


def test_near():
    x = tf.placeholder(tf.float64, [1])
    near = tf.assert_near(x, [1.0])
    with tf.Session() as session:
        session.run(near, {x: [1 + 1e-15]})
    assert 'x and y not equal to tolerance' in failing(near, {x: [1.1]})


@pytest.mark.parametrize('call', [
    lambda x: tf.assert_rank(x, 2), lambda x: tf.assert_rank_at_least(x, 2),
    lambda x: tf.assert_rank_in(x, [2, 3])])
def test_ranks_are_checked_while_building_or_while_running(call):
    with pytest.raises(ValueError, match='must have rank.*Received rank 1'):
        call(tf.constant([1.0]))
    x = tf.placeholder(tf.float32)
    check = call(x)
    with tf.Session() as session:
        session.run(check, {x: [[1.0]]})
    assert 'must have rank' in failing(check, {x: [1.0]})


def test_types_and_scalars():
    with pytest.raises(TypeError, match='Expected "x" to be integer type'):
        tf.assert_integer(1.5)
    with pytest.raises(TypeError, match='must be of type tf.int32'):
        tf.assert_type(1.5, tf.int32)
    with pytest.raises(ValueError, match='Expected scalar shape'):
        tf.assert_scalar([1])
    with pytest.raises(TypeError, match='"proper" iterable'):
        tf.assert_proper_iterable('text')
    with pytest.raises(ValueError, match='must be of the same type'):
        tf.assert_same_float_dtype([tf.constant(1.0), tf.constant(1.0, tf.float64)])
    assert tf.assert_same_float_dtype() is tf.float32
    assert [tf.is_numeric_tensor(tf.constant(v)) for v in (1, 1.0, True, 'a')] == \
        [True, True, False, False]
    assert tf.is_tensor(tf.Variable(1)) and not tf.is_tensor(1)


def test_shapes_that_share_sizes():
    x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None])
    check = tf.debugging.assert_shapes([(x, ('N', 3)), (y, ('N',))])
    with tf.Session() as session:
        session.run(check, {x: np.zeros([2, 3]), y: [1, 2]})
    assert 'Specified by tensor' in failing(check, {x: np.zeros([2, 3]), y: [1, 2, 3]})
    with pytest.raises(ValueError, match='must have size 4'):
        tf.debugging.assert_shapes([(x, ('N', 4))])


def test_finite():
    x = tf.placeholder(tf.float32, [2])
    with tf.control_dependencies([tf.check_numerics(x, 'no good')]):
        y = tf.identity(x)
    assert 'no good : Tensor had NaN' in failing(y, {x: [1, np.nan]})
    assert 'boo' in failing(tf.verify_tensor_all_finite([np.inf], 'boo'))


def test_every_float_of_a_graph_is_checked_in_order():
    x = tf.placeholder(tf.float32, [2])
    y = tf.log(x, name='log')
    tf.reduce_sum(y, name='sum')
    assert 'log:0 : Tensor had' in failing(tf.add_check_numerics_ops(), {x: [1, -1]})


def test_random_crop_says_why_a_size_is_too_large():
    assert 'Need value.shape >= size, got' in failing(tf.random_crop(tf.zeros([2, 2]), [3, 1]))


def test_sparse_cross_entropy_compares_shapes_while_running():
    labels = tf.placeholder(tf.int32, [None, None])
    logits = tf.placeholder(tf.float32, [None, None, 3])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    text = failing(loss, {labels: [[1, 2]], logits: np.zeros([2, 1, 3])})
    assert 'Condition x == y did not hold' in text
