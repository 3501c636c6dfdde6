"""tf.distribute.cluster_resolver, with the values that TensorFlow 1.15.5 gives."""
import json
import os

import pytest

import tinyflow as tf

CLUSTER = {'worker': ['a:1', 'b:2'], 'ps': ['c:3']}
CONFIG = {'cluster': CLUSTER, 'task': {'type': 'worker', 'index': 1}}
resolvers = tf.distribute.cluster_resolver


@pytest.fixture
def tf_config(monkeypatch):
    def set_to(config):
        monkeypatch.setenv('TF_CONFIG', config if isinstance(config, str) else json.dumps(config))
    return set_to


def _simple(cluster=None, **settings):
    return resolvers.SimpleClusterResolver(tf.train.ClusterSpec(cluster or CLUSTER), **settings)


def test_old_name():
    assert tf.contrib.cluster_resolver.UnionClusterResolver is resolvers.UnionResolver
    for space in resolvers, tf.contrib.cluster_resolver:
        with pytest.raises(AttributeError, match=r'GCE.*TF_CONFIG'):
            _ = space.GCEClusterResolver


# ---- TF_CONFIG ---------------------------------------------------------------------------------


@pytest.mark.parametrize('config, settings, expected', [
    ('{}', {}, (None, None, None, '')),
    ('{}', {'task_type': 'ps', 'task_id': 0}, ('ps', 0, None, '')),
    (CONFIG, {}, ('worker', 1, None, 'b:2')),
    (CONFIG, {'task_id': 0}, ('worker', 1, None, 'b:2')),
    (CONFIG, {'task_type': 'ps', 'task_id': 0}, ('ps', 0, None, 'c:3')),
    (CONFIG, {'rpc_layer': 'grpc'}, ('worker', 1, 'grpc', 'grpc://b:2')),
    ({**CONFIG, 'rpc_layer': 'grpc'}, {}, ('worker', 1, 'grpc', 'grpc://b:2')),
    ({**CONFIG, 'session_master': 'grpc://x:9'}, {}, ('worker', 1, None, 'grpc://x:9')),
    ({'cluster': {'worker': ['a:1']}, 'task': {'type': 'worker', 'index': 0}}, {},
     ('worker', 0, None, '')),
])
def test_of_tf_config(tf_config, config, settings, expected):
    tf_config(config)
    found = resolvers.TFConfigClusterResolver(**settings)
    assert (found.task_type, found.task_id, found.rpc_layer, found.master()) == expected
    assert found.environment is None


def test_of_tf_config_is_read_at_each_use(tf_config):
    found = resolvers.TFConfigClusterResolver()
    tf_config('{}')
    assert not found.cluster_spec()
    tf_config(CONFIG)
    assert found.cluster_spec() == CLUSTER
    assert found.master('ps', 0) == 'c:3'
    found.task_type, found.task_id, found.rpc_layer = 'ps', 0, 'q'
    assert found.master() == 'q://c:3'


@pytest.mark.parametrize('config, use, error, text', [
    ('{', lambda found: found.cluster_spec(), ValueError, 'not JSON'),
    ('[1]', lambda found: found.task_type, ValueError, 'JSON object'),
    ({'task': 3}, lambda found: found.task_type, ValueError, '"task"'),
    ({'task': {'type': 'worker', 'index': 'x'}}, lambda found: found.task_id, ValueError, "'x'"),
    ({**CONFIG, 'task': {'type': 'worker', 'index': 9}}, lambda found: found.master(), ValueError,
     "No task with index 9 in job 'worker'"),
])
def test_wrong_tf_config(tf_config, config, use, error, text):
    tf_config(config)
    with pytest.raises(error, match=text):
        use(resolvers.TFConfigClusterResolver())


def test_type_without_index(tf_config):
    tf_config(CONFIG)
    with pytest.raises(TypeError, match='task_id must be an integer'):
        resolvers.TFConfigClusterResolver(task_type='ps').master()


# ---- simple, union -----------------------------------------------------------------------------


def test_simple():
    found = _simple(master='m:1', rpc_layer='grpc', environment='e', num_accelerators={'GPU': 2})
    assert found.master() == found.master('worker') == 'grpc://m:1'
    assert found.master('worker', 1) == 'grpc://b:2'
    assert found.master('worker', 1, 'x') == 'x://b:2'
    assert (found.environment, found.num_accelerators()) == ('e', {'GPU': 2})
    assert _simple().num_accelerators() == {}
    with pytest.raises(TypeError, match='must be a ClusterSpec'):
        resolvers.SimpleClusterResolver(CLUSTER)
    with pytest.raises(TypeError, match='master must be a string'):
        _simple(master=1)


def test_union():
    first = _simple(task_type='worker', task_id=1, master='m', rpc_layer='grpc', environment='e')
    both = resolvers.UnionResolver(first, _simple({'worker': ['z:9'], 'chief': ['y:8']}))
    assert both.cluster_spec() == {'worker': ['a:1', 'b:2', 'z:9'], 'ps': ['c:3'],
                                   'chief': ['y:8']}
    assert (both.master(), both.master(rpc_layer='z')) == ('grpc://m', 'z://m')
    assert both.master('worker', 2) == 'z:9'
    assert (both.task_type, both.task_id, both.rpc_layer, both.environment) == (
        'worker', 1, 'grpc', 'e')
    other = resolvers.UnionResolver(first, rpc_layer='r', task_type='b', task_id=0)
    assert (other.task_type, other.task_id, other.master('ps', 0)) == ('b', 1, 'r://c:3')


def test_union_of_indices():
    union = resolvers.UnionResolver(_simple(), _simple({'worker': {5: 'z:9'}}))
    assert union.cluster_spec() == {'worker': {0: 'a:1', 1: 'b:2', 5: 'z:9'}, 'ps': ['c:3']}
    with pytest.raises(KeyError, match=r"\[1\] of the job 'worker'"):
        resolvers.UnionResolver(_simple(), _simple({'worker': {1: 'z:9'}})).cluster_spec()


@pytest.mark.parametrize('arguments, settings, error', [
    ([], {}, ValueError), ([1], {}, TypeError), ([_simple()], {'bad': 1}, ValueError)])
def test_wrong_union(arguments, settings, error):
    with pytest.raises(error):
        resolvers.UnionResolver(*arguments, **settings)


def test_own_resolver():
    class Own(resolvers.ClusterResolver):
        def cluster_spec(self):
            return tf.train.ClusterSpec(CLUSTER)

        def master(self, task_type=None, task_id=None, rpc_layer=None):
            return ''

    assert Own().num_accelerators() == {'CPU': 1}
    assert not Own().num_accelerators('worker', 1)
    assert Own().environment == ''
    with pytest.raises(TypeError, match='abstract'):
        resolvers.ClusterResolver()


# ---- Slurm -------------------------------------------------------------------------------------


@pytest.fixture
def slurm(monkeypatch, tmp_path):
    """A job of three tasks on two hosts, with a command `scontrol` that names them."""
    command = tmp_path / 'scontrol'
    command.write_text('#!/bin/sh\necho n1\necho n2\n')
    command.chmod(0o755)
    monkeypatch.setenv('PATH', f'{tmp_path}{os.pathsep}{os.environ["PATH"]}')
    monkeypatch.setenv('CUDA_VISIBLE_DEVICES', '')
    for name, value in (('PROCID', 1), ('NTASKS', 3), ('NTASKS_PER_NODE', 2)):
        monkeypatch.setenv(f'SLURM_{name}', str(value))
    return monkeypatch


@pytest.mark.parametrize('rank, task, master, gpu', [
    (0, ('ps', 0), 'n1:8888', '0'), (1, ('worker', 0), 'n1:8889', '1'),
    (2, ('worker', 1), 'n2:8888', '0')])
def test_of_slurm(slurm, rank, task, master, gpu):
    slurm.setenv('SLURM_PROCID', str(rank))
    found = resolvers.SlurmClusterResolver({'worker': 2, 'ps': 1}, gpus_per_node=2)
    assert (found.get_task_info(), found.master()) == ((None, None), '')
    assert found.cluster_spec() == {'ps': ['n1:8888'], 'worker': ['n1:8889', 'n2:8888']}
    assert (found.get_task_info(), found.master()) == (task, f'grpc://{master}')
    assert os.environ['CUDA_VISIBLE_DEVICES'] == gpu
    assert found.num_accelerators() == {'GPU': 2}


def test_of_slurm_without_gpus(slurm):
    found = resolvers.SlurmClusterResolver({'worker': 3}, port_base=9000, gpus_per_task=0)
    assert found.cluster_spec() == {'worker': ['n1:9000', 'n1:9001', 'n2:9000']}
    assert os.environ['CUDA_VISIBLE_DEVICES'] == ''


@pytest.mark.parametrize('unset, jobs, settings, error, text', [
    ('SLURM_PROCID', {'worker': 3}, {}, KeyError, 'SLURM_PROCID'),
    ('SLURM_NTASKS_PER_NODE', {'worker': 3}, {}, RuntimeError, 'tasks_per_node'),
    (None, {'worker': 3}, {}, RuntimeError, 'more GPUs per node'),
    (None, {'worker': 2}, {'gpus_per_task': 0}, RuntimeError, 'Slurm has started 3'),
    (None, {'worker': 3}, {'tasks_per_node': 1}, RuntimeError, 'room for 2'),
    ('PATH', {'worker': 3}, {'gpus_per_task': 0}, RuntimeError, 'scontrol'),
])
def test_wrong_slurm(slurm, unset, jobs, settings, error, text):
    if unset == 'PATH':
        slurm.setenv('PATH', '')
    elif unset:
        slurm.delenv(unset)
    with pytest.raises(error, match=text):
        resolvers.SlurmClusterResolver(jobs, **settings).cluster_spec()
