"""train_and_evaluate and evaluators meet checkpoints that disappear or are half there."""
from __future__ import annotations

import json
import time
import types

import pytest

import tinyflow as tf
from estimator_layer import train_eval_loop
from estimator_layer.hooks import early_stopping
from tests.estimator.models import line, points
from tests.estimator.test_train_and_evaluate import CLUSTER, receiver
from tests.train.test_lost_state_file import cut

KINDS = ('gone', 'data')


def damage(folder, step, kind):
    for path in folder.glob(f'model.ckpt-{step}.*'):
        if kind == 'gone':
            path.unlink()
        elif '.data' in path.name:
            cut(path)


def name(folder, step):
    tf.train.update_checkpoint_state(str(folder), f'{folder}/model.ckpt-{step}')


def skips(logged):
    return [text for text in logged if 'Skipping a checkpoint' in text]


@pytest.mark.slow
@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('steps, evaluated', [([8], 12), ([12], 8), ([4, 8, 12], None)])
def test_local(tmp_path, kind, steps, evaluated, logged, monkeypatch):
    """Damaged after it was saved, before its evaluation."""
    save = tf.train.Saver.save

    def saved(saver, session, path, global_step=None, **options):
        prefix = save(saver, session, path, global_step=global_step, **options)
        if global_step in steps:
            damage(tmp_path, global_step, kind)
        return prefix
    monkeypatch.setattr(tf.train.Saver, 'save', saved)
    metrics, _ = tf.estimator.train_and_evaluate(
        line(tmp_path, save_checkpoints_steps=4),
        tf.estimator.TrainSpec(points(), max_steps=12),
        tf.estimator.EvalSpec(points(1), throttle_secs=0))
    assert (metrics and metrics['global_step']) == evaluated
    assert len(skips(logged)) == len(steps)


def evaluator(monkeypatch, folder, input_fn, sleep, **options):
    monkeypatch.setenv('TF_CONFIG', json.dumps(
        {'cluster': CLUSTER, 'task': {'type': 'evaluator', 'index': 0}}))
    monkeypatch.setattr(train_eval_loop, 'time',
                        types.SimpleNamespace(time=time.time, sleep=sleep))
    return tf.estimator.train_and_evaluate(
        line(folder), tf.estimator.TrainSpec(points(), max_steps=12),
        tf.estimator.EvalSpec(input_fn, throttle_secs=0, start_delay_secs=0, **options))


@pytest.mark.parametrize('kind', KINDS)
def test_evaluator_skips_what_is_not_whole(tmp_path, monkeypatch, logged, kind):
    line(tmp_path, save_checkpoints_steps=4).train(points(), max_steps=12)
    damage(tmp_path, 8, kind)
    name(tmp_path, 8)
    pauses = []

    def sleep(seconds):
        pauses.append(seconds)
        if len(pauses) == 3:
            name(tmp_path, 12)
    metrics, _ = evaluator(monkeypatch, tmp_path, points(1), sleep)
    assert metrics['global_step'] == 12 and len(pauses) == 3
    assert len(skips(logged)) == 1 and 'model.ckpt-8' in skips(logged)[0]


@pytest.mark.slow
@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('hooks', [None, [tf.train.SessionRunHook()]])
def test_damage_when_the_evaluation_has_begun(tmp_path, monkeypatch, logged, kind, hooks):
    """Between the look at the state file and the restoring."""
    line(tmp_path, save_checkpoints_steps=4).train(points(), max_steps=12)
    name(tmp_path, 8)

    def input_fn():
        damage(tmp_path, 8, kind)
        return points(1)()
    metrics, _ = evaluator(monkeypatch, tmp_path, input_fn, lambda _: name(tmp_path, 12),
                           hooks=hooks)
    assert metrics['global_step'] == 12
    assert len(skips(logged)) == 1


def test_damage_before_the_export(tmp_path, monkeypatch, logged):
    line(tmp_path, save_checkpoints_steps=4).train(points(), max_steps=12)
    name(tmp_path, 8)
    steps = []

    def receive():
        steps.append(8 if not steps else 12)
        if steps == [8]:
            damage(tmp_path, 8, 'gone')
            name(tmp_path, 12)
        return receiver()
    metrics, exports = evaluator(
        monkeypatch, tmp_path, points(1), lambda _: None,
        exporters=tf.estimator.LatestExporter('latest', receive))
    assert metrics['global_step'] == 12 and steps == [8, 12] and len(exports) == 1
    assert [path.name for path in (tmp_path / 'export' / 'latest').iterdir()] == \
        [exports[0].decode().rpartition('/')[2]]


def test_evaluate_takes_the_next_one(tmp_path, logged):
    """The training removes a checkpoint when `evaluate` is about to read it."""
    estimator = line(tmp_path, save_checkpoints_steps=4)
    estimator.train(points(), max_steps=12)
    name(tmp_path, 8)

    def input_fn():
        damage(tmp_path, 8, 'gone')
        name(tmp_path, 12)
        return points(1)()
    assert estimator.evaluate(input_fn)['global_step'] == 12


def test_other_errors_are_raised(tmp_path, monkeypatch):
    line(tmp_path).train(points(), max_steps=12)

    def input_fn():
        damage(tmp_path, 12, 'gone')
        raise ValueError('of the user')
    with pytest.raises(ValueError, match='of the user'):
        evaluator(monkeypatch, tmp_path, input_fn, None)


def test_the_best_checkpoint_is_removed_while_it_is_copied(tmp_path, monkeypatch):
    line(tmp_path, save_checkpoints_steps=4).train(points(), max_steps=12)
    best = early_stopping._BestCheckpoint(str(tmp_path))
    best.copy(4)
    former = sorted(path.name for path in (tmp_path / 'best').iterdir())
    copy = early_stopping.shutil.copy

    def copied(source, target):
        copy(source, target)
        damage(tmp_path, 8, 'gone')
    monkeypatch.setattr(early_stopping.shutil, 'copy', copied)
    best.copy(8)
    assert former and sorted(path.name for path in (tmp_path / 'best').iterdir()) == former
    best.restore()
    assert tf.train.latest_checkpoint(str(tmp_path)) == f'{tmp_path}/best/model.ckpt-4'
