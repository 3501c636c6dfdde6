"""train_and_evaluate, TrainSpec, EvalSpec and exporters."""
from __future__ import annotations

import json
import os

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.models import X, line, points


def receiver():
    return tf.estimator.export.build_raw_serving_input_receiver_fn(
        {'x': tf.TensorSpec([None, 1], tf.float32)})()


def specs(max_steps=12, throttle_secs=0, exporters=None, hooks=None):
    return (tf.estimator.TrainSpec(points(), max_steps=max_steps, hooks=hooks),
            tf.estimator.EvalSpec(points(1), steps=None, throttle_secs=throttle_secs,
                                  exporters=exporters))


CLUSTER = {'chief': ['a:1'], 'ps': ['b:1', 'b:2'], 'worker': ['w:1', 'w:2']}


def test_training_keeps_its_position_in_the_input(tmp_path, logged):
    """The evaluations in between do not restart the training's input."""
    numbers_read = []

    def numbers():
        for number in range(100):
            numbers_read.append(number)
            yield {'x': X[:4]}, 2 * X[:4]

    def input_fn():
        return tf.data.Dataset.from_generator(
            numbers, ({'x': tf.float32}, tf.float32), ({'x': [4, 1]}, [4, 1]))

    estimator = line(tmp_path, save_checkpoints_steps=5)
    metrics, exports = tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(input_fn, max_steps=15),
        tf.estimator.EvalSpec(points(1), throttle_secs=0))
    assert numbers_read[:15] == list(range(15)) and numbers_read.count(0) == 1
    assert metrics['global_step'] == 15 and exports == []
    assert sum('Finished evaluation' in text for text in logged) == 3
    assert sum('Create CheckpointSaverHook' in text for text in logged) == 1


def test_throttled_evaluation_is_logged(tmp_path, logged):
    estimator = line(tmp_path, save_checkpoints_steps=3)
    metrics, _ = tf.estimator.train_and_evaluate(estimator, *specs(throttle_secs=600))
    assert any('Skip the current checkpoint eval due to throttle secs (600 secs)' in text
               for text in logged)
    assert metrics['global_step'] == 12         # the last one is always evaluated


def test_exporters(tmp_path):
    exporters = [tf.estimator.LatestExporter('latest', receiver, exports_to_keep=2),
                 tf.estimator.FinalExporter('final', receiver),
                 tf.estimator.BestExporter('best', receiver)]
    estimator = line(tmp_path, save_checkpoints_steps=6)
    metrics, exports = tf.estimator.train_and_evaluate(estimator, *specs(exporters=exporters))
    assert len(exports) == 3 and None not in exports        # the loss decreases each time
    counts = {name: len(list((tmp_path / 'export' / name).iterdir()))
              for name in ('latest', 'final', 'best')}
    assert counts == {'latest': 2, 'final': 1, 'best': 2}
    with tf.saved_model.load(exports[1]) as model:
        found = model.signatures['serving_default'](x=X)['y']
    wanted = [one['y'] for one in estimator.predict(points(1))]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_best_exporter_reads_results_of_earlier_runs(tmp_path):
    exporter = tf.estimator.BestExporter('best', receiver)
    estimator = line(tmp_path, save_checkpoints_steps=6)
    tf.estimator.train_and_evaluate(estimator, *specs(exporters=exporter))
    again = tf.estimator.BestExporter('best', receiver)
    better = {'loss': -1.0, 'global_step': 99}
    worse = {'loss': 1e9, 'global_step': 99}
    path = estimator.latest_checkpoint()
    base = str(tmp_path / 'export' / 'best')
    assert again.export(estimator, base, path, worse, False) is None
    assert again.export(estimator, base, path, better, False)


def test_best_exporter_in_a_directory_with_brackets(tmp_path):
    directory = tmp_path / 'run[1]'
    exporter = tf.estimator.BestExporter('best', receiver)
    estimator = line(directory, save_checkpoints_steps=6)
    tf.estimator.train_and_evaluate(estimator, *specs(exporters=exporter))
    again = tf.estimator.BestExporter('best', receiver)
    worse = {'loss': 1e9, 'global_step': 99}
    assert again.export(estimator, str(directory / 'export' / 'best'),
                        estimator.latest_checkpoint(), worse, False) is None


@pytest.mark.parametrize('keep', [1, 2])
def test_exports_to_keep(tmp_path, keep):
    estimator = line(tmp_path / 'model')
    estimator.train(points(), steps=1)
    base = tmp_path / 'exports'
    for number in range(4):
        os.makedirs(base / str(1500000000 + number))
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
        {'x': tf.placeholder(tf.float32, [None, 1])})
    exporter = tf.estimator.LatestExporter('latest', receiver, exports_to_keep=keep)
    newest = os.path.basename(exporter.export(estimator, str(base), None, {}, False).decode())
    assert sorted(os.listdir(base)) == ['1500000003', newest][2 - keep:]


@pytest.mark.parametrize('make, kind, words', [
    (lambda: tf.estimator.TrainSpec(3), TypeError, 'input_fn must be a function'),
    (lambda: tf.estimator.EvalSpec(3), TypeError, 'input_fn must be a function'),
    (lambda: tf.estimator.EvalSpec(points(), exporters=3), TypeError, '`exporters` must be'),
    (lambda: tf.estimator.TrainSpec(points(), max_steps=0), ValueError, 'max_steps > 0'),
    (lambda: tf.estimator.TrainSpec(points(), hooks=[1]), TypeError, 'SessionRunHook'),
    (lambda: tf.estimator.EvalSpec(points(), steps=0), ValueError, 'steps > 0'),
    (lambda: tf.estimator.EvalSpec(points(), name=1), TypeError, '`name` must be string'),
    (lambda: tf.estimator.EvalSpec(points(), throttle_secs=-1), ValueError, 'throttle_secs >= 0'),
    (lambda: tf.estimator.EvalSpec(points(), exporters=[1]), TypeError, '`exporters` must be'),
    (lambda: tf.estimator.EvalSpec(points(), exporters=[
        tf.estimator.FinalExporter('a', receiver), tf.estimator.LatestExporter('a', receiver)]),
     ValueError, '`exporters` must have unique names'),
    (lambda: tf.estimator.BestExporter('b', receiver, compare_fn=lambda a, b: True), ValueError,
     'must include best_eval_result argument'),
    (lambda: tf.estimator.LatestExporter('b', receiver, exports_to_keep=0), ValueError,
     'must be a positive number'),
    (lambda: tf.estimator.train_and_evaluate(1, *specs()), TypeError, '`estimator` must have type'),
])
def test_wrong_specs(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


def test_separate_evaluator_follows_the_checkpoints(monkeypatch, tmp_path, logged):
    line(tmp_path).train(points(), max_steps=12)
    monkeypatch.setenv('TF_CONFIG', json.dumps(
        {'cluster': CLUSTER, 'task': {'type': 'evaluator', 'index': 0}}))
    train, evaluate = specs()
    metrics, _ = tf.estimator.train_and_evaluate(
        line(tmp_path), train, evaluate._replace(start_delay_secs=0))
    assert metrics['global_step'] == 12
    assert any('Exiting evaluation, global_step=12' in text for text in logged)
