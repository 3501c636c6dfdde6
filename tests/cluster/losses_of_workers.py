"""The losses of an Estimator under MultiWorkerMirroredStrategy: python FILE MODULE FOLDER.

Run by TensorFlow 1.15.5 and by tinyflow, in each worker of TF_CONFIG; the first prints JSON.
"""
import importlib
import json
import sys

import numpy as np

tf = importlib.import_module(sys.argv[1])
STEPS, ROWS = 10, 16            # rows of a worker's batch


def initial(*shape):
    count = int(np.prod(shape))
    return tf.constant_initializer(np.sin(np.arange(count)).reshape(shape).astype(np.float32))


def input_fn(input_context=None):
    x = np.cos(np.arange(640 * 6)).reshape(640, 6).astype(np.float32)
    y = (np.arange(640) * 7 % 3).astype(np.int32)
    data = tf.data.Dataset.from_tensor_slices((x, y))
    return data.shard(input_context.num_input_pipelines,
                      input_context.input_pipeline_id).repeat().batch(ROWS)


def model_fn(features, labels, mode):
    with tf.variable_scope('net'):
        h = tf.layers.dense(features, 8, tf.nn.tanh, kernel_initializer=initial(6, 8))
        h = tf.layers.batch_normalization(h, training=True, momentum=0.9)
        logits = tf.layers.dense(h, 3, kernel_initializer=initial(8, 3))
    table = tf.get_variable('table', [3, 3], initializer=initial(3, 3))
    logits += tf.nn.embedding_lookup(table, tf.cast(features[:, 0] > 0, tf.int32))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    optimizer = tf.train.AdamOptimizer(0.02)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)


class Losses(tf.train.SessionRunHook):
    def __init__(self):
        self.found = []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

    def after_run(self, run_context, run_values):
        self.found.append(float(run_values.results))


def main():
    strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
    config = tf.estimator.RunConfig(model_dir=sys.argv[2], train_distribute=strategy)
    estimator = tf.estimator.Estimator(model_fn, config=config)
    hook = Losses()
    tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(input_fn, max_steps=STEPS, hooks=[hook]),
        tf.estimator.EvalSpec(input_fn))
    if strategy.extended.should_checkpoint:
        reader = tf.train.load_checkpoint(tf.train.latest_checkpoint(sys.argv[2]))
        weights = {name: reader.get_tensor(name).astype(float).ravel().tolist()
                   for name in sorted(reader.get_variable_to_shape_map())
                   if name.startswith(('net/', 'table')) and 'Adam' not in name}
        print('RESULT ' + json.dumps({'losses': hook.found, 'weights': weights}))


main()
