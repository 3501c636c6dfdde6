"""train_and_evaluate; test_estimator_roles.py starts it as the tasks of a cluster."""
from __future__ import annotations

import json
import sys

import numpy as np

import tinyflow as tf

X = np.linspace(-1, 1, 32).astype(np.float32)[:, None]


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({'x': X}, 2 * X)).repeat().batch(8)


def eval_input_fn():
    return tf.data.Dataset.from_tensor_slices(({'x': X}, 2 * X)).batch(8)


def model_fn(features, labels, mode):
    w = tf.get_variable('w', [1, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable('b', [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(features['x'], w) + b - labels))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class Watch(tf.estimator.SessionRunHook):
    """Prints where nodes are, and the loss of each tenth step."""

    def before_run(self, context):
        graph = tf.get_default_graph()
        if 'where' not in vars(self):
            self.where = {name: graph.get_operation_by_name(name).device
                          for name in ('w', 'b', 'global_step', 'Mean')}
            print('WHERE', json.dumps(self.where), flush=True)
        return tf.train.SessionRunArgs([graph.get_tensor_by_name('Mean:0'),
                                        tf.train.get_global_step()])

    def after_run(self, context, run_values):
        loss, step = run_values.results
        if step % 10 == 1:
            print('LOSS', json.dumps(float(loss)), flush=True)


class Results(tf.estimator.Exporter):
    """Prints the results of evaluations instead of an export."""

    name = 'results'

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        print('EVALUATED', json.dumps([int(eval_result['global_step']), float(eval_result['loss']),
                                       bool(is_the_final_export)]), flush=True)


def main(model_dir, max_steps):
    config = tf.estimator.RunConfig(model_dir, tf_random_seed=1, save_checkpoints_steps=10,
                                    experimental_max_worker_delay_secs=0)
    tf.estimator.train_and_evaluate(
        tf.estimator.Estimator(model_fn, config=config),
        tf.estimator.TrainSpec(input_fn, max_steps=max_steps, hooks=[Watch()]),
        tf.estimator.EvalSpec(eval_input_fn, steps=None, exporters=Results(), start_delay_secs=0,
                              throttle_secs=0))
    print('DONE', json.dumps([config.task_type, config.task_id]), flush=True)


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]))
