"""Cache of graphs and sessions between calls of evaluate and predict."""
from __future__ import annotations

import threading

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.models import KEYS, RecordCalls, X, line, line_fn, line_output, points


@pytest.fixture
def trained(tmp_path):
    return line(tmp_path).train(points(), steps=60)


def test_graph_is_reused_while_the_checkpoint_is_the_same(trained, logged):
    trained.evaluate(points(1))
    list(trained.predict(points(1)))
    logged.clear()
    first = trained.evaluate(points(1))
    list(trained.predict(points(1)))
    assert not any('Calling model_fn' in text for text in logged)
    assert sum('the checkpoint is still' in text for text in logged) == 2
    trained.train(points(), steps=5)
    logged.clear()
    second = trained.evaluate(points(1))
    assert not any('Calling model_fn' in text for text in logged)
    assert any('restoring a new checkpoint' in text for text in logged)
    assert second['global_step'] == 65 and second['loss'] < first['loss']
    fresh = line(trained.model_dir, keep_sessions=False)
    assert fresh.evaluate(points(1)) == second
    logged.clear()
    fresh.evaluate(points(1))
    assert any('Calling model_fn' in text for text in logged)
    trained.close()
    assert trained.evaluate(points(1)) == second


def test_each_call_reads_its_own_input(trained):
    def at(value):
        return tf.estimator.inputs.numpy_input_fn(
            {'x': np.float32([[value]])}, shuffle=False)
    for value in (0.5, -2.0, 3.0):
        found, = trained.predict(at(value))
        np.testing.assert_allclose(found['y'], line_output(trained, np.float32([[value]]))[0],
                                   rtol=1e-5)


def test_two_generators_are_independent(tmp_path):
    estimator = line(tmp_path).train(points(), steps=1)
    old = estimator.predict(points(1, batch=4))
    first = next(old)['y']
    estimator.train(points(), steps=30)
    new = list(estimator.predict(points(1, batch=4)))
    assert not np.array_equal(first, new[0]['y'])
    rest = [first, *(one['y'] for one in old)]
    slope = (rest[-1] - rest[0]) / 2
    assert np.allclose(np.diff(np.array(rest)[:, 0]), slope * 2 / 39, atol=1e-5)


def test_predictions_from_eight_threads(trained):
    wanted, found = line_output(trained), {}

    def predict(number):
        found[number] = np.array([one['y'] for one in trained.predict(points(1))])

    threads = [threading.Thread(target=predict, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for values in found.values():
        np.testing.assert_allclose(values, wanted, rtol=1e-5)
    assert len(found) == 8


def test_models_with_hooks_are_rebuilt(tmp_path):
    hook = RecordCalls()

    def model_fn(features, labels, mode):
        spec = line_fn(features, labels, mode, {})
        return spec._replace(evaluation_hooks=[hook])

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path)).train(points(), steps=1)
    estimator.evaluate(points(1))
    estimator.evaluate(points(1))
    assert hook.calls.count('begin') == 2 and hook.calls.count('end') == 2


def side_effects_fn(features, labels, mode):
    """Draws a random number and counts its runs in a global Variable, in every mode."""
    x = features['x']
    weight = tf.get_variable('weight', [], initializer=tf.ones_initializer())
    runs = tf.get_variable('runs', [], initializer=tf.zeros_initializer(), trainable=False)
    noise = tf.random_normal([])
    if mode != KEYS.TRAIN:
        runs = tf.assign_add(runs, 1.)
    if mode == KEYS.PREDICT:
        rows = [tf.shape(x)[0]]
        return tf.estimator.EstimatorSpec(mode, predictions={
            'noise': tf.fill(rows, noise), 'runs': tf.fill(rows, runs)})
    loss = tf.reduce_mean(tf.square(labels - x * weight))
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train_op, eval_metric_ops={
            'noise': tf.metrics.mean(noise), 'runs': tf.metrics.mean(runs)})


def test_models_with_side_effects_are_rebuilt(tmp_path):
    """A reused session would continue with the random numbers and counts of the last call."""
    estimator = tf.estimator.Estimator(side_effects_fn, str(tmp_path),
                                       tf.estimator.RunConfig(tf_random_seed=3))
    estimator.train(points(), steps=2)
    first, second = (estimator.evaluate(points(1)) for _ in range(2))
    assert first == second and first['runs'] == 3          # the mean of 1 to 5
    one, two = (next(estimator.predict(points(1))) for _ in range(2))
    assert one == two and one['runs'] == 1


def test_session_with_inactive_dropout_is_reused(tmp_path, logged):
    estimator = tf.estimator.DNNClassifier(
        [4], [tf.feature_column.numeric_column('x')], str(tmp_path), dropout=0.5)
    estimator.train(lambda: tf.data.Dataset.from_tensors(({'x': X}, np.int32(X > 0))), steps=1)
    for _ in range(2):
        next(estimator.predict(points(1)))
    assert any('Reusing graph and session' in line for line in logged)


def test_session_with_checking_metrics_is_reused(tmp_path, logged):
    """An If node writes what its branches write: those of tf.metrics.auc write nothing."""
    estimator = tf.estimator.LinearClassifier([tf.feature_column.numeric_column('x')],
                                              str(tmp_path))

    def input_fn():
        return tf.data.Dataset.from_tensor_slices(({'x': X}, np.int32(X > 0))).batch(8)

    estimator.train(input_fn, steps=1)
    assert estimator.evaluate(input_fn) == estimator.evaluate(input_fn)
    assert any('Reusing graph and session' in line for line in logged)


@pytest.mark.slow
def test_threads_that_read_two_checkpoints(tmp_path):
    """No thread restores its checkpoint while another one is about to read from the session."""
    estimator = line(tmp_path)
    for _ in range(2):
        estimator.train(points(), steps=10)
    paths = [str(tmp_path / f'model.ckpt-{step}') for step in (10, 20)]

    def answer(model, path):
        return next(model.predict(points(1), checkpoint_path=path))['y'][0]

    wanted = [answer(line(tmp_path), path) for path in paths]
    wrong = []

    def predict(number):
        for turn in range(25):
            which = (number + turn) % 2
            if answer(estimator, paths[which]) != wanted[which]:
                wrong.append(which)

    threads = [threading.Thread(target=predict, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_acquired_model_is_not_restored_from_another_checkpoint(tmp_path):
    """The same deterministically: both acquire a model before either opens it."""
    from estimator_layer.session_cache.prediction import CachedPrediction
    estimator = line(tmp_path)
    for _ in range(2):
        estimator.train(points(), steps=10)
    paths = [str(tmp_path / f'model.ckpt-{step}') for step in (10, 20)]
    acquired = [estimator._session_cache.get(estimator, points(1), path, CachedPrediction)
                for path in paths]
    assert acquired[0].model is not acquired[1].model
    for bound, path in zip(acquired, paths):
        assert list(bound.run(path, None))
        assert not bound.model.users
