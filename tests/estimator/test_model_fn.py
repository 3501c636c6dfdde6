"""model_fn and EstimatorSpec: parameters, results, errors of wrong ones."""
from __future__ import annotations

import functools

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.models import X, halves_dataset, points


def spec_fn(**parts):
    def model_fn(features, labels, mode):
        loss = tf.reduce_mean(tf.layers.dense(features['x'], 1))
        made = {name: make(loss) for name, make in parts.items()}
        return tf.estimator.EstimatorSpec(mode, **{'loss': loss, **made})
    return model_fn


@pytest.mark.parametrize('model_fn, words', [
    (lambda mode: None, 'must include features argument'),
    (lambda features, labels, rate: None, "following not expected args: \\['rate'\\]"),
])
def test_wrong_parameters_of_a_model_fn(model_fn, words):
    with pytest.raises(ValueError, match=words):
        tf.estimator.Estimator(model_fn)


def test_model_fn_may_be_a_partial_with_keyword_arguments(tmp_path):
    def model_fn(features, labels, mode, factor, **more):
        assert not more
        return tf.estimator.EstimatorSpec(mode, predictions=features['x'] * factor)

    estimator = tf.estimator.Estimator(functools.partial(model_fn, factor=3.0), str(tmp_path))
    assert list(estimator.predict({'x': np.ones(2, np.float32)})) == [3.0, 3.0]


@pytest.mark.parametrize('model_fn, mode, words', [
    (spec_fn(), 'train', 'Missing train_op'),
    (spec_fn(loss=lambda _: None), 'evaluate', 'Missing loss'),
    (spec_fn(loss=lambda _: None), 'predict', 'Missing predictions'),
    (spec_fn(loss=lambda loss: tf.stack([loss, loss])), 'evaluate', 'Loss must be scalar'),
    (spec_fn(loss=lambda _: 1.0), 'evaluate', 'loss must be Tensor'),
    (spec_fn(eval_metric_ops=lambda loss: {'m': loss}), 'evaluate',
     'Values of eval_metric_ops must be \\(metric_value, update_op\\)'),
    (spec_fn(eval_metric_ops=lambda loss: {'loss': tf.metrics.mean(loss)}), 'evaluate',
     'Metric with name `loss` is not allowed'),
    (spec_fn(train_op=lambda _: 1), 'train', 'train_op must be Operation or Tensor'),
    (spec_fn(scaffold=lambda _: 1), 'evaluate', 'scaffold must be tf.train.Scaffold'),
    (spec_fn(training_hooks=lambda _: [1]), 'evaluate', 'All hooks must be SessionRunHook'),
    (lambda features, labels, mode: 3, 'evaluate', 'should return an EstimatorSpec'),
    (lambda features, mode: 3, 'evaluate', 'does not take labels, but input_fn returns labels'),
])
def test_wrong_results_of_a_model_fn(tmp_path, model_fn, mode, words):
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    calls = {'train': lambda: estimator.train(points(), steps=1),
             'evaluate': lambda: estimator.evaluate(points(1)),
             'predict': lambda: next(estimator.predict(points(1)))}
    with pytest.raises((ValueError, TypeError), match=words):
        calls[mode]()


def test_loss_per_example_causes_a_warning(tmp_path, caplog):
    def model_fn(features, labels, mode):
        loss = tf.square(features['x'] - tf.to_float(labels))
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(
            tf.train.get_global_step(), 1))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.estimator.Estimator(model_fn, str(tmp_path)).train(halves_dataset, steps=1)
    assert any('tf.reduce_mean(loss)' in text for text in caplog.messages)


def test_label_outside_the_vocabulary_is_explained(tmp_path):
    columns = [tf.feature_column.numeric_column('x')]
    estimator = tf.estimator.DNNClassifier([4], columns, str(tmp_path), label_vocabulary=['a', 'c'])
    names = np.array(['a', 'b'] * (len(X) // 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'-1 is a label that is not in'):
        estimator.train(({'x': X[:len(names), 0]}, names), steps=1)
