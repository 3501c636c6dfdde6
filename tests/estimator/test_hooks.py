"""InMemoryEvaluatorHook, and tf.train hooks in monitored sessions."""
from __future__ import annotations

import pytest

import tinyflow as tf
from tests.estimator.models import line, points


@pytest.mark.slow
def test_evaluation_in_memory(tmp_path):
    estimator = line(tmp_path, save_checkpoints_secs=None, save_checkpoints_steps=None)
    hook = tf.estimator.experimental.InMemoryEvaluatorHook(estimator, points(1), every_n_iter=4)
    estimator.train(points(), hooks=[hook], steps=10)
    from estimator_layer.hooks.early_stopping import read_eval_metrics
    found = read_eval_metrics(estimator.eval_dir())
    assert list(found) == [0, 4, 8, 10]
    losses = [metrics['loss'] for metrics in found.values()]
    assert losses == sorted(losses, reverse=True)


def test_evaluation_in_memory_needs_all_state_in_variables(tmp_path):
    column = tf.feature_column.bucketized_column(tf.feature_column.numeric_column('x'), [0.5])
    estimator = tf.estimator.BoostedTreesRegressor([column], 1, str(tmp_path), n_trees=2)
    hook = tf.estimator.experimental.InMemoryEvaluatorHook(estimator, points(1), every_n_iter=4)
    with pytest.raises(ValueError, match='does not support saveables.*\n.*train_and_evaluate'):
        estimator.train(points(), hooks=[hook], steps=2)


def test_final_ops_hook_feeds_values():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        hook = tf.train.FinalOpsHook(x * 2, {x: 4.})
        with tf.train.MonitoredSession(hooks=[hook]):
            pass
    assert hook.final_ops_values == 8


def test_error_of_run_after_the_end_shows_the_loop():
    with tf.Graph().as_default():
        counted = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        hooks = [tf.train.StopAtStepHook(last_step=2)]
        with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
            session.run(counted)
            session.run(counted)
            with pytest.raises(RuntimeError, match='while not session.should_stop'):
                session.run(counted)


def test_in_memory_evaluator_builds_one_graph(tmp_path):
    """In `begin`, in which a custom start is refused; what training lacks keeps its first value."""
    calls = []

    def model_fn(features, labels, mode):
        calls.append(mode)
        w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
        loss = w
        if mode == 'eval':
            loss += tf.get_variable('only_here', [], initializer=tf.constant_initializer(10.))
        step = tf.assign_add(tf.train.get_global_step(), 1)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.group(
            tf.assign_add(w, 1.), step))

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    hook = tf.estimator.experimental.InMemoryEvaluatorHook(estimator, points(1), steps=1,
                                                            every_n_iter=1)
    estimator.train(points(1), steps=3, hooks=[hook])
    assert calls == ['train', 'eval']
    from estimator_layer.hooks.early_stopping import read_eval_metrics
    found = read_eval_metrics(estimator.eval_dir())
    assert [metrics['loss'] for metrics in found.values()] == [10., 11., 12., 13.]
