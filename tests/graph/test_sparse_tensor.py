"""SparseTensor and sparse_placeholder: made, fed, fetched."""
import numpy as np
import pytest

import tinyflow as tf

ONE = tf.SparseTensorValue(np.array([[0, 1]]), np.array([5.0], np.float32), np.array([2, 3]))


pytestmark = pytest.mark.usefixtures('graph')


def test_parts_and_static_shape():
    x = tf.SparseTensor([[0, 1]], [5.0], [2, 3])
    assert x.get_shape().as_list() == x.shape.as_list() == [2, 3]
    assert x.dtype is tf.float32 and x.indices.dtype is tf.int64 and x.op is x.values.op
    assert x.graph is tf.get_default_graph()
    unknown = tf.SparseTensor([[0, 1]], [5.0], tf.placeholder(tf.int64, [2]))
    assert unknown.get_shape().as_list() == [None, None]


@pytest.mark.parametrize('parts', [
    ([[0, 1]], [1.0, 2.0], [2, 3]), ([0, 1], [1.0, 2.0], [2]), ([[0, 1]], [1.0], [2, 3, 4])])
def test_parts_that_do_not_fit(parts):
    with pytest.raises(ValueError, match='SparseTensor'):
        tf.SparseTensor(*parts)


def test_fed_and_fetched():
    x = tf.sparse_placeholder(tf.float32, name='x')
    with tf.Session() as session:
        got = session.run({'whole': x, 'twice': x.values * 2}, {x: ONE})
        assert isinstance(got['whole'], tf.SparseTensorValue)
        np.testing.assert_array_equal(got['whole'].indices, [[0, 1]])
        np.testing.assert_array_equal(got['twice'], [10.0])
        again = session.run(x, {x: ([[1, 1]], [7.0], [2, 2])})
        np.testing.assert_array_equal(again.values, [7.0])
        np.testing.assert_array_equal(x.eval({x: ONE}).dense_shape, [2, 3])


def test_indexed_slices_are_fed_the_same_way():
    x = tf.IndexedSlices(tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32, [None]))
    with tf.Session() as session:
        got = session.run(x, {x: ([1.0], [2])})
    assert got.values.tolist() == [1.0] and got.indices.tolist() == [2]


@pytest.mark.parametrize('value', [3, [1, 2], ([[0, 1]], [1.0])])
def test_a_value_that_is_not_a_triple_names_the_parts(value):
    x = tf.sparse_placeholder(tf.float32, name='x')
    with tf.Session() as session, pytest.raises(ValueError, match='SparseTensor .x/indices:0'):
        session.run(x, {x: value})


def test_conversions():
    assert tf.convert_to_tensor_or_sparse_tensor(ONE).get_shape().as_list() == [2, 3]
    x = tf.SparseTensor.from_value(ONE)
    assert tf.SparseTensor.from_value(x) is x
    assert tf.convert_to_tensor_or_sparse_tensor(x) is x
    with pytest.raises(RuntimeError, match='requested = int32, actual = float32'):
        tf.convert_to_tensor_or_sparse_tensor(x, tf.int32)
    with pytest.raises(TypeError, match='Neither a SparseTensor'):
        tf.SparseTensor.from_value(3)
    with pytest.raises(TypeError):
        tf.convert_to_tensor(x)
