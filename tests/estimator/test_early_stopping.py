"""Early stopping hooks."""
from __future__ import annotations

import pytest

import tinyflow as tf
from tests.estimator.models import KEYS, line, line_fn, points

EXPERIMENTAL = tf.estimator.experimental


def specs(max_steps=12, throttle_secs=0, exporters=None, hooks=None):
    return (tf.estimator.TrainSpec(points(), max_steps=max_steps, hooks=hooks),
            tf.estimator.EvalSpec(points(1), steps=None, throttle_secs=throttle_secs,
                                  exporters=exporters))


@pytest.mark.slow
def test_stop_if_no_decrease(tmp_path, logged):
    """It stops, and restore_best makes the best checkpoint the latest one."""
    estimator = line(tmp_path, {'rate': 2.5}, save_checkpoints_steps=2)     # the loss explodes
    hook = EXPERIMENTAL.stop_if_no_decrease_hook(
        estimator, 'loss', max_steps_without_decrease=4, run_every_secs=None, run_every_steps=1,
        restore_best=True)
    tf.estimator.train_and_evaluate(estimator, *specs(max_steps=40, hooks=[hook]))
    assert any('No decrease in metric "loss" for' in text for text in logged)
    from estimator_layer.hooks.early_stopping import read_eval_metrics
    found = {step: metrics['loss']
             for step, metrics in read_eval_metrics(estimator.eval_dir()).items()}
    best = min(found, key=found.get)
    assert estimator.evaluate(points(1))['global_step'] == best < 20


@pytest.mark.slow
def test_best_checkpoint_is_restored_only_after_a_stop(tmp_path, logged):
    estimator = line(tmp_path, {'rate': 2.5}, save_checkpoints_steps=2)
    hook = EXPERIMENTAL.stop_if_no_decrease_hook(
        estimator, 'loss', max_steps_without_decrease=4, run_every_secs=None, run_every_steps=1,
        restore_best=True)
    tf.estimator.train_and_evaluate(estimator, *specs(max_steps=40, hooks=[hook]))
    step = estimator.evaluate(points(1))['global_step']
    assert step < 20 and any('is now the latest checkpoint' in text for text in logged)
    hook._should_stop = lambda: False
    estimator.train(points(), hooks=[hook], steps=3)
    assert estimator.evaluate(points(1))['global_step'] == step + 3


def score_fn(features, labels, mode):
    """line_fn with a score by global step: 3, then 2, then worse, and best from step 13 on."""
    spec = line_fn(features, labels, mode, {})
    if mode != KEYS.EVAL:
        return spec
    score = tf.gather([3.0] + 4 * [2.0] + 8 * [2.5] + 20 * [1.0], tf.train.get_global_step())
    return spec._replace(eval_metric_ops={'score': tf.metrics.mean(score)})


@pytest.mark.slow
def test_best_checkpoint_may_be_the_last_one(tmp_path):
    estimator = tf.estimator.Estimator(
        score_fn, str(tmp_path), tf.estimator.RunConfig(save_checkpoints_steps=4))
    hook = tf.estimator.experimental.stop_if_no_decrease_hook(
        estimator, 'score', 8, run_every_secs=None, run_every_steps=3, restore_best=True)
    tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(points(), max_steps=400, hooks=[hook]),
        tf.estimator.EvalSpec(points(1), steps=None, start_delay_secs=0, throttle_secs=0))
    found = {step: metrics['score'] for step, metrics in
             tf.contrib.estimator.read_eval_metrics(estimator.eval_dir()).items()}
    assert max(found) == min(found, key=found.get) < 20
    assert estimator.evaluate(points(1))['global_step'] == max(found)


def _stops(tmp_path, losses, **arguments):
    """Whether stop_if_no_decrease_hook requests a stop after evaluations {step: loss}."""
    estimator = line(tmp_path)
    writer = tf.summary.FileWriter(estimator.eval_dir())
    for step, loss in losses.items():
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='loss', simple_value=loss)]),
                           step)
    writer.close()
    hook = tf.estimator.experimental.stop_if_no_decrease_hook(
        estimator, 'loss', run_every_secs=None, run_every_steps=1, **arguments)
    return hook._should_stop()


@pytest.mark.parametrize('patience, stops', [(19, True), (20, True), (21, False)])
def test_steps_without_decrease(tmp_path, patience, stops):
    losses = {10: 1., 20: 2., 30: 2.}
    assert _stops(tmp_path, losses, max_steps_without_decrease=patience) is stops


@pytest.mark.parametrize('min_steps, stops', [(0, True), (20, False)])
def test_evaluations_before_min_steps_do_not_count(tmp_path, min_steps, stops):
    losses = {10: 1., 20: 3., 30: 2.}
    assert _stops(tmp_path, losses, max_steps_without_decrease=15,
                     min_steps=min_steps) is stops


@pytest.mark.slow
@pytest.mark.parametrize('make, words', [
    (lambda e: EXPERIMENTAL.stop_if_lower_hook(e, 'loss', 0.5, run_every_secs=None,
                                               run_every_steps=1), 'lower than'),
    (lambda e: EXPERIMENTAL.stop_if_higher_hook(e, 'mae', 1e-9, run_every_secs=None,
                                                run_every_steps=1), 'higher than'),
])
def test_stop_at_a_threshold(tmp_path, logged, make, words):
    estimator = line(tmp_path, save_checkpoints_steps=5)
    tf.estimator.train_and_evaluate(estimator, *specs(max_steps=200, hooks=[make(estimator)]))
    assert any(words in text and 'the configured threshold' in text for text in logged)
    assert estimator.get_variable_value('global_step') < 200


@pytest.mark.slow
def test_missing_evaluations_cause_a_warning(tmp_path, logged):
    estimator = line(tmp_path)
    hook = EXPERIMENTAL.stop_if_no_increase_hook(
        estimator, 'mae', 5, run_every_secs=None, run_every_steps=4)
    estimator.train(points(), hooks=[hook], steps=9)
    assert sum('there was no evaluation yet' in text for text in logged) == 1
    estimator.evaluate(points(1))
    logged.clear()
    estimator.train(points(), hooks=[hook], steps=20)
    assert any('there was no evaluation since step 9' in text for text in logged)


@pytest.mark.slow
def test_no_warning_before_the_first_evaluation(tmp_path, logged):
    estimator = line(tmp_path, save_checkpoints_steps=5)
    hook = tf.estimator.experimental.stop_if_no_decrease_hook(
        estimator, 'loss', 50, run_every_secs=None, run_every_steps=5, restore_best=True)
    tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(points(), max_steps=20, hooks=[hook]),
        tf.estimator.EvalSpec(points(1), steps=None, start_delay_secs=0, throttle_secs=0))
    assert not any('no evaluation' in text for text in logged)


@pytest.mark.slow
def test_error_for_an_unknown_metric_lists_the_metrics(tmp_path):
    estimator = line(tmp_path, save_checkpoints_steps=2)
    hook = EXPERIMENTAL.stop_if_lower_hook(estimator, 'val_loss', 0.1, run_every_secs=None,
                                           run_every_steps=1)
    with pytest.raises(ValueError, match='no metric "val_loss".*\n.*loss, mae'):
        tf.estimator.train_and_evaluate(estimator, *specs(hooks=[hook]))


@pytest.mark.slow
def test_custom_stop_function(tmp_path):
    calls = []
    estimator = line(tmp_path)
    hook = EXPERIMENTAL.make_early_stopping_hook(
        estimator, lambda: calls.append(1) or len(calls) == 3, run_every_secs=None,
        run_every_steps=2)
    estimator.train(points(), hooks=[hook], steps=50)
    assert len(calls) == 3 and estimator.get_variable_value('global_step') < 10
    with pytest.raises(ValueError, match='Only one of `run_every_secs` and'):
        EXPERIMENTAL.make_early_stopping_hook(estimator, bool, 1, 1)
