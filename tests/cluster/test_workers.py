"""MultiWorkerMirroredStrategy in several processes; they are few, since each takes a second."""
from __future__ import annotations

import json
import os
import time

import numpy as np
import pytest

from tests.cluster import training_loops, workers
from tests.golden.store import read_recorded

pytest.importorskip('mpi4py', reason="several workers need pip install 'tinyflow-graph[cluster]'")

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize('count', [pytest.param(2, marks=pytest.mark.thorough), 4])
def test_workers_compute_what_one_process_does(count, tmp_path):
    ended = workers.by_mpiexec(count, 'training_loops.py', tmp_path)
    assert ended[0][0] == 0, ended.output
    found = [json.loads((tmp_path / f'{rank}.json').read_text()) for rank in range(count)]
    assert all(worker['again'] for worker in found)                 # bit for bit
    for worker in found[1:]:
        assert _same(worker, found[0])
    losses, weights, rest = training_loops.own_loop()
    np.testing.assert_allclose(found[0]['loop'][0], losses, atol=1e-6)
    np.testing.assert_allclose(found[0]['loop'][1], weights, atol=1e-6)
    assert rest == found[0]['loop'][2] == 1         # 350 rows are 10 batches and a smaller one
    logs, weights, results = training_loops.keras()
    np.testing.assert_allclose(found[0]['keras'][1], weights, atol=1e-6)
    np.testing.assert_allclose(found[0]['keras'][2], results, atol=1e-6)
    assert found[0]['keras'][0] == pytest.approx(logs, abs=1e-6)


def _same(a, b):
    return a == b               # compared here, so that pytest does not print all of it


@pytest.mark.slow
def test_losses_are_those_of_tensorflow(tmp_path):
    """Two processes that were started apart; batch normalization, and rows of a table."""
    ended = workers.apart(2, 'losses_of_workers.py', 'tinyflow', tmp_path)
    assert [status for status, _ in ended] == [0, 0], ended.output
    found, = ended.lines('RESULT')
    recorded = read_recorded('workers')
    np.testing.assert_allclose(found['losses'], recorded['losses'], atol=1e-6)
    assert found['weights'].keys() == recorded['weights'].keys()
    for name, values in recorded['weights'].items():
        np.testing.assert_allclose(found['weights'][name], values, atol=2e-6, err_msg=name)


@pytest.mark.slow
def test_a_killed_training_is_resumed_exactly(tmp_path):
    killed = workers.by_mpiexec(2, 'estimator_killed.py', tmp_path)
    assert killed[0][0] == 9, killed.output
    assert 'model.ckpt-10.resume' in os.listdir(tmp_path / 'killed')
    resumed = workers.apart(2, 'estimator_killed.py', tmp_path, 'resume')
    assert [status for status, _ in resumed] == [0, 0], resumed.output
    assert resumed.lines('WEIGHTS') == killed.lines('WEIGHTS')


@pytest.mark.slow
@pytest.mark.parametrize('start', [workers.by_mpiexec, workers.apart])
def test_an_error_in_one_worker_ends_all(start):
    begin = time.monotonic()
    ended = start(2, 'wrong_worker.py', 'raise')
    assert time.monotonic() - begin < 20, ended.output          # it would hang
    assert all(status != 0 for status, _ in ended)
    of_worker = ended[-1][1]
    first = of_worker.index('Traceback')
    assert of_worker.index('RuntimeError: the mistake of worker 1', first) > 0
    assert 'UnavailableError' not in of_worker[:of_worker.index('RuntimeError')]


@pytest.mark.slow
def test_workers_with_different_graphs():
    ended = workers.apart(2, 'wrong_worker.py', 'graph')
    for status, text in ended:
        assert status == 1
        assert "the workers have built different graphs: the Variable 'shared' float32 (3,) on " \
            "worker 0 is the Variable 'own' float32 (3,) on worker 1" in text
