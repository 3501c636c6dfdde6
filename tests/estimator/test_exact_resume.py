"""Exact resume of Estimators: files, errors, replicas. What is killed is in tests/kills/."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator import resume_program


def weights(model_dir):
    reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(str(model_dir)))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


@pytest.mark.slow
def test_completed_training_restarts_its_input(tmp_path):
    """As in TensorFlow: `for epoch in range(3): estimator.train(one_epoch)` trains three epochs."""
    def one_epoch():
        x, y = resume_program.data()
        return tf.data.Dataset.from_tensor_slices(({'x': x}, y)).batch(50)

    estimator = resume_program.estimator(str(tmp_path))
    for epoch in range(1, 4):
        estimator.train(one_epoch)
        assert estimator.get_variable_value('global_step') == 4 * epoch
    assert not list(tmp_path.glob('*-12.resume'))


@pytest.mark.slow
def test_resume_files_of_a_saver_with_padded_steps(tmp_path):
    def model_fn(features, labels, mode):
        loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features, 1))
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, train_op=tf.train.GradientDescentOptimizer(0.1).minimize(
                loss, tf.train.get_global_step()),
            scaffold=tf.train.Scaffold(saver=tf.train.Saver(pad_step_number=True)))

    config = tf.estimator.RunConfig(save_checkpoints_steps=2)
    tf.estimator.Estimator(model_fn, str(tmp_path), config).train(
        lambda: (tf.ones([4, 2]), tf.ones([4, 1])), steps=5)
    assert sorted(path.name for path in tmp_path.glob('*.resume')) == [
        f'model.ckpt-{step:08d}.resume' for step in (0, 2, 4)]


@pytest.mark.slow
def test_damaged_resume_file_is_named(tmp_path):
    estimator = resume_program.estimator(str(tmp_path))

    class Stop(tf.train.SessionRunHook):
        """Ends the training with an error at the tenth step."""

        def after_run(self, run_context, run_values):
            self.steps = getattr(self, 'steps', 0) + 1
            if self.steps == 10:
                raise ZeroDivisionError

    try:
        estimator.train(resume_program.input_fn, hooks=[Stop()], max_steps=30)
    except ZeroDivisionError:
        pass
    latest = Path(tf.train.latest_checkpoint(str(tmp_path)) + '.resume')
    data = bytearray(latest.read_bytes())
    data[len(data) // 2] ^= 1
    latest.write_bytes(bytes(data))
    try:
        estimator.train(resume_program.input_fn, max_steps=30)
    except tf.errors.DataLossError as error:
        assert latest.name in str(error) and 'delete it' in str(error)
    else:
        raise AssertionError('a damaged file was accepted')
    latest.unlink()
    estimator.train(resume_program.input_fn, max_steps=30)
    assert estimator.get_variable_value('global_step') == 30


@pytest.mark.slow
def test_resume_restores_the_values_of_each_replica(tmp_path):
    """Moving averages differ between replicas; the checkpoint has their mean, the resume file all.
    """
    def model_fn(features, labels, mode):
        training = mode == tf.estimator.ModeKeys.TRAIN
        net = tf.layers.dense(features['x'], 4, use_bias=False)
        net = tf.layers.batch_normalization(net, training=training, momentum=0.9)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(net, 3))
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    class Fail(tf.train.SessionRunHook):
        """An error at the tenth step."""

        def begin(self):
            self.steps = 0

        def after_run(self, run_context, run_values):
            self.steps += 1
            if self.steps == 10:
                raise ZeroDivisionError

    def train(name, *hooks):
        strategy = tf.distribute.MirroredStrategy(['/cpu:0', '/cpu:1'])
        config = tf.estimator.RunConfig(tf_random_seed=5, save_checkpoints_steps=4,
                                        train_distribute=strategy)
        estimator = tf.estimator.Estimator(model_fn, str(tmp_path / name), config)
        estimator.train(resume_program.input_fn, hooks=hooks, max_steps=20)

    train('whole')
    try:
        train('failed', Fail())
    except ZeroDivisionError:
        pass
    train('failed')
    whole, failed = weights(tmp_path / 'whole'), weights(tmp_path / 'failed')
    for name in whole:
        np.testing.assert_array_equal(whole[name], failed[name], err_msg=name)


def test_positions_of_another_step_are_ignored(tmp_path):
    from tinyflow.train.checkpoints.exact_resume import restore_positions, save_positions
    prefix = str(tmp_path / 'model.ckpt-5')
    with tf.Graph().as_default(), tf.Session() as session:
        number = tf.random_uniform([], seed=1)
        session.run(number)
        save_positions(session, prefix, 5)
        wanted = session.run(number)
        assert not restore_positions(session, prefix, 6)
        assert session.run(number) != wanted
        assert restore_positions(session, prefix, 5)
        assert session.run(number) == wanted
