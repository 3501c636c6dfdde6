"""tf.confusion_matrix: values, shapes and refusals as TensorFlow 1.15.5 has them."""
import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def _value(*args, feed_dict=None, **kwargs):
    matrix = tf.confusion_matrix(*args, **kwargs)
    with tf.Session() as session:
        return session.run(matrix, feed_dict)


def _matrix(classes, cells, dtype):
    expected = np.zeros((classes, classes), dtype)
    for (label, prediction), count in cells.items():
        expected[label, prediction] = count
    return expected


@pytest.mark.parametrize('arguments, expected', [
    ({}, _matrix(5, {(1, 2): 1, (2, 2): 1, (4, 4): 1}, np.int32)),
    ({'num_classes': 6, 'dtype': tf.float64},
     _matrix(6, {(1, 2): 1, (2, 2): 1, (4, 4): 1}, np.float64)),
    ({'weights': [.5, 1, 2]}, _matrix(5, {(2, 2): 1, (4, 4): 2}, np.int32)),
    ({'weights': [.5, 1, 2], 'dtype': tf.float32},
     _matrix(5, {(1, 2): .5, (2, 2): 1, (4, 4): 2}, np.float32)),
])
def test_counts_labels_by_row(arguments, expected):
    got = _value([1, 2, 4], [2, 2, 4], **arguments)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def test_repeated_pairs_add_up():
    got = _value([2, 2, 2, 2], [1, 1, 1, 0], weights=[.1, .2, .3, .4], dtype=tf.float32)
    np.testing.assert_allclose(got[2], [.4, .6, 0], rtol=1e-6)


@pytest.mark.parametrize('labels, predictions', [([[1], [2]], [2, 2]), ([1, 2], [[2], [2]]),
                                                 ([1., 2.], [2., 2.])])
def test_a_column_counts_as_a_vector(labels, predictions):
    np.testing.assert_array_equal(_value(labels, predictions), [[0, 0, 0], [0, 0, 1], [0, 0, 1]])


def test_static_shapes():
    classes = tf.placeholder(tf.int64, [None])
    assert tf.confusion_matrix([1, 2, 4], [2, 2, 4]).shape.as_list() == [5, 5]
    assert tf.confusion_matrix(classes, classes).shape.as_list() == [None, None]
    assert tf.confusion_matrix(classes, classes, 3).shape.as_list() == [3, 3]


def test_unknown_ranks():
    labels, predictions = tf.placeholder(tf.int32), tf.placeholder(tf.int64, [None])
    got = _value(labels, predictions, tf.placeholder_with_default(4, []),
                 feed_dict={labels: [[1], [0]], predictions: [1, 2]})
    np.testing.assert_array_equal(got, _matrix(4, {(1, 1): 1, (0, 2): 1}, np.int32))


@pytest.mark.parametrize('labels, predictions, classes', [
    ([1, 2, 4], [2, 2, 4], 4), ([1, -2, 4], [2, 2, 4], 5), ([1, 2, 4], [2, -2, 4], None)])
def test_classes_out_of_range(labels, predictions, classes):
    with pytest.raises(tf.errors.InvalidArgumentError):
        _value(labels, predictions, classes)


@pytest.mark.parametrize('labels, predictions, weights', [
    ([1, 2, 1], [2, 2], None), ([[1, 2]], [[2, 2]], None),
    ([1, 2, 4], [2, 2, 4], [[.5], [1], [2]]), ([1, 2, 4], [2, 2, 4], 2.)])
def test_shapes_that_do_not_fit(labels, predictions, weights):
    with pytest.raises(ValueError):
        tf.confusion_matrix(labels, predictions, weights=weights)
