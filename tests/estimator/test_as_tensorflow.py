"""Details in which an Estimator follows TensorFlow 1.15: keys, metrics, receivers, exports."""
from __future__ import annotations

import os

import numpy as np
import pytest

import tinyflow as tf
from estimator_layer import private_names
from estimator_layer.export.receivers import build_supervised_input_receiver_fn_from_input_fn
from tests.estimator.models import KEYS, X, Y, line, points


def receiver():
    x = tf.placeholder(tf.float32, [None, 1])
    return tf.estimator.export.ServingInputReceiver({'x': x}, {'x': x})


def test_warm_start_from_bytes_and_export_without_training(tmp_path):
    trained = line(tmp_path / 'a').train(points(), steps=2)
    first = trained.export_saved_model(str(tmp_path / 'first'), receiver)
    assert isinstance(first, bytes)
    warm = tf.estimator.Estimator(trained._model_fn, str(tmp_path / 'b'), warm_start_from=first)
    assert warm.evaluate(points(1), steps=1)['mae'] == trained.evaluate(points(1), steps=1)['mae']
    from_folder = tf.estimator.Estimator(trained._model_fn, str(tmp_path / 'c'),
                                         warm_start_from=str(tmp_path / 'a'))
    second = from_folder.export_saved_model(str(tmp_path / 'second'), receiver)
    assert os.path.exists(os.path.join(second, b'variables', b'variables.index'))


def test_features_with_keys_of_both_kinds(tmp_path):
    def model_fn(features, labels, mode):
        w = tf.get_variable('w', [], initializer=tf.ones_initializer())
        y = w * features[1] + features['b']
        if mode == KEYS.PREDICT:
            return tf.estimator.EstimatorSpec(mode, {'y': y})
        loss = tf.reduce_mean(y)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(
            tf.train.get_global_step(), 1))

    def input_fn():
        return {1: tf.constant([1.]), 'b': tf.constant([2.])}, None

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path)).train(input_fn, steps=1)
    assert estimator.evaluate(input_fn, steps=1)['loss'] == 3.0
    assert next(estimator.predict(input_fn))['y'] == 3.0


def test_metrics_may_be_nested(tmp_path):
    def model_fn(features, labels, mode):
        one = tf.metrics.mean(tf.constant(2.))
        both = ((one[0], one[0] + 1.), (one[1], one[1]))
        return tf.estimator.EstimatorSpec(
            mode, loss=tf.constant(1.), eval_metric_ops={'both': both},
            train_op=tf.assign_add(tf.train.get_global_step(), 1))

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path)).train(points(1), steps=1)
    assert estimator.evaluate(points(1))['both'] == (2.0, 3.0)


def test_receivers_of_an_input_fn():
    def input_fn(rows):
        return {'x': tf.zeros([rows, 3])}, tf.zeros([rows], tf.int64)

    receive = build_supervised_input_receiver_fn_from_input_fn(input_fn, rows=4)
    with tf.Graph().as_default():
        found = receive()
        assert found.features['x'].shape.as_list() == [None, 3]
        assert found.labels.dtype == tf.int64 and found.labels.shape.as_list() == [None]
        assert sorted(found.receiver_tensors) == ['label', 'x']


def test_best_exporter_needs_no_global_step(tmp_path):
    estimator = line(tmp_path).train(points(), steps=1)
    exporter = tf.estimator.BestExporter(serving_input_receiver_fn=receiver)
    args = estimator, str(tmp_path / 'out'), estimator.latest_checkpoint()
    assert exporter.export(*args, {'loss': 2.0}, False)
    assert exporter.export(*args, {'loss': 3.0}, False) is None


@pytest.mark.parametrize('what, scaffold', [
    ('saver', lambda: tf.train.Scaffold(saver=tf.train.Saver())),
    ('init_fn', lambda: tf.train.Scaffold(init_fn=lambda scaffold, session: None))])
def test_in_memory_evaluator_refuses_custom(tmp_path, what, scaffold):
    def model_fn(features, labels, mode):
        w = tf.get_variable('w', [])
        return tf.estimator.EstimatorSpec(
            mode, loss=w, scaffold=scaffold() if mode == KEYS.EVAL else None,
            train_op=tf.assign_add(tf.train.get_global_step(), 1))

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    hook = tf.contrib.estimator.InMemoryEvaluatorHook(estimator, points(1), steps=1)
    with pytest.raises(ValueError, match=f'does not support custom {what}'):
        estimator.train(points(1), steps=1, hooks=[hook])


def test_heads_of_private_modules():
    """The loss is summed over the batch, unlike that of tf.contrib.estimator's heads."""
    head = private_names._regression_head(label_dimension=1)
    with tf.Graph().as_default():
        spec = head.create_loss({}, KEYS.TRAIN, tf.constant(X), tf.constant(Y))
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(spec.training_loss), np.square(X - Y).sum(),
                                       rtol=1e-5)
