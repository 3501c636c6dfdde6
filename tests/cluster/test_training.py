"""Programs with parameter servers, each task in a process of its own.

What TensorFlow 1.15.5 printed with 1 server and 1 worker is in tests/golden/recorded/cluster.json,
written by `python -m tests.golden.record_cluster PYTHON`, an interpreter that has it.
"""
from __future__ import annotations

import time

import numpy as np
import pytest

from tests.cluster.jobs import ROLES, Job, training
from tests.golden.store import read_recorded

pytest.importorskip('zmq', reason="pip install 'tinyflow-graph[cluster]'")
pytestmark = pytest.mark.cluster

RECORDED = read_recorded('cluster')
IN_GRAPH = RECORDED.pop('in_graph --steps 5')


@pytest.mark.slow
@pytest.mark.parametrize('name', sorted(RECORDED))
def test_a_server_and_a_worker_give_tensorflows_losses(name, tmp_path):
    program, *flags = name.split()
    with Job(program, 1, 1, tmp_path, *flags) as job:
        job.wait()
        np.testing.assert_allclose(job.losses(), RECORDED[name], rtol=1e-6, atol=1e-7)


@pytest.mark.slow
def test_two_servers_and_two_workers_asynchronously(tmp_path):
    """Both train until the last step; the embedding is in parts on both servers."""
    with Job('monitored_async', 2, 2, tmp_path, '--steps', 12, '--logdir',
             tmp_path / 'model') as job:
        job.wait()
        assert len(job.losses(0)) + len(job.losses(1)) >= 12
    assert len(list((tmp_path / 'model').glob('model.ckpt-0.data-*-of-00002'))) == 2


@pytest.mark.slow
def test_a_client_with_towers_on_two_workers(tmp_path):
    """The gradients are the means of those of both."""
    with Job('in_graph', 1, 2, tmp_path, '--steps', 5) as job:
        job.start('client', 0)
        job.wait('client')
        np.testing.assert_allclose(job.losses(0, 'client'), IN_GRAPH, rtol=1e-6)


CHOSEN = sorted(ROLES)[time.localtime().tm_yday % len(ROLES)]      # the others: make thorough


@pytest.mark.parametrize('killed', [
    pytest.param(name, marks=() if name == CHOSEN else pytest.mark.thorough)
    for name in sorted(ROLES)])
def test_synchronous_training_ends_bit_equal_after_a_kill(killed, tmp_path, uninterrupted):
    """If the server was lost the chief restores the last checkpoint, else it keeps what lives.

    The batches follow from the step. Tasks die in a step or in the pause after it; for other
    moments and programs see `python -m tests.cluster.jobs`.
    """
    assert training(tmp_path, kill=ROLES[killed], moment='step') == uninterrupted


@pytest.mark.thorough
@pytest.mark.parametrize('stopped', ['worker', 'ps'])
def test_a_task_that_is_stopped_for_a_while(stopped, tmp_path, uninterrupted):
    """SIGSTOP and, 3 seconds later, SIGCONT: the others wait."""
    assert training(tmp_path, kill=list(ROLES[stopped]), moment='stop') == uninterrupted


@pytest.fixture(scope='module')
def uninterrupted(tmp_path_factory):
    return training(tmp_path_factory.mktemp('uninterrupted'))
