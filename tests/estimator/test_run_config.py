"""tf.estimator.RunConfig, tf.contrib.learn.RunConfig, TF_CONFIG."""
from __future__ import annotations

import json

import pytest

import tinyflow as tf
from tests.estimator.models import line_fn, points


@pytest.mark.parametrize('settings, words', [
    ({'save_checkpoints_steps': 1, 'save_checkpoints_secs': 1}, 'cannot be both set'),
    ({'save_summary_steps': -1}, 'save_summary_steps should be >= 0'),
    ({'keep_checkpoint_max': -1}, 'keep_checkpoint_max should be >= 0'),
    ({'log_step_count_steps': 0}, 'log_step_count_steps should be > 0'),
    ({'tf_random_seed': 1.5}, 'tf_random_seed must be integer'),
    ({'session_config': {}}, 'session_config must be instance of ConfigProto'),
    ({'model_dir': ''}, 'model_dir should be non-empty'),
    ({'device_fn': 'cpu'}, 'device_fn must be callable'),
])
def test_wrong_settings(settings, words):
    with pytest.raises(ValueError, match=words):
        tf.estimator.RunConfig(**settings)


def test_replace_returns_a_copy():
    config = tf.estimator.RunConfig(save_checkpoints_steps=3)
    other = config.replace(save_checkpoints_secs=5, model_dir='d')
    assert (config.save_checkpoints_steps, config.save_checkpoints_secs) == (3, None)
    assert (other.save_checkpoints_steps, other.save_checkpoints_secs) == (None, 5)
    assert other.model_dir == 'd' and config.model_dir is None
    with pytest.raises(ValueError, match='Replacing task_type is not supported'):
        config.replace(task_type='ps')


def test_contrib_learn_run_config(tmp_path):
    config = tf.contrib.learn.RunConfig(tf_random_seed=3, save_checkpoints_steps=5, num_cores=1)
    assert isinstance(config, tf.estimator.RunConfig)
    assert (config.tf_random_seed, config.save_checkpoints_steps) == (3, 5)
    assert config.save_checkpoints_secs is None
    assert config.session_config.inter_op_parallelism_threads == 1
    assert tf.contrib.learn.RunConfig().save_checkpoints_secs == 600
    estimator = tf.estimator.Estimator(line_fn, str(tmp_path), config, params={})
    assert estimator.train(points(), steps=1).config.tf_random_seed == 3


CLUSTER = {'chief': ['a:1'], 'ps': ['b:1', 'b:2'], 'worker': ['w:1', 'w:2']}


@pytest.mark.parametrize('config, words', [
    ({'cluster': CLUSTER}, 'task type must be set'),
    ({'cluster': CLUSTER, 'task': {'type': 'worker'}}, 'task index must be set'),
    ({'cluster': CLUSTER, 'task': {'type': 'worker', 'index': 5}}, '5 is not a valid task_id'),
    ({'cluster': CLUSTER, 'task': {'type': 'boss', 'index': 0}}, 'boss is not a valid task_type'),
    ({'cluster': CLUSTER, 'task': {'type': 'worker', 'index': -1}}, 'must be non-negative'),
    ({'cluster': CLUSTER, 'task': {'type': 'worker', 'index': 'x'}}, 'must be a number'),
    ({'cluster': CLUSTER, 'task': {'type': 'worker', 'index': float('inf')}}, 'must be a number'),
    ({'cluster': {'worker': ['w:1']}, 'task': {'type': 'worker', 'index': 0}},
     'must have one "chief" node'),
    ({'cluster': {'chief': ['a:1', 'a:2']}, 'task': {'type': 'chief', 'index': 0}},
     'must have only one "chief" node'),
    ({'cluster': {'chief': 'a:1'}, 'task': {'type': 'chief', 'index': 0}}, 'must be a list'),
    ({'task': {'type': 'ps'}}, 'task type must be WORKER'),
    ({'task': {'index': 1}}, 'task index must be 0'),
    ('{not json', 'TF_CONFIG is not JSON'),
])
def test_wrong_fields_of_tf_config_are_explained(monkeypatch, config, words):
    text = config if isinstance(config, str) else json.dumps(config)
    monkeypatch.setenv('TF_CONFIG', text)
    with pytest.raises((ValueError, TypeError), match=words):
        tf.estimator.RunConfig()


@pytest.mark.parametrize('task, properties', [
    (('chief', 0), ('grpc://a:1', True, 2, 3, 0)),
    (('worker', 1), ('grpc://w:2', False, 2, 3, 2)),
    (('ps', 1), ('grpc://b:2', False, 2, 3, 4)),
    (('evaluator', 0), ('', False, 0, 0, None)),
])
def test_task_of_a_cluster_equals_tensorflow(monkeypatch, task, properties):
    """The values are those of TensorFlow 1.15.5 for this cluster."""
    monkeypatch.setenv('TF_CONFIG', json.dumps(
        {'cluster': CLUSTER, 'task': {'type': task[0], 'index': task[1]}}))
    config = tf.estimator.RunConfig()
    assert (config.master, config.is_chief, config.num_ps_replicas, config.num_worker_replicas,
            config.global_id_in_cluster) == properties
    assert (config.task_type, config.task_id) == task


def test_cluster_spec():
    cluster = tf.train.ClusterSpec({'ps': ['a:1', 'b:1'], 'worker': {0: 'c:1', 3: 'd:1'}})
    assert cluster.jobs == ['ps', 'worker'] and cluster.num_tasks('worker') == 2
    assert cluster.task_indices('worker') == [0, 3] and cluster.task_address('worker', 3) == 'd:1'
    assert cluster.job_tasks('worker') == ['c:1', None, None, 'd:1']
    assert cluster.as_dict() == {'ps': ['a:1', 'b:1'], 'worker': {0: 'c:1', 3: 'd:1'}}
    assert cluster == tf.train.ClusterSpec(cluster) and not tf.train.ClusterSpec({})
    for call, kind, words in [
            (lambda: tf.train.ClusterSpec(3), TypeError, 'must be a dictionary mapping'),
            (lambda: tf.train.ClusterSpec({'ps': 'a:1'}), TypeError, 'must be a list or a dict'),
            (lambda: tf.train.ClusterSpec({'ps': [1]}), TypeError, 'must be a string'),
            (lambda: cluster.num_tasks('x'), ValueError, 'No such job in cluster'),
            (lambda: cluster.task_address('ps', 5), ValueError, 'No task with index 5')]:
        with pytest.raises(kind, match=words):
            call()


def test_global_ids_follow_the_names_of_the_jobs(monkeypatch):
    """The chief, then the other jobs by name, then the servers."""
    cluster = {'chief': ['a:1'], 'ps': ['b:1', 'b:2'], 'other': ['c:1', 'c:2'], 'worker': ['d:1']}
    ids = {}
    for kind, index in (('chief', 0), ('other', 1), ('worker', 0), ('ps', 1)):
        monkeypatch.setenv('TF_CONFIG', json.dumps(
            {'cluster': cluster, 'task': {'type': kind, 'index': index}}))
        ids[kind] = tf.estimator.RunConfig().global_id_in_cluster
    assert ids == {'chief': 0, 'other': 2, 'worker': 3, 'ps': 5}


def test_device_fn_takes_op():
    with pytest.raises(ValueError, match='callable with exactly one argument "op"'):
        tf.estimator.RunConfig(device_fn=lambda x: '/cpu:0')
    assert tf.estimator.RunConfig(device_fn=lambda op: '/cpu:0').device_fn
