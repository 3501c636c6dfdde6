"""ParameterServerStrategy and CentralStorageStrategy: devices, Variables, sums of gradients."""
from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

import tinyflow as tf
from tinyflow.graph.support import logging

pytestmark = pytest.mark.usefixtures('graph')

SPEC = {'ps': ['a:1', 'b:2'], 'worker': ['c:1', 'd:1']}


def central(replicas=2):
    return tf.distribute.experimental.CentralStorageStrategy(
        [f'/cpu:{number}' for number in range(replicas)], '/cpu:0')


def servers(task=1):
    return tf.distribute.experimental.ParameterServerStrategy(SimpleNamespace(
        cluster_spec=lambda: tf.train.ClusterSpec(SPEC), task_type='worker', task_id=task))


def trained(strategy):
    """(losses of 4 steps, the last step): TensorFlow 1.15.5 gives the same for one replica."""
    with strategy.scope():
        step = tf.train.get_or_create_global_step()

        def model():
            v = tf.get_variable('v', [3, 2], initializer=tf.ones_initializer())
            u = tf.Variable(tf.ones([2]), name='u')
            loss = tf.reduce_sum(tf.square(tf.matmul([[1., 2., 3.]], v) + u))
            return loss, tf.train.GradientDescentOptimizer(0.01).minimize(loss, step)
        loss, train_op = strategy.experimental_run_v2(model)
        total = strategy.reduce(tf.distribute.ReduceOp.SUM, loss)
        train_op = strategy.group(train_op)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [session.run([total, train_op])[0] for _ in range(4)], session.run(step)


@pytest.mark.parametrize('make', [
    tf.distribute.experimental.ParameterServerStrategy, lambda: central(1),
    lambda: tf.contrib.distribute.ParameterServerStrategy()])
def test_one_replica_without_a_cluster(make):
    losses, step = trained(make())
    assert losses == pytest.approx([98., 48.02, 23.5298, 11.529602]) and step == 4


def test_replicas_share_each_variable_and_add_their_gradients():
    losses, step = trained(central())
    assert losses == pytest.approx([2 * 98., 2 * 15.68, 2 * 2.5088, 2 * 0.401408]) and step == 4
    assert [v.name for v in tf.global_variables()] == ['global_step:0', 'v:0', 'u:0']
    assert [v.name for v in tf.trainable_variables()] == ['v:0', 'u:0']


def test_parts_of_a_variable_are_on_the_servers_in_turn(caplog, monkeypatch):
    monkeypatch.setattr(logging, '_counts', {})
    halves = tf.fixed_size_partitioner(2)
    with servers().scope():
        tf.get_variable('v', [3, 2], partitioner=halves)
    assert [(v.name, v.device) for v in tf.global_variables()] == [
        ('v/part_0:0', '/job:ps/task:0'), ('v/part_1:0', '/job:ps/task:1')]
    with tf.distribute.MirroredStrategy().scope():
        assert tf.get_variable('u', [3, 2], partitioner=halves).name == 'u:0'
    assert 'Partitioned variables are disabled' in caplog.text


def test_a_replica_updates_a_shared_variable_only_with_an_aggregation():
    strategy = central()
    with strategy.scope():
        plain = tf.get_variable('plain', initializer=1.)
        summed = tf.get_variable('summed', initializer=1.,
                                 aggregation=tf.VariableAggregation.SUM)
        with pytest.raises(ValueError, match='aggregation method'):
            strategy.experimental_run_v2(lambda: plain.assign_add(1.))
        update = strategy.experimental_run_v2(lambda: summed.assign_add(1.))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(strategy.group(update))
        assert session.run(summed) == 3.


def test_variables_are_on_the_servers_in_turn():
    """The devices are TensorFlow 1.15.5's."""
    strategy = servers()
    extended = strategy.extended
    assert extended.worker_devices == ('/job:worker/replica:0/task:1/device:CPU:0',)
    assert extended.parameter_devices == ('/job:ps/task:0', '/job:ps/task:1')
    assert not extended.experimental_should_init and not extended.should_checkpoint
    assert servers(0).extended.should_save_summary
    for _ in range(2):                  # every graph begins with the first server
        with tf.Graph().as_default(), strategy.scope():
            made = [tf.Variable(1., name=name) for name in 'abc']
            assert [v.device for v in made] == ['/job:ps/task:0', '/job:ps/task:1',
                                                '/job:ps/task:0']
            assert tf.constant(1.).device == '/job:worker/task:1'
            inside = strategy.experimental_run_v2(lambda v: tf.constant(1.) + v, made[:1])
            assert inside.device == '/job:worker/replica:0/task:1/device:CPU:0'


def test_a_session_sees_its_worker_and_the_servers():
    config = servers().update_config_proto(tf.ConfigProto(device_filters=[]))
    assert list(config.device_filters) == ['/job:worker/task:1', '/job:ps']


def test_the_cluster_of_the_environment(monkeypatch):
    monkeypatch.setenv('TF_CONFIG', json.dumps(
        {'cluster': {**SPEC, 'chief': ['e:1']}, 'task': {'type': 'worker', 'index': 1}}))
    strategy = tf.distribute.experimental.ParameterServerStrategy()
    context = strategy.extended._input_context()
    assert (context.num_input_pipelines, context.input_pipeline_id) == (3, 2)
    assert not strategy.extended.should_checkpoint
    monkeypatch.setenv('TF_CONFIG', json.dumps(
        {'cluster': {'worker': ['c:1']}, 'task': {'type': 'worker', 'index': 0}}))
    with pytest.raises(ValueError, match='needs a job "ps"(.|\n)*MultiWorkerMirrored'):
        tf.distribute.experimental.ParameterServerStrategy()
    monkeypatch.setenv('TF_CONFIG', '[1')
    with pytest.raises(ValueError, match='TF_CONFIG is not JSON'):
        tf.distribute.experimental.ParameterServerStrategy()
