"""Updates of rows: the same bits as NumPy's ufunc.at, whatever the sizes, dtypes and indices."""
import numpy as np
import pytest

from tinyflow.ops.support.row_updates import at_rows, at_slices


def _numbers(random, shape, dtype):
    return (random.uniform(1, 9, shape) * 4).astype(dtype)


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64', 'int8', 'int32', 'int64'])
@pytest.mark.parametrize('ufunc', [np.add, np.subtract, np.multiply, np.maximum])
@pytest.mark.parametrize(('count', 'row'), [
    (3, (4,)), (300, (2,)), (300, (7,)), (300, (8,)), (40, (5, 16)), (70, (1, 33))])
@pytest.mark.parametrize('twice', [True, False])
def test_rows_have_the_bits_of_ufunc_at(dtype, ufunc, count, row, twice):
    random = np.random.RandomState(0)
    target = _numbers(random, (500, *row), dtype)
    rows = _numbers(random, (count, *row), dtype)
    indices = random.randint(0, 20, count) if twice else random.permutation(500)[:count]
    expected = target.copy()
    with np.errstate(over='ignore'):
        ufunc.at(expected, indices, rows)
        at_rows(ufunc, target, indices.astype(np.int32), rows)
    np.testing.assert_array_equal(target, expected)


def test_more_positions_than_are_computed_at_a_time():
    random = np.random.RandomState(0)
    target, rows = np.zeros((9, 1000)), random.normal(size=(200, 1000))
    indices = random.randint(0, 9, 200)
    expected = target.copy()
    np.add.at(expected, indices, rows)
    at_rows(np.add, target, indices, rows)
    np.testing.assert_array_equal(target, expected)


def test_infinity_and_nan_stay_in_their_column():
    target, rows = np.zeros((2, 1024), np.float32), np.ones((3, 1024), np.float32)
    rows[0, ::2], rows[1, 1] = np.inf, np.nan
    at_rows(np.subtract, target, np.array([1, 1, 1]), rows)
    assert (target[1, ::2] == -np.inf).all()
    assert np.isnan(target[1, 1])
    assert (target[1, 3::2] == -3).all()
    assert not target[0].any()


def test_rows_of_a_scalar_and_of_an_array_with_gaps():
    target = np.zeros((6, 400), np.float32)
    part, rows, indices = target[:, :300], np.ones((4, 300), np.float32), np.array([1, 5, 1, 0])
    at_rows(np.add, part, indices, rows)
    at_rows(np.add, part, indices, np.float32(2))
    assert part[:, 0].tolist() == [3, 6, 0, 0, 0, 3]
    assert not target[:, 300:].any()


@pytest.mark.parametrize('axes', [1, 2, 3])
def test_slices_at_several_axes(axes):
    random = np.random.RandomState(0)
    shape = (3, 4, 50)
    target = random.normal(size=shape)
    indices = tuple(random.randint(0, n, (10, 200)) for n in shape[:axes])
    updates = random.normal(size=(10, 200, *shape[axes:]))
    expected = target.copy()
    np.add.at(expected, indices, updates)
    at_slices(np.add, target, indices, updates)
    np.testing.assert_array_equal(target, expected)


def test_scatters_of_the_api_with_equal_indices(graph, session):
    import tinyflow as tf
    random = np.random.RandomState(0)
    rows = random.normal(size=(60, 40)).astype(np.float32)
    ids = random.randint(0, 7, 60)
    table = tf.Variable(tf.zeros([7, 40]))
    handle = tf.Variable(tf.zeros([7, 40]), use_resource=True)
    session.run(tf.global_variables_initializer())
    session.run([tf.scatter_sub(table, ids, rows), handle.scatter_sub(tf.IndexedSlices(rows, ids)),
                 ])
    expected = np.zeros((7, 40), np.float32)
    np.subtract.at(expected, ids, rows)
    for value in session.run([table.read_value(), handle.read_value()]):
        np.testing.assert_array_equal(value, expected)
    sums, spread = session.run([tf.unsorted_segment_sum(rows, ids, 9),
                                tf.scatter_nd(ids[:, None], rows, [9, 40])])
    np.testing.assert_array_equal(sums[:7], -expected)
    np.testing.assert_array_equal(spread[:7], -expected)
    assert not sums[7:].any()
    assert not spread[7:].any()
