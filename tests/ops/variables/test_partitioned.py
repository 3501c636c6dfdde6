"""Partitioned Variables: what the golden programs do not reach."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.ops.variables.partitioned_variable import PartitionedVariable

pytestmark = pytest.mark.usefixtures('graph')


def _table(name='v', parts=3, **settings):
    return tf.get_variable(name, [7, 2], partitioner=tf.fixed_size_partitioner(parts), **settings)


def test_a_checkpoint_of_partitions_restores_other_partitions(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        table = _table(initializer=tf.glorot_uniform_initializer(seed=3))
        tf.train.AdagradOptimizer(.1).minimize(tf.reduce_sum(table))
        session.run(tf.global_variables_initializer())
        wanted = session.run(tf.identity(table))
        path = tf.train.Saver().save(session, str(tmp_path / 'model'))
    assert dict(tf.train.list_variables(path)) == {'v': [7, 2], 'v/Adagrad': [7, 2]}
    np.testing.assert_array_equal(tf.train.load_variable(path, 'v'), wanted)
    for parts in (None, 1, 2):
        with tf.Graph().as_default(), tf.Session() as session:
            table = tf.get_variable('v', [7, 2]) if parts is None else _table(parts=parts)
            tf.train.Saver().restore(session, path)
            np.testing.assert_array_equal(session.run(tf.identity(table)), wanted)


def test_an_unpartitioned_checkpoint_fills_the_parts(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        whole = tf.get_variable('v', [7, 2])
        session.run(whole.initializer)
        wanted = session.run(whole)
        path = tf.train.Saver().save(session, str(tmp_path / 'model'))
    table = _table()
    tf.train.warm_start(path)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(tf.identity(table)), wanted)


def test_it_is_shared_by_reuse_only():
    table = _table()
    with pytest.raises(ValueError, match='v already exists'):
        _table()
    with pytest.raises(ValueError, match='No partitioner was provided'):
        tf.get_variable('v', [7, 2])
    with tf.variable_scope('', reuse=True):
        assert _table() is table
        assert tf.get_variable('v', [7, 2]) is table
        with pytest.raises(ValueError, match='found shape'):
            tf.get_variable('v', [8, 2], partitioner=tf.fixed_size_partitioner(3))
        with pytest.raises(ValueError, match='does not exist'):
            _table('other')
    tf.get_variable('whole', [2])
    with pytest.raises(ValueError, match='unpartitioned version'):
        tf.get_variable('whole', [2], partitioner=tf.fixed_size_partitioner(2))


def test_valid_results_of_a_partitioner():
    for answer, shape in ((lambda **_: [2, 2], [4, 4]), (lambda **_: [0, 1], [4, 4]),
                          (lambda **_: [2], [4, 4]), (lambda **_: 2, [4, 4])):
        with pytest.raises(ValueError, match='it must be one positive number per axis'):
            tf.get_variable('v', shape, partitioner=answer)
    with pytest.raises(ValueError, match='must be callable'):
        tf.get_variable('v', [4, 4], partitioner=3)
    with pytest.raises(ValueError, match='must be fully defined'):
        tf.get_variable('v', [None, 4], partitioner=tf.fixed_size_partitioner(2))
    with pytest.raises(ValueError, match='max_shards must be positive'):
        tf.variable_axis_size_partitioner(8, max_shards=0)


def test_repr_and_assigned_values():
    table = _table(parts=2, trainable=False)
    assert isinstance(table, PartitionedVariable)
    assert (table.name, table.shape.as_list(), len(table)) == ('v', [7, 2], 2)
    assert repr(table) == "<tf.PartitionedVariable 'v' shape=(7, 2) dtype=float32 parts=2>"
    assert not table.trainable and table.graph is tf.get_default_graph()
    with pytest.raises(NotImplementedError, match='no single op'):
        table.op  # noqa: B018
    value = np.arange(14.).reshape(7, 2)
    with tf.Session() as session:
        session.run(table.assign(value))
        np.testing.assert_array_equal(session.run(tf.identity(table)), value)


@pytest.mark.slow
def test_fans_of_an_initializer_are_those_of_the_full_variable():
    table = tf.get_variable('v', [600, 2], partitioner=tf.fixed_size_partitioner(300),
                            initializer=tf.glorot_uniform_initializer(seed=1))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert abs(session.run(tf.identity(table))).max() < np.sqrt(6 / 602)


def test_statistics_of_batch_normalization_are_not_split():
    with tf.variable_scope('s', partitioner=tf.fixed_size_partitioner(2)):
        tf.layers.batch_normalization(tf.ones([3, 4]), training=True)
    assert [v.op.name for v in tf.global_variables()] == [
        f's/batch_normalization/{name}' for name in (
            'gamma/part_0', 'gamma/part_1', 'beta/part_0', 'beta/part_1', 'moving_mean',
            'moving_variance')]
