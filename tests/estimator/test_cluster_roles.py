"""The roles of TF_CONFIG with servers: defaults of RunConfig, who serves, waits, and trains."""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import tinyflow as tf
from estimator_layer import cluster_roles
from tinyflow.cluster import server
from tinyflow.cluster.ports import free_ports

ROOT = Path(__file__).parents[2]
CLUSTER = {'chief': ['c:1'], 'worker': ['w:1', 'w:2'], 'ps': ['p:1', 'p:2']}
WITH_MASTER = {'master': ['m:1'], 'worker': ['w:1'], 'ps': ['p:1']}


@pytest.fixture
def task(monkeypatch):
    """task(kind, index, cluster, ...) sets TF_CONFIG."""
    def set_task(kind, index=0, cluster=CLUSTER, **more):
        monkeypatch.setenv('TF_CONFIG', json.dumps(
            {'cluster': cluster, 'task': {'type': kind, 'index': index}, **more}))
    return set_task


# ---- what a task's RunConfig says ----------------------------------------------------------


@pytest.mark.parametrize('kind, index, cluster, filters', [         # TensorFlow 1.15.5's
    ('chief', 0, CLUSTER, ['/job:ps', '/job:chief']),
    ('worker', 1, CLUSTER, ['/job:ps', '/job:worker/task:1']),
    ('ps', 1, CLUSTER, ['/job:ps', '/job:worker', '/job:chief', '/job:master']),
    ('master', 0, WITH_MASTER, ['/job:ps', '/job:master']),
])
def test_a_session_sees_the_servers_and_itself(task, kind, index, cluster, filters):
    task(kind, index, cluster)
    config = tf.estimator.RunConfig().session_config
    assert (config.device_filters, config.allow_soft_placement) == (filters, True)


def test_an_evaluator_and_a_program_alone_have_no_filters(task, monkeypatch):
    task('evaluator')
    assert tf.estimator.RunConfig().session_config is None
    monkeypatch.delenv('TF_CONFIG')
    assert tf.estimator.RunConfig().session_config is None


def test_a_given_session_config_is_kept(task):
    task('chief')
    given = tf.ConfigProto(operation_timeout_in_ms=5)
    assert tf.estimator.RunConfig(session_config=given).session_config is given


@pytest.mark.parametrize('kind, index', [('chief', 0), ('worker', 1)])
def test_variables_go_to_the_servers_and_the_rest_to_the_task(task, kind, index):
    task(kind, index)
    device_fn = cluster_roles.default_device_fn(tf.estimator.RunConfig())
    with tf.Graph().as_default() as graph, graph.device(device_fn):
        variables = [tf.get_variable(name, []) for name in 'abc']
        total = variables[0] + variables[1]
    assert [v.op.device for v in variables] == ['/job:ps/task:0', '/job:ps/task:1',
                                                '/job:ps/task:0']
    assert total.op.device == f'/job:{kind}/task:{index}'


def test_without_servers_nothing_is_placed(task):
    task('worker', cluster={'chief': ['c:1'], 'worker': ['w:1']})
    assert cluster_roles.default_device_fn(tf.estimator.RunConfig()) is None


def test_a_second_call_uses_the_server_of_the_first(task):
    pytest.importorskip('zmq')
    worker, other = [f'localhost:{port}' for port in free_ports(2)]
    task('chief', 0, {'chief': [worker], 'ps': [other]})
    first = cluster_roles.start_server(tf.estimator.RunConfig())
    try:
        assert cluster_roles.start_server(tf.estimator.RunConfig()) is first
        task('chief', 0, {'chief': [worker], 'ps': ['localhost:1']})
        with pytest.raises(tf.errors.UnknownError, match='Could not start the server'):
            cluster_roles.start_server(tf.estimator.RunConfig())
    finally:
        first.stop()


# ---- what train_and_evaluate does ----------------------------------------------------------


class _Served(Exception):
    """A server waits for ever; here it says so."""


@pytest.fixture
def calls(monkeypatch):
    """[what a task does], without a server and a training."""
    made = []

    class Server:
        def __init__(self, cluster, job_name, task_index, config, protocol):
            made.append(f'server {job_name} {task_index}')

        def join(self):
            raise _Served

    def train(self, input_fn, hooks=None, max_steps=None, saving_listeners=None):
        made.append(f'train to {max_steps}' + ', and evaluate' * bool(saving_listeners))

    monkeypatch.setattr(server, 'Server', Server)
    monkeypatch.setattr(tf.estimator.Estimator, 'train', train)
    monkeypatch.setattr(cluster_roles.time, 'sleep', lambda seconds: made.append(seconds))
    return made


def _run(folder, **settings):
    estimator = tf.estimator.Estimator(lambda features: None, str(folder),
                                       tf.estimator.RunConfig(**settings))
    return tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(lambda: None, max_steps=10),
        tf.estimator.EvalSpec(lambda: None))


@pytest.mark.parametrize('kind, index, cluster, settings, expected', [
    ('chief', 0, CLUSTER, {}, ['server chief 0', 'train to 10']),
    ('worker', 1, CLUSTER, {}, ['server worker 1', 10, 'train to 10']),
    ('worker', 1, CLUSTER, {'experimental_max_worker_delay_secs': 3},
     ['server worker 1', 3, 'train to 10']),
    ('worker', 0, CLUSTER, {'experimental_max_worker_delay_secs': 0},
     ['server worker 0', 'train to 10']),
    ('master', 0, WITH_MASTER, {}, ['server master 0', 'train to 10, and evaluate']),
    ('chief', 0, {'chief': ['c:1']}, {}, ['train to 10']),
])
def test_what_a_task_does(task, calls, tmp_path, kind, index, cluster, settings, expected):
    task(kind, index, cluster)
    _run(tmp_path, **settings)
    assert calls == expected


@pytest.mark.parametrize('kind, index, expected', [
    ('chief', 0, ['server chief 0', 'train to 10']),
    ('worker', 1, ['server worker 1', 10, 'train to 10'])])
def test_with_a_parameter_server_strategy(task, calls, tmp_path, kind, index, expected):
    task(kind, index)
    strategy = tf.distribute.experimental.ParameterServerStrategy()
    _run(tmp_path, train_distribute=strategy)
    assert calls == expected
    config = tf.estimator.RunConfig(train_distribute=strategy)
    assert (config.is_chief, config.num_ps_replicas) == (kind == 'chief', 2)
    assert f'grpc://{config.cluster_spec.task_address(kind, index)}' == config.master
    assert config.session_config.device_filters[0] == '/job:ps'
    task('evaluator')
    strategy = tf.distribute.experimental.ParameterServerStrategy()
    assert not tf.estimator.RunConfig(train_distribute=strategy).cluster_spec


def test_a_ps_serves_only(task, calls, tmp_path):
    task('ps', 1)
    with pytest.raises(_Served):
        _run(tmp_path)
    assert calls == ['server ps 1']


def test_an_empty_session_master_is_refused(task, calls, tmp_path):
    task('chief', session_master='')
    with pytest.raises(RuntimeError, match='Could not start server(.|\n)*Hint: leave'):
        _run(tmp_path)


# ---- all roles in processes of their own ---------------------------------------------------

PROGRAM = '''
    import time
    import tensorflow as tf
    def model_fn(features, labels, mode):
        w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(features * w - labels))
        train_op = tf.train.GradientDescentOptimizer(0.05).minimize(
            loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
    def input_fn():
        return tf.data.Dataset.from_tensors(([1.0, 2.0], [2.0, 4.0])).repeat()
    class Slow(tf.train.SessionRunHook):
        def after_run(self, context, values):
            time.sleep(0.01)                # so that the worker, too, comes to train
    config = tf.estimator.RunConfig('model', save_checkpoints_steps=20,
                                    experimental_max_worker_delay_secs=0)
    result = tf.estimator.train_and_evaluate(
        tf.estimator.Estimator(model_fn, config=config),
        tf.estimator.TrainSpec(input_fn, max_steps=60, hooks=[Slow()]),
        tf.estimator.EvalSpec(input_fn, steps=1, start_delay_secs=0, throttle_secs=0))
    print(config.task_type, config.task_id, result[0])
'''


@pytest.mark.slow
@pytest.mark.cluster
def test_all_roles_in_processes_of_their_own(tmp_path):
    pytest.importorskip('zmq')
    (tmp_path / 'train.py').write_text(dedent(PROGRAM), encoding='utf-8')
    done = subprocess.run(
        [sys.executable, '-m', 'tinyflow', 'launch', '--ps', '1', '--workers', '2', '--evaluator',
         'train.py'], cwd=tmp_path, env={**os.environ, 'PYTHONPATH': str(ROOT)}, timeout=60,
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '[chief] chief 0 None' in done.stdout
    assert '[worker 0] worker 0 None' in done.stdout
    found = re.search(r"\[evaluator\] evaluator 0 {'loss': (\S+), 'global_step': (\d+)}",
                      done.stdout)
    assert float(found[1]) < 1e-3 and int(found[2]) >= 60
    assert tf.train.load_variable(str(tmp_path / 'model'), 'w') == pytest.approx(2.0, abs=0.05)
