"""Warm starts of Estimators."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.models import line, line_fn, points


@pytest.mark.slow
def test_warm_start_logs_a_table(tmp_path, logged):
    old = line(tmp_path / 'old').train(points(), steps=20)

    def wider_fn(features, labels, mode):
        y = tf.layers.dense(features['x'], 1, name='line')
        y = tf.layers.batch_normalization(y, training=mode == 'train', name='norm')
        loss = tf.losses.mean_squared_error(labels, y)
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, train_op=tf.train.AdamOptimizer().minimize(
                loss, tf.train.get_global_step()))

    first = tf.estimator.Estimator(wider_fn, str(tmp_path / 'first')).train(points(), steps=2)
    logged.clear()
    second = tf.estimator.Estimator(wider_fn, str(tmp_path / 'second'),
                                    warm_start_from=first.model_dir)
    second.train(points(), steps=1)
    table = next(text for text in logged if text.startswith('Warm start from'))
    rows = {line.split()[1]: line for line in table.split('\n')[1:]}
    assert rows['line/kernel'].split()[0] == 'loaded'
    assert rows['norm/moving_mean'].split()[0] == 'loaded'      # untrained, but in the checkpoint
    assert 'initialized' in rows['line/kernel/Adam'] and 'initialized' in rows['global_step']
    settings = tf.estimator.WarmStartSettings(old.model_dir, vars_to_warm_start='line/kernel')
    logged.clear()
    third = tf.estimator.Estimator(line_fn, str(tmp_path / 'third'), params={},
                                   warm_start_from=settings)
    third.train(points(), steps=1)
    table = next(text for text in logged if text.startswith('Warm start from'))
    assert 'line/bias' in table and 'the checkpoint has it, too' in table


def test_wrong_warm_start_settings(tmp_path):
    with pytest.raises(ValueError, match='must be a string or a WarmStartSettings'):
        tf.estimator.Estimator(line_fn, params={}, warm_start_from=3)
    with pytest.raises(ValueError, match='`ckpt_to_initialize_from` MUST be set'):
        tf.estimator.WarmStartSettings('')


def test_wrong_shape_of_a_partitioned_variable_is_an_error(tmp_path):
    """As for any other Variable: the bias has shape [1], the weights [3, 1]."""
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


class RecordInitialValues(tf.train.SessionRunHook):
    """Records the Variables of each replica before the first step."""

    def after_create_session(self, session, coord):
        self.kernels = [session.run(v) for variable in tf.trainable_variables()
                        if 'kernel' in variable.op.name
                        for v in getattr(variable, 'components', (variable,))]


def test_warm_start_on_replicas(tmp_path):
    first = line(tmp_path / 'first').train(points(), steps=5)
    strategy = tf.distribute.MirroredStrategy(['/cpu:0', '/cpu:1'])
    second = tf.estimator.Estimator(
        first._model_fn, str(tmp_path / 'second'), params={},
        config=tf.estimator.RunConfig(train_distribute=strategy), warm_start_from=first.model_dir)
    values = RecordInitialValues()
    second.train(points(), steps=1, hooks=[values])
    assert len(values.kernels) == 2
    for kernel in values.kernels:
        np.testing.assert_array_equal(kernel, first.get_variable_value('line/kernel'))
