"""A damaged or missing state file `checkpoint`: training goes on, and overwrites nothing."""
from __future__ import annotations

import logging
import os
import random

import pytest

import tinyflow as tf
from tinyflow.train.checkpoints.checkpoint_state import latest_for_training

DAMAGES = {'empty': b'', 'cut': b'model_checkpoint_path: "model.ckp', 'zeros': b'\0' * 40,
           'other': b'model_checkpoint_path: "model.ckpt-77"\n', 'missing': None}
damages = pytest.mark.parametrize('damage', DAMAGES)


def spoil(folder, damage):
    path = folder / 'checkpoint'
    path.unlink() if DAMAGES[damage] is None else path.write_bytes(DAMAGES[damage])


def cut(path, by=1):
    """Shortens a file."""
    os.truncate(path, os.path.getsize(path) - by)


def monitored(folder, steps, **options):
    """Trains until the step; returns the first step."""
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        train = tf.assign_add(step, 1)
        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=str(folder), save_checkpoint_steps=2, save_summaries_steps=None,
                log_step_count_steps=None, **options) as session:
            first = session.run(step)
            while session.run(train) < steps:
                pass
    return first


def checkpoints(folder):
    return {path.name: path.read_bytes() for path in folder.glob('model.ckpt-*')
            if path.suffix != '.meta'}


@pytest.mark.slow
@damages
def test_a_monitored_session_goes_on(tmp_path, damage, caplog):
    monitored(tmp_path, 6)
    old = checkpoints(tmp_path)
    spoil(tmp_path, damage)
    with caplog.at_level(logging.WARNING, 'tensorflow'):
        assert monitored(tmp_path, 20) == 6
    text = '\n'.join(caplog.messages)
    assert f'{tmp_path}/checkpoint' in text and f'used: {tmp_path}/model.ckpt-6' in text
    new = checkpoints(tmp_path)
    older = {name for name in old if 'ckpt-6.' not in name}
    assert older and {name: new[name] for name in older} == {name: old[name] for name in older}
    assert tf.train.latest_checkpoint(str(tmp_path)) == f'{tmp_path}/model.ckpt-20'


@pytest.mark.slow
@damages
@pytest.mark.parametrize('part', ['index', 'data-00000-of-00001'])
def test_the_newest_whole_one_is_used(tmp_path, damage, part):
    monitored(tmp_path, 6)
    spoil(tmp_path, damage)
    cut(tmp_path / f'model.ckpt-6.{part}')
    (tmp_path / 'model.ckpt-4.data-00000-of-00001').unlink()
    assert monitored(tmp_path, 3) == 2


def test_changed_data_are_not_whole(tmp_path):
    monitored(tmp_path, 6)
    spoil(tmp_path, 'empty')
    path = tmp_path / 'model.ckpt-6.data-00000-of-00001'
    path.write_bytes(b'\0' * len(path.read_bytes()))
    assert tf.train.latest_checkpoint(str(tmp_path)) == f'{tmp_path}/model.ckpt-4'


@pytest.mark.slow
@damages
def test_none_is_whole(tmp_path, damage):
    monitored(tmp_path, 4)
    spoil(tmp_path, damage)
    for path in tmp_path.glob('*.index'):
        cut(path)
    before = checkpoints(tmp_path)
    with pytest.raises(tf.errors.DataLossError, match=r'checkpoint[\s\S]*model\.ckpt-4'):
        monitored(tmp_path, 4)
    assert checkpoints(tmp_path) == before


@damages
def test_the_functions(tmp_path, damage, caplog):
    monitored(tmp_path, 4)
    spoil(tmp_path, damage)
    folder = str(tmp_path)
    state = tf.train.get_checkpoint_state(folder)
    if damage == 'missing':                     # as in TensorFlow
        assert state is None and tf.train.latest_checkpoint(folder) is None
        return
    assert tf.train.latest_checkpoint(folder) == f'{folder}/model.ckpt-4'
    for _ in range(3):
        tf.train.latest_checkpoint(folder)
    assert sum('newest whole' in text for text in caplog.messages) == 1
    if damage != 'other':
        assert state.model_checkpoint_path == f'{folder}/model.ckpt-4'
        assert not state.all_model_checkpoint_paths


def test_values_to_start_from_are_no_training(tmp_path):
    """A checkpoint without a number and without a state file, as those of published models."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(1.0, name='w')
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, f'{tmp_path}/bert_model.ckpt', write_state=False)
    assert monitored(tmp_path, 2) == 0


def test_files_of_one_second_are_ordered_by_number(tmp_path):
    monitored(tmp_path, 12)
    spoil(tmp_path, 'empty')
    for path in tmp_path.iterdir():             # a copied directory
        os.utime(path, (1e9, 1e9))
    assert tf.train.latest_checkpoint(str(tmp_path)) == f'{tmp_path}/model.ckpt-12'


@damages
def test_supervisor(tmp_path, damage):
    monitored(tmp_path, 6)
    spoil(tmp_path, damage)
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_model_secs=0,
                                         save_summaries_secs=0)
        with supervisor.managed_session() as session:
            assert session.run(step) == 6


@damages
def test_checkpoint_manager(tmp_path, damage):
    def run(saves):
        with tf.Graph().as_default(), tf.Session():
            checkpoint = tf.train.Checkpoint(v=tf.Variable(3.0))
            manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=2)
            checkpoint.restore(manager.latest_checkpoint).initialize_or_restore()
            return [os.path.basename(manager.save()) for _ in range(saves)]

    assert run(4)[-1] == 'ckpt-4'
    spoil(tmp_path, damage)
    assert run(4) == ['ckpt-5', 'ckpt-6', 'ckpt-7', 'ckpt-8']
    left = {path.stem for path in tmp_path.glob('*.index')}
    assert left == {'ckpt-3', 'ckpt-4', 'ckpt-7', 'ckpt-8'}         # the old ones are kept


@pytest.mark.slow
def test_any_bytes_in_the_state_file(tmp_path):
    """Seeded mutations: the newest checkpoint is found, whatever the file says."""
    monitored(tmp_path, 6)
    path, draw = tmp_path / 'checkpoint', random.Random(12)
    whole = path.read_bytes()
    for _ in range(200):
        damaged = bytearray(whole)
        start = draw.randrange(len(damaged))
        damaged[start:start + draw.randrange(40)] = draw.randbytes(draw.randrange(9))
        path.write_bytes(damaged)
        assert os.path.basename(latest_for_training(tmp_path)) == 'model.ckpt-6', damaged
