"""A chief that starts again in a cluster: are the values there those of its training?"""
from __future__ import annotations

from types import SimpleNamespace

import pytest

import tinyflow as tf
from tinyflow.train.checkpoints.exact_resume import read_state, resume_file, save_positions
from tinyflow.train.checkpoints.living_values import (
    forget_living_values,
    has_living_values,
    note_living_values,
)
from tinyflow.train.sessions import polling

pytestmark = pytest.mark.usefixtures('graph')


class OfACluster(tf.Session):
    """A Session whose Variables are on a server of this incarnation."""

    sess_str, incarnation = b'grpc://here', 7

    def list_devices(self):
        return [SimpleNamespace(name=f'/job:{task}/replica:0/task:0/device:CPU:0',
                                incarnation=number)
                for task, number in (('ps', self.incarnation), ('worker', 1))]


@pytest.fixture
def saved(tmp_path):
    """(a session at step 3, the checkpoint of step 2, the operation of a step)."""
    with tf.device('/job:ps/task:0'):
        step = tf.train.get_or_create_global_step()
    more = step.assign_add(1)
    saver = tf.train.Saver()
    with OfACluster() as session:
        session.run(step.initializer)
        note_living_values(session, tmp_path)
        session.run(more)
        session.run(more)
        prefix = str(tmp_path / 'model-2')
        save_positions(session, prefix, 2)
        saver.save(session, prefix)
        session.run(more)
        yield session, prefix, step


@pytest.mark.parametrize('has_checkpoint', [True, False])
def test_newer_values_of_the_same_server_are_kept(saved, has_checkpoint, tmp_path):
    """Also before the first checkpoint."""
    session, prefix, _ = saved
    assert has_living_values(session, tmp_path, prefix if has_checkpoint else None, lambda: True)


@pytest.mark.parametrize('change', ['older', 'another server', 'without values', 'ended normally',
                                    'damaged'])
def test_other_values_are_not(saved, change, tmp_path):
    session, prefix, step = saved
    if change == 'older':
        session.run(step.assign(1))
    elif change == 'another server':
        session.incarnation = 8
    elif change == 'ended normally':
        forget_living_values(tmp_path)
    elif change == 'damaged':
        (tmp_path / 'training.servers').write_bytes(b'\xff{')
    assert not has_living_values(session, tmp_path, prefix, lambda: change != 'without values')


def test_the_file_says_that_asynchronous_updates_do_not_repeat(saved):
    _, prefix, _ = saved
    state = read_state(resume_file(prefix))
    assert 'does not repeat' in state['lost']['updates']


def test_pauses_double_and_the_log_says_for_whom(monkeypatch):
    clock, slept, said = [0.], [], []

    def sleep(seconds):
        slept.append(round(seconds, 3))
        clock[0] += seconds
    monkeypatch.setattr(polling, 'time',
                        SimpleNamespace(monotonic=lambda: clock[0], sleep=sleep))
    monkeypatch.setattr(polling.logging, 'warning',
                        lambda text, *values: said.append(text % values))
    wait = polling.Wait(40, 5.)
    while wait.is_left():
        wait.sleep('the chief')
    assert slept[:8] == [.1, .2, .4, .8, 1.6, 3.2, 5., 5.] and clock[0] <= 40
    assert said == ['Has waited 11 seconds for the chief', 'Has waited 26 seconds for the chief']
