"""train_and_evaluate as the tasks of TF_CONFIG: what each role does, and TensorFlow's numbers."""
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tinyflow as tf
from estimator_layer import roles
from tests.cluster import estimator_roles as program, jobs

HERE = Path(__file__).parent
# What TensorFlow 1.15.5 gives for this program with two servers and a chief.
WHERE = {'w': '/job:ps/task:1', 'b': '/job:ps/task:0', 'global_step': '/job:ps/task:0',
         'Mean': '/job:chief/task:0'}
LOSSES = [2.4849114, 0.11986677, 0.13461758, 0.00347614]
EVALUATIONS = {0: 1.4193548, 10: 0.285015, 20: 0.056763478, 30: 0.009734931, 40: 0.0020034276}


@pytest.fixture
def task_of(monkeypatch):
    """Sets TF_CONFIG to a task of a cluster; the addresses are free ports of this machine."""
    clusters = {}

    def become(kind, index=0, **counts):
        key = tuple(sorted(counts.items()))
        if key not in clusters:
            ports = iter(jobs._free_ports(sum(counts.values())))
            clusters[key] = {job: [f'127.0.0.1:{next(ports)}' for _ in range(count)]
                             for job, count in counts.items()}
        monkeypatch.setenv('TF_CONFIG', json.dumps(
            {'cluster': clusters[key], 'task': {'type': kind, 'index': index}}))
        return clusters[key]
    return become


@pytest.fixture
def servers():
    """The servers that this process has started; they are stopped at the end."""
    pytest.importorskip('zmq', reason="servers need pip install 'tinyflow-graph[cluster]'")
    from tinyflow.cluster.server import IN_PROCESS  # start-up time
    yield IN_PROCESS
    for server in list(IN_PROCESS.values()):
        server.stop()


@pytest.fixture
def slept(monkeypatch):
    """The waits of workers, which are not made."""
    waits = []
    monkeypatch.setattr(roles.time, 'sleep', waits.append)
    return waits


def lines(text, mark):
    return [json.loads(line.partition(f'{mark} ')[2]) for line in text.splitlines()
            if line.partition(f'{mark} ')[1]]


# ---- RunConfig ---------------------------------------------------------------------------------


@pytest.mark.parametrize('kind, filters', [
    ('chief', ['/job:ps', '/job:chief']), ('worker', ['/job:ps', '/job:worker/task:0']),
    ('ps', ['/job:ps', '/job:worker', '/job:chief', '/job:master'])])
def test_sessions_do_not_wait_for_other_workers(task_of, kind, filters):
    task_of(kind, chief=1, worker=2, ps=1)
    config = tf.estimator.RunConfig()
    assert list(config.session_config.device_filters) == filters
    assert config.session_config.allow_soft_placement
    own = tf.ConfigProto()
    assert tf.estimator.RunConfig(session_config=own).session_config is own


def test_no_filters_for_a_master_alone_and_an_evaluator(task_of):
    task_of('master', master=1, worker=1)
    assert tf.estimator.RunConfig().session_config.device_filters == ['/job:ps', '/job:master']
    task_of('evaluator', chief=1, ps=1)
    assert tf.estimator.RunConfig().session_config is None


# ---- roles, with all servers in this process ---------------------------------------------------


def test_worker_goes_on_where_the_chief_has_ended(task_of, servers, slept, tmp_path, capsys):
    cluster = task_of('ps', ps=1, chief=1, worker=2)
    tf.train.Server(cluster, 'ps', 0)
    task_of('chief', ps=1, chief=1, worker=2)
    program.main(str(tmp_path / 'chief'), 11)
    task_of('worker', 1, ps=1, chief=1, worker=2)
    program.main(str(tmp_path / 'worker'), 31)
    program.main(str(tmp_path / 'worker'), 41)         # its server runs already
    output = capsys.readouterr().out
    assert lines(output, 'LOSS')[:2] == pytest.approx(LOSSES[:2], rel=1e-5)
    assert len(lines(output, 'LOSS')) == 5 and max(lines(output, 'LOSS')[2:]) < LOSSES[1] * 2
    assert [place['Mean'] for place in lines(output, 'WHERE')] == [
        '/job:chief/task:0', '/job:worker/task:1', '/job:worker/task:1']
    assert not lines(output, 'EVALUATED') and slept == []
    assert not list((tmp_path / 'worker').glob('model.ckpt*'))
    assert len(servers) == 3


def test_master_evaluates_each_checkpoint(task_of, servers, tmp_path, capsys):
    tf.train.Server(task_of('ps', ps=1, master=1), 'ps', 0)
    task_of('master', ps=1, master=1)
    program.main(str(tmp_path), 20)
    found = lines(capsys.readouterr().out, 'EVALUATED')
    assert [(step, last) for step, _, last in found] == [(10, False), (20, True)]
    assert [loss for _, loss, _ in found] == pytest.approx([EVALUATIONS[10], EVALUATIONS[20]])


def test_only_task_needs_no_server_and_only_trains(task_of, tmp_path, capsys):
    task_of('chief', chief=1)
    program.main(str(tmp_path), 2)
    output = capsys.readouterr().out
    assert lines(output, 'LOSS') and not lines(output, 'EVALUATED')


@pytest.mark.parametrize('index, longest, expected', [(0, None, [5]), (2, None, [15]),
                                                      (99, None, [60]), (2, 7, [7]), (2, 0, [])])
def test_workers_begin_one_after_the_other(slept, index, longest, expected):
    class Config:
        task_type, task_id = 'worker', index
        experimental_max_worker_delay_secs = longest

    roles.wait_for_turn(Config)
    Config.task_type = 'chief'
    roles.wait_for_turn(Config)
    assert slept == expected


def test_ps_serves_until_it_is_stopped(task_of, servers):
    from threading import Thread  # start-up time
    cluster = task_of('ps', ps=1, chief=1)
    thread = Thread(target=roles.join_cluster, args=(tf.estimator.RunConfig(),), daemon=True)
    thread.start()
    with tf.Session(f'grpc://{cluster["ps"][0]}') as session:
        assert session.run(tf.constant(3)) == 3
    assert thread.is_alive()
    next(iter(servers.values())).stop()
    thread.join(5)
    assert not thread.is_alive()


def test_wrong_tasks(task_of, tmp_path, monkeypatch):
    task_of('foo', chief=1, foo=1)
    with pytest.raises(ValueError, match='Task type foo is not supported'):
        program.main(str(tmp_path), 2)
    task_of('chief', chief=1, ps=1)
    config = json.loads(os.environ['TF_CONFIG'])
    monkeypatch.setenv('TF_CONFIG', json.dumps({**config, 'session_master': ''}))
    with pytest.raises(RuntimeError, match='Could not start server'):
        program.main(str(tmp_path), 2)


# ---- processes ---------------------------------------------------------------------------------


@pytest.mark.cluster
def test_numbers_of_tensorflow_in_four_processes(tmp_path):
    pytest.importorskip('zmq', reason="servers need pip install 'tinyflow-graph[cluster]'")
    done = subprocess.run(
        [sys.executable, '-m', 'tinyflow', 'launch', '--ps', '2', '--workers', '1', '--evaluator',
         str(HERE / 'estimator_roles.py'), str(tmp_path), '40'],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert lines(done.stdout, 'WHERE') == [WHERE]
    assert lines(done.stdout, 'LOSS') == pytest.approx(LOSSES, rel=1e-5)
    found = lines(done.stdout, 'EVALUATED')
    assert {step: loss for step, loss, _ in found} == pytest.approx(
        {step: EVALUATIONS[step] for step, _, _ in found}, rel=1e-5)
    assert found[-1][0] == 40 and [last for _, _, last in found].count(True) == 1
    assert sorted(lines(done.stdout, 'DONE')) == [['chief', 0], ['evaluator', 0]]
    assert (tmp_path / 'model.ckpt-40.data-00001-of-00002').exists()
