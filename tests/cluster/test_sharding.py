"""Which elements each worker reads."""
from __future__ import annotations

import pytest

import tinyflow as tf
from tinyflow.train.distribute.sharding import of_worker

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures('graph')]


def elements(dataset):
    following = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as session:
        try:
            while True:
                found.append(session.run(following).tolist())
        except tf.errors.OutOfRangeError:
            return found


@pytest.fixture
def names(tmp_path):
    """Three files of three lines each: a0 a1 a2, b0 ..."""
    for name in 'abc':
        (tmp_path / name).write_text(''.join(f'{name}{i}\n' for i in range(3)))
    return [str(tmp_path / name) for name in 'abc']


def test_each_batch_is_divided():
    data = tf.data.Dataset.range(10).batch(4)
    assert elements(of_worker(data, 2, 0)) == [[0, 1], [4, 5], [8]]
    assert elements(of_worker(data, 2, 1)) == [[2, 3], [6, 7], [9]]
    assert elements(of_worker(data, 2, 1, divide=False)) == [[4, 5, 6, 7]]


@pytest.mark.parametrize('make', [
    tf.data.TextLineDataset,
    lambda names: tf.data.Dataset.from_tensor_slices(names).shuffle(9).interleave(
        tf.data.TextLineDataset, cycle_length=1)])
def test_several_files_are_divided(names, make):
    data = make(names).map(lambda line: line).batch(2)
    assert sum(elements(of_worker(data, 2, 1)), []) == [b'b0', b'b1', b'b2']
    found = sum(elements(of_worker(data, 2, 0)), [])
    assert sorted(found) == [b'a0', b'a1', b'a2', b'c0', b'c1', b'c2']


def test_fewer_files_than_workers(names):
    data = tf.data.TextLineDataset(names[0]).batch(2)
    assert elements(of_worker(data, 2, 1)) == [[b'a1']]


def test_data_that_are_sharded_already():
    options = tf.data.Options()
    options.experimental_distribute.auto_shard = False
    data = tf.data.Dataset.range(4).batch(4).with_options(options)
    assert elements(of_worker(data, 2, 0)) == elements(of_worker(data, 2, 1)) == [[0, 1], [2, 3]]
