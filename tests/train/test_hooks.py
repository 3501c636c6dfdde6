"""The order of all calls of hooks, what they ask for, log lines, files: as in TensorFlow 1.15.5.

The trainings are in tests/golden/hook_runs.py; TensorFlow's results are recorded in
tests/golden/recorded/hooks.json.
"""

import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.hook_runs import RUNS, tell
from tinyflow.graph.support import logging
from tinyflow.train.training_util import global_step_read

RECORDED = read_recorded('hooks')


def test_every_run_is_recorded():
    assert set(RUNS) == set(RECORDED)


@pytest.mark.parametrize('name', RUNS)
def test_hooks_are_called_as_in_tensorflow(name, monkeypatch):
    monkeypatch.setattr(logging, '_counts', {})     # some lines come so many times per process
    assert tell(tf, RUNS[name], global_step_read) == RECORDED[name]
