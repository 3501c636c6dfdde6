"""tf.sparse: against NumPy on random tensors, gradients, names, messages."""
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tinyflow as tf

SHAPE = (3, 4)


pytestmark = pytest.mark.usefixtures('graph')


def run(fetch):
    with tf.Session() as session:
        return session.run(fetch)


def sparse(array):
    """A SparseTensor of what is not zero in an array."""
    places = np.argwhere(array)
    return tf.SparseTensor(places, array[tuple(places.T)], list(array.shape))


ARRAYS = st.lists(st.integers(-2, 2), min_size=12, max_size=12).map(
    lambda values: np.array(values, np.float32).reshape(SHAPE))


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(a=ARRAYS, b=ARRAYS)
def test_as_the_dense_ones(a, b):
    """Every function, made dense, is NumPy's on the dense tensors."""
    with tf.Graph().as_default():
        x, y = sparse(a), sparse(b)
        dense = tf.sparse_tensor_to_dense
        cases = [
            (dense(tf.sparse_add(x, y)), a + b), (tf.sparse_add(x, b), a + b),
            (dense(tf.sparse_maximum(x, y)), np.maximum(a, b)),
            (dense(tf.sparse_minimum(x, y)), np.minimum(a, b)),
            (dense(x * b), a * b), (tf.sparse.matmul(x, b.T), a @ b.T),
            (tf.sparse_reduce_sum(x, 0), a.sum(0)), (tf.sparse_reduce_sum(x), a.sum()),
            (dense(tf.sparse_reduce_sum_sparse(x, 1)), a.sum(1)),
            (dense(tf.sparse_concat(0, [x, y])), np.concatenate([a, b])),
            (dense(tf.sparse_transpose(x)), a.T), (dense(tf.sparse.expand_dims(x, 1)), a[:, None]),
            (dense(tf.sparse_reshape(x, [2, -1])), a.reshape(2, -1)),
            (dense(tf.sparse_slice(x, [1, 1], [2, 9])), a[1:3, 1:]),
            (dense(tf.sparse_split(sp_input=x, num_split=2, axis=1)[1]), a[:, 2:]),
            (dense(tf.sparse.from_dense(a)), a),
        ]
        for got, (_, wanted) in zip(run([fetch for fetch, _ in cases]), cases):
            np.testing.assert_array_equal(got, wanted)


def test_repeated_indices_add_up():
    x = tf.SparseTensor([[0, 0], [0, 0]], [1.0, 2.0], [1, 1])
    assert run(tf.sparse.matmul(x, [[2.0]])).item() == 6.0
    assert run(tf.sparse_reduce_sum(x)).item() == 3.0


def test_a_linear_model_of_sparse_features_learns():
    features = np.float32([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 1]])
    weights = tf.Variable(tf.zeros([4, 1]))
    loss = tf.reduce_mean(tf.square(tf.sparse.matmul(sparse(features), weights)
                                    - [[3.0], [1.0], [2.0]]))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        first = session.run(loss)
        for _ in range(50):
            session.run(train)
        assert session.run(loss) < first / 1000


def test_all_spellings_are_one_function():
    assert tf.sparse.add is tf.sparse_add and tf.sparse.to_dense is tf.sparse_tensor_to_dense
    assert tf.sparse.sparse_dense_matmul is tf.sparse.matmul is tf.sparse_tensor_dense_matmul
    assert tf.compat.v1.sparse is tf.sparse


@pytest.mark.parametrize('function', [
    tf.sparse.reduce_sum, tf.sparse.to_dense, tf.sparse.transpose, tf.sparse.softmax])
def test_a_dense_tensor_is_refused(function):
    with pytest.raises(TypeError, match='SparseTensor'):
        function(tf.zeros([2, 2]))


def test_two_dense_ones_are_for_add():
    with pytest.raises(TypeError, match='tf.add'):
        tf.sparse_add(tf.zeros([2]), tf.zeros([2]))


def test_a_new_shape_of_another_size_is_refused():
    with pytest.raises(ValueError, match='new_shape'):
        tf.sparse_reset_shape(sparse(np.ones(SHAPE)), [2, 4])


def test_split_wants_names():
    with pytest.raises(ValueError, match='Keyword'):
        tf.sparse_split(sparse(np.ones(SHAPE)), 2, 1)
