"""train_and_evaluate, exporters, early stopping, evaluations in memory."""
from __future__ import annotations

import json

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.small import X, line, line_fn, points

EXPERIMENTAL = tf.estimator.experimental


def receiver():
    return tf.estimator.export.build_raw_serving_input_receiver_fn(
        {'x': tf.TensorSpec([None, 1], tf.float32)})()


def specs(max_steps=12, throttle_secs=0, exporters=None, hooks=None):
    return (tf.estimator.TrainSpec(points(), max_steps=max_steps, hooks=hooks),
            tf.estimator.EvalSpec(points(1), steps=None, throttle_secs=throttle_secs,
                                  exporters=exporters))


def test_b16_training_keeps_its_place_in_the_input(tmp_path, told):
    """The evaluations in between do not begin the training's input anew."""
    given = []

    def numbers():
        for number in range(100):
            given.append(number)
            yield {'x': X[:4]}, 2 * X[:4]

    def input_fn():
        return tf.data.Dataset.from_generator(
            numbers, ({'x': tf.float32}, tf.float32), ({'x': [4, 1]}, [4, 1]))

    estimator = line(tmp_path, save_checkpoints_steps=5)
    metrics, exports = tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(input_fn, max_steps=15),
        tf.estimator.EvalSpec(points(1), throttle_secs=0))
    assert given[:15] == list(range(15)) and given.count(0) == 1
    assert metrics['global_step'] == 15 and exports == []
    assert sum('Finished evaluation' in text for text in told) == 3
    assert sum('Create CheckpointSaverHook' in text for text in told) == 1


def test_b16_a_throttled_evaluation_is_told(tmp_path, told):
    estimator = line(tmp_path, save_checkpoints_steps=3)
    metrics, _ = tf.estimator.train_and_evaluate(estimator, *specs(throttle_secs=600))
    assert any('Skip the current checkpoint eval due to throttle secs (600 secs)' in text
               for text in told)
    assert metrics['global_step'] == 12         # the last one is evaluated in any case


def test_exporters(tmp_path):
    exporters = [tf.estimator.LatestExporter('latest', receiver, exports_to_keep=2),
                 tf.estimator.FinalExporter('final', receiver),
                 tf.estimator.BestExporter('best', receiver)]
    estimator = line(tmp_path, save_checkpoints_steps=6)
    metrics, exports = tf.estimator.train_and_evaluate(estimator, *specs(exporters=exporters))
    assert len(exports) == 3 and None not in exports        # the loss falls each time
    kept = {name: len(list((tmp_path / 'export' / name).iterdir()))
            for name in ('latest', 'final', 'best')}
    assert kept == {'latest': 2, 'final': 1, 'best': 2}
    with tf.saved_model.load(exports[1]) as model:
        found = model.signatures['serving_default'](x=X)['y']
    wanted = [one['y'] for one in estimator.predict(points(1))]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_the_best_of_earlier_runs_is_known(tmp_path):
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


def test_the_best_is_found_below_a_directory_with_brackets(tmp_path):
    directory = tmp_path / 'run[1]'
    exporter = tf.estimator.BestExporter('best', receiver)
    estimator = line(directory, save_checkpoints_steps=6)
    tf.estimator.train_and_evaluate(estimator, *specs(exporters=exporter))
    again = tf.estimator.BestExporter('best', receiver)
    worse = {'loss': 1e9, 'global_step': 99}
    assert again.export(estimator, str(directory / 'export' / 'best'),
                        estimator.latest_checkpoint(), worse, False) is None


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


# ---- early stopping ----------------------------------------------------------------------------


def test_stop_if_no_decrease(tmp_path, told):
    """B17: it stops, and the best checkpoint can be the one that stays."""
    estimator = line(tmp_path, {'rate': 2.5}, save_checkpoints_steps=2)     # the loss explodes
    hook = EXPERIMENTAL.stop_if_no_decrease_hook(
        estimator, 'loss', max_steps_without_decrease=4, run_every_secs=None, run_every_steps=1,
        restore_best=True)
    tf.estimator.train_and_evaluate(estimator, *specs(max_steps=40, hooks=[hook]))
    assert any('No decrease in metric "loss" for' in text for text in told)
    from estimator_layer.hooks.early_stopping import read_eval_metrics
    found = {step: metrics['loss']
             for step, metrics in read_eval_metrics(estimator.eval_dir()).items()}
    best = min(found, key=found.get)
    assert estimator.evaluate(points(1))['global_step'] == best < 20


def test_a_hook_restores_the_best_only_after_it_has_stopped(tmp_path, told):
    estimator = line(tmp_path, {'rate': 2.5}, save_checkpoints_steps=2)
    hook = EXPERIMENTAL.stop_if_no_decrease_hook(
        estimator, 'loss', max_steps_without_decrease=4, run_every_secs=None, run_every_steps=1,
        restore_best=True)
    tf.estimator.train_and_evaluate(estimator, *specs(max_steps=40, hooks=[hook]))
    step = estimator.evaluate(points(1))['global_step']
    assert step < 20 and any('is the latest checkpoint now' in text for text in told)
    hook._should_stop = lambda: False
    estimator.train(points(), hooks=[hook], steps=3)
    assert estimator.evaluate(points(1))['global_step'] == step + 3


@pytest.mark.parametrize('make, words', [
    (lambda e: EXPERIMENTAL.stop_if_lower_hook(e, 'loss', 0.5, run_every_secs=None,
                                               run_every_steps=1), 'lower than'),
    (lambda e: EXPERIMENTAL.stop_if_higher_hook(e, 'mae', 1e-9, run_every_secs=None,
                                                run_every_steps=1), 'higher than'),
])
def test_stop_at_a_threshold(tmp_path, told, make, words):
    estimator = line(tmp_path, save_checkpoints_steps=5)
    tf.estimator.train_and_evaluate(estimator, *specs(max_steps=200, hooks=[make(estimator)]))
    assert any(words in text and 'the configured threshold' in text for text in told)
    assert estimator.get_variable_value('global_step') < 200


def test_b17_stopping_that_never_sees_an_evaluation_is_told(tmp_path, told):
    estimator = line(tmp_path)
    hook = EXPERIMENTAL.stop_if_no_increase_hook(
        estimator, 'mae', 5, run_every_secs=None, run_every_steps=4)
    estimator.train(points(), hooks=[hook], steps=9)
    assert sum('there was no evaluation yet' in text for text in told) == 1
    estimator.evaluate(points(1))
    told.clear()
    estimator.train(points(), hooks=[hook], steps=20)
    assert any('there was no evaluation since step 9' in text for text in told)


def test_an_unknown_metric_names_those_that_there_are(tmp_path):
    estimator = line(tmp_path, save_checkpoints_steps=2)
    hook = EXPERIMENTAL.stop_if_lower_hook(estimator, 'val_loss', 0.1, run_every_secs=None,
                                           run_every_steps=1)
    with pytest.raises(ValueError, match='no metric "val_loss".*\n.*loss, mae'):
        tf.estimator.train_and_evaluate(estimator, *specs(hooks=[hook]))


def test_a_hook_by_any_rule(tmp_path):
    asked = []
    estimator = line(tmp_path)
    hook = EXPERIMENTAL.make_early_stopping_hook(
        estimator, lambda: asked.append(1) or len(asked) == 3, run_every_secs=None,
        run_every_steps=2)
    estimator.train(points(), hooks=[hook], steps=50)
    assert len(asked) == 3 and estimator.get_variable_value('global_step') < 10
    with pytest.raises(ValueError, match='Only one of `run_every_secs` and'):
        EXPERIMENTAL.make_early_stopping_hook(estimator, bool, 1, 1)


# ---- other -------------------------------------------------------------------------------------


def test_evaluation_in_memory(tmp_path):
    estimator = line(tmp_path, save_checkpoints_secs=None, save_checkpoints_steps=None)
    hook = EXPERIMENTAL.InMemoryEvaluatorHook(estimator, points(1), every_n_iter=4)
    estimator.train(points(), hooks=[hook], steps=10)
    from estimator_layer.hooks.early_stopping import read_eval_metrics
    found = read_eval_metrics(estimator.eval_dir())
    assert list(found) == [0, 4, 8, 10]
    losses = [metrics['loss'] for metrics in found.values()]
    assert losses == sorted(losses, reverse=True)


def test_evaluation_in_memory_wants_all_state_in_variables(tmp_path):
    column = tf.feature_column.bucketized_column(tf.feature_column.numeric_column('x'), [0.5])
    estimator = tf.estimator.BoostedTreesRegressor([column], 1, str(tmp_path), n_trees=2)
    hook = EXPERIMENTAL.InMemoryEvaluatorHook(estimator, points(1), every_n_iter=4)
    with pytest.raises(ValueError, match='does not support saveables.*\n.*train_and_evaluate'):
        estimator.train(points(), hooks=[hook], steps=2)


def test_add_metrics(tmp_path):
    def largest(predictions, labels, features):
        return {'mean label': tf.metrics.mean(labels), 'mae': tf.metrics.mean(features['x'])}

    def with_predictions(features, labels, mode):
        spec = line_fn(features, labels, mode, {})
        return spec

    estimator = tf.estimator.Estimator(with_predictions, str(tmp_path))
    estimator.train(points(), steps=1)
    found = tf.estimator.add_metrics(estimator, largest).evaluate(points(1))
    np.testing.assert_allclose(found['mean label'], 1, atol=1e-5)
    np.testing.assert_allclose(found['mae'], 0, atol=1e-5)
    with pytest.raises(ValueError, match='following not expected args'):
        tf.estimator.add_metrics(estimator, lambda rate: {})


# ---- TF_CONFIG ---------------------------------------------------------------------------------

CLUSTER = {'chief': ['a:1'], 'ps': ['b:1', 'b:2'], 'worker': ['w:1', 'w:2']}


@pytest.mark.parametrize('config, words', [
    ({'cluster': CLUSTER}, 'task type must be set'),
    ({'cluster': CLUSTER, 'task': {'type': 'worker'}}, 'task index must be set'),
    ({'cluster': CLUSTER, 'task': {'type': 'worker', 'index': 5}}, '5 is not a valid task_id'),
    ({'cluster': CLUSTER, 'task': {'type': 'boss', 'index': 0}}, 'boss is not a valid task_type'),
    ({'cluster': CLUSTER, 'task': {'type': 'worker', 'index': -1}}, 'must be non-negative'),
    ({'cluster': CLUSTER, 'task': {'type': 'worker', 'index': 'x'}}, 'must be a number'),
    ({'cluster': {'worker': ['w:1']}, 'task': {'type': 'worker', 'index': 0}},
     'must have one "chief" node'),
    ({'cluster': {'chief': ['a:1', 'a:2']}, 'task': {'type': 'chief', 'index': 0}},
     'must have only one "chief" node'),
    ({'cluster': {'chief': 'a:1'}, 'task': {'type': 'chief', 'index': 0}}, 'must be a list'),
    ({'task': {'type': 'ps'}}, 'task type must be WORKER'),
    ({'task': {'index': 1}}, 'task index must be 0'),
    ('{not json', 'TF_CONFIG is not JSON'),
])
def test_b23_each_wrong_field_of_tf_config_is_explained(monkeypatch, config, words):
    text = config if isinstance(config, str) else json.dumps(config)
    monkeypatch.setenv('TF_CONFIG', text)
    with pytest.raises((ValueError, TypeError), match=words):
        tf.estimator.RunConfig()


@pytest.mark.parametrize('task, place', [
    (('chief', 0), ('grpc://a:1', True, 2, 3, 0)),
    (('worker', 1), ('grpc://w:2', False, 2, 3, 2)),
    (('ps', 1), ('grpc://b:2', False, 2, 3, 4)),
    (('evaluator', 0), ('', False, 0, 0, None)),
])
def test_b23_a_place_in_a_cluster_as_in_tensorflow(monkeypatch, task, place):
    """Values recorded from TensorFlow 1.15.5 by hand, for this cluster."""
    monkeypatch.setenv('TF_CONFIG', json.dumps(
        {'cluster': CLUSTER, 'task': {'type': task[0], 'index': task[1]}}))
    config = tf.estimator.RunConfig()
    assert (config.master, config.is_chief, config.num_ps_replicas, config.num_worker_replicas,
            config.global_id_in_cluster) == place
    assert (config.task_type, config.task_id) == task


def test_the_jobs_of_a_cluster():
    cluster = tf.train.ClusterSpec({'ps': ['a:1', 'b:1'], 'worker': {0: 'c:1', 3: 'd:1'}})
    assert cluster.jobs == ['ps', 'worker'] and cluster.num_tasks('worker') == 2
    assert cluster.task_indices('worker') == [0, 3] and cluster.task_address('worker', 3) == 'd:1'
    assert cluster.job_tasks('worker') == ['c:1', None, None, 'd:1']
    assert cluster.as_dict() == {'ps': ['a:1', 'b:1'], 'worker': {0: 'c:1', 3: 'd:1'}}
    assert cluster == tf.train.ClusterSpec(cluster) and not tf.train.ClusterSpec({})
    for call, kind, words in [
            (lambda: tf.train.ClusterSpec(3), TypeError, 'must be a dictionary mapping'),
            (lambda: tf.train.ClusterSpec({'ps': 'a:1'}), TypeError, 'must be a list or a dict'),
            (lambda: tf.train.ClusterSpec({'ps': [1]}), TypeError, 'must be a string'),
            (lambda: cluster.num_tasks('x'), ValueError, 'No such job in cluster'),
            (lambda: cluster.task_address('ps', 5), ValueError, 'No task with index 5')]:
        with pytest.raises(kind, match=words):
            call()


def test_b23_a_cluster_is_refused_instead_of_waited_for(monkeypatch, tmp_path):
    monkeypatch.setenv('TF_CONFIG', json.dumps(
        {'cluster': CLUSTER, 'task': {'type': 'worker', 'index': 0}}))
    with pytest.raises(NotImplementedError, match='a cluster of 5 tasks.*\n.*unset'):
        tf.estimator.train_and_evaluate(line(tmp_path), *specs())


def test_b23_an_evaluator_of_its_own_follows_the_checkpoints(monkeypatch, tmp_path, told):
    line(tmp_path).train(points(), max_steps=12)
    monkeypatch.setenv('TF_CONFIG', json.dumps(
        {'cluster': CLUSTER, 'task': {'type': 'evaluator', 'index': 0}}))
    train, evaluate = specs()
    metrics, _ = tf.estimator.train_and_evaluate(
        line(tmp_path), train, evaluate._replace(start_delay_secs=0))
    assert metrics['global_step'] == 12
    assert any('Exiting evaluation, global_step=12' in text for text in told)


# ---- warm starts -------------------------------------------------------------------------------


def test_b24_a_warm_start_tells_what_it_loaded(tmp_path, told):
    old = line(tmp_path / 'old').train(points(), steps=20)

    def wider_fn(features, labels, mode):
        y = tf.layers.dense(features['x'], 1, name='line')
        y = tf.layers.batch_normalization(y, training=mode == 'train', name='norm')
        loss = tf.losses.mean_squared_error(labels, y)
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, train_op=tf.train.AdamOptimizer().minimize(
                loss, tf.train.get_global_step()))

    first = tf.estimator.Estimator(wider_fn, str(tmp_path / 'first')).train(points(), steps=2)
    told.clear()
    second = tf.estimator.Estimator(wider_fn, str(tmp_path / 'second'),
                                    warm_start_from=first.model_dir)
    second.train(points(), steps=1)
    table = next(text for text in told if text.startswith('Warm start from'))
    rows = {line.split()[1 if 'anew' not in line else 2]: line for line in table.split('\n')[1:]}
    assert rows['line/kernel'].split()[0] == 'loaded'
    assert rows['norm/moving_mean'].split()[0] == 'loaded'      # not trained, and there
    assert 'begins anew' in rows['line/kernel/Adam'] and 'begins anew' in rows['global_step']
    settings = tf.estimator.WarmStartSettings(old.model_dir, vars_to_warm_start='line/kernel')
    told.clear()
    third = tf.estimator.Estimator(line_fn, str(tmp_path / 'third'), params={},
                                   warm_start_from=settings)
    third.train(points(), steps=1)
    table = next(text for text in told if text.startswith('Warm start from'))
    assert 'line/bias' in table and 'the checkpoint has it, too' in table


def test_wrong_warm_starts(tmp_path):
    with pytest.raises(ValueError, match='must be a string or a WarmStartSettings'):
        tf.estimator.Estimator(line_fn, params={}, warm_start_from=3)
    with pytest.raises(ValueError, match='`ckpt_to_initialize_from` MUST be set'):
        tf.estimator.WarmStartSettings('')


def test_a_partitioned_matrix_of_another_shape_is_told_while_building(tmp_path):
    """As of any other Variable: the bias, of shape [1], is not the weights, of [3, 1]."""
    x = tf.feature_column.numeric_column('x', shape=3)

    def input_fn():
        return {'x': tf.ones([4, 3])}, tf.constant([0, 1, 0, 1])

    first = tf.estimator.LinearClassifier([x], model_dir=str(tmp_path / 'first'))
    first.train(input_fn, steps=1)
    settings = tf.estimator.WarmStartSettings(
        first.model_dir, vars_to_warm_start='.*x.*', var_name_to_prev_var_name={
            'linear/linear_model/x/weights': 'linear/linear_model/bias_weights'})
    second = tf.estimator.LinearClassifier([x], model_dir=str(tmp_path / 'second'),
                                           warm_start_from=settings)
    with pytest.raises(ValueError, match=r"Shape of variable linear/linear_model/x/weights/part_0"
                                         r":0 \(\(3, 1\)\) doesn't match with shape of tensor"):
        second.train(input_fn, steps=1)


# ---- NaN ---------------------------------------------------------------------------------------


def test_b21_a_loss_that_is_no_number_comes_with_its_report(tmp_path):
    def model_fn(features, labels, mode):
        y = tf.layers.dense(features['x'], 1, name='line')
        loss = tf.reduce_mean(tf.log(y - 100.0, name='logarithm'))
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, train_op=tf.train.GradientDescentOptimizer(0.1).minimize(
                loss, tf.train.get_global_step()))

    with pytest.raises(tf.train.NanLossDuringTrainingError) as caught:
        tf.estimator.Estimator(model_fn, str(tmp_path)).train(points(), steps=3)
    assert 'NaN loss during training' in str(caught.value)
    assert 'logarithm' in str(caught.value)
